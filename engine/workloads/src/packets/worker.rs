//! A worker: takes batches, has the work done, and delivers.

use std::sync::atomic::Ordering;

use ciphermark_harness::core_watch::{CoreWatch, Done};
use ciphermark_harness::{Calibration, Clock, HostClock};
use ciphermark_record::packets::{Architecture, Delivery};
use hdrhistogram::Histogram;

use super::batch::{Batch, State};
use super::buffers::Stage;
use super::device::Remote;
use super::faults::{Faults, Moment};
use super::scheduler::Scheduler;
use super::work::Work;
use crate::failure::Failure;
use crate::latencies::latencies;

/// Between two looks at the core in the course of a pass: they lengthen it by less than a thousandth.
pub const STRETCH_NS: f64 = 5e6;

/// What a worker does with packets before it passes them on.
pub enum Duty<'a> {
    /// The cryptographic work is left out.
    Nothing,
    Here(Work<'a>),
    There(Remote<'a>),
}

/// What a worker has done, in this pass.
pub struct WorkerReport {
    pub packets: u64,
    pub batches: u64,
    /// Of each priority.
    pub latencies: Vec<Histogram<u32>>,
    /// When it delivered last, ticks.
    pub last_delivery: u64,
}

impl WorkerReport {
    fn new(priorities: usize) -> Self {
        let latencies = (0..priorities).map(|_| latencies()).collect();
        Self { packets: 0, batches: 0, latencies, last_delivery: 0 }
    }

    /// A batch is delivered now. Another CPU's clock may be a little ahead.
    #[inline]
    fn note(&mut self, batch: &Batch, priority: usize, now: u64, ticks_per_ns: f64) {
        self.last_delivery = now;
        let latencies = &mut self.latencies[priority];
        for at in [&batch.first_at, &batch.last_at] {
            let ticks = now.saturating_sub(at.load(Ordering::Relaxed));
            latencies.saturating_record(((ticks as f64 / ticks_per_ns) as u64).max(1));
        }
    }
}

/// What came of a look for work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    Worked,
    /// There was none.
    Idle,
    /// The worker has ended, whatever it had.
    Ended,
}

pub struct Worker<'a, F> {
    pub number: usize,
    scheduler: &'a Scheduler,
    pub duty: Duty<'a>,
    faults: &'a F,
    /// Packets that one call takes.
    lanes: usize,
    clock: HostClock,
    calibration: &'a Calibration,
    tiers: Vec<Vec<usize>>,
    turn: usize,
    /// Ended workers that this one knows of.
    deaths: u32,
    /// The packets of the batch in hand.
    numbers: Vec<u32>,
    looks: u32,
    pub report: WorkerReport,
    pub watch: CoreWatch,
}

/// What a worker is made of.
pub struct Post<'a, F> {
    pub number: usize,
    pub scheduler: &'a Scheduler,
    pub faults: &'a F,
    pub calibration: &'a Calibration,
    pub lanes: usize,
    pub batch: usize,
}

impl<'a, F: Faults> Worker<'a, F> {
    pub fn new(post: Post<'a, F>, duty: Duty<'a>) -> Self {
        let Post { number, scheduler, faults, calibration, lanes, batch } = post;
        Self {
            number,
            scheduler,
            duty,
            faults,
            lanes,
            clock: HostClock::without_pmu(calibration.ticks_per_ns),
            calibration,
            tiers: scheduler.layout.tiers(number),
            turn: number,
            deaths: 0,
            numbers: Vec::with_capacity(batch),
            looks: 0,
            report: WorkerReport::new(scheduler.layout.priorities),
            watch: CoreWatch::every(STRETCH_NS, calibration),
        }
    }

    /// Works until all packets are delivered; false where it ended before.
    pub fn run(&mut self) -> Result<bool, Failure> {
        loop {
            match self.step()? {
                Step::Worked => self.looks = 0,
                Step::Idle if self.scheduler.is_over() => return Ok(true),
                Step::Idle => self.wait(),
                Step::Ended => return Ok(false),
            }
        }
    }

