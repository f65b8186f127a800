//! A thread that carries sessions: one, or those of a CPU in turn.
//!
//! Between two readings of the wall clock lies a batch of messages, of which the first is timed by
//! itself. So a reading costs little, and the timed messages are a fair sample of all: which message
//! begins a batch depends on nothing but how many came before.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use ciphermark_harness::core_watch::{CoreWatch, Done};
use ciphermark_harness::usage::ThreadUsage;
use ciphermark_harness::window::{Phase, Window};
use ciphermark_harness::{Calibration, Clock};
use ciphermark_providers::api::CallError;
use ciphermark_record::sessions::Stretches;
use hdrhistogram::Histogram;

use super::arrivals::Arrivals;
use super::session::Session;
use crate::cores;
use crate::failure::Failure;
use crate::latencies::latencies;

/// Time for which answers are looked at behind an execution, as a share of it.
const CHECKED_SHARE: f64 = 0.1;

/// Between two looks at the core within the window: a neighbour stays for about as long, and a look
/// takes a three-hundredth of it.
const STRETCH_NS: f64 = 1e6;

/// Looks at the core's clock at each edge of the window.
const LOOKS: usize = 5;

/// How messages are put into batches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BatchSize {
    /// Messages of one call, which is what is timed.
    pub call: u64,
    /// Messages of a batch, a multiple of those.
    pub messages: u64,
}

/// What a thread has seen at an edge of the window.
#[derive(Clone, Debug, Default)]
pub struct Edge {
    /// Without the time of looks at the core.
    pub usage: ThreadUsage,
    pub migrations: u64,
    pub cpu: u32,
    pub core_hz: f64,
    /// Of each session.
    pub done: Vec<Done>,
    pub renewed: Vec<u32>,
}

/// What a thread has to tell when the execution is over.
pub struct ThreadReport {
    /// Both edges of the window; absent where it was never open.
    pub edges: Option<(Edge, Edge)>,
    pub latencies: Histogram<u32>,
    /// What was done within the window.
    pub stretches: Stretches,
}

pub struct Carrier<'a, C: Clock> {
    pub clock: C,
    pub calibration: &'a Calibration,
    pub window: &'a Window,
    pub batch: BatchSize,
    pub sessions: Vec<Session<'a>>,
    pub arrivals: Option<Arrivals>,
    /// Messages done by this thread so far, for whoever looks on.
    pub progress: &'a AtomicU64,
    state: State,
}

/// What changes from turn to turn.
struct State {
    phase: Phase,
    opened: Option<Edge>,
    closed: Option<Edge>,
    /// The session whose turn it is.
    turn: usize,
    cpu: usize,
    migrations: u64,
    /// By all of them.
    done: Done,
    latencies: Histogram<u32>,
    watch: CoreWatch,
}

impl<'a, C: Clock> Carrier<'a, C> {
    pub fn new(
        mut clock: C,
        calibration: &'a Calibration,
        window: &'a Window,
        batch: BatchSize,
        sessions: Vec<Session<'a>>,
        progress: &'a AtomicU64,
    ) -> Self {
        let state = State {
            phase: Phase::Before,
            opened: None,
            closed: None,
            turn: 0,
            cpu: clock.cpu(),
            migrations: 0,
            done: Done::default(),
            latencies: latencies(),
            watch: CoreWatch::every(STRETCH_NS, calibration),
        };
        let arrivals = None;
        Self { clock, calibration, window, batch, sessions, arrivals, progress, state }
    }

    /// Carries its sessions from now until the execution is over, and checks their answers.
    pub fn run(mut self) -> Result<ThreadReport, Failure> {
        let mut now = self.clock.ticks();
        self.sessions.iter_mut().for_each(|session| session.begin(now));
        loop {
            let phase = self.window.phase(now);
            if phase > self.state.phase {
                self.cross(phase);
            }
            if phase == Phase::Over {
                break;
            }
            if self.state.watch.is_due(now) {
                let State { watch, done, .. } = &mut self.state;
                now = watch.look(&mut self.clock, self.calibration, *done);
            }
            now = if self.arrivals.is_some() { self.serve(now)? } else { self.work(now)? };
        }
        self.check()?;
        let State { opened, closed, latencies, watch, .. } = self.state;
        let edges = opened.zip(closed);
        let stretches = edges.as_ref().map_or_else(Stretches::default, |_| watch.stretches());
        Ok(ThreadReport { edges, latencies, stretches })
    }

    /// Compares the last answers of all sessions. Then they go on for a while, as they did beside each
    /// other, and all that they write is compared: within the window that would be measured as well.
    fn check(&mut self) -> Result<(), Failure> {
        for session in &mut self.sessions {
            session.check()?;
        }
        let Some(first) = self.sessions.first() else { return Ok(()) };
        let longest = CHECKED_SHARE * first.execution_ms();
        let until = self.clock.ticks() + (longest * 1e6 * self.calibration.ticks_per_ns) as u64;
        loop {
            for session in &mut self.sessions {
                session.check_on()?;
                if self.clock.ticks() >= until || self.window.is_stopped() {
                    return Ok(());
                }
            }
        }
    }

