//! One run from the first event to the last.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::time::{Duration, Instant, SystemTime};

use ciphermark_harness::energy::Meters;
use ciphermark_harness::environment::Ticks;
use ciphermark_harness::{
    Calibration, Clock, HostClock, environment, limits, pinning, quietest_cpu,
};
use ciphermark_record::SCHEMA;
use ciphermark_record::description::{EngineBuild, Provider};
use ciphermark_record::environment::{CycleSource, Environment, State};
use ciphermark_record::event::{Bye, CaseError, Event, Hello, Phase, Progress};
use ciphermark_record::plan::{Case, Load, Plan, Workload};

use crate::energy::Metering;
use crate::events::Events;
use crate::interrupt::Interrupt;
use crate::measuring_cpu::MeasuringCpu;
use crate::memory;
use crate::packets;
use crate::pool::Pool;
use crate::rounds::{self, RunContext, Totals};
use crate::sessions;
use crate::validate::validate;
use crate::verification::{self, Verdict};
use crate::withdrawal::withdrawn;
use crate::worker_handle::Settings;
use crate::worker_key::key_of;

/// Why a run did not begin or did not end.
#[derive(Debug)]
pub enum RunError {
    /// The plan cannot be run; a sentence.
    Plan(String),
    Io(io::Error),
}

impl From<io::Error> for RunError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// CPU time that a worker may use beyond the budget: verification, calibration.
const SPARE_CPU_SECONDS: u64 = 300;

/// Between two progress events while verifying.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(100);

/// Above this share of stolen time a run carries a warning.
const STEAL_WARNING: f64 = 0.01;

/// Verifies and measures the cases of a plan, writing events as they happen.
pub fn run<W: Write>(
    plan: &Plan,
    build: EngineBuild,
    output: W,
    interrupt: &Interrupt,
) -> Result<(), RunError> {
    let allowed = pinning::allowed_cpus()?;
    validate(plan, &allowed).map_err(RunError::Plan)?;
    let cpu = quietest_cpu::choose(plan.cpu, &allowed).map_err(RunError::Plan)?;
    limits::adopt_descendants()?;
    limits::end_before_caller();
    let mut found = Surroundings::measure(cpu)?;
    stay_out_of_the_way(plan, cpu, &allowed)?;
    let mut run = Run {
        plan,
        pool: Pool::new(
            Settings {
                cpu,
                cpu_seconds: cpu_seconds(plan),
                memory_bytes: memory::of_worker(&plan.cases, allowed.len()),
                ticks_per_ns: found.calibration.ticks_per_ns,
                libraries: plan.libraries.clone(),
            },
            Some(found.calibration.clone()),
            plan.seed,
            interrupt.clone(),
        ),
        events: Events::to(output),
        interrupt,
        started: Instant::now(),
        start_ticks: found.clock.ticks(),
        cpu: MeasuringCpu::new(cpu, candidates(plan, cpu, &allowed)),
    };
    run.hello(build, &found)?;
    let ticks = |cpu: u32| environment::cpu_ticks(&[cpu]).map(|ticks| (cpu, ticks));
    let before: BTreeMap<u32, Ticks> =
        run.cpu.candidates().iter().copied().filter_map(ticks).collect();
    let (verdicts, errors) = run.verify()?;
    let mut totals = run.measure(&verdicts, &found.calibration)?;
    totals.errors += errors + run.withdraw()?;
    let steal_shares = run.cpu.used().iter().filter_map(|&cpu| {
        ticks(cpu).zip(before.get(&cpu)).and_then(|((_, now), &then)| now.steal_share_since(then))
    });
    let steal_share = steal_shares.max_by(f64::total_cmp);
    run.bye(totals, steal_share)?;
    Ok(())
}

/// Binds the supervisor where it disturbs least.
///
/// While messages are timed one by one it only waits, and shares the CPU: to wake a worker there takes
/// less than on another CPU, which may be a thread of the same core and would then be busy whenever
/// a slice begins. Windows of sessions and packets it watches meanwhile, from elsewhere.
fn stay_out_of_the_way(plan: &Plan, cpu: u32, allowed: &[u32]) -> io::Result<()> {
    let is_timed_alone = |case: &Case| matches!(case.load, Load::Single { .. });
    match plan.cases.iter().all(is_timed_alone) {
        true => pinning::pin(cpu),
        false => pinning::avoid(cpu, allowed),
    }
}