    /// Does one batch, or looks after those that a device has.
    #[inline]
    pub fn step(&mut self) -> Result<Step, Failure> {
        if self.scheduler.is_over() {
            return Ok(Step::Idle);
        }
        let has_room = match &self.duty {
            Duty::There(remote) => remote.has_room(),
            _ => true,
        };
        if has_room && let Some((number, stage)) = self.take() {
            return self.carry(number, stage).map(worked);
        }
        match self.duty {
            Duty::There(_) => self.look_after_device(),
            _ => self.take_over(),
        }
    }

    /// Waits a moment, or until there is something to do.
    fn wait(&mut self) {
        let Self { scheduler, tiers, deaths, .. } = self;
        scheduler.wait(scheduler.parker(self.number), &mut self.looks, || {
            let work = tiers.iter().flatten().any(|&ring| !scheduler.ring(ring).is_empty());
            work || scheduler.is_over() || scheduler.deaths() != *deaths
        });
    }

    /// A batch from the first tier that has any; the rings of a tier take turns.
    #[inline]
    fn take(&mut self) -> Option<(u32, Stage)> {
        self.turn = self.turn.wrapping_add(1);
        let Self { scheduler, tiers, turn, number, .. } = self;
        tiers.iter().find_map(|tier| {
            let first = if tier.len() > 1 { *turn % tier.len() } else { 0 };
            let (before, from) = tier.split_at(first);
            from.iter().chain(before).find_map(|&ring| {
                Some((scheduler.take(ring, *number)?, scheduler.layout.stage(ring)))
            })
        })
    }

    /// Does what is to be done to a batch in this worker's hands; false where the worker ended.
    fn carry(&mut self, number: u32, stage: Stage) -> Result<bool, Failure> {
        if !self.spared(Moment::Taken) {
            return Ok(false);
        }
        let batch = &self.scheduler.batches[number as usize];
        let packets = self.scheduler.packets_of(batch).iter();
        self.numbers.clear();
        self.numbers.extend(packets.map(|it| it.load(Ordering::Relaxed)));
        if let Duty::There(_) = self.duty {
            return self.submit(number);
        }
        if !self.operate(stage)? {
            return Ok(false);
        }
        match stage {
            Stage::First if self.scheduler.layout.stages == 2 => self.hand_on(number),
            _ => self.finish(number, stage),
        }
    }

    #[inline]
    fn spared(&self, moment: Moment) -> bool {
        self.faults.spare(self.number, moment)
    }

    /// The operations of a stage on the packets in hand, call by call.
    #[inline]
    fn operate(&mut self, stage: Stage) -> Result<bool, Failure> {
        let Self { scheduler, duty, numbers, .. } = self;
        let both = scheduler.layout.architecture == Architecture::RunToCompletion;
        if let Duty::Here(work) = duty {
            work.begin();
        }
        for numbers in numbers.chunks(self.lanes) {
            if let Duty::Here(work) = duty {
                // SAFETY: a batch is in one worker's hands alone, and so are its packets, of which
                // each is in one batch.
                unsafe {
                    work.process(numbers, stage)?;
                    if both && work.has_second() {
                        work.process(numbers, Stage::Second)?;
                    }
                }
            }
            if !self.faults.spare(self.number, Moment::Amid) {
                return Ok(false);
            }
        }
        self.report.packets += self.numbers.len() as u64;
        self.report.batches += 1;
        Ok(true)
    }

    /// Gives a batch to those who do the second operation. Where they have no room it waits, unless
    /// it is one of them or none of them is left.
    fn hand_on(&mut self, number: u32) -> Result<bool, Failure> {
        if !self.spared(Moment::BeforeDone) {
            return Ok(false);
        }
        let batch = &self.scheduler.batches[number as usize];
        let waiting = State::Waiting(Stage::Second);
        batch.moves(State::Taken(Stage::First, self.number), waiting);
        let ring = self.scheduler.second_ring(number);
        let is_mine = self.scheduler.layout.members[ring].contains(&self.number);
        while !self.scheduler.pass_on(number, ring) {
            if self.scheduler.is_over() {
                return Ok(true);
            }
            if is_mine || !self.scheduler.has_living(ring) {
                batch.moves(waiting, State::Taken(Stage::Second, self.number));
                return self.carry(number, Stage::Second);
            }
            std::thread::yield_now();
        }
        Ok(true)
    }

