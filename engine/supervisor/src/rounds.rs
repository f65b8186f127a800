//! Measuring: rounds over all cases in shuffled order, until each has converged.

use std::io::{self, Write};
use std::time::{Duration, Instant};

use ciphermark_harness::stopping::{Observations, Rule};
use ciphermark_record::event::{CaseError, Event, Failure, Phase, Progress, Sample};
use ciphermark_record::plan::{Case, Plan};
use rand::seq::SliceRandom;
use rand_chacha::ChaCha12Rng;
use rand_chacha::rand_core::SeedableRng;

use crate::events::Events;
use crate::hangs::Budget;
use crate::interrupt::Interrupt;
use crate::oracle::{Oracle, Run};
use crate::pool::{Pool, key_of};
use crate::protocol::{Answers, Command, Measured, Reply};
use crate::worker_handle::out_of_turn;

/// A generation of processes that has lived so long is not followed by one that lives longer:
/// starting the next takes a tenth of it.
const LONGEST_LIFE: Duration = Duration::from_millis(250);

/// A generation lives at least this many times as long as it took to make its cases ready: with a
/// million keys that takes seconds. The first is replaced all the same where the budget is as long,
/// so that a figure comes from two processes at least.
const LIFE_PER_PREPARING: u32 = 4;

/// For judging what was measured when the user asks for an end. What was not judged is not written.
const LONGEST_FAREWELL: Duration = Duration::from_millis(300);

/// Between two progress events.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(100);

/// What is measured with.
pub struct Means<'a, W: Write> {
    pub plan: &'a Plan,
    pub pool: &'a mut Pool,
    pub events: &'a mut Events<W>,
    pub interrupt: &'a Interrupt,
    /// Start of the run.
    pub started: Instant,
    /// The same moment on the wall clock of the samples.
    pub start_ticks: u64,
    pub ticks_per_ns: f64,
}

/// What came out.
#[derive(Clone, Copy, Debug, Default)]
pub struct Totals {
    pub converged: u32,
    pub errors: u32,
    pub samples: u64,
    pub rounds: u32,
}

/// One case while it is measured.
struct Active<'a> {
    case: &'a Case,
    observations: Observations,
    groups: u32,
    /// Message with which its next group begins: none comes twice, whatever becomes of processes.
    next: u64,
    /// What was written since it was last judged, and by what messages.
    written: Option<(Run, Answers)>,
    /// Samples taken meanwhile: none leaves before it is known that the answers are right.
    held: Vec<Sample>,
    /// Number of groups at which convergence is looked at next: sorting many at every group would
    /// take longer than measuring.
    look_at: u32,
}

/// Measures the cases until all have converged, the budget is spent or the user stops it.
///
/// Each case comes with the answers that it was verified with.
pub fn measure<W: Write>(means: Means<'_, W>, cases: &[(&Case, Answers)]) -> io::Result<Totals> {
    let mut random = ChaCha12Rng::seed_from_u64(means.plan.seed);
    let total = cases.len() as u32;
    let mut active: Vec<Active<'_>> = cases.iter().map(|(case, _)| Active::new(case)).collect();
    let lifetimes = Lifetimes::new(means.plan);
    let mut rounds = Rounds {
        lifetimes,
        renewed: Instant::now(),
        oracle: Oracle::new(cases),
        totals: Totals::default(),
        last_round_s: 0.0,
        budget: Budget::begin(means.plan.budget_s, means.pool.lost()),
        reported: Instant::now(),
        total,
        means,
    };
    while !active.is_empty() && !rounds.over() {
        if rounds.renews_processes() {
            rounds.settle(&mut active)?;
            rounds.renew_processes();
        }
        active.shuffle(&mut random);
        let round_began = Instant::now();
        rounds.one(&mut active)?;
        rounds.totals.rounds += 1;
        rounds.last_round_s = round_began.elapsed().as_secs_f64();
    }
    rounds.settle(&mut active)?;
    rounds.report(active.len() as u32)?;
    Ok(rounds.totals)
}

struct Rounds<'a, W: Write> {
    means: Means<'a, W>,
    oracle: Oracle<'a>,
    totals: Totals,
    last_round_s: f64,
    budget: Budget,
    reported: Instant,
    total: u32,
    lifetimes: Lifetimes,
    /// When the processes were last replaced.
    renewed: Instant,
}