/// The CPUs that may be measured on in turn: one that is wished for is kept, and so is the one beside which
/// others work on the same messages.
fn candidates(plan: &Plan, cpu: u32, allowed: &[u32]) -> Vec<u32> {
    let is_alone = |case: &Case| case.offload_cpus.is_empty();
    match plan.cpu.is_none() && plan.cases.iter().all(is_alone) {
        true => quietest_cpu::candidates(allowed),
        false => vec![cpu],
    }
}

/// CPU time after which the kernel ends a worker.
fn cpu_seconds(plan: &Plan) -> u64 {
    // All attempts, which may be longer than the first, come to no more than the budget.
    let cpus = plan.cases.iter().map(cpus_of).max().unwrap_or(1);
    let seconds = plan.budget_s + plan.overtime_s;
    seconds.ceil() as u64 * cpus as u64 + SPARE_CPU_SECONDS
}

/// CPUs that a case keeps busy at once.
fn cpus_of(case: &Case) -> usize {
    let of_load = match &case.load {
        Load::Single { .. } => 0,
        Load::Sessions(load) => load.cpus.len(),
        Load::Packets(load) => load.cpus.len() + 1,
    };
    1.max(of_load + case.offload_cpus.len())
}

/// The machine and its clocks, measured on the CPU that will be measured on.
pub struct Surroundings {
    pub environment: Environment,
    pub calibration: Calibration,
    clock: HostClock,
}

impl Surroundings {
    /// Pins the calling thread to `cpu` and measures the clocks there; some 100 ms.
    pub fn measure(cpu: u32) -> io::Result<Self> {
        let cpus_allowed = pinning::allowed_cpus()?;
        let core_cpus = environment::core_cpus();
        pinning::pin(cpu)?;
        let mut clock = HostClock::open();
        let machine = environment::machine();
        let nominal_hz = clock.nominal_hz(cpu);
        let mut calibration = Calibration::measure(&mut clock, nominal_hz);
        if clock.pmu().usable && calibration.source != CycleSource::Pmu {
            clock.distrust_pmu("it does not count one cycle for each dependent addition".into());
            calibration = Calibration::measure(&mut clock, nominal_hz);
        }
        let environment = Environment {
            machine,
            state: State { cpus_allowed, core_cpus, ..environment::state(cpu, clock.pmu()) },
            clocks: calibration.clocks(clock.wall_source()),
            meters: Meters::open().0,
        };
        Ok(Self { environment, calibration, clock })
    }
}

struct Run<'a, W: Write> {
    plan: &'a Plan,
    pool: Pool,
    events: Events<W>,
    interrupt: &'a Interrupt,
    started: Instant,
    /// The same moment on the wall clock of the samples.
    start_ticks: u64,
    cpu: MeasuringCpu,
}