    /// All is done to a batch: it is delivered as soon as its turn has come.
    #[inline]
    fn finish(&mut self, number: u32, stage: Stage) -> Result<bool, Failure> {
        if !self.spared(Moment::BeforeDone) {
            return Ok(false);
        }
        let batch = &self.scheduler.batches[number as usize];
        if batch.moves(State::Taken(stage, self.number), State::Done(self.number)) {
            if !self.spared(Moment::BeforeDelivery) {
                return Ok(false);
            }
            self.deliver(number);
        }
        Ok(true)
    }

    #[inline]
    fn deliver(&mut self, number: u32) {
        let Self { scheduler, clock, report, calibration, .. } = self;
        scheduler.deliver(number, self.number, &mut |batch| {
            let priority = scheduler.layout.priority(batch.sequence.load(Ordering::Relaxed));
            report.note(batch, priority, clock.ticks(), calibration.ticks_per_ns);
        });
        if self.watch.is_due(self.report.last_delivery) {
            self.watch.look(&mut self.clock, self.calibration, Done::default());
        }
    }

    /// Hands the packets to the device and, where one batch at a time is there, waits for it.
    fn submit(&mut self, number: u32) -> Result<bool, Failure> {
        let Self { duty, numbers, clock, .. } = self;
        let Duty::There(remote) = duty else { return Ok(true) };
        // SAFETY: the batch stays in this worker's hands until it is collected, and its packets are
        // in no other.
        unsafe { remote.submit(number, numbers, clock)? };
        let synchronous = remote.is_synchronous();
        if !self.spared(Moment::Amid) {
            return Ok(false);
        }
        if synchronous { self.collect() } else { Ok(true) }
    }

    /// Collects the batch that was submitted first.
    fn collect(&mut self) -> Result<bool, Failure> {
        let Duty::There(remote) = &mut self.duty else { return Ok(true) };
        let Some(number) = remote.collect(&mut self.clock, self.calibration)? else {
            return Ok(true);
        };
        let batch = &self.scheduler.batches[number as usize];
        self.report.packets += u64::from(batch.length.load(Ordering::Relaxed));
        self.report.batches += 1;
        self.finish(number, Stage::First)
    }

    /// Collects what the device has done, or does something of use until it has.
    fn look_after_device(&mut self) -> Result<Step, Failure> {
        let Duty::There(remote) = &mut self.duty else { return Ok(Step::Idle) };
        match remote.poll() {
            None => self.take_over(),
            Some(ready) if ready? => self.collect().map(worked),
            Some(_) => {
                remote.be_useful(&mut self.clock);
                Ok(Step::Worked)
            }
        }
    }

    /// Takes over what workers that have ended had in their hands, and the rings that nobody else
    /// takes from any more.
    #[inline]
    fn take_over(&mut self) -> Result<Step, Failure> {
        let deaths = self.scheduler.deaths();
        if deaths == self.deaths {
            return Ok(Step::Idle);
        }
        self.deaths = deaths;
        self.adopt_rings();
        for (number, state) in self.scheduler.abandoned() {
            if !self.adopt(number, state)? {
                return Ok(Step::Ended);
            }
        }
        Ok(Step::Worked)
    }

    fn adopt_rings(&mut self) {
        let tiers = &self.tiers;
        let is_new = |ring: &usize| !tiers.iter().flatten().any(|it| it == ring);
        let adopted: Vec<usize> = self.scheduler.orphans().filter(is_new).collect();
        if !adopted.is_empty() {
            self.tiers.push(adopted);
        }
    }

    fn adopt(&mut self, number: u32, state: State) -> Result<bool, Failure> {
        let batch = &self.scheduler.batches[number as usize];
        match state {
            State::Taken(stage, _) if batch.moves(state, State::Taken(stage, self.number)) => {
                return self.carry(number, stage);
            }
            // Whose turn it is is found out by sequence, whoever did it.
            State::Done(_) if self.scheduler.layout.delivery == Delivery::Ordered => {
                self.deliver(number);
            }
            State::Done(_) if batch.moves(state, State::Done(self.number)) => self.deliver(number),
            _ => {}
        }
        Ok(true)
    }
}

fn worked(lives: bool) -> Step {
    if lives { Step::Worked } else { Step::Ended }
}
