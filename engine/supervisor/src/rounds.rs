//! Measuring: rounds over all cases in shuffled order, by one generation of worker processes after
//! the other, until each case has settled.
//!
//! A process is one observation. Every generation makes the same number of rounds, so that each of its
//! processes takes equally many groups of a case; where a neighbour has spoiled all groups of many cases,
//! more rounds follow for these where there is time, since fresh processes cost more. Cases are looked at between generations, at fixed
//! counts of processes, and those of one comparison leave together, so that they have the same rounds
//! in common.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap};
use std::io::{self, Write};
use std::time::{Duration, Instant};

use ciphermark_harness::stopping::{
    MOST_PROCESSES, Missing, Observations, Rule, is_look, next_look,
};
use ciphermark_record::event::{CaseError, Disturbance, Event, Failure, Phase, Progress, Sample};
use ciphermark_record::plan::{Buffers, Case, Load, Plan};
use rand::seq::SliceRandom;
use rand_chacha::ChaCha12Rng;
use rand_chacha::rand_core::SeedableRng;

use crate::budget::{self, Budget};
use crate::energy::Metering;
use crate::events::Events;
use crate::interrupt::Interrupt;
use crate::oracle::Oracle;
use crate::pool::Pool;
use crate::protocol::{Answers, Command, Measured, MessageRange, Reply};
use crate::round::Round;
use crate::settling::{Calls, Settling};
use crate::unrest::{self, Unrest};
use crate::verification::Subject;
use crate::waiting::Waiting;
use crate::worker_handle::out_of_turn;
use crate::worker_key::key_of;

/// A case that has settled is measured on with the others of its comparison, until it was measured in
/// so many times the processes that it needed.
const LONGEST_COMPANY: u32 = 2;

/// Undisturbed samples of a group that tell whether a case has settled: a single one may be quiet by its
/// looks alone.
const FEWEST_TO_TELL: usize = 3;

/// More processes would not make one state of two.
const MOST_IN_TWO_STATES: u32 = 13;

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

/// One case while it is measured.
struct Active<'a> {
    case: &'a Case,
    observations: Observations,
    /// Message with which its next group begins: none comes twice, whatever becomes of processes.
    next: u64,
    /// Messages of a slice, which the first process has found.
    messages: Option<u64>,
    /// What was written since it was last judged, and by what messages.
    written: Option<(MessageRange, Answers)>,
    /// Samples taken meanwhile: none leaves before it is known that the answers are right.
    held: Vec<Sample>,
    /// Processes at the last look.
    looked_at: u32,
    standing: Standing,
    /// Processes in which it was measured when it settled.
    settled_at: u32,
    /// The last process that took a group of it, and how many did, whether or not its samples count.
    taken_by: Option<u32>,
    processes: u32,
    settling: Settling,
    /// Whether this generation has samples of it that count.
    has_group: bool,
}

