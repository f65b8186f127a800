//! The submitter: puts packets into batches, in their order, and batches into rings.

use std::collections::VecDeque;
use std::sync::atomic::Ordering;

use ciphermark_harness::crew::pause;
use ciphermark_harness::{Calibration, Clock, HostClock};
use ciphermark_record::packets::PacketLoad;

use super::batch::NONE;
use super::faults::Faults;
use super::scheduler::Scheduler;
use super::worker::{Step, Worker};
use crate::failure::Failure;

/// Packets after which deadlines are looked at where packets come without a pause: some 0.1 µs.
const LOOK_EVERY: u32 = 16;

/// The batch of a sequence that is being filled.
#[derive(Clone, Copy)]
struct Open {
    start: u32,
    length: u32,
    first_at: u64,
    /// When its last packet was due, where packets are.
    due: Option<u64>,
    /// The last batch of the sequence that was passed on.
    last: u32,
}

/// What the submitter has done, in this pass.
#[derive(Default)]
pub struct Submitted {
    /// When it began, ticks.
    pub began: u64,
    pub batches: u32,
    pub queue_full: u64,
    pub flushed: u64,
}

pub struct Submitter<'a, F> {
    scheduler: &'a Scheduler,
    clock: HostClock,
    batch: u32,
    open: Vec<Open>,
    /// The batches that were opened, with the sequence and the start of each: only with a deadline.
    opened: VecDeque<(u32, u32)>,
    flush_ticks: Option<u64>,
    /// Ticks between two packets that are due; absent where they come as soon as there is room.
    pace: Option<f64>,
    looks: u32,
    /// The worker on the same CPU, in the same thread.
    pub worker: Option<Worker<'a, F>>,
    pub submitted: Submitted,
}

impl<'a, F: Faults> Submitter<'a, F> {
    pub fn new(
        scheduler: &'a Scheduler,
        load: &PacketLoad,
        calibration: &Calibration,
        worker: Option<Worker<'a, F>>,
    ) -> Self {
        let starts = &scheduler.layout.starts[..scheduler.layout.sequences()];
        let open = |&start: &u32| Open { start, length: 0, first_at: 0, due: None, last: NONE };
        let ticks = |ns: f64| ns * calibration.ticks_per_ns;
        let deadlines = load.flush_us.map_or(0, |_| load.packets as usize);
        Self {
            scheduler,
            clock: HostClock::without_pmu(calibration.ticks_per_ns),
            batch: load.batch,
            open: starts.iter().map(open).collect(),
            opened: VecDeque::with_capacity(deadlines),
            flush_ticks: load.flush_us.map(|us| ticks(us * 1e3) as u64),
            pace: load.offered_per_s.map(|per_s| ticks(1e9 / per_s)),
            looks: 0,
            worker,
            submitted: Submitted::default(),
        }
    }

    /// Submits all packets; false where the pass was over before.
    pub fn run(&mut self) -> Result<bool, Failure> {
        self.submitted.began = self.clock.ticks();
        let sequence_of = &self.scheduler.layout.sequence_of;
        for (packet, &sequence) in (0..self.scheduler.packets).zip(sequence_of.iter().cycle()) {
            let due = self.wait_until_due(packet)?;
            if !self.add(packet, sequence, due)? {
                return Ok(false);
            }
            if self.flush_ticks.is_some() && packet.is_multiple_of(LOOK_EVERY) {
                let now = self.clock.ticks();
                self.flush(now)?;
            }
        }
        for sequence in 0..self.open.len() as u32 {
            if self.open[sequence as usize].length > 0 && !self.pass_on(sequence)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Puts a packet into the batch of its sequence.
    #[inline]
    fn add(&mut self, packet: u32, sequence: u32, due: Option<u64>) -> Result<bool, Failure> {
        if self.open[sequence as usize].length == 0 {
            self.open[sequence as usize].first_at = due.unwrap_or_else(|| self.clock.ticks());
            if self.flush_ticks.is_some() {
                self.opened.push_back((sequence, self.open[sequence as usize].start));
            }
        }
        let open = &mut self.open[sequence as usize];
        let place = (open.start + open.length) as usize;
        self.scheduler.order[place].store(packet, Ordering::Relaxed);
        open.length += 1;
        open.due = due;
        if open.length < self.batch { Ok(true) } else { self.pass_on(sequence) }
    }

    /// Puts the batch of a sequence into its ring as soon as that has room; false where the pass was over
    /// before.
    fn pass_on(&mut self, sequence: u32) -> Result<bool, Failure> {
        let number = self.submitted.batches;
        let open = &mut self.open[sequence as usize];
        let last_at = open.due.unwrap_or_else(|| self.clock.ticks());
        let batch = &self.scheduler.batches[number as usize];
        batch.sequence.store(sequence, Ordering::Relaxed);
        batch.start.store(open.start, Ordering::Relaxed);
        batch.length.store(open.length, Ordering::Relaxed);
        batch.first_at.store(open.first_at, Ordering::Relaxed);
        batch.last_at.store(last_at, Ordering::Relaxed);
        self.scheduler.announce(number, open.last);
        let start = open.start + open.length;
        *open = Open { start, length: 0, first_at: 0, due: None, last: number };
        self.submitted.batches += 1;
        if self.scheduler.submit(number) {
            return Ok(true);
        }
        self.submitted.queue_full += 1;
        while !self.scheduler.submit(number) {
            if self.scheduler.is_over() {
                return Ok(false);
            }
            self.wait_for_room(sequence)?;
        }
        Ok(true)
    }

    fn wait_for_room(&mut self, sequence: u32) -> Result<(), Failure> {
        if self.worker.is_some() {
            return self.help();
        }
        let scheduler = self.scheduler;
        let ready = || scheduler.has_room(sequence) || scheduler.is_over();
        scheduler.wait(scheduler.submitters_parker(), &mut self.looks, ready);
        Ok(())
    }

    /// Does a batch, or nothing for a moment. It does not sleep, since the worker in it may be the
    /// one that the others wait for.
    fn help(&mut self) -> Result<(), Failure> {
        let step = self.worker.as_mut().map_or(Ok(Step::Idle), Worker::step)?;
        match step {
            Step::Worked => {}
            Step::Idle => pause(&mut self.looks),
            // There is nobody left to submit.
            Step::Ended => self.scheduler.stop(),
        }
        Ok(())
    }

    /// Waits until a packet is due; absent where none is due at any time. Deadlines pass meanwhile.
    #[inline]
    fn wait_until_due(&mut self, packet: u32) -> Result<Option<u64>, Failure> {
        let Some(pace) = self.pace else { return Ok(None) };
        let due = self.submitted.began + (f64::from(packet) * pace) as u64;
        loop {
            let now = self.clock.ticks();
            if now >= due || self.scheduler.is_over() {
                return Ok(Some(due));
            }
            self.flush(now)?;
            self.help()?;
        }
    }

    /// Passes on what has waited for others as long as it may.
    fn flush(&mut self, now: u64) -> Result<(), Failure> {
        let Some(after) = self.flush_ticks else { return Ok(()) };
        while let Some(&(sequence, start)) = self.opened.front() {
            let open = self.open[sequence as usize];
            let is_open = open.start == start && open.length > 0;
            if is_open && now < open.first_at + after {
                break;
            }
            self.opened.pop_front();
            if is_open {
                self.submitted.flushed += 1;
                self.pass_on(sequence)?;
            }
        }
        Ok(())
    }
}
