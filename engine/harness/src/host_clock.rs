//! The clocks of this machine.

use std::time::{Duration, Instant};

use ciphermark_record::environment::Pmu;
use rustix::time::ClockId;

use crate::clock::Clock;
use crate::pmu::CycleCounter;
use crate::usage::{ThreadUsage, nanoseconds};

/// Reads the processor's own counter where it runs at a constant rate, else the kernel's clock.
pub struct HostClock {
    source: WallSource,
    ticks_per_ns: f64,
    pmu: Result<CycleCounter, String>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum WallSource {
    /// The counter that user code may read: TSC or CNTVCT.
    Counter,
    Monotonic,
}

impl WallSource {
    fn best() -> Self {
        if counter::is_constant() { Self::Counter } else { Self::Monotonic }
    }
}

/// Long enough for a rate that is good to a millionth: the kernel's clock is read to some 30 ns.
const RATE_WINDOW: Duration = Duration::from_millis(40);

/// Readings at each end of it, of which that counts which took the shortest: an interruption between the
/// two clocks, of a millisecond say, would be an error of 2.5 %.
const RATE_READINGS: u32 = 9;

impl HostClock {
    /// Opens the clocks of the calling thread. Takes some 40 ms, in which the counter's rate is
    /// compared with the kernel's clock.
    pub fn open() -> Self {
        let source = WallSource::best();
        let ticks_per_ns = match source {
            WallSource::Counter => counter_rate(),
            WallSource::Monotonic => 1.0,
        };
        Self { source, ticks_per_ns, pmu: CycleCounter::open() }
    }

    /// The same with a rate that another process has found.
    pub fn with_rate(ticks_per_ns: f64) -> Self {
        Self { pmu: CycleCounter::open(), ..Self::without_pmu(ticks_per_ns) }
    }

    /// The same without a hardware counter, for one of many threads: each would keep a file open.
    pub fn without_pmu(ticks_per_ns: f64) -> Self {
        let source = WallSource::best();
        Self { source, ticks_per_ns, pmu: Err("not asked for".into()) }
    }

    /// Name of the wall clock for the record.
    pub fn wall_source(&self) -> &'static str {
        match self.source {
            WallSource::Counter => counter::NAME,
            WallSource::Monotonic => "monotonic",
        }
    }

    /// The clock that the processor is sold with, for when cycles cannot be measured: what cpufreq
    /// knows, else the rate of the wall clock's counter, which on x86-64 is the base clock.
    pub fn nominal_hz(&self, cpu: u32) -> f64 {
        let khz = |file: &str| {
            let path = format!("/sys/devices/system/cpu/cpu{cpu}/cpufreq/{file}");
            std::fs::read_to_string(path).ok()?.trim().parse::<f64>().ok()
        };
        let known = khz("base_frequency").or_else(|| khz("cpuinfo_max_freq"));
        known.map_or(self.ticks_per_ns * 1e9, |khz| khz * 1e3)
    }

    /// Whether there is a hardware cycle counter, or why not.
    pub fn pmu(&self) -> Pmu {
        match &self.pmu {
            Ok(_) => Pmu { usable: true, reason: String::new() },
            Err(reason) => Pmu { usable: false, reason: reason.clone() },
        }
    }

    /// Gives the hardware counter up, because what it counts was found to be wrong.
    pub fn distrust_pmu(&mut self, reason: String) {
        self.pmu = Err(reason);
    }
}

fn counter_rate() -> f64 {
    let origin = Instant::now();
    let kernel_ns = || origin.elapsed().as_nanos() as f64;
    rate(counter::read, kernel_ns, || std::thread::sleep(RATE_WINDOW))
}

/// Ticks of a counter in a nanosecond of another clock, from before `pass` to after it.
fn rate(mut ticks: impl FnMut() -> u64, mut ns: impl FnMut() -> f64, pass: impl FnOnce()) -> f64 {
    let mut end = || {
        let readings = (0..RATE_READINGS).map(|_| {
            let (before, ns, after) = (ticks(), ns(), ticks());
            (after - before, before + (after - before) / 2, ns)
        });
        readings.min_by_key(|&(lasted, _, _)| lasted).map_or((0, 0.0), |(_, at, ns)| (at, ns))
    };
    let from = end();
    pass();
    let to = end();
    (to.0 - from.0) as f64 / (to.1 - from.1)
}

impl Clock for HostClock {
    #[inline]
    fn ticks(&mut self) -> u64 {
        match self.source {
            WallSource::Counter => counter::read(),
            WallSource::Monotonic => nanoseconds(ClockId::Monotonic),
        }
    }

    fn ticks_per_ns(&self) -> f64 {
        self.ticks_per_ns
    }

    fn thread_cpu_ns(&mut self) -> u64 {
        nanoseconds(ClockId::ThreadCPUTime)
    }

    fn involuntary_switches(&mut self) -> u64 {
        ThreadUsage::read().preemptions
    }

    fn cpu(&mut self) -> usize {
        rustix::thread::sched_getcpu()
    }

    fn additions(&mut self, count: u32) {
        chain::additions(count);
    }

