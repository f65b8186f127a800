//! Workload `single`: one thread processes one message after the other.
//!
//! The loops are the harness's own and call the provider through one indirect call a message.
//! What a loop costs is measured with functions that do [`nothing`] in the same process and
//! subtracted.

mod answers;
mod calls;
mod combination;
mod contexts;
mod expected;
mod lengths;
mod loops;
mod memory;
mod nothing;
mod prepare;
mod series;
mod source;
mod stream;
#[cfg(test)]
mod tests;

use std::ops::Range;

use ciphermark_providers::api::{CallError, Function};
use ciphermark_record::plan::Buffers;

use crate::stack;
use answers::Answers;
use calls::Calls;
use expected::use_key;
use lengths::{Lengths, Mixed, Whole};
use loops::run_setup;
use series::Series;
use source::{Fresh, FreshStream, Growing, Replay, ReplayStream};

pub use combination::{chunk_bytes, combination};
pub use expected::expected_answers;
pub(crate) use memory::check_room;
pub use nothing::LoopKind;
pub(crate) use series::receives;
pub use series::{TextsOf, associations, keys, longest, texts_of};
pub use stream::SharedRings;

/// From so many messages on, those that follow a change of the stack are a small part.
const FEWEST_TO_PART: u64 = 256;

/// A case that is ready to run.
pub struct Single {
    work: Work,
    answers: Answers,
    series: Series,
    /// Message with which the next run begins.
    first: u64,
    /// Where its messages lie.
    buffers: Buffers,
    /// Whether a run goes on where the last one ended, so that short ones get round all contexts or
    /// buffers, and single calls do not begin with what only first ones do; the others begin anew.
    goes_on: bool,
    /// Messages of the last run.
    last: Range<u64>,
}

/// What the loop does for each message.
enum Work {
    /// A key schedule under keys that grow.
    Setup {
        function: Box<dyn Function>,
        keys: Growing,
    },
    Process {
        messages: Messages,
        calls: Calls,
    },
}

enum Messages {
    Fresh(Fresh),
    Replay(Replay),
}

impl Single {
    fn new(work: Work, answers: Answers, series: Series) -> Self {
        Self { work, answers, series, first: 0, buffers: Buffers::Hot, goes_on: false, last: 0..0 }
    }

    /// Messages of which runs have a multiple: those of a call, or of a whole profile.
    pub fn unit(&self) -> u64 {
        self.series.unit() as u64
    }

    /// Answers of a run that [`Single::answers`] digests, the last ones.
    pub fn kept(&self) -> u64 {
        self.series.kept as u64
    }

    /// Messages of the last run.
    pub fn last_run(&self) -> Range<u64> {
        self.last.clone()
    }

    /// Whether the caches are to be emptied before each call, so that a run is one call.
    pub fn is_cold(&self) -> bool {
        self.buffers == Buffers::Cold
    }

    /// Brings what lies in rings in the second-level cache back there, what comes next before what
    /// comes later: other cases have used the cache meanwhile.
    pub fn settle(&mut self) {
        if self.buffers == Buffers::L2 {
            self.answers.touch(self.first);
            if let Work::Process { messages: Messages::Replay(replay), .. } = &self.work {
                replay.messages.touch(self.first);
            }
        }
    }

    /// Lets each run go on where the last one ended.
    pub fn go_on(&mut self) {
        self.goes_on = true;
    }

    /// Messages so far, where runs go on.
    pub fn done(&self) -> u64 {
        self.first
    }

    /// Bytes of this message.
    pub fn message_bytes(&self, index: u64) -> u64 {
        self.series.message_bytes(index)
    }

    /// Bytes held, to decide whether a case may stay prepared.
    pub fn bytes_held(&self) -> usize {
        let work = match &self.work {
            Work::Setup { .. } => 0,
            Work::Process { messages, calls } => messages.bytes() + calls.bytes(),
        };
        work + self.answers.bytes_held()
    }

    /// Whether it takes far longer to make ready than to measure.
    pub fn is_laborious(&self) -> bool {
        self.goes_on
    }

