//! Workload `packets`: a queue of packets from one core to others.
//!
//! All packets and their answers lie in memory before the clock starts. A pass sends their numbers
//! through the queue, in batches: the submitter puts them into rings, workers take them out, have
//! the cryptographic work done unless it is left out, and deliver them. Passes come in pairs,
//! *transfer* without the work and *processing* with it, and after each of them it is looked
//! whether every packet has arrived once, in its order and with the right answer.

mod alone;
mod batch;
mod buffers;
mod check;
mod delivery;
mod device;
mod faults;
mod layout;
mod pass;
mod queue;
mod right;
mod scheduler;
mod submitter;
#[cfg(test)]
mod tests;
mod work;
mod worker;

use std::time::{Duration, Instant};

use ciphermark_harness::clock::median;
use ciphermark_harness::{Clock, HostClock, pinning};
use ciphermark_record::packets::{Alone, PacketLoad, PacketsRun, Pass, PassKind};
use ciphermark_record::sessions::CoreClock;

use crate::accounts::Accounts;
use crate::cores;
use crate::failure::Failure;
use crate::offloaded::{self, Offloaded};
use buffers::Packets;
use faults::{Faults, NoFaults};
use pass::{Tools, pass};
use right::Right;
use scheduler::Scheduler;

/// What the passes of a case are made of.
pub type Execution<'a> = crate::execution::Execution<'a, PacketLoad>;

/// Makes all passes of the case. Takes what the load says, and what getting ready and checking take.
pub fn execute(execution: &Execution<'_>) -> Result<PacketsRun, Failure> {
    execute_with(execution, &NoFaults)
}

fn execute_with<F: Faults>(execution: &Execution<'_>, faults: &F) -> Result<PacketsRun, Failure> {
    let cpus = all_cpus(execution.load);
    let clocks = cores::alone(&cpus, execution.calibration)?;
    pinning::confine(&cpus).map_err(|why| Failure::Machine(format!("CPUs: {why}")))?;
    let mut bench = Bench::new(execution, faults)?;
    let alone = bench.alone()?;
    let at_ns = HostClock::without_pmu(execution.calibration.ticks_per_ns).ticks();
    let (accounts, began) = (Accounts::read(&cpus), Instant::now());
    bench.pairs()?;
    let shares = Accounts::read(&cpus).shares_since(&accounts, began.elapsed().as_nanos() as f64);
    let device = bench.tools.first().and_then(Tools::place);
    let core_clocks = clocks.iter().map(|clock| bench.core_clock(clock)).collect();
    Ok(PacketsRun {
        case: execution.case.case,
        load: execution.load.clone(),
        at_ns,
        buffer_bytes: bench.buffer_bytes as u64,
        passes: bench.passes,
        core_clocks,
        shares,
        alone,
        checked_against: bench.right.by,
        energy: None,
        device,
    })
}

/// The CPU that submits, and those that process, each once.
fn all_cpus(load: &PacketLoad) -> Vec<u32> {
    let others = load.cpus.iter().copied().filter(|&cpu| cpu != load.submit_cpu);
    [load.submit_cpu].into_iter().chain(others).collect()
}

/// What a case keeps from pass to pass.
struct Bench<'a, F> {
    execution: &'a Execution<'a>,
    faults: &'a F,
    packets: Packets,
    scheduler: Scheduler,
    right: Right,
    tools: Vec<Tools>,
    /// Whose threads the devices among the tools need; given back after them.
    _offloaded: Offloaded<'a>,
    buffer_bytes: usize,
    passes: Vec<Pass>,
    /// The clocks of the CPUs before and after each pass: first of the one that submits, then of
    /// those that process.
    seen: Vec<Vec<[f64; 2]>>,
}

impl<'a, F: Faults> Bench<'a, F> {
    fn new(execution: &'a Execution<'a>, faults: &'a F) -> Result<Self, Failure> {
        let load = execution.load;
        let queue_bytes = Scheduler::bytes(load, execution.case.keys.max(1));
        let mut packets = Packets::new(execution, queue_bytes).map_err(Failure::Machine)?;
        let right = Right::of(execution, &mut packets)?;
        let offloaded = offloaded::wrapped(execution.provider, execution.case)?;
        let tools: Result<Vec<_>, _> =
            load.cpus.iter().map(|_| Tools::new(execution, &offloaded, &packets.keys)).collect();
        Ok(Self {
            execution,
            faults,
            scheduler: Scheduler::new(load, packets.flows),
            right,
            tools: tools?,
            _offloaded: offloaded,
            buffer_bytes: packets.bytes() + queue_bytes,
            packets,
            passes: Vec::new(),
            seen: Vec::new(),
        })
    }

    fn alone(&mut self) -> Result<Option<Alone>, Failure> {
        match self.tools.first_mut() {
            Some(Tools::Here(operators)) => {
                alone::measure(self.execution, operators, &self.packets).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// A pair that warms up, and pairs until their time is spent.
    fn pairs(&mut self) -> Result<(), Failure> {
        let load = self.execution.load;
        self.pair(0)?;
        self.passes.clear();
        self.seen.clear();
        let began = Instant::now();
        let longest = Duration::from_secs_f64(load.measure_ms / 1e3);
        let mut pairs = 0;
        while pairs < load.least_pairs || began.elapsed() < longest {
            self.pair(pairs)?;
            pairs += 1;
        }
        Ok(())
    }

    /// Both passes; which of them comes first alternates.
    fn pair(&mut self, number: u32) -> Result<(), Failure> {
        let mut kinds = [PassKind::Transfer, PassKind::Processing];
        kinds.rotate_left(number as usize % 2);
        kinds.into_iter().try_for_each(|kind| self.pass(kind))
    }

    fn pass(&mut self, kind: PassKind) -> Result<(), Failure> {
        let Self { execution, faults, scheduler, packets, tools, .. } = self;
        let (pass, seen) = pass(execution, scheduler, packets, tools, kind, *faults)?;
        if kind == PassKind::Processing
            && pass.lost == 0
            && let Some(packet) = self.right.wrong(&mut self.packets)
        {
            return Err(Failure::WrongAnswer(format!(
                "what was written for packet {packet} is not what {} answers",
                self.right.by
            )));
        }
        self.passes.push(pass);
        self.seen.push(seen);
        Ok(())
    }

    fn core_clock(&self, alone: &cores::Alone) -> CoreClock {
        let load = self.execution.load;
        let cpus = || [load.submit_cpu].into_iter().chain(load.cpus.iter().copied());
        let hz = |edges: &[usize]| {
            let of_pass = |seen: &Vec<[f64; 2]>| -> Vec<f64> {
                let mine = cpus().zip(seen).filter(|(cpu, _)| *cpu == alone.cpu);
                mine.flat_map(|(_, hz)| edges.iter().map(|&edge| hz[edge])).collect()
            };
            let mut seen: Vec<f64> = self.seen.iter().flat_map(of_pass).collect();
            seen.retain(|&hz| hz > 0.0);
            (!seen.is_empty()).then(|| median(&mut seen))
        };
        CoreClock {
            cpu: alone.cpu,
            alone_hz: alone.core_hz,
            loaded_hz: hz(&[0, 1]),
            opened_hz: hz(&[0]),
            closed_hz: hz(&[1]),
            offset_ns: alone.offset_ns,
            shares_core: alone.shares_core,
        }
    }
}
