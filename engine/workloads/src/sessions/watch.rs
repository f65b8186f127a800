//! Whoever looks on while the threads run: opens the window, and notes what is seen from outside.

use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;

use ciphermark_harness::{Clock, HostClock, environment, pinning};
use ciphermark_record::sessions::{CpuShares, Moment};

use super::controller::Common;
use super::gather::Course;
use crate::accounts::Accounts;
use crate::cores;
use crate::failure::Failure;

/// Threads that have not run this many times as late as the window was to open are not waited for.
const LATEST_OPENING: f64 = 3.0;
const LEAST_WAIT_MS: f64 = 2000.0;

/// From this interval on a look at the whole looks at the clock and the heat of the cores as well.
const LOOKS_AT_CORES_MS: f64 = 500.0;
const CORE_LOOKS: usize = 5;

/// What was used up to a moment.
#[derive(Clone, Copy, Default)]
struct Books {
    accounts: Accounts,
    device_ns: Option<u64>,
}

/// From the start to the end of an execution.
pub struct Watch<'a> {
    common: &'a Common<'a>,
    clock: HostClock,
    start: u64,
    opened: Option<(u64, Books)>,
    closed: Option<(u64, Books)>,
    ends: u64,
    late: u32,
    next_look: u64,
    looks: usize,
    moments: Vec<Moment>,
}

impl<'a> Watch<'a> {
    pub fn new(common: &'a Common<'a>) -> Self {
        Self {
            common,
            clock: HostClock::without_pmu(common.execution.calibration.ticks_per_ns),
            start: 0,
            opened: None,
            closed: None,
            ends: 0,
            late: 0,
            next_look: 0,
            looks: 0,
            moments: Vec::new(),
        }
    }

    fn ticks(&self, ms: f64) -> u64 {
        (ms * 1e6 * self.common.execution.calibration.ticks_per_ns) as u64
    }

    /// When the window opens at the latest, after the start.
    fn latest_opening(&self) -> u64 {
        let opens = self.common.execution.load.opens_ms;
        self.ticks((opens * LATEST_OPENING).max(opens + LEAST_WAIT_MS))
    }

    /// From now on every thread knows the latest end there can be.
    pub fn start(&mut self) {
        let load = self.common.execution.load;
        self.start = self.clock.ticks();
        self.next_look = self.start;
        self.ends = self.start + self.latest_opening() + self.ticks(load.execution_ms);
        self.common.window.set(u64::MAX, u64::MAX, self.ends);
    }

    pub fn goes_on(&mut self) -> bool {
        self.clock.ticks() < self.ends && !self.common.window.is_stopped()
    }

    /// Does what is due, and sleeps until the next thing is.
    pub fn step(&mut self) {
        let now = self.clock.ticks();
        if now >= self.next_look {
            self.look(now);
        }
        if self.opened.is_none() && self.may_open(now) {
            self.open(now);
        }
        if let Some(closes) = self.closes()
            && self.closed.is_none()
            && now >= closes
        {
            self.closed = Some((closes, self.books()));
        }
        let now = self.clock.ticks();
        let wake = self.next_event(now).max(now);
        let ns = (wake - now) as f64 / self.common.execution.calibration.ticks_per_ns;
        thread::sleep(Duration::from_nanos(ns as u64));
    }

    fn may_open(&self, now: u64) -> bool {
        let since = now - self.start;
        let threads = self.common.progress.len() as u32;
        let all_ran = self.common.window.ran() >= threads;
        since >= self.ticks(self.common.execution.load.opens_ms)
            && (all_ran || !self.waits_for_all() || since >= self.latest_opening())
    }

    /// Where messages come at random moments and are rare, not every session gets one in time.
    fn waits_for_all(&self) -> bool {
        self.common.execution.load.offered_per_s.is_none()
    }

    fn open(&mut self, now: u64) {
        let load = self.common.execution.load;
        if self.waits_for_all() {
            self.late = self.common.progress.len() as u32 - self.common.window.ran();
        }
        self.opened = Some((now, self.books()));
        let closes = now + self.ticks(load.closes_ms - load.opens_ms);
        self.ends = now + self.ticks(load.execution_ms - load.opens_ms);
        self.common.window.set(now, closes, self.ends);
    }

