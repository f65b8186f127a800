//! Making a case ready: function, contexts, messages, buffers.

use std::rc::Rc;

use ciphermark_providers::api::{
    CallError, CreateError, Expansion, Operation, Parts, Provider, Renewed, Request, input_bytes,
    output_bytes,
};
use ciphermark_record::description::Algorithm;
use ciphermark_record::plan::{Buffers, Case, Pattern};

use super::answers::{Answers, Streamed};
use super::calls::{Batches, Calls};
use super::combination::chunk_bytes;
use super::expected::{failed, request};
use super::series::{KEYS_IN_TURN, Series, is_suite, longest};
use super::source::{Fresh, Growing, Replay};
use super::stream::{self, SharedRings};
use super::{Messages, Single, Work, contexts, memory};
use crate::buffer::{Shape, Slots};

impl Single {
    /// Makes the function, its inputs and buffers, and sets the key. `rings` are those that the
    /// worker's cases share.
    pub fn prepare(
        provider: &dyn Provider,
        algorithm: &Algorithm,
        case: &Case,
        seed: u64,
        rings: &SharedRings,
    ) -> Result<Self, CreateError> {
        check_room(case, algorithm)?;
        let making =
            Making { provider, algorithm, case, series: Series::of(case, algorithm, seed) };
        making.check_second_level()?;
        let work = match case.operation {
            Operation::Setup => making.setup()?,
            _ => Work::Process { messages: making.messages()?, calls: making.calls()? },
        };
        let answers = making.answers(rings, seed)?;
        let mut single = Self::new(work, answers, making.series);
        single.buffers = case.buffers;
        single.goes_on =
            case.keys > 1 && case.lanes == 1 || case.buffers.are_rings() || single.is_cold();
        single.try_out(case)?;
        Ok(single)
    }

    /// Refuses a pattern that the function does not have.
    fn try_out(&mut self, case: &Case) -> Result<(), CreateError> {
        if case.pattern == Pattern::ReusedKey {
            return Ok(());
        }
        self.run(1).map_err(|error| match error {
            CallError::Unsupported if case.buffers == Buffers::Repeated => {
                CreateError::Unsupported("repeated buffers".into())
            }
            CallError::Unsupported => {
                CreateError::Unsupported(format!("the pattern {}", case.pattern.name()))
            }
            other => failed(other),
        })?;
        self.first = 0;
        Ok(())
    }
}

/// Refuses more lanes of such messages than the machine has room for.
fn check_room(case: &Case, algorithm: &Algorithm) -> Result<(), CreateError> {
    if case.lanes == 1 {
        return Ok(());
    }
    let (longest, expansion) = (longest(case), Expansion::of(algorithm));
    let slots = case.lengths.len().max(case.lanes as usize);
    let slot_bytes = input_bytes(case.operation, longest, expansion)
        + output_bytes(case.operation, longest, expansion);
    let what = format!("{} lanes of {longest} bytes each", case.lanes);
    memory::check_room(&what, slots * slot_bytes)
        .map_err(|why| CreateError::Failed(format!("{why}: write fewer --lanes")))
}

/// Whether so many contexts take turns that a run does not get round all of them.
fn takes_turns(case: &Case) -> bool {
    // A suite holds its associations itself.
    case.keys > 1 && case.lanes == 1 && !is_suite(case)
}

struct Making<'a> {
    provider: &'a dyn Provider,
    algorithm: &'a Algorithm,
    case: &'a Case,
    series: Series,
}

