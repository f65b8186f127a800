//! Makes the threads ready, starts them all together, and gathers what they have to tell.

use std::sync::atomic::AtomicU64;
use std::thread::{self, Scope};
use std::time::Duration;

use ciphermark_harness::crew::{self, Gate, start_small};
use ciphermark_harness::window::Window;
use ciphermark_harness::{Clock, HostClock, environment, pinning, processor_state, scheduling};
use ciphermark_record::sessions::{Placement, SessionsRun, Threads};

use super::arrivals::Arrivals;
use super::carrier::{BatchSize, Carrier, ThreadReport, batch_for};
use super::gather::{self, Course};
use super::session::{Lengths, Session};
use super::watch::Watch;
use super::{Execution, neighbour, ready};
use crate::cores;
use crate::failure::Failure;
use crate::offloaded::Offloaded;

/// Libraries need little of it, and of what they do not touch no memory is taken.
pub const STACK_BYTES: usize = 512 << 10;

/// Getting ready takes a thread some 0.1 ms, and the keys of some functions milliseconds.
const READY_BASE: Duration = Duration::from_secs(20);
const READY_EACH: Duration = Duration::from_millis(20);

/// Runs the sessions once, on CPUs whose clocks are looked at before.
pub fn execute(
    execution: &Execution<'_>,
    offloaded: &Offloaded<'_>,
) -> Result<SessionsRun, Failure> {
    let cpus = &execution.load.cpus;
    let alone = cores::alone(cpus, execution.calibration)?;
    pinning::confine(cpus).map_err(|why| Failure::Machine(format!("CPUs: {why}")))?;
    let (lengths, batch) = trial(execution)?;
    let device = offloaded.place(execution.case)?;
    let threads = ready::threads(execution);
    let shared = Common {
        execution,
        offloaded,
        lengths,
        batch,
        gate: Gate::default(),
        window: Window::until(u64::MAX),
        progress: (0..threads).map(|_| Progress::default()).collect(),
    };
    let (course, reports) = thread::scope(|scope| shared.run(scope))?;
    Ok(SessionsRun { device, ..gather::result(execution, batch, &alone, course, reports) })
}

/// How long messages are, and how many make a batch; from a session that is given back.
fn trial(execution: &Execution<'_>) -> Result<(Lengths, BatchSize), Failure> {
    let unknown = Lengths::none();
    let mut session = Session::new(execution, &unknown, 0)?;
    let mut clock = HostClock::without_pmu(execution.calibration.ticks_per_ns);
    let lengths = Lengths::of(&session.single, execution.case.messages.lengths().len());
    let batch = batch_for(&mut session, &mut clock, execution.calibration)?;
    Ok((lengths, batch))
}

/// A count in a cache line of its own.
#[derive(Default)]
#[repr(align(64))]
pub struct Progress(pub AtomicU64);

/// What all threads have in common.
pub struct Common<'a> {
    pub execution: &'a Execution<'a>,
    pub offloaded: &'a Offloaded<'a>,
    lengths: Lengths,
    batch: BatchSize,
    gate: Gate,
    pub window: Window,
    /// Messages of each thread.
    pub progress: Vec<Progress>,
}

