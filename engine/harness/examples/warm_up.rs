//! Whether one slice that is not timed is enough to warm the processor up: the first slices of wide
//! vector code after a pause, in core cycles, beside later ones.
//!
//! `warm_up CPU` prints two lines for each width that the processor has. The first: the median over many
//! pauses of slice 0, 1, … over that of the last ones. Slice 0 is the one that the engine does not time. The
//! second: how many slices of a microsecond the processor stops in, when a look comes right before them, and
//! when the code runs for a microsecond between the look and the slice, as the engine has it.

#[cfg(target_arch = "x86_64")]
fn main() {
    use ciphermark_harness::{Calibration, Clock, HostClock, clock, pinning};

    const PAUSES: usize = 301;
    const PAUSE: std::time::Duration = std::time::Duration::from_millis(10);
    const SLICES: usize = 12;
    /// Of which the mean is what a slice costs when all is warm.
    const LAST: usize = 4;
    const WARM_FOR: std::time::Duration = std::time::Duration::from_millis(1);
    /// A slice that takes so much longer than half of them has been stopped in.
    const STOP_NS: f64 = 600.0;

    let cpu = std::env::args().nth(1).and_then(|it| it.parse().ok()).unwrap_or(0);
    pinning::pin(cpu).expect("the CPU is there");
    let mut clock = HostClock::open();
    let nominal_hz = clock.nominal_hz(cpu);
    let calibration = Calibration::measure(&mut clock, nominal_hz);
    // Slices of 12 µs at 4 GHz, where two multiplications begin in a cycle or one of 512 bits.
    type Width = (u32, bool, fn(u32), u32);
    let widths: [Width; 3] = [
        (128, std::arch::is_x86_feature_detected!("avx"), multiply_128, 12_000),
        (256, std::arch::is_x86_feature_detected!("avx2"), multiply_256, 12_000),
        (512, std::arch::is_x86_feature_detected!("avx512f"), multiply_512, 6_000),
    ];
    for (bits, _, multiply, count) in widths.into_iter().filter(|it| it.1) {
        let mut slices = vec![Vec::new(); SLICES];
        for _ in 0..PAUSES {
            std::thread::sleep(PAUSE);
            let mut before = calibration.look(&mut clock);
            let mut pause = Vec::with_capacity(SLICES);
            for _ in 0..SLICES {
                let start = clock.ticks();
                multiply(count);
                let ticks = (clock.ticks() - start) as f64 - calibration.slice_cost_ticks;
                let after = calibration.look(&mut clock);
                let hz = before.core_hz.max(after.core_hz);
                pause.push((ticks / calibration.ticks_per_ns * hz / 1e9, after.crowded));
                before = after;
            }
            if pause.iter().all(|(_, crowded)| !crowded) {
                slices.iter_mut().zip(pause).for_each(|(all, (cycles, _))| all.push(cycles));
            }
        }
        if slices[0].is_empty() {
            println!("{bits} bits: no pause with the core alone");
            continue;
        }
        let costs: Vec<f64> = slices.iter_mut().map(|it| clock::median(it)).collect();
        let warm = costs[SLICES - LAST..].iter().sum::<f64>() / LAST as f64;
        let shares: Vec<String> =
            costs.iter().map(|cycles| format!("{:+.2}", (cycles / warm - 1.0) * 100.0)).collect();
        let pauses = slices[0].len();
        println!("{bits} bits, {warm:.0} cycles, {pauses} pauses, %: {}", shares.join(" "));

        let short = count / 12;
        let mut slices = [Vec::new(), Vec::new()]; // right after a look, and with code before
        for pause in 0..2 * PAUSES {
            std::thread::sleep(PAUSE);
            let began = std::time::Instant::now();
            while began.elapsed() < WARM_FOR {
                multiply(count);
            }
            let mut was_crowded = calibration.look(&mut clock).crowded;
            for _ in 0..LAST {
                multiply(if pause % 2 == 0 { 0 } else { short });
                let start = clock.ticks();
                multiply(short);
                let ticks = (clock.ticks() - start) as f64;
                let is_crowded = calibration.look(&mut clock).crowded;
                if !was_crowded && !is_crowded {
                    slices[pause % 2].push(ticks / calibration.ticks_per_ns);
                }
                was_crowded = is_crowded;
            }
        }
        let stopped = slices.map(|mut slices| {
            if slices.is_empty() {
                return "none with the core alone".into();
            }
            let longest = clock::median(&mut slices) + STOP_NS;
            let stopped = slices.iter().filter(|&&ns| ns > longest).count();
            format!("{:.1} % of {}", 100.0 * stopped as f64 / slices.len() as f64, slices.len())
        });
        println!(
            "{bits} bits, stopped in after a look, and with code before: {}",
            stopped.join(", ")
        );
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn main() {
    println!("there is no code for this processor");
}

#[cfg(target_arch = "x86_64")]
macro_rules! multiply {
    ($name:ident, $instruction:literal, $register:literal) => {
        /// Multiplies so often in each of eight registers of this width.
        #[inline(never)]
        fn $name(count: u32) {
            // SAFETY: only the named registers are changed, and the caller has looked whether the
            // processor has the instruction.
            unsafe {
                std::arch::asm!(
                    "test {left:e}, {left:e}",
                    "jz 3f",
                    "2:",
                    concat!($instruction, " ", $register, "8, ", $register, "8, ", $register, "0"),
                    concat!($instruction, " ", $register, "9, ", $register, "9, ", $register, "0"),
                    concat!($instruction, " ", $register, "10, ", $register, "10, ", $register, "0"),
                    concat!($instruction, " ", $register, "11, ", $register, "11, ", $register, "0"),
                    concat!($instruction, " ", $register, "12, ", $register, "12, ", $register, "0"),
                    concat!($instruction, " ", $register, "13, ", $register, "13, ", $register, "0"),
                    concat!($instruction, " ", $register, "14, ", $register, "14, ", $register, "0"),
                    concat!($instruction, " ", $register, "15, ", $register, "15, ", $register, "0"),
                    "sub {left:e}, 1",
                    "jnz 2b",
                    "3:",
                    left = inout(reg) count => _,
                    out("xmm8") _, out("xmm9") _, out("xmm10") _, out("xmm11") _,
                    out("xmm12") _, out("xmm13") _, out("xmm14") _, out("xmm15") _,
                    options(nomem, nostack),
                );
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
multiply!(multiply_128, "vpmuludq", "xmm");
#[cfg(target_arch = "x86_64")]
multiply!(multiply_256, "vpmuludq", "ymm");
#[cfg(target_arch = "x86_64")]
multiply!(multiply_512, "vpmuludq", "zmm");
