//! Timing one case in a worker.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use ciphermark_harness::sampler::{
    Group, Slice, Stopwatch, take_cold_group, take_group, time_once,
};
use ciphermark_harness::{Calibration, HostClock};
use ciphermark_providers::api::CallError;
use ciphermark_record::event::{Disturbance, FailureKind};
use ciphermark_workloads::caches::Eviction;
use ciphermark_workloads::failure::Failure;
use ciphermark_workloads::single::{self as calls, LoopKind, Part, Single};

use crate::protocol::{Answers, Measured, MessageRange};
use crate::refusal::{Refusal, accepted_forgery};

/// Slices with which the cost of a loop is measured.
const LOOP_SLICES: u32 = 15;
/// Undisturbed ones that are enough.
const LEAST_LOOP_SLICES: usize = 5;
/// Groups at most, until there are so many.
const LOOP_GROUPS: u32 = 10;

/// More messages than this are never put into one slice.
const MOST_MESSAGES: u64 = 1 << 20;

/// Calls between two looks whether a neighbour has left the core. It may leave for a fraction of a
/// millisecond only, so that nobody sleeps meanwhile.
const BETWEEN_LOOKS: Duration = Duration::from_micros(10);

/// Calls of the case between a look and the slice after it, which are not timed. Soon after code with registers
/// of 256 or 512 bits has begun, an Intel core may stop for 1.3 µs (the harness's example `warm_up`).
const LEAD_IN: Duration = Duration::from_micros(1);

/// Slices of this length and more need none: a stop is hardly more than one per cent of them.
const LONG_SLICE: Duration = Duration::from_micros(100);

/// Groups that are taken of a case that was called before, until one is undisturbed: one more costs far
/// less than the calls.
const MOST_AFTER_CALLS: u32 = 8;

/// Share of a group's slices that may be beside a neighbour, so that the others count.
const MAY_BE_CROWDED: f64 = 0.2;

/// What a loop costs.
#[derive(Clone, Copy, Debug)]
struct LoopCost {
    /// Of a message.
    cycles: f64,
    /// Whether too many of the slices that tell it were disturbed.
    is_disturbed: bool,
}

impl LoopCost {
    /// The median of the undisturbed slices, or of all where there are not so many. One that only seems
    /// undisturbed can be wrong by any factor.
    fn of(slices: &[Slice], least: usize, messages: u64) -> Self {
        let is_disturbed = undisturbed(slices) < least;
        let used = slices.iter().filter(|slice| is_disturbed || slice.disturbed.is_empty());
        let mut cycles: Vec<f64> = used.map(|slice| slice.cycles / messages as f64).collect();
        cycles.sort_by(f64::total_cmp);
        Self { cycles: cycles[cycles.len() / 2], is_disturbed }
    }
}

pub struct Timing {
    clock: HostClock,
    calibration: Option<Calibration>,
    loop_costs: HashMap<LoopKind, LoopCost>,
    /// What empties the caches; made when a case first asks for it.
    eviction: Option<Eviction>,
    /// How long the group may wait for a neighbour to leave the core, and how long it did.
    longest_wait: Duration,
    waited: Duration,
}

impl Timing {
    pub fn new(clock: HostClock) -> Self {
        Self {
            clock,
            calibration: None,
            loop_costs: HashMap::new(),
            eviction: None,
            longest_wait: Duration::ZERO,
            waited: Duration::ZERO,
        }
    }

    pub fn calibrate(&mut self, calibration: Calibration) {
        self.calibration = Some(calibration);
    }

    /// The next group may wait so long for a neighbour to leave the core, with the loops whose cost
    /// is measured before it.
    pub fn may_wait(&mut self, longest: Duration) {
        (self.longest_wait, self.waited) = (longest, Duration::ZERO);
    }

    /// The constants of the clocks.
    pub fn calibration(&self) -> Result<&Calibration, Refusal> {
        self.calibration.as_ref().ok_or_else(|| Refusal {
            kind: FailureKind::Failed,
            message: "the worker was not calibrated".into(),
        })
    }

