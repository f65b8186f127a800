//! What supervisor and worker say to each other: one JSON object a line, one answer a command.
//! Both ends are the same binary, so this is no contract and has no version.

use std::ops::Range;

use ciphermark_codepath::CodePath;
use ciphermark_harness::Calibration;
use ciphermark_harness::sampler::Group;
use ciphermark_record::description::{Implementation, Provider};
use ciphermark_record::event::FailureKind;
use ciphermark_record::packets::PacketsRun;
use ciphermark_record::plan::{Case, Load, Operation};
use ciphermark_record::sessions::SessionsRun;
use ciphermark_record::verification::Verified;
use ciphermark_workloads::agreement::{Answer, Zeros};
use ciphermark_workloads::watched::Place;
use serde::{Deserialize, Serialize};

use crate::files::Mapped;

/// Messages of a case that were processed, one after the other or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct MessageRange {
    pub first: u64,
    pub messages: u64,
}

impl MessageRange {
    pub fn all(self) -> Range<u64> {
        self.first..self.first + self.messages
    }

    /// This run and the one that follows it.
    pub fn with(self, next: Self) -> Self {
        Self { messages: self.messages + next.messages, ..self }
    }
}

/// A number for a case's answers: the sum of one for each, so that those of runs which follow each
/// other add up.
pub type Answers = u64;

#[derive(Debug, Serialize, Deserialize)]
pub enum Command {
    /// Use these constants of the clocks.
    Calibrate(Calibration),
    /// List what the library can do; libraries take milliseconds to say so, and say it once a run.
    List,
    /// Run the test vectors of one implementation: the embedded ones or those of a folder.
    Vectors { algorithm: String, backend: String, folder: Option<String> },
    /// Answer random inputs of these lengths.
    Agree { algorithm: String, backend: String, operation: Operation, seed: u64, lengths: Vec<u64> },
    /// Give the whole answer to one of them.
    Answer {
        algorithm: String,
        backend: String,
        operation: Operation,
        seed: u64,
        message_bytes: u64,
        zeros: Zeros,
    },
    /// Watch whether the function of a case keeps to its buffers, which lie at these places in turn.
    Watch { case: Box<Case>, seed: u64, places: Vec<Place> },
    /// Look which code path a function takes, or a call of so many messages, each under its own key.
    Trace { algorithm: String, backend: String, operation: Operation, lanes: u32 },
    /// Make a case ready and check that it refuses forgeries.
    Prepare { case: Case, seed: u64 },
    /// Look what a call of a case that is ready leaves behind in the processor.
    LookBehind { case: u32 },
    /// The right answers to these messages of a case, computed without the timed loop; it need not be
    /// ready, nor be one that this worker could time.
    Expect { case: Case, seed: u64, run: MessageRange },
    /// Run the sessions of a case once, or make all passes of its packets.
    Run { case: Box<Case>, seed: u64 },
    /// Time a group of slices, from message `first` on; of so many messages each, or of as many as are
    /// found to last long enough.
    Measure {
        case: u32,
        slices: u32,
        slice_ns: f64,
        /// How long the case is called before them, with the messages of the slice that is not timed.
        settling_ns: u64,
        /// How long it waits for a neighbour to leave the core.
        longest_wait_ns: u64,
        first: u64,
        messages: Option<u64>,
    },
}

impl Command {
    /// Bytes of the longest line that a worker may answer it with: several times what the longest of
    /// ours takes, and little enough for the supervisor to hold.
    pub fn longest_reply(&self) -> usize {
        /// Bytes of a number as JSON, with the comma.
        const NUMBER: usize = 21;
        const BYTE: usize = 4;
        /// Seven numbers, and a part of the latencies and moments.
        const SESSION: usize = 16 * NUMBER;

        let variable = match self {
            Self::Agree { lengths, .. } => lengths.len() * NUMBER,
            Self::Answer { message_bytes, .. } => *message_bytes as usize * BYTE,
            Self::List | Self::Vectors { .. } | Self::Trace { .. } => LISTS,
            Self::Run { case, .. } => match &case.load {
                Load::Single { .. } => 0,
                Load::Sessions(load) => LISTS + load.sessions as usize * SESSION,
                // Passes are made until the time is over.
                Load::Packets(_) => LONGEST_REPLY,
            },
            _ => 0,
        };
        LONGEST_TEXT.saturating_add(variable).min(LONGEST_REPLY)
    }
}

/// Bytes of an answer that is a word, a few numbers, or why there is none.
pub const LONGEST_TEXT: usize = 1 << 20;
/// Bytes of an answer that lists implementations, vectors or moments.
const LISTS: usize = 64 << 20;
/// Bytes of any answer.
const LONGEST_REPLY: usize = 1 << 30;

#[derive(Debug, Serialize, Deserialize)]
pub enum Reply {
    /// The first line of a worker: its library, and the files whose code it has mapped.
    Opened(Box<Provider>, Mapped),
    Listed(Vec<Implementation>),
    Done,
    Verified {
        verified: Verified,
        passed: Vec<String>,
    },
    /// One number for each answer.
    Agreed(Vec<u64>),
    Answered(Answer),
    Traced(Traced),
    /// Whether upper halves of vector registers were left in use; nothing where that cannot be seen.
    Left(Option<bool>),
    Answers(Answers),
    Measured(Measured),
    Ran(Box<SessionsRun>),
    Passed(Box<PacketsRun>),
    Failed {
        kind: FailureKind,
        message: String,
    },
}

/// What a call was seen to do; nothing where that cannot be seen.
#[derive(Debug, Serialize, Deserialize)]
pub struct Traced {
    pub path: Option<CodePath>,
    pub leaves_vectors_dirty: Option<bool>,
}

/// A group of slices as the worker saw it.
#[derive(Debug, Serialize, Deserialize)]
pub struct Measured {
    /// Messages in each slice.
    pub messages: u64,
    pub loop_cycles: f64,
    pub group: Group,
    /// All that were processed, those before the first slice too.
    pub run: MessageRange,
    /// What was written for them.
    pub answers: Answers,
    /// How long it waited for a neighbour to leave the core.
    pub waited_ns: u64,
}