impl<W: Write> Run<'_, W> {
    fn hello(&mut self, engine: EngineBuild, found: &Surroundings) -> io::Result<()> {
        let hello = Hello {
            schema: SCHEMA,
            engine,
            environment: found.environment.clone(),
            providers: self.providers(),
            started_unix_ns: SystemTime::now()
                .duration_since(SystemTime::UNIX_EPOCH)
                .map_or(0, |since| since.as_nanos() as u64),
        };
        self.events.write(&Event::Hello(Box::new(hello)))?;
        let clocks = &found.environment.clocks;
        if clocks.cycle_source == CycleSource::Nominal {
            let message = format!(
                "core cycles could not be measured (chains differ by {:.0} %): cycles are nominal; \
                 trust the times",
                clocks.cycle_residual * 100.0
            );
            self.events.warn("nominal-cycles", message, None)?;
        }
        Ok(())
    }

    /// The libraries of the plan, each once.
    fn providers(&mut self) -> Vec<Provider> {
        let mut keys: Vec<_> = self.plan.cases.iter().map(key_of).collect();
        keys.sort();
        keys.dedup();
        keys.dedup_by(|a, b| a.provider == b.provider);
        keys.iter().map(|key| self.pool.provider(key)).collect()
    }

    /// Verifies all cases, and says of each that it is ready or why not.
    fn verify(&mut self) -> io::Result<(BTreeMap<u32, Verdict>, u32)> {
        let total = self.plan.cases.len();
        let (interrupt, events, started) = (self.interrupt, &mut self.events, self.started);
        let mut reported = None::<Instant>;
        let verdicts = verification::verify(
            &mut self.pool,
            &self.plan.cases,
            &self.plan.code_paths,
            &|| interrupt.requested(),
            &mut |done| {
                let due = reported.is_none_or(|at| at.elapsed() >= PROGRESS_INTERVAL);
                if due || done == total {
                    reported = Some(Instant::now());
                    events.write(&verifying(done as u32, total as u32, started))?;
                }
                Ok(())
            },
        )?;
        let mut errors = 0;
        for (&case, verdict) in &verdicts {
            errors += u32::from(verdict.is_err());
            self.events.write(&match verdict.clone() {
                Ok(ready) => Event::Case(Box::new(ready.event)),
                Err(error) => Event::Error(CaseError { case, error }),
            })?;
        }
        Ok((verdicts, errors))
    }

    fn measure(
        &mut self,
        verdicts: &BTreeMap<u32, Verdict>,
        calibration: &Calibration,
    ) -> io::Result<Totals> {
        let ready = || verdicts.values().flatten();
        let context = RunContext {
            plan: self.plan,
            pool: &mut self.pool,
            events: &mut self.events,
            metering: Metering::open(self.start_ticks, calibration.ticks_per_ns),
            interrupt: self.interrupt,
            cpu: &mut self.cpu,
            started: self.started,
            start_ticks: self.start_ticks,
            ticks_per_ns: calibration.ticks_per_ns,
        };
        match self.plan.workload {
            Workload::Single => {
                let cases: Vec<_> = ready().map(|it| (&it.event.case, it.answers)).collect();
                rounds::measure(context, &cases)
            }
            Workload::Sessions => {
                let cases: Vec<_> = ready().map(|it| &it.event.case).collect();
                sessions::measure(context, &cases)
            }
            Workload::Packets => {
                let cases: Vec<_> = ready().map(|it| &it.event.case).collect();
                packets::measure(context, &cases)
            }
        }
    }

    /// Withdraws what was measured of implementations that were wrong elsewhere.
    fn withdraw(&mut self) -> io::Result<u32> {
        let errors = withdrawn(&self.plan.cases, |case| self.events.failure(case));
        let count = errors.len() as u32;
        let events: Vec<Event> = errors.into_iter().map(Event::Error).collect();
        self.events.write_all(&events)?;
        Ok(count)
    }

    fn bye(&mut self, totals: Totals, steal_share: Option<f64>) -> io::Result<()> {
        if let Some(share) = steal_share.filter(|&share| share > STEAL_WARNING) {
            let message = format!(
                "the hypervisor took {:.1} % of the CPU's time; measure again when its other \
                 guests are quiet, or on a machine of your own",
                share * 100.0
            );
            self.events.warn("steal", message, None)?;
        }
        self.events.write(&Event::Bye(Bye {
            cases: self.plan.cases.len() as u32,
            converged: totals.converged,
            errors: totals.errors,
            samples: totals.samples,
            rounds: totals.rounds,
            elapsed_s: self.started.elapsed().as_secs_f64(),
            interrupted: self.interrupt.requested(),
            steal_share,
        }))
    }
}

fn verifying(done: u32, total: u32, started: Instant) -> Event {
    Event::Progress(Progress {
        phase: Phase::Verifying,
        done,
        total,
        converged: 0,
        round: 0,
        elapsed_s: started.elapsed().as_secs_f64(),
        left_s: started.elapsed().as_secs_f64() / f64::from(done) * f64::from(total - done),
    })
}
