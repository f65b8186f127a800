//! Measuring packets: the passes of each case, one case after the other.

pub mod validate;

use std::io::{self, Write};
use std::time::Duration;

use ciphermark_record::event::{CaseError, Event, Failure, Phase, Progress};
use ciphermark_record::packets::{PacketLoad, PacketsRun};
use ciphermark_record::plan::{Case, Load};
use rand::seq::SliceRandom;
use rand_chacha::ChaCha12Rng;
use rand_chacha::rand_core::SeedableRng;

use crate::budget::Budget;
use crate::rounds::{RunContext, Totals};

/// About as long as a pass takes, within which meters of energy are to be read several times.
const PASS: Duration = Duration::from_millis(50);

/// What a case takes besides its passes, milliseconds: the process, its library, the right answers.
const AROUND_MS: f64 = 400.0;

/// A case of packets, and how they are to pass.
type Loaded<'c> = (&'c Case, &'c PacketLoad);

fn loaded(case: &Case) -> Option<Loaded<'_>> {
    match &case.load {
        Load::Packets(load) => Some((case, load)),
        Load::Single { .. } | Load::Sessions(_) => None,
    }
}

/// Measures the cases one after the other, in shuffled order, until the budget is spent or the user
/// stops it.
pub fn measure<W: Write>(mut context: RunContext<'_, W>, cases: &[&Case]) -> io::Result<Totals> {
    let mut random = ChaCha12Rng::seed_from_u64(context.plan.seed);
    let mut waiting: Vec<Loaded<'_>> = cases.iter().filter_map(|case| loaded(case)).collect();
    waiting.shuffle(&mut random);
    let budget = Budget::begin(context.plan.budget_s, context.pool.lost());
    let mut totals = Totals { rounds: 1, ..Totals::default() };
    while let Some((case, load)) = waiting.pop() {
        if context.interrupt.requested() {
            break;
        }
        if let Some(message) = budget.over(context.pool.lost(), waiting.len() + 1, cases.len()) {
            context.events.warn("budget", message, None)?;
            break;
        }
        report(&mut context, cases.len(), waiting.len(), &totals, passes(load, &waiting))?;
        match passed(&mut context, case) {
            Ok(run) => {
                totals.samples += run.passes.len() as u64;
                totals.converged += u32::from(is_whole(&run));
                context.events.write(&Event::Packets(Box::new(run)))?;
            }
            Err(_) if context.interrupt.requested() => break,
            Err(error) => {
                totals.errors += 1;
                context.events.write(&Event::Error(CaseError { case: case.case, error }))?;
            }
        }
    }
    Ok(totals)
}

fn passed<W: Write>(context: &mut RunContext<'_, W>, case: &Case) -> Result<PacketsRun, Failure> {
    let RunContext { pool, metering, interrupt, start_ticks, ticks_per_ns, .. } = context;
    let (run, energy) = metering.beside(PASS, interrupt, || pool.packets(case));
    let mut run = run?;
    run.energy = energy;
    let at_ns = |ticks: u64| (ticks.saturating_sub(*start_ticks) as f64 / *ticks_per_ns) as u64;
    run.at_ns = at_ns(run.at_ns);
    for pass in &mut run.passes {
        pass.at_ns = at_ns(pass.at_ns);
    }
    Ok(run)
}

/// Whether every packet arrived once, in its order, with the right answer.
fn is_whole(run: &PacketsRun) -> bool {
    run.passes.iter().all(|pass| pass.lost + pass.duplicated + pass.out_of_order == 0)
}

/// How long the passes of these take.
fn passes(load: &PacketLoad, waiting: &[Loaded<'_>]) -> Duration {
    let loads = waiting.iter().map(|(_, load)| *load).chain([load]);
    Duration::from_secs_f64(loads.map(|load| load.measure_ms + AROUND_MS).sum::<f64>() / 1e3)
}

fn report<W: Write>(
    context: &mut RunContext<'_, W>,
    total: usize,
    waiting: usize,
    totals: &Totals,
    left: Duration,
) -> io::Result<()> {
    context.events.write(&Event::Progress(Progress {
        phase: Phase::Measuring,
        done: (total - waiting - 1) as u32,
        total: total as u32,
        converged: totals.converged,
        round: 1,
        elapsed_s: context.started.elapsed().as_secs_f64(),
        left_s: left.as_secs_f64(),
    }))
}