    /// Notes where everything is when the window opens or closes. The core's clock is looked at
    /// outside of it.
    fn cross(&mut self, phase: Phase) {
        let was_open = self.state.opened.is_some();
        if phase == Phase::Open {
            let core_hz = cores::core_hz(self.calibration, &mut self.clock, LOOKS);
            self.state.opened = Some(Edge { core_hz, ..self.edge() });
            let State { watch, done, .. } = &mut self.state;
            watch.look(&mut self.clock, self.calibration, *done);
        } else if was_open && self.state.closed.is_none() {
            let State { watch, done, .. } = &mut self.state;
            watch.end(&mut self.clock, self.calibration, *done);
            let edge = self.edge();
            let core_hz = cores::core_hz(self.calibration, &mut self.clock, LOOKS);
            self.state.closed = Some(Edge { core_hz, ..edge });
        }
        self.state.phase = phase;
    }

    fn edge(&mut self) -> Edge {
        let mut edge = Edge {
            done: self.sessions.iter().map(Session::done).collect(),
            renewed: self.sessions.iter().map(|session| session.renewed).collect(),
            migrations: self.state.migrations,
            cpu: self.clock.cpu() as u32,
            core_hz: 0.0,
            usage: ThreadUsage::read(),
        };
        edge.usage.cpu_ns -= self.state.watch.looking_ns();
        edge
    }

    /// A batch of the session whose turn it is. Returns the time after it.
    fn work(&mut self, began: u64) -> Result<u64, Failure> {
        let BatchSize { call, messages } = self.batch;
        let turn = self.state.turn;
        let session = &mut self.sessions[turn];
        let before = session.done();
        session.live(began)?;
        session.single.run(call)?;
        let mut now = self.clock.ticks();
        let took = now - began;
        if messages > call {
            session.single.run(messages - call)?;
            now = self.clock.ticks();
        }
        let done = session.done().since(before);
        self.timed(took);
        self.turned(done);
        self.state.turn = if turn + 1 == self.sessions.len() { 0 } else { turn + 1 };
        Ok(now)
    }

    /// Waits for the next message that comes, or until the phase changes; processes it. Returns the
    /// time after it.
    fn serve(&mut self, now: u64) -> Result<u64, Failure> {
        let Some(arrivals) = &mut self.arrivals else { return Ok(now) };
        let due = arrivals.due();
        if due > now {
            let until = due.min(self.window.next_change(now));
            sleep(until - now, self.calibration.ticks_per_ns);
            return Ok(self.clock.ticks());
        }
        let turn = arrivals.pick(self.sessions.len());
        arrivals.next();
        let session = &mut self.sessions[turn];
        let before = session.done();
        session.live(now)?;
        session.single.run(self.batch.call)?;
        let after = self.clock.ticks();
        let done = session.done().since(before);
        self.timed(after - due);
        self.turned(done);
        Ok(after)
    }

    fn timed(&mut self, ticks: u64) {
        if self.state.phase == Phase::Open {
            let cost = self.calibration.slice_cost_ticks;
            let ns = (ticks as f64 - cost) / self.calibration.ticks_per_ns;
            self.state.latencies.saturating_record(ns.max(1.0) as u64);
        }
    }

    /// Books a turn of a session, in which so much was done.
    fn turned(&mut self, done: Done) {
        let state = &mut self.state;
        if state.done.messages == 0 {
            self.window.has_run();
        }
        state.done += done;
        self.progress.store(state.done.messages, Ordering::Relaxed);
        let cpu = self.clock.cpu();
        state.migrations += u64::from(cpu != state.cpu);
        state.cpu = cpu;
    }
}

fn sleep(ticks: u64, ticks_per_ns: f64) {
    std::thread::sleep(Duration::from_nanos((ticks as f64 / ticks_per_ns) as u64));
}

/// The cost of one message, nanoseconds, and from it the size of a batch.
pub fn batch_for(
    session: &mut Session<'_>,
    clock: &mut impl Clock,
    calibration: &Calibration,
) -> Result<BatchSize, CallError> {
    /// Reading the clock, counting and looking where the thread is takes some 0.1 µs.
    const BATCH_NS: f64 = 20_000.0;
    const TRIALS: usize = 5;
    let call = session.single.unit().max(1);
    let mut messages = call;
    loop {
        let mut shortest = f64::INFINITY;
        for _ in 0..TRIALS {
            let began = clock.ticks();
            session.single.run(messages)?;
            shortest = shortest.min((clock.ticks() - began) as f64 / calibration.ticks_per_ns);
        }
        if shortest >= BATCH_NS / 2.0 {
            let calls = (BATCH_NS / shortest * messages as f64 / call as f64).round() as u64;
            return Ok(BatchSize { call, messages: calls.max(1) * call });
        }
        messages *= 2;
    }
}
