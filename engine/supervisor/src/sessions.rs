//! Measuring many sessions at once: each case is executed, judged, and executed again with other
//! parameters where it does not count.

pub mod adjust;
pub mod judgement;
mod steady;
pub mod validate;

use std::io::{self, Write};
use std::time::Duration;

use ciphermark_harness::quota;
use ciphermark_record::event::{CaseError, Event, Failure, Phase, Progress};
use ciphermark_record::plan::{Case, Load};
use ciphermark_record::sessions::{CoreClock, SessionLoad, SessionsRun};
use rand::seq::SliceRandom;
use rand_chacha::ChaCha12Rng;
use rand_chacha::rand_core::SeedableRng;

use crate::budget::Budget;
use crate::rounds::{RunContext, Totals};

use adjust::adjusted;
use judgement::{ClockPair, Limits, judge};

/// What an execution takes besides itself, milliseconds: the process, its library, getting ready.
const AROUND_MS: f64 = 300.0;

/// A case of sessions, and how they are to run.
type Loaded<'c> = (&'c Case, &'c SessionLoad);

fn loaded(case: &Case) -> Option<Loaded<'_>> {
    match &case.load {
        Load::Sessions(load) => Some((case, load)),
        Load::Single { .. } | Load::Packets(_) => None,
    }
}

/// Executes the cases one after the other, in shuffled order, until each has a valid execution, its
/// attempts or the budget are spent, or the user stops it.
pub fn measure<W: Write>(context: RunContext<'_, W>, cases: &[&Case]) -> io::Result<Totals> {
    let mut random = ChaCha12Rng::seed_from_u64(context.plan.seed);
    let mut waiting: Vec<Loaded<'_>> = cases.iter().filter_map(|case| loaded(case)).collect();
    waiting.shuffle(&mut random);
    let mut sessions = Sessions {
        totals: Totals { rounds: 1, ..Totals::default() },
        budget: Budget::begin(context.plan.budget_s, context.pool.lost()),
        context,
        total: cases.len() as u32,
    };
    while let Some(case) = waiting.pop() {
        if sessions.context.interrupt.requested() {
            break;
        }
        let Sessions { context, budget, .. } = &mut sessions;
        if let Some(message) = budget.over(context.pool.lost(), waiting.len() + 1, cases.len()) {
            context.events.warn("budget", message, None)?;
            break;
        }
        sessions.report(case, &waiting)?;
        sessions.case(case, &waiting)?;
    }
    Ok(sessions.totals)
}

struct Sessions<'a, W: Write> {
    context: RunContext<'a, W>,
    totals: Totals,
    budget: Budget,
    total: u32,
}

impl<W: Write> Sessions<'_, W> {
    /// Executes a case until it is valid. `waiting` are those that have to fit the budget as well.
    fn case(&mut self, (case, load): Loaded<'_>, waiting: &[Loaded<'_>]) -> io::Result<()> {
        let mut load = load.clone();
        for attempt in 0..load.most_attempts {
            let run = match self.execute(case, &load, attempt) {
                Ok(run) => run,
                Err(_) if self.context.interrupt.requested() => return Ok(()),
                Err(error) => return self.failed(case, error),
            };
            self.totals.samples += 1;
            let longest_ms = self.spare(waiting).as_secs_f64() * 1e3;
            let next = adjusted(&load, &run.objections, longest_ms);
            let valid = run.objections.is_empty();
            self.context.events.write(&Event::Sessions(Box::new(run)))?;
            self.totals.converged += u32::from(valid);
            match next.filter(|next| !valid && next.execution_ms <= longest_ms) {
                Some(next) => load = next,
                None => break,
            }
        }
        Ok(())
    }

    fn execute(
        &mut self,
        case: &Case,
        load: &SessionLoad,
        attempt: u32,
    ) -> Result<SessionsRun, Failure> {
        let case = Case { load: Load::Sessions(load.clone()), ..case.clone() };
        let RunContext { pool, metering, interrupt, .. } = &mut self.context;
        let lasts = Duration::from_secs_f64(load.execution_ms / 1e3);
        let (run, energy) = metering.beside(lasts, interrupt, || pool.sessions(&case));
        if run.is_err() && load.quota_cpus.is_some() {
            quota::remove_abandoned();
        }
        let mut run = run?;
        run.attempt = attempt;
        run.energy = energy;
        let since = run.at_ns.saturating_sub(self.context.start_ticks);
        run.at_ns = (since as f64 / self.context.ticks_per_ns) as u64;
        run.objections = judge(&run, &edges(&run), &Limits::default());
        Ok(run)
    }

    fn failed(&mut self, case: &Case, error: Failure) -> io::Result<()> {
        self.totals.errors += 1;
        self.context.events.write(&Event::Error(CaseError { case: case.case, error }))
    }

    /// What the budget leaves beside one execution of each of the cases that wait.
    fn spare(&self, waiting: &[Loaded<'_>]) -> Duration {
        self.budget.left(self.context.pool.lost()).saturating_sub(executions(waiting))
    }

    fn report(&mut self, case: Loaded<'_>, waiting: &[Loaded<'_>]) -> io::Result<()> {
        let left = executions(&[case]) + executions(waiting);
        self.context.events.write(&Event::Progress(Progress {
            phase: Phase::Measuring,
            done: self.total - waiting.len() as u32 - 1,
            total: self.total,
            converged: self.totals.converged,
            round: 1,
            elapsed_s: self.context.started.elapsed().as_secs_f64(),
            left_s: left.as_secs_f64(),
        }))
    }
}

/// The clocks of the CPUs at both edges of the window.
fn edges(run: &SessionsRun) -> Vec<ClockPair> {
    let pair = |it: &CoreClock| {
        Some(ClockPair { cpu: it.cpu, early_hz: it.opened_hz?, late_hz: it.closed_hz? })
    };
    run.core_clocks.iter().filter_map(pair).collect()
}

/// How long one execution of each of these takes.
fn executions(cases: &[Loaded<'_>]) -> Duration {
    let ms: f64 = cases.iter().map(|(_, load)| load.execution_ms + AROUND_MS).sum();
    Duration::from_secs_f64(ms / 1e3)
}
