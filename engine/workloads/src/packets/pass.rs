//! One pass: all packets once through the queue, with or without the cryptographic work.

use std::thread;

use ciphermark_harness::clock::median;
use ciphermark_harness::core_watch::{CoreWatch, Done};
use ciphermark_harness::crew::{self, Alarm, Rendezvous};
use ciphermark_harness::usage::ThreadUsage;
use ciphermark_harness::{HostClock, processor_state, scheduling};
use ciphermark_providers::api::Device;
use ciphermark_record::packets::{CoreFigures, DeviceTimes, PacketLoad, Pass, PassKind};
use ciphermark_record::plan::Offload;
use ciphermark_record::sessions::{Policy, Stretches};

use super::Execution;
use super::buffers::Packets;
use super::check;
use super::device::{self, Remote};
use super::faults::Faults;
use super::scheduler::Scheduler;
use super::submitter::{Submitted, Submitter};
use super::work::{Operators, Work};
use super::worker::{Duty, Post, STRETCH_NS, Worker, WorkerReport};
use crate::cores;
use crate::failure::Failure;
use crate::latencies;
use crate::offloaded::Offloaded;

/// Looks at a core's clock before and after a pass.
const LOOKS: usize = 5;

/// What one worker has its work done with, pass after pass.
pub enum Tools {
    Here(Operators),
    There(Box<dyn Device>),
}

impl Tools {
    pub fn new(
        execution: &Execution<'_>,
        offloaded: &Offloaded<'_>,
        keys: &[Vec<u8>],
    ) -> Result<Self, Failure> {
        Ok(match execution.case.offload {
            Offload::None => Self::Here(Operators::new(execution, keys)?),
            _ => Self::There(device::open(execution, offloaded, keys)?),
        })
    }

    /// Where a device does the work.
    pub fn place(&self) -> Option<String> {
        match self {
            Self::Here(_) => None,
            Self::There(device) => Some(device.place()),
        }
    }

    fn duty<'a>(
        &'a mut self,
        execution: &Execution<'_>,
        packets: &'a Packets,
        kind: PassKind,
    ) -> Duty<'a> {
        let load = execution.load;
        match (kind, self) {
            (PassKind::Transfer, _) => Duty::Nothing,
            (PassKind::Processing, Tools::Here(operators)) => {
                Duty::Here(Work::new(operators, packets, execution.case.lanes as usize))
            }
            (PassKind::Processing, Tools::There(device)) => Duty::There(Remote::new(
                device.as_mut(),
                packets,
                load.in_flight as usize,
                load.batch as usize,
            )),
        }
    }
}

/// What the threads of a pass have in common.
struct Common<'a, F> {
    execution: &'a Execution<'a>,
    scheduler: &'a Scheduler,
    faults: &'a F,
    /// Where the threads begin together.
    start: Rendezvous,
    threads: usize,
}

/// What a thread has to tell.
struct Account {
    usage: ThreadUsage,
    /// Of its core, before and after.
    hz: [f64; 2],
    stretches: Stretches,
    submitted: Option<Submitted>,
    worked: Option<Worked>,
}

impl Account {
    /// Whose figures its time belongs to: a worker's, else the submitter's.
    fn place(&self) -> usize {
        self.worked.as_ref().map_or(0, |it| it.number + 1)
    }
}

struct Worked {
    number: usize,
    report: WorkerReport,
    device: DeviceTimes,
    useful_cycles: f64,
}

/// Passes all packets, and looks whether they have arrived. The clocks that CPUs were seen to have
/// are in the order of the pass's cores.
pub fn pass<F: Faults>(
    execution: &Execution<'_>,
    scheduler: &mut Scheduler,
    packets: &mut Packets,
    tools: &mut [Tools],
    kind: PassKind,
    faults: &F,
) -> Result<(Pass, Vec<[f64; 2]>), Failure> {
    scheduler.reset();
    packets.poison();
    let shares = execution.load.cpus.contains(&execution.load.submit_cpu);
    let threads = execution.load.cpus.len() + usize::from(!shares);
    let start = Rendezvous::of(threads as u32);
    let common = Common { execution, scheduler, faults, start, threads };
    let accounts = common.run(tools, packets, kind)?;
    let delivered = scheduler.delivered();
    if delivered < scheduler.packets {
        return Err(Failure::Machine(format!(
            "all workers have ended when {delivered} of {} packets were delivered",
            scheduler.packets
        )));
    }
    Ok(recorded(execution, scheduler, kind, &accounts))
}

