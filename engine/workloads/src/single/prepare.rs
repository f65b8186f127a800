//! Preparation a case ready: function, contexts, messages, buffers.

use std::rc::Rc;

use ciphermark_providers::api::{
    CallError, CreateError, Expansion, Function, Operation, Parts, Provider, Renewed, Request,
    input_bytes, output_bytes,
};
use ciphermark_record::description::Algorithm;
use ciphermark_record::plan::{Buffers, Case, Load, Pattern};

use super::calls::Calls;
use super::combination::chunk_bytes;
use super::company::Company;
use super::expected::{failed, request};
use super::ring::Ring;
use super::series::{KEYS_IN_TURN, Series, is_suite, longest};
use super::stream::{self, SharedRings};
use super::{Single, contexts};
use crate::buffer::Slots;
use crate::memory;

impl Single {
    /// Makes the function with its contexts, and sets the keys. `rings` are those that the worker's
    /// cases share.
    pub fn prepare(
        provider: &dyn Provider,
        algorithm: &Algorithm,
        case: &Case,
        seed: u64,
        rings: &SharedRings,
    ) -> Result<Self, CreateError> {
        check_room(case, algorithm)?;
        let preparation =
            Preparation { provider, algorithm, case, series: Series::of(case, algorithm, seed) };
        preparation.check_second_level()?;
        let calls = match case.operation {
            Operation::Setup => preparation.setup()?,
            _ => preparation.calls()?,
        };
        let sender = preparation.sender()?;
        let ring = preparation.ring(rings, seed)?;
        let mut single = Self::new(calls, preparation.series, case.buffers);
        single.is_laborious = case.keys > 1 && case.lanes == 1 || case.buffers.are_rings();
        single.checks_tags = algorithm.tag_bytes > 0
            && matches!(case.operation, Operation::Open | Operation::Verify);
        single.sender = sender;
        if let Load::Single { after: Some(after) } = &case.load {
            let its = ciphermark_algorithms::find(after)
                .ok_or_else(|| CreateError::Failed(format!("there is no algorithm {after}")))?;
            single.company = Some(Company::prepare(provider, its, case, seed, rings)?);
        }
        single.fill(ring).map_err(failed)?;
        single.try_out(case)?;
        Ok(single)
    }

    /// Takes a ring whose messages come again, and lays them out; else memory is taken when it is
    /// known how many messages make a slice.
    fn fill(&mut self, ring: Option<Ring>) -> Result<(), CallError> {
        self.ring = ring;
        let (Some(ring), Some(distinct)) = (&mut self.ring, self.series.distinct) else {
            return Ok(());
        };
        ring.lay(&self.series, self.sender.as_deref_mut(), 0..distinct as u64)?;
        ring.repeat(distinct);
        self.sender = None;
        Ok(())
    }

    /// Refuses a pattern that the function does not have.
    fn try_out(&mut self, case: &Case) -> Result<(), CreateError> {
        if case.pattern == Pattern::ReusedKey {
            return Ok(());
        }
        let unit = self.unit();
        self.checked(0..unit).map_err(|error| match error {
            CallError::Unsupported if case.buffers == Buffers::Repeated => {
                CreateError::Unsupported("repeated buffers".into())
            }
            CallError::Unsupported => {
                CreateError::Unsupported(format!("the pattern {}", case.pattern.name()))
            }
            other => failed(other),
        })?;
        Ok(())
    }
}

/// Refuses messages that the machine has no room for, all lanes of a call together.
fn check_room(case: &Case, algorithm: &Algorithm) -> Result<(), CreateError> {
    let (longest, expansion) = (longest(case), Expansion::of(algorithm));
    let slots = case.messages.lengths().len().max(case.lanes as usize);
    let slot_bytes = input_bytes(case.operation, longest, expansion)
        + output_bytes(case.operation, longest, expansion);
    let (what, cure) = match case.lanes {
        1 => (format!("messages of {longest} bytes"), "smaller --sizes"),
        lanes => (format!("{lanes} lanes of {longest} bytes each"), "fewer --lanes"),
    };
    memory::check_room(&what, slots.saturating_mul(slot_bytes))
        .map_err(|why| CreateError::Failed(format!("{why}: write {cure}")))
}

/// Whether so many contexts take turns that a run does not get round all of them.
fn takes_turns(case: &Case) -> bool {
    // A suite holds its associations itself.
    case.keys > 1 && case.lanes == 1 && !is_suite(case)
}

struct Preparation<'a> {
    provider: &'a dyn Provider,
    algorithm: &'a Algorithm,
    case: &'a Case,
    series: Series,
}

impl Preparation<'_> {
    fn check_second_level(&self) -> Result<(), CreateError> {
        if self.case.buffers != Buffers::L2 {
            return Ok(());
        }
        let distinct = self.series.distinct.unwrap_or(self.series.lanes);
        stream::check_second_level(self.series.sizes(), distinct).map_err(CreateError::Failed)
    }

    fn setup(&self) -> Result<Calls, CreateError> {
        let mut function = self.provider.create(&request(self.case, Operation::Setup))?;
        function.set_key(&self.series.key(0)).map_err(failed)?;
        Ok(Calls::Setup(function))
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
        function.set_key(&series.key(0)).map_err(failed)?;
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
            Buffers::Repeated => Parts::Repeated(self.series.sizes().message_bytes),
            _ => Parts::Chunks(chunk_bytes(self.case, self.algorithm)),
        }
    }

    fn batches(&self, request: &Request<'_>) -> Result<Calls, CreateError> {
        let lanes = self.series.lanes;
        // What has no key has a context for each lane.
        let keys = if self.algorithm.key_bytes == 0 { lanes } else { self.case.keys as usize };
        let mut function = self.provider.create_lanes(request, lanes, keys)?;
        for number in 0..keys {
            function.set_key(number, &self.series.key(number as u64)).map_err(failed)?;
        }
        Ok(Calls::Batches { function, lanes })
    }

    /// The keys that are set in turn.
    fn keys(&self) -> Slots {
        let mut keys = Slots::new(self.series.key(0).len(), KEYS_IN_TURN as usize);
        for turn in 0..keys.count() {
            keys.get_mut(turn).copy_from_slice(&self.series.key(turn as u64));
        }
        keys
    }

    /// What makes the messages of the receiving side.
    fn sender(&self) -> Result<Option<Box<dyn Function>>, CreateError> {
        if !self.series.receives() {
            return Ok(None);
        }
        self.provider.create(&request(self.case, self.algorithm.kind.sending())).map(Some)
    }

    /// A ring whose messages come again: of what streams through memory in rings that all cases
    /// share; those that are received there are copies of the same few.
    fn ring(&self, rings: &SharedRings, seed: u64) -> Result<Option<Ring>, CreateError> {
        let series = &self.series;
        if self.case.buffers.are_rings() {
            let slots = series.ring_slots(self.case, series.distinct.unwrap_or(series.lanes));
            return Ring::shared(series, Rc::clone(rings), slots, seed)
                .map(Some)
                .map_err(CreateError::Failed);
        }
        Ok(series.distinct.map(|distinct| Ring::own(series, distinct)))
    }
}