    /// Takes a group of slices, of which the first begins with message `first`, after `settling` of
    /// calls; finds the number of messages in a slice when it is not known yet.
    pub fn measure(
        &mut self,
        single: &mut Single,
        messages: &mut Option<u64>,
        slices: u32,
        slice_ns: f64,
        settling: Duration,
        first: u64,
    ) -> Result<Measured, Refusal> {
        let calibration = self.calibration()?.clone();
        let mut loop_cost = self.loop_cost(single.loop_kind(), &calibration)?;
        let mut run = MessageRange { first, messages: 0 };
        let mut answers = 0;
        let count = match *messages {
            Some(count) => count,
            None => self.messages_in(slice_ns, single, &calibration, &mut run, &mut answers)?,
        };
        *messages = Some(count);
        // All but cold ones have one before them that is not timed.
        let is_cold = single.is_cold();
        let runs = u64::from(slices) + u64::from(!is_cold);
        if let Some(mut company) = single.company_alone() {
            loop_cost = self.company_cost(&mut company, &calibration, runs, slices, count)?;
            single.take_company(company);
        }
        let most = if settling.is_zero() { 1 } else { MOST_AFTER_CALLS };
        let mut before = settling;
        let mut taken = 0;
        let mut group = loop {
            let mut calls = calls::Group::begin(single, run.all().end, runs, count)?;
            let mut group = self.take(&mut calls, &calibration, slices, before)?;
            if !is_cold {
                mark_crowded_group(&mut group);
            }
            answers = calls.finish()?.wrapping_add(answers);
            if calls.accepts_forgery(first)? {
                return Err(accepted_forgery());
            }
            run.messages += runs * count;
            taken += 1;
            if taken == most || 2 * undisturbed(&group.slices) > group.slices.len() {
                break group;
            }
            before = BETWEEN_LOOKS; // it has settled
        };
        if loop_cost.is_disturbed {
            group.slices.iter_mut().for_each(|slice| slice.disturbed.push(Disturbance::Loop));
        }
        let loop_cycles = loop_cost.cycles;
        let waited_ns = self.waited.as_nanos() as u64;
        Ok(Measured { messages: count, loop_cycles, group, run, answers, waited_ns })
    }

