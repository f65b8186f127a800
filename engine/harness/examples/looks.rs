//! Whether looks at the core see a neighbour on another thread of it: slices of a loop that loads, and
//! multiplies in vectors, each between two looks.
//!
//! `looks CPU` prints the share of slices beside which both looks found the core alone and, of those and of
//! all, how many took over 5 % longer than they do alone. Beside no neighbour it tells nothing.

use std::hint::black_box;

use ciphermark_harness::{Calibration, Clock, HostClock, clock, pinning};

const SLICES: usize = 100_000;
/// Bytes that each pass of a slice reads, which lie in the nearest cache, and passes: about 10 µs.
const BYTES: usize = 16 << 10;
const PASSES: u32 = 24;
/// A slice that takes this much longer than alone was beside a neighbour.
const SLOW: f64 = 1.05;

fn main() {
    let cpu = std::env::args().nth(1).and_then(|it| it.parse().ok()).unwrap_or(0);
    pinning::pin(cpu).expect("the CPU is there");
    let mut clock = HostClock::open();
    let nominal_hz = clock.nominal_hz(cpu);
    let calibration = Calibration::measure(&mut clock, nominal_hz);
    println!("four additions over one in quiet moments: {:.3}", calibration.width_ratio);
    let text = vec![3_u32; BYTES / 4];
    let mut before = calibration.look(&mut clock);
    let slices: Vec<(f64, bool)> = (0..SLICES)
        .map(|_| {
            let start = clock.ticks();
            for pass in 0..PASSES {
                black_box(mixed(&text, pass));
            }
            let ns = (clock.ticks() - start) as f64 / calibration.ticks_per_ns;
            let after = calibration.look(&mut clock);
            let cycles = ns * before.cycle_hz_until(&after) / 1e9;
            let is_alone = !before.crowded && !after.crowded;
            before = after;
            (cycles, is_alone)
        })
        .collect();
    let mut alone: Vec<f64> = slices.iter().filter(|it| it.1).map(|it| it.0).collect();
    if alone.is_empty() {
        println!("no slice with the core alone");
        return;
    }
    alone.sort_by(f64::total_cmp);
    let usual = alone[alone.len() / 5];
    let slow = |all: &[f64]| {
        let slow = all.iter().filter(|&&cycles| cycles > SLOW * usual).count();
        100.0 * slow as f64 / all.len() as f64
    };
    let mut all: Vec<f64> = slices.iter().map(|it| it.0).collect();
    let share = 100.0 * alone.len() as f64 / all.len() as f64;
    println!("alone by looks: {share:.1} % of {SLICES} slices, {:.1} % of them slow", slow(&alone));
    println!("all slices: {:.1} % slow, median {:.2}", slow(&all), clock::median(&mut all) / usual);
}

/// As a MAC over words would be, for the compiler to write by vectors.
#[inline(never)]
fn mixed(text: &[u32], key: u32) -> u32 {
    text.iter()
        .fold(0, |sum, word| sum.wrapping_add((word ^ key).wrapping_mul(word.wrapping_add(key))))
}
