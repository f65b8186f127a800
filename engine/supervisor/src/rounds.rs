//! Measuring: rounds over all cases in shuffled order, by one generation of worker processes after
//! the other, until each case has settled.
//!
//! A process is one observation. Every generation makes the same number of rounds, so that each of its
//! processes takes equally many groups of a case; where a neighbour has spoiled all groups of many cases,
//! more rounds follow for these where there is time, since fresh processes cost more. Cases are looked at between generations, at fixed
//! counts of processes, and those of one comparison leave together, so that they have the same rounds
//! in common.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::time::{Duration, Instant};

use ciphermark_harness::stopping::{Rule, next_look};
use ciphermark_record::event::{CaseError, Event, Failure, Phase, Progress, Sample};
use ciphermark_record::plan::{Case, Plan};
use rand::seq::SliceRandom;
use rand_chacha::ChaCha12Rng;
use rand_chacha::rand_core::SeedableRng;

use crate::active::{Active, Standing};
use crate::budget::Budget;
use crate::energy::Metering;
use crate::events::Events;
use crate::interrupt::Interrupt;
use crate::oracle::Oracle;
use crate::pool::Pool;
use crate::protocol::{Answers, Command, Measured, Reply};
use crate::room;
use crate::round::Round;
use crate::settling::Calls;
use crate::unrest::{self, Unrest};
use crate::verification::Subject;
use crate::waiting::Waiting;
use crate::worker_handle::out_of_turn;
use crate::worker_key::key_of;

/// A case that has settled is measured on with the others of its comparison, until it was measured in
/// so many times the processes that it needed.
const LONGEST_COMPANY: u32 = 2;

/// For judging what was measured when the user asks for an end. What was not judged is not written.
const LONGEST_FAREWELL: Duration = Duration::from_millis(300);

/// Samples are not held back for longer than this where a generation ends: what is not written when the
/// user asks for an end may be lost.
const LONGEST_HELD: Duration = Duration::from_secs(1);

/// Less than this beyond the budget is nothing to tell: a group more takes as long.
const LEAST_OVERTIME_SAID: Duration = Duration::from_secs(1);

/// Between two progress events.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(100);

/// What is measured with.
pub struct RunContext<'a, W: Write> {
    pub plan: &'a Plan,
    pub pool: &'a mut Pool,
    pub events: &'a mut Events<W>,
    /// Of energy; never read within rounds.
    pub metering: Metering,
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

/// Measures the cases until all have converged, the budget is spent, nothing is to be hoped for beside
/// a neighbour that never rests, or the user stops it.
///
/// Each case comes with the answers that it was verified with.
pub fn measure<W: Write>(
    context: RunContext<'_, W>,
    cases: &[(&Case, Answers)],
) -> io::Result<Totals> {
    let mut random = ChaCha12Rng::seed_from_u64(context.plan.seed);
    let total = cases.len() as u32;
    let settles = context.plan.sampling.settling_ms > 0.0;
    let mut active: Vec<Active<'_>> =
        cases.iter().map(|(case, _)| Active::new(case, settles)).collect();
    let mut rounds = Rounds {
        oracle: Oracle::new(cases),
        totals: Totals::default(),
        last_round_s: 0.0,
        budget: Budget::begin(context.plan.budget_s, context.pool.lost())
            .with_overtime(context.plan.overtime_s),
        unrest: Unrest::default(),
        waiting: Waiting::of_budget(context.plan.budget_s),
        is_given_up: false,
        usual_rounds: 0,
        each: Duration::ZERO,
        has_overtime: false,
        given_up: 0,
        all_take_s: 0.0,
        of: Round::OfAll,
        searching: Duration::ZERO,
        reported: Instant::now(),
        settled: Instant::now(),
        total,
        context,
    };
    while !active.is_empty() && !rounds.over() {
        rounds.generation(&mut active, &mut random)?;
        rounds.look(&mut active)?;
        rounds.make_room(&mut active)?;
        rounds.has_overtime = rounds.deserves_overtime(active.len());
    }
    rounds.settle(&mut active)?;
    rounds.say_given_up()?;
    rounds.say_overtime()?;
    let rule = rule(rounds.context.plan);
    let converged = active.iter().filter(|case| case.observations.missing(&rule).is_none());
    rounds.totals.converged += converged.count() as u32;
    rounds.report(active.len() as u32)?;
    Ok(rounds.totals)
}

