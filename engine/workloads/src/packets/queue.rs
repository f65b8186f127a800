//! The rings that pass batches on.
//!
//! Rings are those of crossbeam-queue, the usual bounded queue of Rust programs: any number of
//! threads may put in and take out without a lock, and its slots carry stamps (the design of Vyukov),
//! so that whoever puts in and whoever takes out need not read each other's position.

use std::sync::atomic::AtomicU32;

use crossbeam_queue::ArrayQueue;
use crossbeam_utils::CachePadded;

/// Batches, or flows that have some, of one group, priority and stage.
pub struct Ring {
    entries: CachePadded<ArrayQueue<u32>>,
    /// Batches of flows that are in turn; only where flows are what is passed on.
    held: CachePadded<AtomicU32>,
}

impl Ring {
    pub fn new(entries: usize) -> Self {
        Self {
            entries: CachePadded::new(ArrayQueue::new(entries)),
            held: CachePadded::new(AtomicU32::new(0)),
        }
    }

    /// Whether there was room.
    #[inline]
    pub fn push(&self, entry: u32) -> bool {
        self.entries.push(entry).is_ok()
    }

    #[inline]
    pub fn pop(&self) -> Option<u32> {
        self.entries.pop()
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    pub fn is_full(&self) -> bool {
        self.entries.is_full()
    }

    /// Batches of its flows that nobody has taken.
    #[inline]
    pub fn held(&self) -> &AtomicU32 {
        &self.held
    }

    /// As if nothing had passed.
    pub fn reset(&mut self) {
        while self.pop().is_some() {}
        *self.held.get_mut() = 0;
    }
}
