//! What the function costs without the queue: one thread processes the same packets.

use ciphermark_harness::clock::median;
use ciphermark_harness::{Clock, HostClock, pinning, processor_state};
use ciphermark_record::packets::Alone;

use super::Execution;
use super::buffers::{Packets, Stage, message_lengths};
use super::work::{Operators, Work};
use crate::caches::Eviction;
use crate::cores;
use crate::failure::Failure;

/// Of messages that stay in a first-level cache together with their answers.
const HOT_BYTES: usize = 8 << 10;
/// Hot packets are processed again and again for so long, and so is what is cold once at least.
const LONGEST_NS: f64 = 20e6;
const MOST_TURNS: usize = 7;
const LOOKS: usize = 5;

/// Measures both on the first of the CPUs that process packets.
pub fn measure(
    execution: &Execution<'_>,
    operators: &mut Operators,
    packets: &Packets,
) -> Result<Alone, Failure> {
    let cpu = execution.load.cpus[0];
    let measured = std::thread::scope(|scope| {
        let thread = scope.spawn(|| {
            pinning::pin(cpu)
                .map_err(|why| Failure::Machine(format!("CPU {cpu} cannot be used: {why}")))?;
            let work = Work::new(operators, packets, execution.case.lanes as usize);
            Bench::new(execution, work).alone(packets.count)
        });
        thread.join()
    });
    measured.unwrap_or_else(|_| Err(Failure::Machine(format!("a thread on CPU {cpu} panicked"))))
}

struct Bench<'a> {
    execution: &'a Execution<'a>,
    work: Work<'a>,
    clock: HostClock,
    numbers: Vec<u32>,
}

impl<'a> Bench<'a> {
    fn new(execution: &'a Execution<'a>, work: Work<'a>) -> Self {
        let clock = HostClock::without_pmu(execution.calibration.ticks_per_ns);
        Self { execution, work, clock, numbers: Vec::with_capacity(execution.load.batch as usize) }
    }

    fn alone(mut self, count: u32) -> Result<Alone, Failure> {
        let hot = self.hot_packets(count);
        self.process(hot)?; // brings them into the cache
        let hot_ticks = self.repeated(hot, || ())?;
        let eviction = Eviction::new().map_err(Failure::Machine)?;
        let cold_ticks = self.repeated(count, || eviction.run())?;
        let hz = cores::core_hz(self.execution.calibration, &mut self.clock, LOOKS);
        let cycles = |ticks: f64| ticks / self.execution.calibration.ticks_per_ns * hz / 1e9;
        Ok(Alone {
            hot_cycles: cycles(hot_ticks) * f64::from(count) / f64::from(hot),
            cold_cycles: cycles(cold_ticks),
        })
    }

    /// As many of the first packets as stay in the cache: whole turns of a profile and whole calls,
    /// at least one of each.
    fn hot_packets(&self, count: u32) -> u32 {
        let lengths = message_lengths(self.execution);
        let lanes = self.execution.case.lanes as usize;
        let longest = lengths.iter().copied().max().unwrap_or(0).max(1);
        let fitting = HOT_BYTES / longest;
        let unit = if lengths.len() > 1 { lengths.len().next_multiple_of(lanes) } else { lanes };
        ((fitting / unit).max(1) * unit).min(count as usize) as u32
    }

    /// Median ticks of processing the first so many packets, after `prepare` each time.
    fn repeated(&mut self, count: u32, mut prepare: impl FnMut()) -> Result<f64, Failure> {
        let longest = LONGEST_NS * self.execution.calibration.ticks_per_ns;
        let mut ticks = Vec::new();
        while ticks.len() < MOST_TURNS && ticks.iter().sum::<f64>() < longest {
            prepare();
            processor_state::clean();
            let began = self.clock.ticks();
            self.process(count)?;
            ticks.push((self.clock.ticks() - began) as f64);
        }
        Ok(median(&mut ticks))
    }

    /// The first so many packets, in batches as workers have them.
    fn process(&mut self, count: u32) -> Result<(), Failure> {
        let load = self.execution.load;
        for first in (0..count).step_by(load.batch as usize) {
            self.numbers.clear();
            self.numbers.extend(first..count.min(first + load.batch));
            self.work.begin();
            for numbers in self.numbers.chunks(self.execution.case.lanes as usize) {
                // SAFETY: no other thread has anything of the packets now.
                unsafe {
                    self.work.process(numbers, Stage::First)?;
                    if self.work.has_second() {
                        self.work.process(numbers, Stage::Second)?;
                    }
                }
            }
        }
        Ok(())
    }
}