struct Rounds<'a, W: Write> {
    context: RunContext<'a, W>,
    oracle: Oracle<'a>,
    totals: Totals,
    last_round_s: f64,
    budget: Budget,
    unrest: Unrest,
    waiting: Waiting,
    is_given_up: bool,
    /// Rounds over all cases.
    usual_rounds: u32,
    /// What the last generation took for each case.
    each: Duration,
    /// Whether cases will have the processes that an interval needs by the end of the overtime.
    has_overtime: bool,
    /// Cases that were given up before they had these processes, and seconds that all would have taken.
    given_up: usize,
    all_take_s: f64,
    /// Which cases this round takes a group of.
    of: Round,
    /// Time of this generation that was spent on finding out which cases settle late.
    searching: Duration,
    reported: Instant,
    /// When what was written was last judged.
    settled: Instant,
    total: u32,
}

impl<'a, W: Write> Rounds<'a, W> {
    fn over(&self) -> bool {
        self.is_given_up || self.context.interrupt.requested() || self.budget_left().is_zero()
    }

    /// With overtime until cases have the processes that an interval needs.
    fn budget_left(&self) -> Duration {
        let lost = self.context.pool.lost();
        match self.has_overtime && self.generations_left() > 0 {
            true => self.budget.left_with_overtime(lost),
            false => self.budget.left(lost),
        }
    }

    /// Until cases have the processes that an interval needs.
    fn generations_left(&self) -> u32 {
        let sampling = &self.context.plan.sampling;
        sampling.min_processes.saturating_sub(self.generations_made())
    }

    fn generations_made(&self) -> u32 {
        self.usual_rounds / self.context.plan.sampling.rounds_per_process
    }

    /// Whether so many cases will have the processes that an interval needs by the end of the overtime, or
    /// some of them will, as the last process is the next.
    fn deserves_overtime(&self, cases: usize) -> bool {
        let left = self.generations_left();
        left == 1 || self.is_in_time(left, cases)
    }

    /// Whether so many generations of so many cases end before the overtime does.
    fn is_in_time(&self, generations: u32, cases: usize) -> bool {
        let rest = self.each.mul_f64(f64::from(generations) * cases as f64);
        rest <= self.budget.left_with_overtime(self.context.pool.lost())
    }

    fn is_budget_spent(&self) -> bool {
        self.budget.left(self.context.pool.lost()).is_zero()
    }

    /// Says why it took longer than the budget.
    fn say_overtime(&mut self) -> io::Result<()> {
        let plan = self.context.plan;
        let budget = Duration::from_secs_f64(plan.budget_s);
        let over = self.budget.spent(self.context.pool.lost()).saturating_sub(budget);
        if plan.overtime_s == 0.0 || over < LEAST_OVERTIME_SAID {
            return Ok(());
        }
        let message = format!(
            "it took {:.0} s longer than {} s: else cases would have lacked the {} processes that an \
             interval needs",
            over.as_secs_f64(),
            plan.budget_s,
            plan.sampling.min_processes
        );
        self.context.events.warn("overtime", message, None)
    }

    /// Fresh processes, and one group of every case in each of their rounds.
    fn generation(
        &mut self,
        active: &mut Vec<Active<'a>>,
        random: &mut ChaCha12Rng,
    ) -> io::Result<()> {
        self.context.pool.replace_all();
        for case in &mut *active {
            case.has_group = false;
            case.settling.begin_process();
        }
        let usual = self.context.plan.sampling.rounds_per_process;
        let (started, cases) = (Instant::now(), active.len());
        let each = |searching| started.elapsed().saturating_sub(searching).div_f64(cases as f64);
        for made in 0.. {
            let without = active.iter().filter(|case| case.lacks_group()).count();
            let Some(of) = Round::after(made, usual, without, active.len()) else { break };
            if of == Round::OfThoseWithout {
                self.each = self.each.max(each(self.searching));
                if !self.is_in_time(self.generations_left(), cases) {
                    break;
                }
            }
            self.of = of;
            active.shuffle(random);
            let began = Instant::now();
            self.one(active)?;
            self.totals.rounds += 1;
            if of == Round::OfAll {
                self.usual_rounds += 1;
                self.last_round_s = began.elapsed().as_secs_f64();
            }
            self.consider_giving_up(active)?;
        }
        if self.settled.elapsed() > LONGEST_HELD {
            self.settle(active)?;
        }
        self.each = each(std::mem::take(&mut self.searching));
        Ok(())
    }