    /// Processes so many messages, a part of them at each position of the stack. This is what is
    /// timed.
    pub fn run(&mut self, messages: u64) -> Result<(), CallError> {
        // Few messages stay together: two that follow each other overlap, and parts do not.
        let positions = if messages < FEWEST_TO_PART { 1 } else { stack::POSITIONS };
        let (first, lanes) = (self.first, self.series.lanes as u64);
        let until = |position: u64| first + messages / lanes * position / positions * lanes;
        for position in 0..positions {
            let part = until(position)..until(position + 1);
            if !part.is_empty() {
                stack::at(position, || self.run_part(part))?;
            }
        }
        self.last = first..first + messages;
        if self.goes_on {
            self.first = self.last.end;
        }
        Ok(())
    }

    fn run_part(&mut self, part: Range<u64>) -> Result<(), CallError> {
        let Self { work, answers, series, .. } = self;
        match series.cuts.as_slice() {
            [] => work.run(answers, Whole, part),
            cuts => work.run(answers, Mixed(cuts), part),
        }
    }

    /// Overwrites the answers that the last of so many runs of so many messages will leave.
    pub fn forget_answers(&mut self, runs: u64, messages: u64) {
        let end = self.first + if self.goes_on { runs * messages } else { messages };
        self.answers.forget(self.series.digested(&(end - messages..end)));
    }

    /// Digest of the answers that the last [`Single::run`] has left behind.
    pub fn answers(&mut self) -> Result<[u8; 32], CallError> {
        if let Work::Setup { function, .. } = &mut self.work {
            let (function, series) = (function.as_mut(), &self.series);
            self.answers.first(|answer| use_key(function, series, answer))?;
        }
        let (series, answers) = (&self.series, &mut self.answers);
        let digested = match self.work {
            Work::Setup { .. } => 0..1,
            Work::Process { .. } => series.digested(&self.last),
        };
        Ok(answers.digest(digested, |index| series.cut(index).answer_bytes))
    }

    /// Digest of the last answers of the last run, at most so many, as [`expected_answers`] of it has.
    pub fn last_answers(&mut self, most: u64) -> Result<[u8; 32], CallError> {
        let fewer = most.min(self.kept()) as usize;
        let kept = std::mem::replace(&mut self.series.kept, fewer);
        let digest = self.answers();
        self.series.kept = kept;
        digest
    }

    /// Whether the loop meets a prepared message with a flipped bit in its tag with a refusal. Only
    /// for `open` and `verify`, and for algorithms that have a tag.
    pub fn refuses_forgeries(&mut self) -> Result<bool, CallError> {
        self.flip_first_tag();
        let outcome = self.run(self.series.lanes as u64);
        self.flip_first_tag();
        self.first = 0;
        match outcome {
            Err(CallError::Refused) => Ok(true),
            Ok(()) => Ok(false),
            Err(other) => Err(other),
        }
    }

    fn flip_first_tag(&mut self) {
        if let Work::Process { messages: Messages::Replay(replay), .. } = &mut self.work
            && let Some(last) = replay.messages.get_mut(0)[..self.series.slot_cut(0)].last_mut()
        {
            *last ^= 1;
        }
    }
}

impl Work {
    fn run(
        &mut self,
        answers: &mut Answers,
        lengths: impl Lengths,
        part: Range<u64>,
    ) -> Result<(), CallError> {
        let (messages, calls) = match self {
            Work::Setup { function, keys } => return run_setup(function.as_mut(), keys, part),
            Work::Process { messages, calls } => (messages, calls),
        };
        match (messages, answers) {
            (Messages::Fresh(source), Answers::Hot(slots)) => {
                calls.run(source, slots.view(), lengths, part)
            }
            (Messages::Replay(source), Answers::Hot(slots)) => {
                calls.run(source, slots.view(), lengths, part)
            }
            (messages, Answers::Stream(streamed)) => {
                streamed.with(|memory, shape, answers| match messages {
                    Messages::Fresh(Fresh { nonces, .. }) => {
                        let mut source = FreshStream { nonces, memory, messages: shape };
                        calls.run(&mut source, answers, lengths, part)
                    }
                    Messages::Replay(replay) => {
                        calls.run(&mut ReplayStream(replay), answers, lengths, part)
                    }
                })
            }
        }
    }
}

impl Messages {
    fn bytes(&self) -> usize {
        match self {
            Messages::Fresh(fresh) => fresh.messages.iter().map(Vec::len).sum(),
            Messages::Replay(replay) => replay.messages.bytes(),
        }
    }
}
