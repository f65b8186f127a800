//! A place for one submission, which passes from its owner to a device thread and back.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, Thread};
use std::time::Instant;

use super::functions::Functions;
use super::packed::Packed;
use ciphermark_providers::api::{CallError, DeviceTimes, Message};

/// Of a submission whose device thread has ended before it was done.
pub const DIED: CallError = CallError::Library(-1);

pub struct Slot {
    functions: Arc<Mutex<Functions>>,
    content: Mutex<Content>,
    /// Whether the content is its owner's again.
    done: AtomicBool,
    /// Who sleeps until it is.
    sleeper: Mutex<Option<Thread>>,
}

struct Content {
    messages: Packed,
    answers: Vec<u8>,
    outcome: Result<DeviceTimes, CallError>,
}

impl Slot {
    pub fn new(functions: Arc<Mutex<Functions>>) -> Self {
        let content =
            Content { messages: Packed::default(), answers: Vec::new(), outcome: Err(DIED) };
        Self {
            functions,
            content: Mutex::new(content),
            done: AtomicBool::new(true),
            sleeper: Mutex::new(None),
        }
    }

    /// Puts messages in; the job is for a device thread.
    pub fn fill(
        self: &Arc<Self>,
        keys: &[u32],
        messages: &[Message<'_>],
        output_bytes: &[usize],
    ) -> Job {
        lock(&self.content).messages.pack(keys, messages, output_bytes);
        self.done.store(false, Ordering::Release);
        Job { slot: Arc::clone(self), is_over: false }
    }

    pub fn is_done(&self) -> bool {
        self.done.load(Ordering::Acquire)
    }

    /// Waits asleep: the CPU belongs to others meanwhile.
    pub fn wait(&self) {
        while !self.is_done() {
            // Who sets `done` after the second look finds the name. Waking for an earlier submission
            // may have taken it away, hence once for each round.
            *lock(&self.sleeper) = Some(thread::current());
            if !self.is_done() {
                thread::park();
            }
        }
    }

    /// Copies the answers of what is done.
    pub fn take(&self, outputs: &mut [&mut [u8]]) -> Result<DeviceTimes, CallError> {
        let content = &mut *lock(&self.content);
        let times = content.outcome?;
        if outputs.len() != content.messages.count() {
            return Err(CallError::Length);
        }
        for (answer, output) in content.messages.answers(&mut content.answers).zip(outputs) {
            if answer.len() != output.len() {
                return Err(CallError::Length);
            }
            output.copy_from_slice(answer);
        }
        Ok(times)
    }

    fn finish(&self, outcome: Result<DeviceTimes, CallError>) {
        lock(&self.content).outcome = outcome;
        self.done.store(true, Ordering::Release);
        if let Some(sleeper) = lock(&self.sleeper).take() {
            sleeper.unpark();
        }
    }
}

/// Overwrites the beginning of an answer, so that no earlier one can pass for one that was not written.
fn spoil(answer: &mut [u8]) {
    const TELLING_BYTES: usize = 8;
    const POISON: u8 = 0xA5;
    answer.iter_mut().take(TELLING_BYTES).for_each(|byte| *byte = POISON);
}

/// What a panic may leave behind is overwritten by the next submission.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A submission on its way. Dropped before it is done, by a thread that panics or a queue that nobody
/// reads any more, it ends with [`DIED`]: nobody waits for it in vain.
pub struct Job {
    slot: Arc<Slot>,
    /// Whether it was told: the slot may be another submission's since.
    is_over: bool,
}

/// A device thread's own memory, as an accelerator has.
#[derive(Default)]
pub struct Memory {
    messages: Packed,
    answers: Vec<u8>,
}

impl Job {
    /// Does the work: messages in, compute, answers out, each timed.
    pub fn process(mut self, memory: &mut Memory) {
        let Memory { messages, answers } = memory;
        let begun = Instant::now();
        messages.copy_from(&lock(&self.slot.content).messages);
        answers.resize(messages.answer_bytes(), 0);
        messages.answers(answers).for_each(spoil);
        let copied = Instant::now();
        // A lock that is poisoned guards functions that have panicked.
        let outcome = match self.slot.functions.lock() {
            Ok(mut functions) => functions.process(messages, answers),
            Err(_) => Err(DIED),
        };
        let computed = Instant::now();
        lock(&self.slot.content).answers.clone_from(answers);
        let ns = |from: Instant, to: Instant| Some((to - from).as_nanos() as f64);
        let out_ns = ns(computed, Instant::now());
        let (in_ns, compute_ns) = (ns(begun, copied), ns(copied, computed));
        self.finish(outcome.map(|()| DeviceTimes { in_ns, compute_ns, out_ns }));
    }

    fn finish(&mut self, outcome: Result<DeviceTimes, CallError>) {
        if !self.is_over {
            self.is_over = true;
            self.slot.finish(outcome);
        }
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        self.finish(Err(DIED));
    }
}