impl Making<'_> {
    fn check_second_level(&self) -> Result<(), CreateError> {
        if self.case.buffers != Buffers::L2 {
            return Ok(());
        }
        let distinct = self.series.replayed.unwrap_or(self.series.lanes);
        stream::check_second_level(self.series.sizes(), distinct).map_err(CreateError::Failed)
    }

    fn setup(&self) -> Result<Work, CreateError> {
        let mut function = self.provider.create(&request(self.case, Operation::Setup))?;
        function.set_key(&self.series.inputs.key).map_err(failed)?;
        Ok(Work::Setup { function, keys: Growing::new(&self.series.inputs.key, 1) })
    }

    fn calls(&self) -> Result<Calls, CreateError> {
        let Self { provider, case, series, .. } = self;
        let request = request(case, case.operation);
        if takes_turns(case) {
            let whose = format!("{} by {}", case.algorithm, case.provider);
            return contexts::make(*provider, &request, &whose, series, case.keys);
        }
        if case.lanes > 1 {
            return self.batches(&request);
        }
        if is_suite(case) && case.keys > 1 {
            let whose = format!("{} by {}", case.algorithm, case.provider);
            return contexts::associations(*provider, &request, &whose, series);
        }
        let mut function = provider.create(&request)?;
        function.set_key(&series.inputs.key).map_err(failed)?;
        let keyed = |function, renewed| Calls::Keyed { function, keys: self.keys(), renewed };
        Ok(match case.pattern {
            Pattern::ReusedKey => Calls::Reused(function),
            Pattern::Rekeyed => keyed(function, None),
            Pattern::OneShot => keyed(function, Some(Renewed::Context)),
            Pattern::Fetched => keyed(function, Some(Renewed::Algorithm)),
            Pattern::Incremental => Calls::InParts { function, parts: self.parts() },
        })
    }

    fn parts(&self) -> Parts {
        match self.case.buffers {
            Buffers::Repeated => Parts::Repeated(self.series.inputs.message.len()),
            _ => Parts::Chunks(chunk_bytes(self.case, self.algorithm)),
        }
    }

    fn batches(&self, request: &Request<'_>) -> Result<Calls, CreateError> {
        let Self { series: Series { lanes, .. }, .. } = *self;
        // What has no key has a context for each lane.
        let keys = if self.algorithm.key_bytes == 0 { lanes } else { self.case.keys as usize };
        let mut function = self.provider.create_lanes(request, lanes, keys)?;
        for number in 0..keys {
            function.set_key(number, &self.series.key(number as u64)).map_err(failed)?;
        }
        Ok(Calls::Batches(Batches::new(function, lanes)))
    }

    /// The keys that are set in turn.
    fn keys(&self) -> Slots {
        let mut keys = Slots::new(self.series.inputs.key.len(), KEYS_IN_TURN as usize);
        for turn in 0..keys.count() {
            keys.get_mut(turn).copy_from_slice(&self.series.key(turn as u64));
        }
        keys
    }

    fn messages(&self) -> Result<Messages, CreateError> {
        let Self { series, .. } = self;
        if let Some(count) = series.replayed {
            return self.replayed(count).map(Messages::Replay);
        }
        let messages = match self.case.buffers.are_rings() {
            false => vec![self.longest_text(); series.lanes],
            true => Vec::new(),
        };
        let nonces = Growing::new(&series.inputs.nonce, series.lanes);
        Ok(Messages::Fresh(Fresh { nonces, messages }))
    }

    /// The text that all messages in hot buffers begin with.
    fn longest_text(&self) -> Vec<u8> {
        self.series.inputs.message[..self.series.slot_bytes()].to_vec()
    }

    /// The messages that the receiving side replays, made by the sending side. Those of a ring are
    /// copies of the same few.
    fn replayed(&self, count: usize) -> Result<Replay, CreateError> {
        let series = &self.series;
        let mut sender =
            self.provider.create(&request(self.case, self.algorithm.kind.sending()))?;
        let mut messages = Slots::new(series.slot_bytes(), self.slots(count));
        let mut nonces = Slots::new(series.inputs.nonce.len(), count);
        let mut set = None;
        for slot in 0..count {
            let number = slot as u64;
            nonces.get_mut(slot).copy_from_slice(&series.nonce(number));
            series.set_key(sender.as_mut(), number, &mut set).map_err(failed)?;
            let sent = series.send_to_slot(sender.as_mut(), number).map_err(failed)?;
            for copy in (slot..messages.count()).step_by(count) {
                messages.get_mut(copy)[..sent.len()].copy_from_slice(&sent);
            }
        }
        Ok(Replay { nonces, messages })
    }

    /// Slots of a ring of messages, of which so many differ.
    fn slots(&self, distinct: usize) -> usize {
        match self.case.buffers.are_rings() {
            false => distinct,
            true => self.series.ring_slots(self.case, distinct),
        }
    }

    fn answers(&self, rings: &SharedRings, seed: u64) -> Result<Answers, CreateError> {
        let series = &self.series;
        if !self.case.buffers.are_rings() {
            return Ok(Answers::Hot(Slots::new(series.answer_bytes(), series.kept)));
        }
        let slots = self.slots(series.replayed.unwrap_or(series.lanes));
        let answers = Shape::new(series.answer_bytes(), slots);
        // What is replayed lies in a ring of its own.
        let shared_bytes = if series.replayed.is_some() { 0 } else { series.input_bytes() };
        let messages = Shape::new(shared_bytes, slots);
        let (needed, written) = (messages.bytes(), answers.bytes());
        rings.borrow_mut().grow(seed, needed, written).map_err(CreateError::Failed)?;
        Ok(Answers::Stream(Streamed { rings: Rc::clone(rings), messages, answers }))
    }
}