impl<W: Write> Rounds<'_, W> {
    fn over(&self) -> bool {
        self.means.interrupt.requested() || self.budget_left().is_zero()
    }

    fn budget_left(&self) -> Duration {
        self.budget.left(self.means.pool.lost())
    }

    /// From time to time every process is replaced, so that no figure rests on the memory layout
    /// of one.
    fn renews_processes(&mut self) -> bool {
        let (lived, preparing) = (self.renewed.elapsed(), self.means.pool.preparing());
        self.lifetimes.over(self.totals.rounds, lived, preparing)
    }

    fn renew_processes(&mut self) {
        self.means.pool.replace_all();
        self.renewed = Instant::now();
    }

    /// One group for each case that is still active.
    fn one(&mut self, active: &mut Vec<Active<'_>>) -> io::Result<()> {
        let mut next = 0;
        while next < active.len() && !self.over() {
            match self.group(&mut active[next])? {
                Outcome::GoesOn => next += 1,
                Outcome::Ended => {
                    active.swap_remove(next);
                }
            }
            if self.reported.elapsed() >= PROGRESS_INTERVAL {
                self.report(active.len() as u32)?;
            }
        }
        Ok(())
    }

    /// Takes one group of a case and judges whether it was measured enough.
    fn group(&mut self, active: &mut Active<'_>) -> io::Result<Outcome> {
        if self.means.events.failure(active.case.case).is_some() {
            return Ok(Outcome::Ended); // it was wrong when it was asked about another
        }
        let measured = match self.take(active) {
            Ok(measured) => measured,
            Err(_) if self.means.interrupt.requested() => return Ok(Outcome::GoesOn),
            Err(error) => return self.fail(active.case, error),
        };
        let samples = self.samples(active.case, &measured);
        active.observe(&samples, &measured);
        if let Some(estimate) = active.observations.estimate() {
            self.oracle.note_pace(active.case, estimate.value);
        }
        active.held.extend(samples);
        if !active.has_converged(&rule(self.means.plan)) {
            return Ok(Outcome::GoesOn);
        }
        let outcome = self.write(active)?;
        if let Outcome::GoesOn = outcome {
            self.totals.converged += 1;
        }
        Ok(Outcome::Ended)
    }

    /// Judges what all cases have written so far; on request to end, as far as there is time.
    fn settle(&mut self, active: &mut Vec<Active<'_>>) -> io::Result<()> {
        let began = Instant::now();
        let mut next = 0;
        while next < active.len() {
            if self.means.interrupt.requested() && began.elapsed() > LONGEST_FAREWELL {
                break;
            }
            match self.write(&mut active[next])? {
                Outcome::GoesOn => next += 1,
                Outcome::Ended => {
                    active.swap_remove(next);
                }
            }
        }
        Ok(())
    }

    /// Writes the samples of a case that are held back, once its answers are known to be right.
    fn write(&mut self, active: &mut Active<'_>) -> io::Result<Outcome> {
        let Some((run, answers)) = active.written.take() else { return Ok(Outcome::GoesOn) };
        let held = std::mem::take(&mut active.held);
        let pool = &mut *self.means.pool;
        let mut ask = |case: &Case, run| pool.expected(case, run);
        let verdict = self.oracle.judge(active.case, run, answers, &mut ask);
        let faults = self.oracle.faults();
        // Whoever was asked may have been ended with everything else.
        if !self.means.interrupt.requested() {
            for (witness, fault) in faults {
                self.fail(witness, fault)?;
            }
        }
        match verdict {
            Ok(()) => {
                self.totals.samples += held.len() as u64;
                let events: Vec<Event> = held.into_iter().map(Event::Sample).collect();
                self.means.events.write_all(&events)?;
                Ok(Outcome::GoesOn)
            }
            // What was asked may have ended instead of answering.
            Err(_) if self.means.interrupt.requested() => Ok(Outcome::Ended),
            Err(error) => self.fail(active.case, error),
        }
    }

    fn fail(&mut self, case: &Case, error: Failure) -> io::Result<Outcome> {
        self.oracle.note_failure(case);
        if self.means.events.failure(case.case).is_some() {
            return Ok(Outcome::Ended);
        }
        self.totals.errors += 1;
        self.means.events.write(&Event::Error(CaseError { case: case.case, error }))?;
        Ok(Outcome::Ended)
    }

    fn take(&mut self, active: &Active<'_>) -> Result<Measured, Failure> {
        let sampling = &self.means.plan.sampling;
        let command = Command::Measure {
            case: active.case.case,
            slices: sampling.slices_per_group,
            slice_ns: sampling.slice_us * 1e3,
            first: active.next,
        };
        match self.means.pool.ask_about(active.case, &command)? {
            Reply::Measured(measured) => Ok(measured),
            other => Err(out_of_turn(&other)),
        }
    }

    fn samples(&self, case: &Case, measured: &Measured) -> Vec<Sample> {
        let process = self.means.pool.process(&key_of(case));
        let at_ns = |ticks: u64| {
            (ticks.saturating_sub(self.means.start_ticks) as f64 / self.means.ticks_per_ns) as u64
        };
        let group = &measured.group;
        group
            .slices
            .iter()
            .enumerate()
            .map(|(number, slice)| Sample {
                case: case.case,
                round: self.totals.rounds,
                process,
                slice: number as u32,
                at_ns: at_ns(slice.at_ticks),
                messages: measured.messages,
                wall_ns: slice.wall_ns,
                cycles: slice.cycles,
                loop_cycles: measured.loop_cycles,
                core_hz: slice.core_hz,
                group_cpu_ns: group.cpu_ns,
                group_wall_ns: group.wall_ns,
                disturbed: slice.disturbed.clone(),
            })
            .collect()
    }

    fn report(&mut self, active: u32) -> io::Result<()> {
        self.reported = Instant::now();
        let progress = Progress {
            phase: Phase::Measuring,
            done: self.total - active,
            total: self.total,
            converged: self.totals.converged,
            round: self.totals.rounds,
            elapsed_s: self.means.started.elapsed().as_secs_f64(),
            left_s: if active == 0 { 0.0 } else { self.left_s() },
        };
        self.means.events.write(&Event::Progress(progress))
    }

    /// What has not converged by now is expected to need as many rounds again, each as long as the
    /// last one; at most what the budget leaves.
    fn left_s(&self) -> f64 {
        let budget_left = self.budget_left().as_secs_f64();
        let fewest = self.means.plan.sampling.min_groups;
        let rounds_left = fewest.saturating_sub(self.totals.rounds).max(self.totals.rounds);
        (self.last_round_s * f64::from(rounds_left)).clamp(0.0, budget_left)
    }
}

