//! The rings that pass batches on, and the beds of those that wait for one.
//!
//! Rings are those of crossbeam-queue, the usual bounded queue of Rust programs: any number of
//! threads may put in and take out without a lock, and its slots carry stamps (the design of Vyukov),
//! so that whoever puts in and whoever takes out need not read each other's position.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering, fence};
use std::thread::{self, Thread};

use ciphermark_record::packets::Waiting;
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

/// Looks after which a thread that finds nothing offers its CPU to others.
const LOOKS: u32 = 256;

/// Where one thread waits for work, or for room.
#[derive(Default)]
pub struct Bed {
    asleep: CachePadded<AtomicBool>,
    thread: OnceLock<Thread>,
}

impl Bed {
    /// Says that the calling thread is the one that will sleep here.
    pub fn take(&self) {
        self.thread.get_or_init(thread::current);
    }

    /// Waits a moment, or until woken; not where `ready` says that there is no need to. Whoever
    /// polls has looked in vain `looks` times.
    pub fn wait(&self, waiting: Waiting, looks: &mut u32, ready: impl Fn() -> bool) {
        match waiting {
            Waiting::Poll => {
                *looks += 1;
                if looks.is_multiple_of(LOOKS) {
                    thread::yield_now();
                } else {
                    std::hint::spin_loop();
                }
            }
            Waiting::Block => {
                self.asleep.store(true, Ordering::SeqCst);
                // Either this sees what was made ready, or `wake` sees the sleeper.
                fence(Ordering::SeqCst);
                if !ready() {
                    thread::park();
                }
                self.asleep.store(false, Ordering::Relaxed);
            }
        }
    }

    /// Whether somebody slept here and was woken. What it was woken for has been stored before.
    #[inline]
    pub fn wake(&self) -> bool {
        fence(Ordering::SeqCst);
        if !self.asleep.load(Ordering::Relaxed) || !self.asleep.swap(false, Ordering::SeqCst) {
            return false;
        }
        self.thread.get().inspect(|thread| thread.unpark()).is_some()
    }

    /// For the threads of another pass.
    pub fn reset(&mut self) {
        *self = Self::default();
    }
}
