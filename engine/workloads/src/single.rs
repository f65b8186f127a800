//! Workload `single`: one thread processes one message after the other.
//!
//! The loop is the harness's own and calls the provider through one indirect call a message; what a
//! call needs, a message of its own and a place for its answer, lies ready in memory before. What the
//! loop costs is measured with functions that do [`nothing`] in the same process and subtracted.
//! Slices come in [`Group`]s, which look at every answer.

mod calls;
mod combination;
mod company;
mod contexts;
mod expected;
mod group;
mod nothing;
mod prepare;
mod ring;
mod series;
mod stream;
#[cfg(test)]
mod tests;
mod text;

use std::ops::Range;

use ciphermark_harness::processor_state;
use ciphermark_providers::api::{CallError, Function};
use ciphermark_record::plan::Buffers;

use crate::buffer::POISON;
use crate::stack;
use calls::Calls;
use company::Company;
use ring::Ring;
use series::Series;

pub use combination::{chunk_bytes, combination};
pub use expected::expected_answers;
pub use group::{Group, Part};
pub use nothing::LoopKind;
pub(crate) use series::receives;
pub use series::{TextsOf, associations, keys, longest, texts_of};
pub use stream::SharedRings;

/// From so many messages on, those that follow a change of the stack are a small part.
const FEWEST_TO_PART: usize = 128;

/// A case that is ready to run.
pub struct Single {
    calls: Calls,
    series: Series,
    /// Where messages and answers lie.
    ring: Option<Ring>,
    /// Makes what is received, where it is not made once for all.
    sender: Option<Box<dyn Function>>,
    /// What is called before each call.
    company: Option<Company>,
    buffers: Buffers,
    /// Whether it must refuse what was changed on its way.
    checks_tags: bool,
    is_laborious: bool,
    /// Message with which the next run begins.
    next: u64,
    /// Messages of the last run whose answers are still there.
    last: Range<u64>,
}

impl Single {
    fn new(calls: Calls, series: Series, buffers: Buffers) -> Self {
        let (checks_tags, is_laborious, next, last) = (false, false, 0, 0..0);
        let (ring, sender, company) = (None, None, None);
        Self {
            calls,
            series,
            ring,
            sender,
            company,
            buffers,
            checks_tags,
            is_laborious,
            next,
            last,
        }
    }

    /// Messages of which runs have a multiple: those of a call, or of a whole profile.
    pub fn unit(&self) -> u64 {
        self.series.unit() as u64
    }

    /// Whether the caches are to be emptied before each call, so that a slice is one call.
    pub fn is_cold(&self) -> bool {
        self.buffers == Buffers::Cold
    }

    /// Bytes of this message.
    pub fn message_bytes(&self, index: u64) -> u64 {
        self.series.message_bytes(index) as u64
    }

    /// Bytes held, to decide whether a case may stay prepared.
    pub fn bytes_held(&self) -> usize {
        let company = self.company.as_ref().map_or(0, Company::bytes_held);
        self.calls.bytes() + self.ring.as_ref().map_or(0, Ring::bytes_held) + company
    }

    /// The loop of a case that has company, with a function that does nothing in the place of its own;
    /// what belongs to the company is lent to it. None where the case has none.
    pub fn company_alone(&mut self) -> Option<Self> {
        let company = self.company.take()?;
        Some(Self { company: Some(company), ..Self::nothing(self.loop_kind()) })
    }

    /// Takes back what was lent.
    pub fn take_company(&mut self, lent: Self) {
        self.company = lent.company;
    }

    /// Whether it takes far longer to make ready than to measure.
    pub fn is_laborious(&self) -> bool {
        self.is_laborious
    }

    /// Processes so many messages, going on where the last run ended, in a ring of messages that come
    /// again. Answers are written over by later ones and not looked at, but for the last.
    pub fn run(&mut self, messages: u64) -> Result<(), CallError> {
        let end = self.next + messages;
        while self.next < end {
            let Self { calls, series, ring, next, .. } = self;
            let Some(ring) = ring else { return Err(CallError::Unsupported) };
            let pass = *next..end.min(*next + ring.slots as u64);
            let position = pass.start;
            ring.with(series, pass.clone(), calls.turns(), None, |ready| {
                let all = 0..ready.messages.len();
                stack::at(position, || calls.run(ready, all))
            })?;
            self.next = pass.end;
            self.last = pass;
        }
        Ok(())
    }

    /// Messages that were run so far.
    pub fn done(&self) -> u64 {
        self.next
    }

    /// The last messages that were run, so many at most, and a number for their answers: see
    /// [`expected_answers`].
    pub fn last_answers(&mut self, most: u64) -> Result<(Range<u64>, u64), CallError> {
        let first = self.last.end - most.min(self.last.end - self.last.start);
        let messages = first..self.last.end;
        let answers = self.answers(messages.clone())?;
        Ok((messages, answers))
    }

    /// Processes each message of the ring once more, as [`Single::run`] does, and looks at every answer.
    pub fn run_checked(&mut self) -> Result<(Range<u64>, u64), CallError> {
        let Some(ring) = &mut self.ring else { return Err(CallError::Unsupported) };
        let messages = self.next..self.next + ring.slots as u64;
        ring.forget(messages.clone());
        self.run(messages.end - messages.start)?;
        let answers = self.answers(messages.clone())?;
        Ok((messages, answers))
    }

    /// Processes these messages, outside of what is timed. Returns a number for their answers: see
    /// [`expected_answers`].
    pub fn checked(&mut self, messages: Range<u64>) -> Result<u64, CallError> {
        let mut group = Group::begin(self, messages.start, 1, messages.end - messages.start)?;
        group.slice(|run| run(Part::All))?;
        group.finish()
    }

    /// A number for the answers to these messages, which are the last that were processed. A key setup
    /// leaves none: its keys are set again and used.
    fn answers(&mut self, messages: Range<u64>) -> Result<u64, CallError> {
        let Self { calls, series, ring, .. } = self;
        let Some(ring) = ring else { return Ok(0) };
        if let Calls::Setup(function) = calls {
            let mut answer = vec![POISON; series.answer_bytes()];
            let mut sum = 0_u64;
            for index in messages {
                answer.fill(POISON);
                function.set_key(&series.key(index))?;
                expected::use_key(function.as_mut(), series, &mut answer)?;
                sum = sum.wrapping_add(ring::of_answer(index, &answer));
            }
            return Ok(sum);
        }
        Ok(ring.answers(series, messages))
    }

    /// Whether a call leaves upper halves of vector registers in use; none where the processor does not
    /// tell.
    pub fn leaves_vectors_dirty(&mut self) -> Result<Option<bool>, CallError> {
        let unit = self.unit();
        let company = self.company.take(); // which leaves what it leaves
        let mut group = Group::begin(self, 0, 1, unit)?;
        let mut left = None;
        group.slice(|run| {
            let result;
            (result, left) = processor_state::after(|| run(Part::All));
            result
        })?;
        self.company = company;
        Ok(left)
    }

    /// Whether a message with a flipped bit is not refused. Asked of `open` and `verify`, where the
    /// algorithm has a tag.
    pub fn accepts_forgeries(&mut self) -> Result<bool, CallError> {
        let unit = self.unit();
        let mut group = Group::begin(self, 0, 1, unit)?;
        group.slice(|_| Ok(()))?;
        group.accepts_forgery(0)
    }
}
