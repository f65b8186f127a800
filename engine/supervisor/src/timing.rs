//! Timing one case in a worker.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use ciphermark_harness::sampler::{
    Group, Slice, Stopwatch, take_cold_group, take_group, time_once,
};
use ciphermark_harness::{Calibration, HostClock};
use ciphermark_providers::api::CallError;
use ciphermark_record::event::FailureKind;
use ciphermark_workloads::caches::Eviction;
use ciphermark_workloads::failure::Failure;
use ciphermark_workloads::single::{self as calls, LoopKind, Single};

use crate::oracle::Run;
use crate::protocol::{Answers, Measured};
use crate::worker::{Refusal, accepted_forgery};

/// Slices with which the cost of a loop is measured.
const LOOP_SLICES: u32 = 15;
/// Groups of them at most, until one has undisturbed slices.
const LOOP_GROUPS: u32 = 10;

/// More messages than this are never put into one slice.
const MOST_MESSAGES: u64 = 1 << 20;

/// A neighbour on the same core comes and goes within milliseconds, and a group takes a quarter of
/// one. To take a disturbed group, and another one later, costs less than to wait for long; only
/// where so many slices are disturbed that cases could not converge a longer wait pays.
const SHORT_WAIT: Duration = Duration::from_millis(1);
const LONG_WAIT: Duration = Duration::from_millis(5);
const BETWEEN_LOOKS: Duration = Duration::from_micros(100);
const MANY_DISTURBED: f64 = 0.45;

pub struct Timing {
    clock: HostClock,
    calibration: Option<Calibration>,
    loop_cycles: HashMap<LoopKind, f64>,
    /// What empties the caches; made when a case first asks for it.
    eviction: Option<Eviction>,
    /// Slices taken so far, and how many of them were disturbed.
    slices: u32,
    disturbed: u32,
}

impl Timing {
    pub fn new(clock: HostClock) -> Self {
        Self {
            clock,
            calibration: None,
            loop_cycles: HashMap::new(),
            eviction: None,
            slices: 0,
            disturbed: 0,
        }
    }

    pub fn calibrate(&mut self, calibration: Calibration) {
        self.calibration = Some(calibration);
    }

    /// The constants of the clocks.
    pub fn calibration(&self) -> Result<&Calibration, Refusal> {
        self.calibration.as_ref().ok_or_else(|| Refusal {
            kind: FailureKind::Failed,
            message: "the worker was not calibrated".into(),
        })
    }

    /// Takes a group of slices, of which the first begins with message `first`; finds the number of
    /// messages in a slice when it is not known yet.
    pub fn measure(
        &mut self,
        single: &mut Single,
        messages: &mut Option<u64>,
        slices: u32,
        slice_ns: f64,
        first: u64,
    ) -> Result<Measured, Refusal> {
        let calibration = self.calibration()?.clone();
        let loop_cycles = self.loop_cycles(single.loop_kind(), &calibration)?;
        let mut run = Run { first, messages: 0 };
        let mut answers = 0;
        let count = match *messages {
            Some(count) => count,
            None => self.messages_in(slice_ns, single, &calibration, &mut run, &mut answers)?,
        };
        *messages = Some(count);
        // All but cold ones have one before them that is not timed.
        let runs = u64::from(slices) + u64::from(!single.is_cold());
        let mut calls = calls::Group::begin(single, run.all().end, runs, count)?;
        self.wait_for_quiet(&calibration);
        let group = self.take(&mut calls, &calibration, slices)?;
        self.slices += slices;
        self.disturbed += group.slices.iter().filter(|it| !it.disturbed.is_empty()).count() as u32;
        answers = calls.finish()?.wrapping_add(answers);
        if calls.accepts_forgery(first)? {
            return Err(accepted_forgery());
        }
        run.messages += runs * count;
        Ok(Measured { messages: count, loop_cycles, group, run, answers })
    }

