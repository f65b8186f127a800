//! A batch on its way: who has it, and what has been done to it.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use super::buffers::Stage;

/// No batch.
pub const NONE: u32 = u32::MAX;

/// Where a batch is. A worker that ends leaves its batches where they are, under its number, and
/// another takes them over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Not submitted yet.
    Absent,
    /// In a ring, or in its flow's sequence.
    Waiting(Stage),
    Taken(Stage, usize),
    /// All operations are done.
    Done(usize),
    Delivered,
}

const ABSENT: u32 = 0;
const WAITING: u32 = 1 << 16;
const TAKEN: u32 = 2 << 16;
const DONE: u32 = 3 << 16;
const DELIVERED: u32 = 4 << 16;
const SECOND: u32 = 1 << 19;
const WORKER: u32 = (1 << 16) - 1;

impl State {
    fn code(self) -> u32 {
        let at = |stage| if stage == Stage::Second { SECOND } else { 0 };
        match self {
            State::Absent => ABSENT,
            State::Waiting(stage) => WAITING | at(stage),
            State::Taken(stage, worker) => TAKEN | at(stage) | worker as u32,
            State::Done(worker) => DONE | worker as u32,
            State::Delivered => DELIVERED,
        }
    }

    fn of(code: u32) -> Self {
        let stage = if code & SECOND > 0 { Stage::Second } else { Stage::First };
        let worker = (code & WORKER) as usize;
        match code & !(SECOND | WORKER) {
            WAITING => State::Waiting(stage),
            TAKEN => State::Taken(stage, worker),
            DONE => State::Done(worker),
            DELIVERED => State::Delivered,
            _ => State::Absent,
        }
    }

    /// Whose hands it is in.
    pub fn worker(self) -> Option<usize> {
        match self {
            State::Taken(_, worker) | State::Done(worker) => Some(worker),
            _ => None,
        }
    }
}

/// A batch, in a cache line of its own. The submitter writes all but the state before anybody else
/// hears of it.
#[derive(Default)]
#[repr(align(64))]
pub struct Batch {
    state: AtomicU32,
    /// The batch that follows in the same sequence.
    next: AtomicU32,
    pub sequence: AtomicU32,
    /// Its packets are those of the order from here on.
    pub start: AtomicU32,
    pub length: AtomicU32,
    /// When its first packet was submitted or, with an offered load, due: ticks.
    pub first_at: AtomicU64,
    pub last_at: AtomicU64,
}

impl Batch {
    pub fn reset(&mut self) {
        *self = Self { next: AtomicU32::new(NONE), ..Self::default() };
    }

    #[inline]
    pub fn state(&self) -> State {
        State::of(self.state.load(Ordering::SeqCst))
    }

    /// From one state to another; false where it is in neither, since somebody else has moved it.
    #[inline]
    pub fn moves(&self, from: State, to: State) -> bool {
        let (from, to) = (from.code(), to.code());
        self.state.compare_exchange(from, to, Ordering::SeqCst, Ordering::Relaxed).is_ok()
    }

    #[inline]
    pub fn next(&self) -> u32 {
        self.next.load(Ordering::Acquire)
    }

    pub fn set_next(&self, next: u32) {
        self.next.store(next, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_told_apart_and_so_are_their_workers() {
        let stages = [Stage::First, Stage::Second];
        let taken = stages.map(|stage| State::Taken(stage, 7));
        let states = stages.map(State::Waiting).into_iter().chain(taken);
        for state in states.chain([State::Absent, State::Done(65_535), State::Delivered]) {
            assert_eq!(State::of(state.code()), state);
        }
    }

    #[test]
    fn a_batch_is_done_but_once() {
        let batch = Batch::default();
        assert!(batch.moves(State::Absent, State::Taken(Stage::First, 1)));
        assert!(batch.moves(State::Taken(Stage::First, 1), State::Done(1)));
        assert!(!batch.moves(State::Taken(Stage::First, 1), State::Done(1)));
        assert_eq!(batch.state().worker(), Some(1));
    }
}