    fn books(&self) -> Books {
        Books {
            accounts: Accounts::read(&self.common.execution.load.cpus),
            device_ns: self.common.offloaded.device_cpu_ns(),
        }
    }

    /// When the window closes, once it is open.
    fn closes(&self) -> Option<u64> {
        let load = self.common.execution.load;
        let (opened, _) = self.opened?;
        Some(opened + self.ticks(load.closes_ms - load.opens_ms))
    }

    fn next_event(&self, now: u64) -> u64 {
        /// Whether all have run is looked at again so soon.
        const AGAIN_MS: f64 = 1.0;
        let edge = match (self.opened, self.closed) {
            (None, _) => (self.start + self.ticks(self.common.execution.load.opens_ms))
                .max(now + self.ticks(AGAIN_MS)),
            (Some(_), None) => self.closes().unwrap_or(self.ends),
            _ => self.ends,
        };
        self.next_look.min(edge).min(self.ends)
    }

    fn look(&mut self, now: u64) {
        let load = self.common.execution.load;
        let messages = self.common.progress.iter().map(|it| it.0.load(Ordering::Relaxed)).sum();
        let at_ns = (now - self.start) as f64 / self.common.execution.calibration.ticks_per_ns;
        let mut moment = Moment {
            at_ns: at_ns as u64,
            messages,
            core_hz: None,
            temperature_c: None,
            throttles: None,
        };
        if load.look_ms >= LOOKS_AT_CORES_MS {
            moment.core_hz = self.core_hz();
            moment.temperature_c = environment::temperature_c();
            moment.throttles = environment::throttles(&load.cpus);
        }
        self.moments.push(moment);
        self.next_look = now + self.ticks(load.look_ms);
    }

    /// The clock of one of the CPUs, in turn.
    fn core_hz(&mut self) -> Option<f64> {
        let cpus = &self.common.execution.load.cpus;
        let cpu = cpus[self.looks % cpus.len()];
        self.looks += 1;
        pinning::pin(cpu).ok()?;
        let hz = cores::core_hz(self.common.execution.calibration, &mut self.clock, CORE_LOOKS);
        pinning::confine(cpus).ok()?;
        Some(hz)
    }

    /// What was seen. On a busy machine whoever looks on may have slept over the closing; the threads
    /// knew of it.
    pub fn course(self, resident: u64) -> Result<Course, Failure> {
        let Some((opened, first)) = self.opened else { return Err(self.never_opened()) };
        let read = |closes| (closes, self.books());
        let (closed, last) =
            self.closed.or_else(|| self.closes().map(read)).unwrap_or((opened, first));
        let ns = |ticks: u64| {
            let since = ticks.saturating_sub(self.start);
            (since as f64 / self.common.execution.calibration.ticks_per_ns) as u64
        };
        let wall_ns = (ns(closed) - ns(opened)) as f64;
        // A thread that has ended has no account any more.
        let used = |(to, from): (u64, u64)| to.saturating_sub(from);
        let device_cpu_ns = last.device_ns.zip(first.device_ns).map(used);
        Ok(Course {
            start_ticks: self.start,
            opened_ns: ns(opened),
            closed_ns: ns(closed),
            late: self.late,
            resident_bytes: resident,
            shares: self.shares(&first, &last, wall_ns, device_cpu_ns),
            process_cpu_ns: last.accounts.process_ns_since(&first.accounts),
            device_cpu_ns,
            moments: self.moments,
        })
    }

    /// Of the CPUs that the sessions have; the device's threads have others.
    fn shares(
        &self,
        first: &Books,
        last: &Books,
        wall_ns: f64,
        device_ns: Option<u64>,
    ) -> CpuShares {
        let mut shares = last.accounts.shares_since(&first.accounts, wall_ns);
        let cpus = self.common.execution.load.cpus.len() as f64;
        if let Some(elsewhere) = device_ns.filter(|_| wall_ns > 0.0) {
            shares.workload = (shares.workload - elsewhere as f64 / wall_ns / cpus).max(0.0);
        }
        shares
    }

    fn never_opened(&self) -> Failure {
        Failure::Machine(format!(
            "the window did not open within {:.1} s: the machine is too busy, or --sessions are too \
             many for it",
            self.ends.saturating_sub(self.start) as f64
                / self.common.execution.calibration.ticks_per_ns
                / 1e9
        ))
    }
}