    fn wide_additions(&mut self, steps: u32) {
        chain::wide_additions(steps);
    }

    fn control_chain(&mut self, cycles: u32) {
        chain::control(cycles);
    }

    fn pmu_cycles(&mut self) -> Option<u64> {
        self.pmu.as_mut().ok().and_then(CycleCounter::read)
    }
}

#[cfg(target_arch = "x86_64")]
mod counter {
    use std::arch::x86_64::{__cpuid, _mm_lfence, _rdtsc};

    pub const NAME: &str = "tsc";

    /// CPUID 8000_0007h EDX bit 8: the counter runs at one rate in all power states.
    pub fn is_constant() -> bool {
        const POWER_LEAF: u32 = 0x8000_0007;
        __cpuid(0x8000_0000).eax >= POWER_LEAF && __cpuid(POWER_LEAF).edx & (1 << 8) != 0
    }

    /// The fences keep the reading between what is before and after it; without them the
    /// processor would start timed code early.
    #[inline]
    pub fn read() -> u64 {
        // SAFETY: every x86-64 processor has LFENCE (SSE2) and RDTSC, and Linux lets user code
        // execute the latter.
        unsafe {
            _mm_lfence();
            let ticks = _rdtsc();
            _mm_lfence();
            ticks
        }
    }
}

#[cfg(target_arch = "aarch64")]
mod counter {
    pub const NAME: &str = "cntvct";

    /// The architecture demands one rate (Arm ARM, D12 "The Generic Timer").
    pub fn is_constant() -> bool {
        true
    }

    #[inline]
    pub fn read() -> u64 {
        let ticks: u64;
        // SAFETY: Linux lets user code read CNTVCT_EL0; ISB only orders.
        unsafe {
            std::arch::asm!("isb", "mrs {}, cntvct_el0", "isb", out(reg) ticks, options(nomem, nostack));
        }
        ticks
    }
}

/// Other processors have a counter as well, which not every kernel lets user code read.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
mod counter {
    use rustix::time::ClockId;

    pub const NAME: &str = "monotonic";

    pub fn is_constant() -> bool {
        false
    }

    #[inline]
    pub fn read() -> u64 {
        crate::usage::nanoseconds(ClockId::Monotonic)
    }
}

/// Chains of dependent instructions. Register operands only: recent cores fold additions of
/// constants into register renaming, where they take no time at all.
#[cfg(target_arch = "x86_64")]
mod chain {
    use std::arch::asm;

    /// Instructions per loop iteration: the loop's own two instructions run beside the chain.
    const UNROLLED: u32 = 32;
    const MULTIPLY_CYCLES: u32 = 3;

    pub fn additions(count: u32) {
        // SAFETY: only the named registers are changed.
        unsafe {
            asm!(
                "2:",
                ".rept 32",
                "add {sum}, {one}",
                ".endr",
                "sub {left:e}, 1",
                "jnz 2b",
                sum = inout(reg) 0_u64 => _,
                one = in(reg) 1_u64,
                left = inout(reg) (count / UNROLLED).max(1) => _,
                options(nomem, nostack),
            );
        }
    }

    /// Steps per loop iteration of the wide chain.
    const WIDE_UNROLLED: u32 = 8;

    pub fn wide_additions(steps: u32) {
        // SAFETY: only the named registers are changed.
        unsafe {
            asm!(
                "2:",
                ".rept 8",
                "add {a}, {one}",
                "add {b}, {one}",
                "add {c}, {one}",
                "add {d}, {one}",
                "add {e}, {one}",
                "add {f}, {one}",
                "add {g}, {one}",
                "add {h}, {one}",
                ".endr",
                "sub {left:e}, 1",
                "jnz 2b",
                a = inout(reg) 0_u64 => _,
                b = inout(reg) 0_u64 => _,
                c = inout(reg) 0_u64 => _,
                d = inout(reg) 0_u64 => _,
                e = inout(reg) 0_u64 => _,
                f = inout(reg) 0_u64 => _,
                g = inout(reg) 0_u64 => _,
                h = inout(reg) 0_u64 => _,
                one = in(reg) 1_u64,
                left = inout(reg) (steps / WIDE_UNROLLED).max(1) => _,
                options(nomem, nostack),
            );
        }
    }

    /// A 64-bit multiplication takes three cycles on every x86-64 core since 2008.
    pub fn control(cycles: u32) {
        // SAFETY: only the named registers are changed.
        unsafe {
            asm!(
                "2:",
                ".rept 32",
                "imul {product}, {three}",
                ".endr",
                "sub {left:e}, 1",
                "jnz 2b",
                product = inout(reg) 1_u64 => _,
                three = in(reg) 3_u64,
                left = inout(reg) (cycles / UNROLLED / MULTIPLY_CYCLES).max(1) => _,
                options(nomem, nostack),
            );
        }
    }
}

/// Chain of additions for processors whose instructions name the register of the sum.
#[cfg(not(target_arch = "x86_64"))]
mod chain {
    use std::arch::asm;

    const UNROLLED: u32 = 32;