impl<F: Faults> Common<'_, F> {
    fn run(
        &self,
        tools: &mut [Tools],
        packets: &Packets,
        kind: PassKind,
    ) -> Result<Vec<Account>, Failure> {
        let load = self.execution.load;
        thread::scope(|scope| {
            let mut threads = Vec::with_capacity(self.threads);
            let mut shares = false;
            for (number, (tools, &cpu)) in tools.iter_mut().zip(&load.cpus).enumerate() {
                let submits = cpu == load.submit_cpu;
                shares |= submits;
                threads.push(scope.spawn(move || {
                    let duty = tools.duty(self.execution, packets, kind);
                    self.watched(cpu, load.policy, || self.serve(number, duty, submits))
                }));
            }
            if !shares {
                let cpu = load.submit_cpu;
                threads.push(
                    scope.spawn(move || self.watched(cpu, Policy::Other, || self.submit(None))),
                );
            }
            crew::join(threads, || {
                Failure::Machine("a thread that processes packets panicked".into())
            })
        })
    }

    /// What a thread does on its CPU. Whatever it meets ends the pass for all.
    fn watched(
        &self,
        cpu: u32,
        policy: Policy,
        work: impl FnOnce() -> Result<Account, Failure>,
    ) -> Result<Account, Failure> {
        let _alarm = Alarm(|| self.scheduler.stop());
        let mut placed = self.faults.place(cpu).and_then(|()| scheduling::wake_punctually());
        if policy != Policy::Other {
            placed = placed.and_then(|()| scheduling::set_policy(policy));
        }
        let placed =
            placed.map_err(|why| Failure::Machine(format!("CPU {cpu} cannot be used: {why}")));
        let outcome = placed.and_then(|()| work());
        if outcome.is_err() {
            self.scheduler.stop();
        }
        outcome
    }

    fn serve<'b>(
        &'b self,
        number: usize,
        duty: Duty<'b>,
        submits: bool,
    ) -> Result<Account, Failure> {
        self.scheduler.parker(number).take();
        let Execution { load, calibration, case, .. } = self.execution;
        let post = Post {
            number,
            scheduler: self.scheduler,
            faults: self.faults,
            calibration,
            lanes: case.lanes as usize,
            batch: load.batch as usize,
        };
        let mut worker = Worker::new(post, duty);
        if submits {
            return self.submit(Some(worker));
        }
        let (hz, usage) = self.begin(&mut worker.watch);
        self.work(&mut worker)?;
        let usage = ThreadUsage::read().since(usage);
        let stretches = self.end(&mut worker.watch);
        Ok(self.account(usage, hz, stretches, None, Some(worker)))
    }

    /// Submits all packets, and works beside it where that is this thread's part too.
    fn submit<'b>(&'b self, worker: Option<Worker<'b, F>>) -> Result<Account, Failure> {
        let Execution { load, calibration, .. } = self.execution;
        self.scheduler.submitters_parker().take();
        let mut submitter = Submitter::new(self.scheduler, load, calibration, worker);
        let mut own_watch = CoreWatch::every(STRETCH_NS, calibration);
        let watch = submitter.worker.as_mut().map_or(&mut own_watch, |worker| &mut worker.watch);
        let (hz, usage) = self.begin(watch);
        submitter.run()?;
        if let Some(worker) = &mut submitter.worker {
            self.work(worker)?;
        }
        let usage = ThreadUsage::read().since(usage);
        let watch = submitter.worker.as_mut().map_or(&mut own_watch, |worker| &mut worker.watch);
        let stretches = self.end(watch);
        Ok(self.account(usage, hz, stretches, Some(submitter.submitted), submitter.worker))
    }

    fn work(&self, worker: &mut Worker<'_, F>) -> Result<(), Failure> {
        if !worker.run()? {
            self.scheduler.leave(worker.number);
        }
        Ok(())
    }

    /// Looks at the core's clock, and waits until all threads are ready.
    fn begin(&self, watch: &mut CoreWatch) -> (f64, ThreadUsage) {
        let hz = self.core_hz();
        let Execution { calibration, .. } = self.execution;
        let mut clock = HostClock::without_pmu(calibration.ticks_per_ns);
        watch.look(&mut clock, calibration, Done::default());
        // Once before each pass, and not before each packet: a program would not do that either.
        processor_state::clean();
        self.start.meet(|| !self.scheduler.is_over());
        (hz, ThreadUsage::read())
    }

    fn end(&self, watch: &mut CoreWatch) -> Stretches {
        let Execution { calibration, .. } = self.execution;
        let mut clock = HostClock::without_pmu(calibration.ticks_per_ns);
        watch.end(&mut clock, calibration, Done::default());
        watch.stretches()
    }

    fn core_hz(&self) -> f64 {
        let calibration = self.execution.calibration;
        let mut clock = HostClock::without_pmu(calibration.ticks_per_ns);
        cores::core_hz(calibration, &mut clock, LOOKS)
    }

    fn account(
        &self,
        usage: ThreadUsage,
        before_hz: f64,
        stretches: Stretches,
        submitted: Option<Submitted>,
        worker: Option<Worker<'_, F>>,
    ) -> Account {
        let worked = worker.map(|worker| {
            let (device, useful_cycles) = match &worker.duty {
                Duty::There(remote) => (remote.times, remote.useful_cycles),
                _ => (DeviceTimes::default(), 0.0),
            };
            Worked { number: worker.number, report: worker.report, device, useful_cycles }
        });
        Account { usage, hz: [before_hz, self.core_hz()], stretches, submitted, worked }
    }
}