impl<'a> Common<'a> {
    fn run<'scope>(
        &'scope self,
        scope: &'scope Scope<'scope, '_>,
    ) -> Result<(Course, Vec<ThreadReport>), Failure> {
        let before = environment::resident_bytes();
        let mut threads = Vec::with_capacity(self.progress.len());
        let mut spawned = Ok(());
        for number in 0..self.progress.len() {
            match start_small(scope, STACK_BYTES, move || self.carry(number)) {
                Ok(thread) => threads.push(thread),
                Err(why) => {
                    spawned = Err(self.too_many(number, &why));
                    break;
                }
            }
        }
        for number in 0..self.execution.load.neighbours as usize {
            let neighbour = start_small(scope, STACK_BYTES, move || self.disturb(number));
            spawned = spawned.and(neighbour.map(drop).map_err(|why| self.too_many(number, &why)));
        }
        let course = spawned.and_then(|()| self.control(before));
        if course.is_err() {
            self.window.stop();
            self.gate.open();
        }
        // What a thread has met says more than that the others were stopped for it.
        let reports =
            crew::join(threads, || Failure::Machine("a session's thread panicked".into()))?;
        Ok((course?, reports))
    }

    fn too_many(&self, number: usize, why: &std::io::Error) -> Failure {
        Failure::Machine(format!(
            "thread {} of {} could not be started ({why}): write fewer --sessions, or --threads \
             per-cpu",
            number + 1,
            self.progress.len()
        ))
    }

    /// What each thread does.
    fn carry(&self, number: usize) -> Result<ThreadReport, Failure> {
        let prepared = self.prepare(number);
        if prepared.is_err() {
            self.window.stop();
        }
        self.gate.wait();
        let mut carrier = prepared?;
        // A thread begins with what the one that started it had left in the processor. Within its time,
        // and its window, nothing is cleaned: what sessions leave is found by those that come next on
        // the same thread, and is part of what they cost.
        processor_state::clean();
        let now = carrier.clock.ticks();
        carrier.arrivals = self.arrivals(number, now);
        let reports = carrier.run();
        if reports.is_err() {
            self.window.stop();
        }
        reports
    }

    fn prepare(&self, number: usize) -> Result<Carrier<'_, HostClock>, Failure> {
        let Execution { load, calibration, .. } = self.execution;
        self.place(number)?;
        let mine = (number..load.sessions as usize).step_by(self.progress.len());
        let sessions: Result<Vec<_>, Failure> =
            mine.map(|it| Session::new(self.execution, &self.lengths, it as u32)).collect();
        let clock = HostClock::without_pmu(calibration.ticks_per_ns);
        let progress = &self.progress[number].0;
        Ok(Carrier::new(clock, calibration, &self.window, self.batch, sessions?, progress))
    }

    /// Puts the calling thread where it is to run.
    fn place(&self, number: usize) -> Result<(), Failure> {
        let load = self.execution.load;
        let fixed = load.placement == Placement::Fixed || load.threads == Threads::PerCpu;
        let one = [load.cpus[number % load.cpus.len()]];
        let placed = pinning::confine(if fixed { &one } else { &load.cpus });
        placed
            .and_then(|()| scheduling::wake_punctually())
            .and_then(|()| scheduling::set(load.policy, load.nice))
            .map_err(|why| {
                Failure::Machine(format!(
                    "the policy {:?} at nice level {} on CPUs {:?} is not allowed: {why}",
                    load.policy, load.nice, load.cpus
                ))
            })
    }

    /// The thread's part of the load that is offered to all.
    fn arrivals(&self, number: usize, now: u64) -> Option<Arrivals> {
        let Execution { load, calibration, seed, .. } = self.execution;
        let per_s = load.offered_per_s? / self.batch.call as f64;
        let mine = (number..load.sessions as usize).step_by(self.progress.len()).len();
        let share = mine as f64 / f64::from(load.sessions);
        let mean_ticks = calibration.ticks_per_ns * 1e9 / (per_s * share);
        Some(Arrivals::new(*seed, number, mean_ticks, now))
    }

    fn disturb(&self, number: usize) -> Result<(), Failure> {
        let load = self.execution.load;
        pinning::pin(load.cpus[number % load.cpus.len()])
            .and_then(|()| scheduling::set(load.policy, load.nice))
            .map_err(|why| Failure::Machine(why.to_string()))?;
        let memory = neighbour::memory();
        self.gate.pass();
        let mut clock = HostClock::without_pmu(self.execution.calibration.ticks_per_ns);
        neighbour::run(memory, &mut clock, &self.window);
        Ok(())
    }

    /// Waits until all are ready, starts them, and looks on until the end.
    fn control(&self, resident_before: Option<u64>) -> Result<Course, Failure> {
        let threads = self.progress.len() as u32;
        let patience = READY_BASE + READY_EACH * self.execution.load.sessions;
        let ready = self.gate.gather(threads, patience, || !self.window.is_stopped());
        if ready < threads && !self.window.is_stopped() {
            return Err(Failure::Machine(format!(
                "{ready} of {threads} threads were ready after {} s: write fewer --sessions",
                patience.as_secs()
            )));
        }
        let taken = environment::resident_bytes().zip(resident_before);
        let resident = taken.map_or(0, |(now, before)| now.saturating_sub(before));
        let mut watch = Watch::new(self);
        watch.start();
        self.gate.open();
        while watch.goes_on() {
            watch.step();
        }
        watch.course(resident)
    }
}
