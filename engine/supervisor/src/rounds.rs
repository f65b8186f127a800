//! Measuring: rounds over all cases in shuffled order, by one generation of worker processes after
//! the other, until each case has settled.
//!
//! A process is one observation. Every generation makes the same number of rounds, so that each of its
//! processes takes equally many groups of a case; where a neighbour has spoiled all groups of many cases,
//! more rounds follow for these where there is time, since fresh processes cost more. Cases are looked at
//! between generations, at fixed counts of processes, and those of one comparison leave together, so that
//! they have the same rounds in common.
//!
//! One part of the cases after the other gets the processes that an interval needs ([`Parts`]); what is not
//! reached has one process; then what has not settled is measured on.

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
use crate::measuring_cpu::MeasuringCpu;
use crate::oracle::Oracle;
use crate::parts::{self, Parts};
use crate::pool::Pool;
use crate::protocol::{Answers, Command, Measured, Reply};
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

/// Generations of a part at most, as multiples of the processes that it is to have: a neighbour may spoil
/// all groups of some.
const MOST_GENERATIONS: u32 = 2;

/// A part begins where this share of the time that is left is enough for it.
const SAFE_SHARE: f64 = 0.8;

/// What has not been measured gets one process within this share of the budget, or so long, beyond it if
/// need be.
const SWEEP_SHARE: f64 = 0.1;
const SHORTEST_SWEEP: Duration = Duration::from_millis(1500);

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
    pub cpu: &'a mut MeasuringCpu,
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
    let active = cases.iter().map(|(case, _)| Active::new(case, settles)).collect();
    let plan = context.plan;
    let mut parts = Parts::new(active, &plan.optional, plan.budget_s);
    let mut rounds = Rounds {
        oracle: Oracle::new(cases),
        totals: Totals::default(),
        budget: Budget::begin(context.plan.budget_s, context.pool.lost())
            .with_overtime(context.plan.overtime_s),
        unrest: Unrest::default(),
        waiting: Waiting::of_budget(context.plan.budget_s),
        is_given_up: false,
        stage: Stage::Parts,
        generations: 0,
        each: Duration::ZERO,
        elsewhere: 0,
        of: Round::OfAll,
        searching: Duration::ZERO,
        reported: Instant::now(),
        settled: Instant::now(),
        total,
        context,
    };
    let mut active = rounds.parts(&mut parts, &mut random)?;
    rounds.sweep(&mut parts, active.len(), &mut random)?;
    rounds.go_on(&mut active, &mut random)?;
    rounds.say_not_reached(&parts)?;
    active.extend(parts.into_rest());
    rounds.settle(&mut active)?;
    rounds.say_overtime()?;
    let rule = Rule::of(rounds.context.plan);
    let converged = active.iter().filter(|case| case.observations.missing(&rule).is_none());
    rounds.totals.converged += converged.count() as u32;
    rounds.elsewhere = 0;
    rounds.report(active.len() as u32)?;
    Ok(rounds.totals)
}

struct Rounds<'a, W: Write> {
    context: RunContext<'a, W>,
    oracle: Oracle<'a>,
    totals: Totals,
    budget: Budget,
    unrest: Unrest,
    waiting: Waiting,
    is_given_up: bool,
    stage: Stage,
    /// Processes of the cases that are measured now, as far as no neighbour has spoiled one.
    generations: u32,
    /// What the last generation took for each case.
    each: Duration,
    /// Cases that are not measured now and have not left.
    elsewhere: usize,
    /// Which cases this round takes a group of.
    of: Round,
    /// Time of this generation that was spent on finding out which cases settle late.
    searching: Duration,
    reported: Instant,
    /// When what was written was last judged.
    settled: Instant,
    total: u32,
}

/// What the cases are measured for now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// The processes that an interval needs, in overtime too.
    Parts,
    /// One process of what was not reached, until then.
    Sweep(Instant),
    /// An interval that is narrow enough.
    Precision,
}

impl<'a, W: Write> Rounds<'a, W> {
    fn over(&self) -> bool {
        let is_hopeless = self.is_given_up && !matches!(self.stage, Stage::Sweep(_));
        is_hopeless || self.context.interrupt.requested() || self.time_left().is_zero()
    }

    fn time_left(&self) -> Duration {
        let lost = self.context.pool.lost();
        match self.stage {
            Stage::Parts => self.budget.left_with_overtime(lost),
            Stage::Sweep(until) => until.saturating_duration_since(Instant::now()),
            Stage::Precision => self.budget.left(lost),
        }
    }

    /// Time that was spent on measuring so far, without what functions took that hung.
    fn measured(&self) -> Duration {
        self.budget.measured(self.context.pool.lost())
    }