/// From what the threads tell to the record of the pass.
fn recorded(
    execution: &Execution<'_>,
    scheduler: &Scheduler,
    kind: PassKind,
    accounts: &[Account],
) -> (Pass, Vec<[f64; 2]>) {
    let seen = seen_hz(execution.load, accounts);
    let mut hz: Vec<f64> = seen.iter().flatten().copied().filter(|&it| it > 0.0).collect();
    let worked = || accounts.iter().filter_map(|it| it.worked.as_ref());
    let submitted = accounts.iter().find_map(|it| it.submitted.as_ref());
    let ended = worked().map(|it| it.report.last_delivery).max().unwrap_or(0);
    let began = submitted.map_or(ended, |it| it.began);
    let ticks = ended.saturating_sub(began);
    let times = worked().map(|it| it.device).fold(DeviceTimes::default(), device::sum);
    let check::Deliveries { lost, duplicated, out_of_order } = check::deliveries(scheduler);
    let priorities = scheduler.layout.priorities;
    let by_priority = (0..if priorities > 1 { priorities } else { 0 })
        .map(|it| latencies::counted(worked().map(|worker| &worker.report.latencies[it])))
        .collect();
    let pass = Pass {
        kind,
        at_ns: began, // in ticks, until the supervisor counts from the start of the run
        wall_ns: ticks as f64 / execution.calibration.ticks_per_ns,
        core_hz: median(&mut hz),
        cores: core_figures(execution.load, accounts),
        latencies: latencies::counted(worked().flat_map(|it| &it.report.latencies)),
        latencies_by_priority: by_priority,
        lost,
        duplicated,
        out_of_order,
        queue_full: submitted.map_or(0, |it| it.queue_full),
        flushed: submitted.map_or(0, |it| it.flushed),
        device: (execution.case.offload != Offload::None).then_some(times),
    };
    (pass, seen)
}

/// What the CPU that submits has done, and then each of those that process. Where it is one of them
/// the time of their common thread stands there.
fn core_figures(load: &PacketLoad, accounts: &[Account]) -> Vec<CoreFigures> {
    let cpus = [load.submit_cpu].into_iter().chain(load.cpus.iter().copied());
    let mut cores: Vec<CoreFigures> =
        cpus.map(|cpu| CoreFigures { cpu, ..CoreFigures::default() }).collect();
    for account in accounts {
        let core = &mut cores[account.place()];
        core.cpu_ns = account.usage.cpu_ns;
        core.preemptions = account.usage.preemptions as u32;
        core.waits = account.usage.waits as u32;
        let Stretches { quiet, crowded } = account.stretches;
        core.stretches = (quiet.count + crowded.count) as u32;
        core.crowded = crowded.count as u32;
        if let Some(worked) = &account.worked {
            core.packets = worked.report.packets;
            core.batches = worked.report.batches;
            core.useful_cycles = worked.useful_cycles;
        }
        if let Some(submitted) = &account.submitted {
            cores[0].packets = load.packets;
            cores[0].batches = submitted.batches.into();
        }
    }
    cores
}

/// The clocks of the same CPUs before and after the pass; 0 where another thread has looked.
fn seen_hz(load: &PacketLoad, accounts: &[Account]) -> Vec<[f64; 2]> {
    let mut seen = vec![[0.0; 2]; 1 + load.cpus.len()];
    accounts.iter().for_each(|account| seen[account.place()] = account.hz);
    seen
}