/// How many rounds each generation of processes lasts: twice as many as the one before, so that
/// starting processes takes a small part of the time, but none long: the later half of a case's
/// groups must not come from one process, against whose layout the earlier half would never agree.
struct Lifetimes {
    /// Round before which the present generation is replaced, at the earliest.
    until: u32,
    rounds: u32,
    budget: Duration,
    is_first: bool,
}

impl Lifetimes {
    fn new(plan: &Plan) -> Self {
        let rounds = plan.sampling.rounds_per_process.max(1);
        let budget = Duration::from_secs_f64(plan.budget_s);
        Self { until: rounds, rounds, budget, is_first: true }
    }

    /// Whether the present generation is to be replaced now, before round `round`; the next one
    /// begins then.
    fn over(&mut self, round: u32, lived: Duration, preparing: Duration) -> bool {
        let due = LIFE_PER_PREPARING * preparing;
        let pays = lived >= due || (self.is_first && self.budget >= due);
        if round < self.until || !pays {
            return false;
        }
        self.is_first = false;
        if lived < LONGEST_LIFE {
            self.rounds *= 2;
        }
        self.until = round + self.rounds;
        true
    }
}

enum Outcome {
    GoesOn,
    Ended,
}

fn rule(plan: &Plan) -> Rule {
    Rule {
        precision: plan.precision,
        min_groups: plan.sampling.min_groups,
        min_span_ns: (plan.sampling.min_span_ms * 1e6) as u64,
    }
}

impl<'a> Active<'a> {
    fn new(case: &'a Case) -> Self {
        let observations = Observations::default();
        let held = Vec::new();
        Self { case, observations, groups: 0, next: 0, written: None, held, look_at: 0 }
    }

    fn observe(&mut self, samples: &[Sample], measured: &Measured) {
        let values: Vec<(f64, bool)> = samples
            .iter()
            .map(|sample| {
                let cycles = sample.cycles / sample.messages as f64 - sample.loop_cycles;
                (cycles, !sample.disturbed.is_empty())
            })
            .collect();
        let at_ns = samples.first().map_or(0, |sample| sample.at_ns);
        self.observations.add_group(at_ns, &values);
        self.groups += 1;
        let Measured { run, answers, .. } = *measured;
        self.next = run.all().end;
        self.written = Some(match self.written {
            None => (run, answers),
            Some((before, sum)) => (before.with(run), sum.wrapping_add(answers)),
        });
    }

    fn has_converged(&mut self, rule: &Rule) -> bool {
        if self.groups < self.look_at {
            return false;
        }
        self.look_at = self.groups + self.groups / 20 + 1;
        self.observations.missing(rule).is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rounds before which processes are replaced, of as many rounds as given, each this long.
    fn replaced(rounds: u32, round: Duration, preparing: Duration) -> Vec<u32> {
        let budget = Duration::from_secs(10);
        let mut lifetimes = Lifetimes { until: 3, rounds: 3, budget, is_first: true };
        let mut since = 0;
        (1..=rounds)
            .filter(|&now| {
                let over = lifetimes.over(now, round * (now - since), preparing);
                since = if over { now } else { since };
                over
            })
            .collect()
    }

    const SHORT: Duration = Duration::from_millis(1);
    const LONG: Duration = Duration::from_millis(100);

    #[test]
    fn each_generation_lasts_twice_as_many_rounds_as_the_one_before() {
        assert_eq!(replaced(100, SHORT, Duration::ZERO), [3, 9, 21, 45, 93]);
    }

    #[test]
    fn none_lasts_long() {
        assert_eq!(replaced(13, LONG, Duration::ZERO), [3, 6, 9, 12]);
    }

    #[test]
    fn what_takes_long_to_make_ready_lives_long() {
        assert_eq!(replaced(100, LONG, Duration::from_secs(1)), [3, 43, 83]);
        assert_eq!(replaced(100, LONG, Duration::from_secs(2)), [3, 83]);
        assert_eq!(replaced(100, LONG, Duration::from_secs(3)), Vec::<u32>::new());
    }
}