    /// Takes the slices of a group of calls, in caches as the case wants them, when no neighbour is on
    /// the core or it has waited for long. Hot calls are made for `settling` before.
    fn take(
        &mut self,
        calls: &mut calls::Group<'_>,
        calibration: &Calibration,
        slices: u32,
        settling: Duration,
    ) -> Result<Group, Refusal> {
        let kind = calls.loop_kind();
        if settling.is_zero() {
            self.wait_for_quiet(calibration);
        }
        let longest = self.may_still_wait();
        let mut waited = Duration::ZERO;
        let clock = &mut self.clock;
        // The calls of the slice that is not timed; cold groups have none.
        let mut before = (!kind.is_cold).then_some(settling);
        let mut work = |stopwatch: &mut Stopwatch<'_, HostClock>| {
            let mut slice_takes = None;
            calls.slice(|run| match before.take() {
                None => {
                    run(Part::LeadIn)?;
                    stopwatch.time(|_| run(Part::All))
                }
                // To sleep until it is quiet would undo it.
                Some(time) => stopwatch.time(|clock| {
                    slice_takes = Some(call_for(time, || run(Part::All))?);
                    let began = Instant::now();
                    while waited < longest && is_crowded(calibration, clock) {
                        call_for(BETWEEN_LOOKS, || run(Part::All))?;
                        waited = began.elapsed();
                    }
                    Ok(())
                }),
            })?;
            slice_takes.and_then(lead_in_of).map_or(Ok(()), |share| calls.lead_in(share))
        };
        if !kind.is_cold {
            let taken = take_group(clock, calibration, slices, &mut work)?;
            self.waited += waited;
            return Ok(taken);
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

    /// Waits when something else uses the core, so that fewer slices are disturbed.
    fn wait_for_quiet(&mut self, calibration: &Calibration) {
        let longest = self.may_still_wait();
        let began = Instant::now();
        let mut waited = Duration::ZERO;
        while waited < longest && is_crowded(calibration, &mut self.clock) {
            waited = began.elapsed();
        }
        self.waited += waited;
    }

    fn may_still_wait(&self) -> Duration {
        self.longest_wait.saturating_sub(self.waited)
    }

    /// The smallest power of two of units that lasts at least so long, in messages, or as many as stay
    /// in the caches; the shorter of two trials, as an interruption makes one look longer. What is
    /// tried is added to the run and to its answers.
    fn messages_in(
        &mut self,
        slice_ns: f64,
        single: &mut Single,
        calibration: &Calibration,
        run: &mut MessageRange,
        answers: &mut Answers,
    ) -> Result<u64, CallError> {
        let most = single.most_in_slice().min(MOST_MESSAGES.max(single.unit()));
        let mut count = single.unit();
        while count < most {
            let mut trial = || {
                let mut calls = calls::Group::begin(single, run.all().end, 1, count)?;
                let ns = time_once(&mut self.clock, calibration, &mut |stopwatch| {
                    calls.slice(|run| stopwatch.time(|_| run(Part::All)))
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

    /// Cost of a loop around an empty function in this process: of undisturbed slices, since what is
    /// wrong here is wrong in every figure of the process. Where none come for long it is asked again
    /// before the next group.
    fn loop_cost(
        &mut self,
        kind: LoopKind,
        calibration: &Calibration,
    ) -> Result<LoopCost, Refusal> {
        let groups = match self.loop_costs.get(&kind) {
            Some(cost) if !cost.is_disturbed => return Ok(*cost),
            Some(_) => 1,
            None => LOOP_GROUPS,
        };
        let (slices, messages) = self.loop_slices(kind, calibration, groups)?;
        let cost = LoopCost::of(&slices, LEAST_LOOP_SLICES, messages);
        self.loop_costs.insert(kind, cost);
        Ok(cost)
    }

    /// Cost of a loop around another function and an empty one: of the group before the case's own, so
    /// that what drifts hits both.
    fn company_cost(
        &mut self,
        company: &mut Single,
        calibration: &Calibration,
        runs: u64,
        slices: u32,
        messages: u64,
    ) -> Result<LoopCost, Refusal> {
        let mut calls = calls::Group::begin(company, 0, runs, messages)?;
        let mut taken = self.take(&mut calls, calibration, slices, Duration::ZERO)?;
        mark_crowded_group(&mut taken);
        Ok(LoopCost::of(&taken.slices, 1, messages))
    }

    /// Slices of an empty loop, of so many groups at most until enough are undisturbed, and the
    /// messages of each.
    fn loop_slices(
        &mut self,
        kind: LoopKind,
        calibration: &Calibration,
        groups: u32,
    ) -> Result<(Vec<Slice>, u64), Refusal> {
        let mut nothing = Single::nothing(kind);
        let messages = match nothing.is_cold() {
            true => nothing.unit(),
            false => nothing.most_in_slice(),
        };
        let mut slices: Vec<Slice> = Vec::new();
        for _ in 0..groups {
            let runs = u64::from(LOOP_SLICES) + 1;
            let mut calls = calls::Group::begin(&mut nothing, 0, runs, messages)?;
            let mut taken = self.take(&mut calls, calibration, LOOP_SLICES, Duration::ZERO)?;
            if !nothing.is_cold() {
                mark_crowded_group(&mut taken);
            }
            slices.extend(taken.slices);
            if undisturbed(&slices) >= LEAST_LOOP_SLICES {
                break;
            }
        }
        Ok((slices, messages))
    }
}

fn undisturbed(slices: &[Slice]) -> usize {
    slices.iter().filter(|slice| slice.disturbed.is_empty()).count()
}

/// Marks all slices of a group of which too many were taken beside a neighbour. Looks lie at the ends of a
/// slice, and a neighbour that comes and goes within a group was there between them too. Slices of cold
/// groups lie far apart, and are looked at one by one.
fn mark_crowded_group(group: &mut Group) {
    let is_marked = |slice: &Slice| slice.disturbed.contains(&Disturbance::Shared);
    let crowded = group.slices.iter().filter(|slice| is_marked(slice)).count();
    if crowded as f64 > MAY_BE_CROWDED * group.slices.len() as f64 {
        let unmarked = group.slices.iter_mut().filter(|slice| !is_marked(slice));
        unmarked.for_each(|slice| slice.disturbed.push(Disturbance::Shared));
    }
}

/// Whether a neighbour is on the core. Whoever else waits for the CPU has it before: else the kernel would
/// hand it over within the group.
fn is_crowded(calibration: &Calibration, clock: &mut HostClock) -> bool {
    std::thread::yield_now();
    calibration.look(clock).crowded
}

/// Makes the calls again and again for so long, and once at least. Returns how long they take.
fn call_for(
    time: Duration,
    mut run: impl FnMut() -> Result<(), CallError>,
) -> Result<Duration, CallError> {
    let began = Instant::now();
    for runs in 1.. {
        run()?;
        let elapsed = began.elapsed();
        if elapsed >= time {
            return Ok(elapsed / runs);
        }
    }
    unreachable!("time passes")
}

/// Calls before each slice that takes so long, as a share of its own; more than one is all.
fn lead_in_of(slice: Duration) -> Option<f64> {
    (slice < LONG_SLICE).then(|| LEAD_IN.as_secs_f64() / slice.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of so many cycles, undisturbed unless it is said.
    fn slice(cycles: f64, disturbed: &[Disturbance]) -> Slice {
        let (at_ticks, wall_ns, core_hz) = (0, cycles, 1e9);
        Slice { at_ticks, wall_ns, cycles, core_hz, disturbed: disturbed.into() }
    }

    #[test]
    fn calls_are_made_for_the_time_asked_and_once_at_least() {
        let mut calls = 0;
        let began = Instant::now();
        let each = call_for(Duration::from_millis(2), || {
            calls += 1;
            Ok(())
        })
        .expect("nothing fails");
        assert!(calls > 1 && began.elapsed() >= Duration::from_millis(2));
        assert!(each * calls <= began.elapsed());
        let failed = call_for(Duration::ZERO, || Err(CallError::Refused));
        assert_eq!(failed, Err(CallError::Refused));
    }

    #[test]
    fn a_lead_in_takes_a_microsecond_where_a_slice_is_short() {
        let of = |slice_ns| lead_in_of(Duration::from_nanos(slice_ns));
        assert!((of(20_000).expect("it has one") - 0.05).abs() < 1e-9);
        assert!(of(100).expect("it has one") > 1.0);
        assert_eq!(of(0), Some(f64::INFINITY));
        assert_eq!(of(1_000_000), None);
    }

    #[test]
    fn a_group_beside_a_neighbour_counts_as_a_whole_or_not_at_all() {
        let shared = [Disturbance::Shared];
        let marked = |crowded: usize| {
            let slices = (0..5).map(|i| slice(100.0, if i < crowded { &shared } else { &[] }));
            let mut group = Group { slices: slices.collect(), cpu_ns: 0, wall_ns: 0 };
            mark_crowded_group(&mut group);
            group.slices.iter().filter(|slice| slice.disturbed == shared).count()
        };
        assert_eq!([0, 1, 2, 5].map(marked), [0, 1, 5, 5]);
    }

    #[test]
    fn a_loop_costs_what_undisturbed_slices_say() {
        let shared = [Disturbance::Shared];
        let slices =
            [slice(800.0, &shared), slice(600.0, &[]), slice(500.0, &[]), slice(610.0, &[])];
        let cost = LoopCost::of(&slices, 3, 100);
        assert_eq!((cost.cycles, cost.is_disturbed), (6.0, false));
    }

    #[test]
    fn one_slice_that_seems_undisturbed_does_not_tell_what_a_loop_costs() {
        let shared = [Disturbance::Shared];
        let mut slices = vec![slice(900.0, &shared); 14];
        slices.push(slice(60_400.0, &[]));
        let cost = LoopCost::of(&slices, LEAST_LOOP_SLICES, 100);
        assert_eq!((cost.cycles, cost.is_disturbed), (9.0, true));
    }

    #[test]
    fn a_loop_that_was_disturbed_always_has_a_cost_that_says_so() {
        let slices = [800.0, 700.0, 900.0].map(|cycles| slice(cycles, &[Disturbance::Steal]));
        let cost = LoopCost::of(&slices, 1, 100);
        assert_eq!((cost.cycles, cost.is_disturbed), (8.0, true));
    }
}