/// How a case stood at the last look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Standing {
    Open,
    Converged,
    /// Has not converged, and more processes would change little.
    Unsettled,
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
        sampling.min_processes.saturating_sub(self.usual_rounds / sampling.rounds_per_process)
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
        let made = self.usual_rounds / plan.sampling.rounds_per_process;
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
        let room = budget::room(left, active.len(), needed);
        if room >= active.len() {
            return Ok(());
        }
        self.settle(active)?;
        self.release(active, |case| case.standing != Standing::Open);
        let all = active.len();
        let mut order = plan.optional.clone();
        if made < first && plan.overtime_s > 0.0 {
            order.extend(last_comparisons_first(active));
        }
        let given_up = given_up(active, &order, all.saturating_sub(room));
        if given_up.is_empty() {
            return Ok(());
        }
        self.release(active, |it| given_up.contains(&it.case.case));
        if made >= first {
            return Ok(()); // they have their intervals, which are too wide or are not
        }
        let budget_s = (self.budget.spent(lost) + needed).as_secs_f64().ceil();
        let message = format!(
            "{} of {all} cases were given up after {}: all of them in {until} processes would take \
             some {budget_s} s; type --budget {budget_s}s, or choose fewer with --sizes, \
             --operations or --providers",
            given_up.len(),
            match made {
                1 => "the first process".into(),
                several => format!("{several} processes"),
            },
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

    /// Measures the cases of which this holds no longer.
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

/// The numbers of the cases, with those that are compared with each other one after the other.
fn last_comparisons_first(active: &[Active<'_>]) -> Vec<u32> {
    let mut first: HashMap<Subject, u32> = HashMap::new();
    for Active { case, .. } in active {
        let number = first.entry(Subject::of(case)).or_insert(case.case);
        *number = case.case.min(*number);
    }
    let mut numbers: Vec<(u32, u32)> =
        active.iter().map(|it| (first[&Subject::of(it.case)], it.case.case)).collect();
    numbers.sort_unstable_by_key(|&(first, number)| (Reverse(first), number));
    numbers.into_iter().map(|(_, number)| number).collect()
}

/// The numbers of so many of the cases in `order` that are still measured, and of those that are compared
/// with the last of them.
fn given_up(active: &[Active<'_>], order: &[u32], excess: usize) -> BTreeSet<u32> {
    let subjects: HashMap<u32, Subject> =
        active.iter().map(|it| (it.case.case, Subject::of(it.case))).collect();
    let mut numbers = BTreeSet::new();
    let mut last = None;
    for (number, subject) in order.iter().filter_map(|it| subjects.get_key_value(it)) {
        if numbers.len() >= excess && last != Some(subject) {
            break;
        }
        numbers.insert(*number);
        last = Some(subject);
    }
    numbers
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

fn cycles_per_message(sample: &Sample) -> f64 {
    sample.cycles / sample.messages as f64 - sample.loop_cycles
}

/// Whether calls before a group do nothing but let the processor settle: elsewhere they would bring near
/// what is to be far, or another function's calls stand between.
fn may_settle_late(case: &Case) -> bool {
    matches!(case.buffers, Buffers::Hot | Buffers::Repeated)
        && matches!(case.load, Load::Single { after: None })
}

impl<'a> Active<'a> {
    fn new(case: &'a Case, settles: bool) -> Self {
        Self {
            case,
            observations: Observations::default(),
            next: 0,
            messages: None,
            written: None,
            held: Vec::new(),
            looked_at: 0,
            standing: Standing::Open,
            settled_at: 0,
            taken_by: None,
            processes: 0,
            settling: Settling::new(settles && may_settle_late(case)),
            has_group: false,
        }
    }

    /// Whether this generation has no samples of it that count, or may have taken them too early.
    fn lacks_group(&self) -> bool {
        !self.has_group || self.settling.asks()
    }

    /// Learns from a group how the case settles. Samples that were taken before their cost had settled are
    /// marked: those of this group, or those that this process took before.
    fn note_settling(&mut self, samples: &mut [Sample], calls: Calls, precision: f64) {
        let Some(first) = samples.first() else { return };
        let undisturbed = samples.iter().filter(|sample| sample.disturbed.is_empty());
        let mut cycles: Vec<f64> = undisturbed.map(cycles_per_message).collect();
        if cycles.len() < samples.len().min(FEWEST_TO_TELL) {
            return;
        }
        cycles.sort_by(f64::total_cmp);
        let found = cycles[cycles.len() / 2];
        let early = self.settling.note(first.round, found, calls, precision);
        let process = first.process;
        let is_early = |sample: &&mut Sample| early.contains(&sample.round);
        let mut marked = 0;
        for sample in self.held.iter_mut().filter(is_early) {
            marked += u64::from(sample.disturbed.is_empty());
            sample.disturbed.push(Disturbance::Settling);
        }
        if marked > 0 {
            self.observations.forget_process(process, marked);
        }
        for sample in samples.iter_mut().filter(is_early) {
            sample.disturbed.push(Disturbance::Settling);
        }
    }

    fn observe(&mut self, samples: &[Sample], measured: &Measured) {
        let values: Vec<(f64, bool)> = samples
            .iter()
            .map(|sample| (cycles_per_message(sample), !sample.disturbed.is_empty()))
            .collect();
        self.has_group |= values.iter().any(|&(_, disturbed)| !disturbed);
        if let Some(first) = samples.first() {
            if self.taken_by.replace(first.process) != Some(first.process) {
                self.processes += 1;
            }
            self.observations.add_group(first.process, first.at_ns, &values);
        }
        let Measured { run, answers, messages, .. } = *measured;
        self.messages = Some(messages);
        self.next = run.all().end;
        self.written = Some(match self.written {
            None => (run, answers),
            Some((before, sum)) => (before.with(run), sum.wrapping_add(answers)),
        });
    }

    /// Looks at the case when it was measured in as many processes as a look is due at. Returns
    /// whether it was.
    fn look(&mut self, rule: &Rule) -> bool {
        let processes = self.observations.processes();
        if processes == self.looked_at || !is_look(processes) {
            return false;
        }
        self.looked_at = processes;
        let before = self.standing;
        self.standing = match self.observations.missing(rule) {
            None => Standing::Converged,
            Some(Missing::States) if processes >= MOST_IN_TWO_STATES => Standing::Unsettled,
            Some(_) if processes >= MOST_PROCESSES => Standing::Unsettled,
            Some(_) => Standing::Open,
        };
        if self.standing != Standing::Open && before == Standing::Open {
            self.settled_at = processes;
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use ciphermark_harness::sampler::Group;
    use ciphermark_record::plan::Messages;

    use super::*;

    const RULE: Rule = Rule {
        precision: 0.01,
        reproducibility: 0.0,
        min_processes: 6,
        min_groups: 6,
        min_span_ns: 0,
    };

    fn case() -> Case {
        serde_json::from_value(serde_json::json!({
            "case": 0, "algorithm": "sha256", "operation": "digest",
            "provider": "a", "backend": "default", "message_bytes": 64
        }))
        .expect("the case is valid")
    }

    /// How a case stands after each of so many processes, with three groups of these cycles.
    fn standings(cycles: impl Fn(u32) -> [f64; 3], processes: u32) -> Vec<Standing> {
        let case = case();
        let mut active = Active::new(&case, true);
        (0..processes)
            .map(|process| {
                for value in cycles(process) {
                    active.observations.add_group(process, u64::from(process), &[(value, false)]);
                }
                active.look(&RULE);
                active.standing
            })
            .collect()
    }

    #[test]
    fn optional_cases_are_given_up_in_their_order_and_comparisons_whole() {
        let cases: Vec<Case> = (0..8)
            .map(|number| Case {
                case: number,
                messages: Messages::Equal(64 << (number / 2)),
                ..case()
            })
            .collect();
        let active: Vec<Active<'_>> = cases.iter().map(|case| Active::new(case, true)).collect();
        let optional = [6, 7, 2, 3, 9];
        let numbers = |excess| given_up(&active, &optional, excess).into_iter().collect::<Vec<_>>();
        assert!(numbers(0).is_empty());
        assert_eq!(numbers(1), [6, 7]);
        assert_eq!(numbers(2), [6, 7]);
        assert_eq!(numbers(3), [2, 3, 6, 7]);
        assert_eq!(numbers(8), [2, 3, 6, 7], "the others are never given up");
    }

    #[test]
    fn the_last_comparisons_are_given_up_first() {
        let cases: Vec<Case> = [(0, 64), (1, 16), (2, 64), (3, 256), (4, 16)]
            .map(|(number, bytes)| Case {
                case: number,
                messages: Messages::Equal(bytes),
                ..case()
            })
            .to_vec();
        let shuffled = [3, 0, 4, 2, 1].map(|place: usize| Active::new(&cases[place], true));
        assert_eq!(last_comparisons_first(&shuffled), [3, 1, 4, 0, 2]);
    }

    fn measured(round: u64) -> Measured {
        let group = Group { slices: vec![], cpu_ns: 0, wall_ns: 0 };
        let run = MessageRange { first: 8 * round, messages: 8 };
        Measured { messages: 8, loop_cycles: 5.0, group, run, answers: 0, waited_ns: 0 }
    }

    /// Five samples of a group; a process takes two.
    fn group(round: u32, cycles: f64) -> Vec<Sample> {
        let sample = Sample {
            case: 0,
            round,
            process: round / 2,
            slice: 0,
            at_ns: 0,
            messages: 8,
            wall_ns: 0.0,
            cycles: 8.0 * (cycles + 5.0),
            loop_cycles: 5.0,
            core_hz: 1e9,
            group_cpu_ns: 0,
            group_wall_ns: 0,
            disturbed: vec![],
        };
        vec![sample; 5]
    }

    #[test]
    fn samples_that_were_taken_before_their_cost_had_settled_are_marked() {
        let case = case();
        let mut active = Active::new(&case, true);
        let mut take = |round, cycles, calls| {
            let mut samples = group(round, cycles);
            active.note_settling(&mut samples, calls, 0.01);
            active.observe(&samples, &measured(u64::from(round)));
            active.held.extend(samples);
            if round % 2 == 1 {
                active.settling.begin_process();
            }
            let early = active.held.iter().filter(|it| !it.disturbed.is_empty());
            let rounds: BTreeSet<u32> = early.map(|it| it.round).collect();
            (active.observations.median(), rounds.into_iter().collect::<Vec<_>>())
        };
        take(0, 1000.0, Calls::LONGEST);
        assert_eq!(take(1, 1003.0, Calls::SHORTEST), (Some(1001.5), vec![]));
        // The next process differs, however long it calls.
        take(2, 1100.0, Calls::SHORTEST);
        assert_eq!(take(3, 1101.0, Calls::LONGEST), (Some(1051.0), vec![]));
        // Another one had not settled.
        take(4, 1000.0, Calls::SHORTEST);
        assert_eq!(take(5, 900.0, Calls::LONGEST), (Some(1001.5), vec![4]));
        assert_eq!(take(6, 910.0, Calls::LONGEST).1, [4], "it is known to settle late");
    }

    #[test]
    fn only_hot_calls_of_one_function_may_settle_late() {
        let hot = case();
        assert!(may_settle_late(&hot));
        assert!(!may_settle_late(&Case { buffers: Buffers::Stream, ..hot.clone() }));
        let after = Load::Single { after: Some("md5".into()) };
        assert!(!may_settle_late(&Case { load: after, ..hot }));
    }

    #[test]
    fn a_case_settles_at_a_look() {
        let found = standings(|_| [100.0; 3], 6);
        assert_eq!(found[..5], [Standing::Open; 5]);
        assert_eq!(found[5], Standing::Converged);
        // One process is dear, which the interval leaves out from the tenth on.
        let found = standings(|process| [if process == 0 { 110.0 } else { 100.0 }; 3], 10);
        assert_eq!(found[8], Standing::Open);
        assert_eq!(found[9], Standing::Converged);
    }

    #[test]
    fn what_scatters_is_not_measured_for_ever() {
        let most = MOST_PROCESSES as usize;
        let scattered = |process| [100.0 + 10.0 * f64::from(process * 7 % 16); 3];
        let found = standings(scattered, MOST_PROCESSES);
        assert_eq!(found[most - 2], Standing::Open);
        assert_eq!(found[most - 1], Standing::Unsettled);
    }

    #[test]
    fn of_two_states_no_more_processes_make_one() {
        let found = standings(|process| [if process % 2 == 0 { 100.0 } else { 150.0 }; 3], 13);
        assert_eq!(found[11], Standing::Open);
        assert_eq!(found[12], Standing::Unsettled);
    }
}