    /// Takes the slices of a group of calls, in caches as the case wants them.
    fn take(
        &mut self,
        calls: &mut calls::Group<'_>,
        calibration: &Calibration,
        slices: u32,
    ) -> Result<Group, Refusal> {
        let clock = &mut self.clock;
        let kind = calls.loop_kind();
        let mut work =
            |stopwatch: &mut Stopwatch<'_, HostClock>| calls.slice(|run| stopwatch.time(|_| run()));
        if !kind.is_cold {
            return Ok(take_group(clock, calibration, slices, &mut work)?);
        }
        let eviction = match &mut self.eviction {
            Some(eviction) => eviction,
            none => none.insert(Eviction::new().map_err(Failure::Machine)?),
        };
        let mut around = Single::nothing(kind);
        let unit = around.unit();
        let mut evict = |_: &mut HostClock| {
            eviction.run();
            // The loop itself is near again, so that little of it has to be subtracted.
            around.checked(0..unit).expect("nothing does not fail");
        };
        Ok(take_cold_group(clock, calibration, slices, &mut evict, &mut work)?)
    }

    /// Waits a little when something else uses the core, so that fewer slices are disturbed.
    fn wait_for_quiet(&mut self, calibration: &Calibration) {
        let many = f64::from(self.disturbed) > MANY_DISTURBED * f64::from(self.slices);
        let longest = if many { LONG_WAIT } else { SHORT_WAIT };
        let began = Instant::now();
        while calibration.look(&mut self.clock).crowded && began.elapsed() < longest {
            std::thread::sleep(BETWEEN_LOOKS);
        }
    }

    /// The smallest power of two of units that lasts at least so long, in messages, or as many as stay
    /// in the caches; the shorter of two trials, as an interruption makes one look longer. What is
    /// tried is added to the run and to its answers.
    fn messages_in(
        &mut self,
        slice_ns: f64,
        single: &mut Single,
        calibration: &Calibration,
        run: &mut Run,
        answers: &mut Answers,
    ) -> Result<u64, CallError> {
        let most = single.most_in_slice().min(MOST_MESSAGES.max(single.unit()));
        let mut count = single.unit();
        while count < most {
            let mut trial = || {
                let mut calls = calls::Group::begin(single, run.all().end, 1, count)?;
                let ns = time_once(&mut self.clock, calibration, &mut |stopwatch| {
                    calls.slice(|run| stopwatch.time(|_| run()))
                })?;
                *answers = answers.wrapping_add(calls.finish()?);
                run.messages += count;
                Ok::<f64, CallError>(ns)
            };
            if trial()? >= slice_ns && trial()? >= slice_ns {
                break;
            }
            count = (2 * count).min(most);
        }
        Ok(count)
    }

    /// Cost of a loop around an empty function in this process, cycles per message.
    fn loop_cycles(&mut self, kind: LoopKind, calibration: &Calibration) -> Result<f64, Refusal> {
        if let Some(&cycles) = self.loop_cycles.get(&kind) {
            return Ok(cycles);
        }
        let (slices, messages) = self.loop_slices(kind, calibration)?;
        let mut cycles: Vec<f64> =
            slices.iter().map(|slice| slice.cycles / messages as f64).collect();
        cycles.sort_by(f64::total_cmp);
        let median = cycles[cycles.len() / 2];
        self.loop_cycles.insert(kind, median);
        Ok(median)
    }

    /// Slices of an empty loop, and the messages of each: undisturbed ones, since what is wrong here is
    /// wrong in every figure of the process. Where none come for long, those of the last group.
    fn loop_slices(
        &mut self,
        kind: LoopKind,
        calibration: &Calibration,
    ) -> Result<(Vec<Slice>, u64), Refusal> {
        let mut nothing = Single::nothing(kind);
        let messages = match nothing.is_cold() {
            true => nothing.unit(),
            false => nothing.most_in_slice(),
        };
        let mut slices = Vec::new();
        for _ in 0..LOOP_GROUPS {
            let runs = u64::from(LOOP_SLICES) + 1;
            let mut calls = calls::Group::begin(&mut nothing, 0, runs, messages)?;
            self.wait_for_quiet(calibration);
            slices = self.take(&mut calls, calibration, LOOP_SLICES)?.slices;
            if slices.iter().any(|slice| slice.disturbed.is_empty()) {
                slices.retain(|slice| slice.disturbed.is_empty());
                break;
            }
        }
        Ok((slices, messages))
    }
}
