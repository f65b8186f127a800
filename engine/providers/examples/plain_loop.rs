//! As `benchmarks/cells/loop.h`, for the libraries that are compiled into the engine: a loop written
//! by hand around one call, without anything of the engine. Prints cycles per message.
//!
//! `plain_loop rustcrypto` and `plain_loop aws-lc` are SHA-256 of 1024 bytes.

use std::hint::black_box;
use std::time::Instant;

use sha2::{Digest, Sha256};

const SAMPLES: usize = 201;
const BATCH_NS: f64 = 65e3;
const CHAIN: u32 = 12_800;

fn main() {
    let message = [3_u8; 1024];
    match std::env::args().nth(1).as_deref() {
        Some("rustcrypto") => {
            print_cost(|| {
                black_box(Sha256::digest(black_box(&message)));
            });
        }
        Some("aws-lc") => {
            let mut digest = [0; 32];
            print_cost(|| {
                let message = black_box(&message);
                // SAFETY: the message has that many bytes, and the digest 32.
                unsafe { aws_lc_sys::SHA256(message.as_ptr(), message.len(), digest.as_mut_ptr()) };
                black_box(&digest);
            });
        }
        _ => eprintln!("name a library: plain_loop rustcrypto, or plain_loop aws-lc"),
    }
}

/// Prints the 20th percentile over the samples of the cycles that one call takes.
fn print_cost(mut call: impl FnMut()) {
    let mut messages = 1;
    while batch_ns(&mut call, messages) < BATCH_NS / 2.0 {
        messages *= 2;
    }
    let mut costs: Vec<f64> = (0..SAMPLES)
        .map(|_| {
            let before = clock_rate();
            let ns = batch_ns(&mut call, messages);
            ns * (before + clock_rate()) / 2.0 / f64::from(messages)
        })
        .collect();
    costs.sort_by(f64::total_cmp);
    println!("{:.3}", costs[SAMPLES / 5]);
}

fn batch_ns(call: &mut impl FnMut(), messages: u32) -> f64 {
    let start = Instant::now();
    (0..messages).for_each(|_| call());
    start.elapsed().as_nanos() as f64
}

/// Core cycles per nanosecond: each addition waits for the one before, and takes one cycle.
fn clock_rate() -> f64 {
    let start = Instant::now();
    let mut sum = 1_u64;
    for _ in 0..CHAIN / 16 {
        sum = sixteen_chained(sum);
    }
    black_box(sum);
    f64::from(CHAIN) / start.elapsed().as_nanos() as f64
}

#[inline(always)]
fn sixteen_chained(mut sum: u64) -> u64 {
    // SAFETY: an addition of two registers touches no memory.
    unsafe {
        #[cfg(target_arch = "x86_64")]
        std::arch::asm!(".rept 16", "add {0}, {0}", ".endr", inout(reg) sum, options(nomem, nostack));
        #[cfg(target_arch = "aarch64")]
        std::arch::asm!(".rept 16", "add {0}, {0}, {0}", ".endr", inout(reg) sum, options(nomem, nostack));
    }
    sum
}