    /// Counts a loop down and begins it anew until nothing is left.
    #[cfg(target_arch = "aarch64")]
    macro_rules! again {
        () => {
            "subs {left}, {left}, #1\nb.ne 2b"
        };
    }
    #[cfg(target_arch = "arm")]
    macro_rules! again {
        () => {
            "subs {left}, {left}, #1\nbne 2b"
        };
    }
    #[cfg(target_arch = "riscv64")]
    macro_rules! again {
        () => {
            "addi {left}, {left}, -1\nbnez {left}, 2b"
        };
    }
    #[cfg(not(any(target_arch = "aarch64", target_arch = "arm", target_arch = "riscv64")))]
    compile_error!("ciphermark-engine runs on x86-64, arm64, armv7 and riscv64");

    /// Exclusive-or of registers takes one cycle everywhere; multiplications differ between cores.
    #[cfg(target_arch = "riscv64")]
    macro_rules! exclusive_or {
        () => {
            "xor {sum}, {sum}, {one}"
        };
    }
    #[cfg(not(target_arch = "riscv64"))]
    macro_rules! exclusive_or {
        () => {
            "eor {sum}, {sum}, {one}"
        };
    }

    fn iterations(steps: u32, unrolled: u32) -> usize {
        (steps / unrolled).max(1) as usize
    }

    pub fn additions(count: u32) {
        // SAFETY: only the named registers are changed.
        unsafe {
            asm!(
                "2:",
                ".rept 32",
                "add {sum}, {sum}, {one}",
                ".endr",
                again!(),
                sum = inout(reg) 0_usize => _,
                one = in(reg) 1_usize,
                left = inout(reg) iterations(count, UNROLLED) => _,
                options(nomem, nostack),
            );
        }
    }

    /// Steps per loop iteration of the wide chain.
    const WIDE_UNROLLED: u32 = 8;

    pub fn wide_additions(steps: u32) {
        // SAFETY: only the named registers are changed.
        unsafe {
            asm!(
                "2:",
                ".rept 8",
                "add {a}, {a}, {one}",
                "add {b}, {b}, {one}",
                "add {c}, {c}, {one}",
                "add {d}, {d}, {one}",
                "add {e}, {e}, {one}",
                "add {f}, {f}, {one}",
                "add {g}, {g}, {one}",
                "add {h}, {h}, {one}",
                ".endr",
                again!(),
                a = inout(reg) 0_usize => _,
                b = inout(reg) 0_usize => _,
                c = inout(reg) 0_usize => _,
                d = inout(reg) 0_usize => _,
                e = inout(reg) 0_usize => _,
                f = inout(reg) 0_usize => _,
                g = inout(reg) 0_usize => _,
                h = inout(reg) 0_usize => _,
                one = in(reg) 1_usize,
                left = inout(reg) iterations(steps, WIDE_UNROLLED) => _,
                options(nomem, nostack),
            );
        }
    }

    pub fn control(cycles: u32) {
        // SAFETY: only the named registers are changed.
        unsafe {
            asm!(
                "2:",
                ".rept 32",
                exclusive_or!(),
                ".endr",
                again!(),
                sum = inout(reg) 0_usize => _,
                one = in(reg) 1_usize,
                left = inout(reg) iterations(cycles, UNROLLED) => _,
                options(nomem, nostack),
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wall_clock_never_runs_backwards() {
        let mut clock = HostClock::open();
        let mut last = clock.ticks();
        for _ in 0..10_000 {
            let now = clock.ticks();
            assert!(now >= last);
            last = now;
        }
    }

    /// The rate that is found of a counter of 2.5 ticks a nanosecond, where a reading takes 30 ns and
    /// those with these numbers are interrupted for a millisecond behind the first clock.
    fn rate_beside(interrupted: &[u32]) -> f64 {
        let now = std::cell::Cell::new(0.0_f64);
        let reading = std::cell::Cell::new(0);
        let pass = |ns: f64| now.set(now.get() + ns);
        let ticks = || {
            pass(15.0);
            (now.get() * 2.5) as u64
        };
        let ns = || {
            if interrupted.contains(&reading.replace(reading.get() + 1)) {
                pass(1e6);
            }
            pass(30.0);
            now.get()
        };
        rate(ticks, ns, || pass(40e6))
    }

    #[test]
    fn an_interruption_between_two_clocks_does_not_move_their_rate() {
        for interrupted in [&[][..], &[0], &[0, 1, 2, 3], &[9, 17], &[0, 2, 4, 10, 12, 14]] {
            let rate = rate_beside(interrupted);
            assert!((rate / 2.5 - 1.0).abs() < 1e-5, "{rate} beside {interrupted:?}");
        }
    }

    #[test]
    fn thread_cpu_time_passes_while_working() {
        let mut clock = HostClock::open();
        let before = clock.thread_cpu_ns();
        clock.additions(10_000_000);
        assert!(clock.thread_cpu_ns() > before);
    }

    #[test]
    fn the_absence_of_a_pmu_has_a_reason() {
        let pmu = HostClock::open().pmu();
        assert_ne!(pmu.usable, !pmu.reason.is_empty());
    }
}