    /// Ends it where no undisturbed sample is to be hoped for, and says so.
    fn consider_giving_up(&mut self, active: &[Active<'_>]) -> io::Result<()> {
        if self.is_given_up || active.is_empty() || self.context.interrupt.requested() {
            return Ok(());
        }
        let cases = active.iter().map(|case| unrest::Standing {
            processes: case.processes,
            has_undisturbed: case.observations.processes() > 0,
        });
        let spent = self.budget.spent(self.context.pool.lost());
        let budget = Duration::from_secs_f64(self.context.plan.budget_s);
        if let Some(message) = self.unrest.given_up(spent, budget, cases) {
            self.is_given_up = true;
            self.context.events.warn("no-quiet-moment", message, None)?;
        }
        Ok(())
    }

    /// Makes room where the budget has none for all cases until the next look at them, when the last
    /// generation took so long for each: those that have settled no longer wait for the others of their
    /// comparison, with which they have the processes in common that an interval needs; then optional
    /// cases are given up, and others too where all of them would end without an interval, though the
    /// usual budget is exceeded. Of those that are compared with each other all go.
    fn make_room(&mut self, active: &mut Vec<Active<'a>>) -> io::Result<()> {
        let plan = self.context.plan;
        let first = plan.sampling.min_processes;
        let made = self.generations_made();
        let Some(until) = next_look(made) else { return Ok(()) };
        if self.over() || made >= first && self.is_budget_spent() {
            return Ok(());
        }
        let needed = self.each.mul_f64(f64::from(until - made) * active.len() as f64);
        let lost = self.context.pool.lost();
        let left = match made < first {
            true => self.budget.left_with_overtime(lost),
            false => self.budget.left(lost),
        };
        let room = room::room(left, active.len(), needed);
        if room >= active.len() {
            return Ok(());
        }
        self.settle(active)?;
        // Between two looks an interval may have become wider.
        let rule = rule(plan);
        self.release(active, |case| match case.standing {
            Standing::Open => false,
            Standing::Converged => case.observations.missing(&rule).is_none(),
            Standing::Unsettled => true,
        });
        let mut order = plan.optional.clone();
        if made < first && plan.overtime_s > 0.0 {
            order.extend(room::last_comparisons_first(active));
        }
        let given_up = room::given_up(active, &order, active.len().saturating_sub(room));
        if given_up.is_empty() {
            return Ok(());
        }
        self.release(active, |it| given_up.contains(&it.case.case));
        if made < first {
            self.given_up += given_up.len();
            let all_take_s = (self.budget.spent(lost) + needed).as_secs_f64();
            self.all_take_s = self.all_take_s.max(all_take_s);
        } // the others have their intervals, which are too wide or are not
        Ok(())
    }

    /// Says how many cases were given up before they had an interval.
    fn say_given_up(&mut self) -> io::Result<()> {
        if self.given_up == 0 {
            return Ok(());
        }
        let sampling = &self.context.plan.sampling;
        let message = room::sentence(
            self.given_up,
            self.total as usize,
            sampling.min_processes,
            self.all_take_s,
        );
        self.context.events.warn("no-room", message, None)
    }

    /// Looks at the cases that were measured in as many processes as a look is due at; those whose
    /// comparison has settled leave.
    fn look(&mut self, active: &mut Vec<Active<'a>>) -> io::Result<()> {
        let rule = rule(self.context.plan);
        let mut is_any_due = false;
        for case in &mut *active {
            is_any_due |= case.look(&rule);
        }
        if !is_any_due {
            return Ok(());
        }
        self.settle(active)?;
        let open: BTreeSet<Subject> = active
            .iter()
            .filter(|case| case.standing == Standing::Open)
            .map(|case| Subject::of(case.case))
            .collect();
        self.release(active, |case| {
            case.standing != Standing::Open
                && case.looked_at == case.observations.processes()
                && (!open.contains(&Subject::of(case.case))
                    || case.observations.processes() >= LONGEST_COMPANY * case.settled_at)
        });
        Ok(())
    }

    /// The cases of which this holds are not measured any longer.
    fn release(
        &mut self,
        active: &mut Vec<Active<'a>>,
        mut leaves: impl FnMut(&Active<'a>) -> bool,
    ) {
        let left = active.extract_if(.., |case| leaves(case));
        self.totals.converged +=
            left.filter(|case| case.standing == Standing::Converged).count() as u32;
    }

    /// One group for each case that is still active.
    fn one(&mut self, active: &mut Vec<Active<'a>>) -> io::Result<()> {
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

    /// Takes one group of a case.
    fn group(&mut self, active: &mut Active<'_>) -> io::Result<Outcome> {
        if self.context.events.failure(active.case.case).is_some() {
            return Ok(Outcome::Ended); // it was wrong when it was asked about another
        }
        let wants_another = active.settling.wants_another() && self.of == Round::OfAll;
        if !active.lacks_group() && !wants_another {
            return Ok(Outcome::GoesOn);
        }
        let is_search = active.settling.asks();
        let calls = active.settling.next_calls();
        let began = Instant::now();
        let taken = self.take(active, calls);
        let took = began.elapsed();
        if is_search {
            self.searching += took;
        }
        let measured = match taken {
            Ok(measured) => measured,
            Err(_) if self.context.interrupt.requested() => return Ok(Outcome::GoesOn),
            Err(error) => return self.fail(active.case, error),
        };
        self.waiting.note(took, Duration::from_nanos(measured.waited_ns));
        let mut samples = self.samples(active.case, &measured);
        active.note_settling(&mut samples, calls, self.context.plan.precision);
        self.unrest.note(self.budget.spent(self.context.pool.lost()), &samples);
        active.observe(&samples, &measured);
        if let Some(cycles) = active.observations.median() {
            self.oracle.note_pace(active.case, cycles);
        }
        active.held.extend(samples);
        Ok(Outcome::GoesOn)
    }

    /// Judges what all cases have written so far; on request to end, as far as there is time.
    fn settle(&mut self, active: &mut Vec<Active<'a>>) -> io::Result<()> {
        let began = Instant::now();
        let mut next = 0;
        while next < active.len() {
            if self.context.interrupt.requested() && began.elapsed() > LONGEST_FAREWELL {
                break;
            }
            match self.write(&mut active[next])? {
                Outcome::GoesOn => next += 1,
                Outcome::Ended => {
                    active.swap_remove(next);
                }
            }
        }
        self.settled = Instant::now();
        Ok(())
    }

    /// Writes the samples of a case that are held back, once its answers are known to be right.
    fn write(&mut self, active: &mut Active<'_>) -> io::Result<Outcome> {
        let Some((run, answers)) = active.written.take() else { return Ok(Outcome::GoesOn) };
        let held = std::mem::take(&mut active.held);
        let pool = &mut *self.context.pool;
        let mut ask = |case: &Case, run| pool.expected(case, run);
        let verdict = self.oracle.judge(active.case, run, answers, &mut ask);
        let faults = self.oracle.faults();
        // Whoever was asked may have been ended with everything else.
        if !self.context.interrupt.requested() {
            for (witness, fault) in faults {
                self.fail(witness, fault)?;
            }
        }
        match verdict {
            Ok(()) => {
                self.totals.samples += held.len() as u64;
                let events: Vec<Event> = held.into_iter().map(Event::Sample).collect();
                self.context.events.write_all(&events)?;
                Ok(Outcome::GoesOn)
            }
            // What was asked may have ended instead of answering.
            Err(_) if self.context.interrupt.requested() => Ok(Outcome::Ended),
            Err(error) => self.fail(active.case, error),
        }
    }

    fn fail(&mut self, case: &Case, error: Failure) -> io::Result<Outcome> {
        self.oracle.note_failure(case);
        if self.context.events.failure(case.case).is_some() {
            return Ok(Outcome::Ended);
        }
        self.totals.errors += 1;
        self.context.events.write(&Event::Error(CaseError { case: case.case, error }))?;
        Ok(Outcome::Ended)
    }

    fn take(&mut self, active: &Active<'_>, calls: Calls) -> Result<Measured, Failure> {
        let sampling = &self.context.plan.sampling;
        let command = Command::Measure {
            case: active.case.case,
            slices: sampling.slices_per_group,
            slice_ns: sampling.slice_us * 1e3,
            settling_ns: (1e6 * sampling.settling_ms * calls.share()) as u64,
            longest_wait_ns: self.waiting.longest().as_nanos() as u64,
            first: active.next,
            messages: active.messages,
        };
        match self.context.pool.ask_about(active.case, &command)? {
            Reply::Measured(measured) => Ok(measured),
            other => Err(out_of_turn(&other)),
        }
    }

    fn samples(&self, case: &Case, measured: &Measured) -> Vec<Sample> {
        let process = self.context.pool.process(&key_of(case));
        let at_ns = |ticks: u64| {
            (ticks.saturating_sub(self.context.start_ticks) as f64 / self.context.ticks_per_ns)
                as u64
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
            elapsed_s: self.context.started.elapsed().as_secs_f64(),
            left_s: if active == 0 { 0.0 } else { self.left_s() },
        };
        self.context.events.write(&Event::Progress(progress))
    }

    /// What has not converged by now is expected to need as many rounds again, each as long as the
    /// last one; at most what the budget leaves.
    fn left_s(&self) -> f64 {
        let budget_left = self.budget_left().as_secs_f64();
        let sampling = &self.context.plan.sampling;
        let fewest = sampling.min_processes * sampling.rounds_per_process;
        let rounds_left = fewest.saturating_sub(self.usual_rounds).max(self.usual_rounds);
        (self.last_round_s * f64::from(rounds_left)).clamp(0.0, budget_left)
    }
}

enum Outcome {
    GoesOn,
    Ended,
}

fn rule(plan: &Plan) -> Rule {
    Rule {
        precision: plan.precision,
        reproducibility: plan.sampling.reproducibility,
        min_processes: plan.sampling.min_processes,
        min_groups: plan.sampling.min_groups,
        min_span_ns: (plan.sampling.min_span_ms * 1e6) as u64,
    }
}