    /// Whether so many generations of so many cases end in time.
    fn is_in_time(&self, generations: u32, cases: usize) -> bool {
        self.each.mul_f64(f64::from(generations) * cases as f64) <= self.time_left()
    }

    /// Measures part after part, as long as there is time for one. Returns the cases that go on.
    fn parts(
        &mut self,
        parts: &mut Parts<'a>,
        random: &mut ChaCha12Rng,
    ) -> io::Result<Vec<Active<'a>>> {
        let mut going_on = Vec::new();
        while !self.over() {
            let mut part = parts.next(self.time_left().mul_f64(SAFE_SHARE));
            if part.is_empty() {
                break;
            }
            let (before, cases) = (self.measured(), part.len() + parts.waiting());
            self.part(&mut part, parts, &mut going_on, random)?;
            let went = cases - part.len() - parts.waiting();
            parts.note(self.measured().saturating_sub(before), went);
            going_on.append(&mut part);
        }
        Ok(going_on)
    }

    /// Measures the cases of a part until each has the processes that an interval needs; those that have
    /// and have not settled go on later. What is left in it lacks processes.
    fn part(
        &mut self,
        part: &mut Vec<Active<'a>>,
        parts: &mut Parts<'a>,
        going_on: &mut Vec<Active<'a>>,
        random: &mut ChaCha12Rng,
    ) -> io::Result<()> {
        let wanted = self.context.plan.sampling.min_processes;
        let lacking = |part: &[Active<'_>]| -> u32 { part.iter().map(|it| it.lacks(wanted)).sum() };
        self.generations = 0;
        while !part.is_empty() && self.generations < MOST_GENERATIONS * wanted && !self.over() {
            self.elsewhere = parts.waiting() + going_on.len();
            let (began, before) = (self.measured(), lacking(part));
            self.generation(part, random)?;
            self.look(part)?;
            let open: BTreeSet<Subject> = part
                .iter()
                .filter(|case| case.lacks(wanted) > 0)
                .map(|case| Subject::of(case.case))
                .collect();
            going_on.extend(part.extract_if(.., |it| !open.contains(&Subject::of(it.case))));
            let left = lacking(part);
            let gained = before.saturating_sub(left);
            let took = self.measured().saturating_sub(began);
            let needed = took.mul_f64(f64::from(left) / f64::from(gained.max(1)));
            if gained > 0 && needed > self.time_left() {
                self.settle(part)?;
                let share = self.time_left().as_secs_f64() / needed.as_secs_f64();
                parts.postpone(part, (share * part.len() as f64) as usize);
            }
        }
        Ok(())
    }

    /// One process of the cases that were not reached, so that each has a figure or a bound.
    fn sweep(
        &mut self,
        parts: &mut Parts<'a>,
        going_on: usize,
        random: &mut ChaCha12Rng,
    ) -> io::Result<()> {
        let mut unmeasured = parts.take_unmeasured();
        if unmeasured.is_empty() || self.context.interrupt.requested() {
            parts.put_back(unmeasured);
            return Ok(());
        }
        let budget = Duration::from_secs_f64(self.context.plan.budget_s);
        let longest = budget.mul_f64(SWEEP_SHARE).max(SHORTEST_SWEEP);
        self.stage = Stage::Sweep(Instant::now() + longest);
        self.elsewhere = parts.waiting() + going_on;
        self.generation(&mut unmeasured, random)?;
        parts.put_back(unmeasured);
        Ok(())
    }

    /// Measures cases that have the processes that an interval needs until they have settled.
    fn go_on(&mut self, active: &mut Vec<Active<'a>>, random: &mut ChaCha12Rng) -> io::Result<()> {
        self.stage = Stage::Precision;
        self.generations = self.context.plan.sampling.min_processes;
        self.elsewhere = 0;
        while !self.over() {
            self.make_room(active)?;
            if active.is_empty() {
                break;
            }
            self.generation(active, random)?;
            self.look(active)?;
        }
        Ok(())
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
        let (before, cases) = (self.measured(), active.len());
        let each = |rounds: &Self| {
            let took = rounds.measured().saturating_sub(before + rounds.searching);
            took.div_f64(cases as f64)
        };
        for made in 0.. {
            let without = active.iter().filter(|case| case.lacks_group()).count();
            let Some(of) = Round::after(made, usual, without, active.len()) else { break };
            if made > 0 && matches!(self.stage, Stage::Sweep(_)) {
                break;
            }
            if of == Round::OfThoseWithout {
                self.each = self.each.max(each(self));
                let wanted = self.context.plan.sampling.min_processes;
                if !self.is_in_time(wanted.saturating_sub(self.generations), cases) {
                    break;
                }
            }
            self.of = of;
            active.shuffle(random);
            self.one(active)?;
            self.totals.rounds += 1;
            self.consider_giving_up(active)?;
        }
        if self.settled.elapsed() > LONGEST_HELD {
            self.settle(active)?;
        }
        self.each = each(self);
        self.searching = Duration::ZERO;
        self.generations += 1;
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

    /// Makes room where the budget has none for all cases, when the last generation took so long for
    /// each. Those that have settled wait for the others of their comparison only where there is time for
    /// all as long as that may take: else few would settle, and these have the processes in common with
    /// them that an interval needs. Where there is no time for the others until the next look, the last
    /// comparisons are given up.
    fn make_room(&mut self, active: &mut Vec<Active<'a>>) -> io::Result<()> {
        let plan = self.context.plan;
        let Some(until) = next_look(self.generations) else { return Ok(()) };
        if self.is_in_time((LONGEST_COMPANY - 1) * self.generations, active.len()) {
            return Ok(());
        }
        self.settle(active)?;
        // Between two looks an interval may have become wider.
        let rule = Rule::of(plan);
        self.release(active, |case| match case.standing {
            Standing::Open => false,
            Standing::Converged => case.observations.missing(&rule).is_none(),
            Standing::Unsettled => true,
        });
        let needed = self.each.mul_f64(f64::from(until - self.generations)).as_secs_f64();
        let room = self.time_left().as_secs_f64() / needed;
        // The others have their intervals, which are too wide.
        parts::keep_first(active, room as usize, &plan.optional);
        Ok(())
    }

    /// Says for how many cases the time was not enough.
    fn say_not_reached(&mut self, parts: &Parts<'a>) -> io::Result<()> {
        let not_reached = parts.waiting();
        if not_reached == 0 || self.context.interrupt.requested() || self.is_given_up {
            return Ok(());
        }
        let spent = self.budget.spent(self.context.pool.lost());
        let all_take = spent + parts.case_takes().mul_f64(not_reached as f64);
        let wanted = self.context.plan.sampling.min_processes;
        let message = parts::sentence(not_reached, self.total as usize, wanted, all_take);
        self.context.events.warn("no-room", message, None)
    }

    /// Looks at the cases that were measured in as many processes as a look is due at; those whose
    /// comparison has settled leave.
    fn look(&mut self, active: &mut Vec<Active<'a>>) -> io::Result<()> {
        let rule = Rule::of(self.context.plan);
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
        let calls = match self.stage {
            Stage::Sweep(_) => active.settling.enough(),
            _ => active.settling.next_calls(),
        };
        let began = Instant::now();
        let taken = self.take(active, calls);
        let took = began.elapsed();
        let measured = match taken {
            Ok(measured) => measured,
            Err(_) if self.context.interrupt.requested() => return Ok(Outcome::GoesOn),
            Err(error) => return self.fail(active.case, error),
        };
        if is_search {
            self.searching += took;
        }
        let waited = Duration::from_nanos(measured.waited_ns);
        self.waiting.note(took, waited);
        let mut samples = self.samples(active.case, &measured);
        let counts = samples.iter().any(|sample| sample.disturbed.is_empty());
        self.context.cpu.note(if counts { waited } else { took });
        if let Some(cpu) = self.context.cpu.next() {
            self.context.pool.move_to(cpu);
        }
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
        let longest_wait = match self.stage {
            Stage::Sweep(_) => Duration::ZERO,
            _ => self.waiting.longest().min(self.context.cpu.longest_wait()),
        };
        let command = Command::Measure {
            case: active.case.case,
            slices: sampling.slices_per_group,
            slice_ns: sampling.slice_us * 1e3,
            settling_ns: (1e6 * sampling.settling_ms * calls.share()) as u64,
            longest_wait_ns: longest_wait.as_nanos() as u64,
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
        let cpu = self.context.cpu.number();
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
                cpu: Some(cpu),
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
            done: self.total - active - self.elsewhere as u32,
            total: self.total,
            converged: self.totals.converged,
            round: self.totals.rounds,
            elapsed_s: self.context.started.elapsed().as_secs_f64(),
            left_s: if active == 0 { 0.0 } else { self.left_s(active) },
        };
        self.context.events.write(&Event::Progress(progress))
    }

    /// Until so many cases have the processes that an interval needs, with those that wait, or as many
    /// processes again as they have; at most what the budget leaves.
    fn left_s(&self, active: u32) -> f64 {
        let wanted = self.context.plan.sampling.min_processes;
        let generations = f64::from(wanted.saturating_sub(self.generations).max(1));
        let waiting = match self.stage {
            Stage::Parts => f64::from(wanted) * self.elsewhere as f64,
            _ => 0.0,
        };
        let left_s = self.each.as_secs_f64() * (generations * f64::from(active) + waiting);
        left_s.min(self.time_left().as_secs_f64())
    }
}

enum Outcome {
    GoesOn,
    Ended,
}
