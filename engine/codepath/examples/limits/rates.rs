//! Cycles that one instruction of a kind takes where many follow each other and none waits.

use std::arch::{asm, is_x86_feature_detected};
use std::hint::black_box;
use std::time::Instant;

/// Instructions of each loop; a multiple of the registers that the loops go round.
const INSTRUCTIONS: u32 = 40 * 12 * 200;
const REPEATS: u32 = 200;

/// Core cycles of an instruction.
pub struct Rates {
    /// What the vectors are called here: `ymm` or `zmm`.
    registers: &'static str,
    pub logic: f64,
    pub add: f64,
    pub shift: f64,
    pub shuffle: f64,
    pub aes: f64,
    pub multiply: f64,
    pub load: f64,
}

/// A loop of twelve independent chains of one instruction; `{r}` is a chain's register.
macro_rules! chains {
    ($instruction:literal) => {{
        fn run() {
            // SAFETY: the instruction changes the declared registers alone and reads at most the
            // memory that r8 points at; the processor has it, which the caller looks for.
            unsafe {
                asm!(
                    "2:",
                    ".rept 40",
                    ".irp r, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11",
                    $instruction,
                    ".endr",
                    ".endr",
                    "dec {count:e}",
                    "jnz 2b",
                    count = inout(reg) INSTRUCTIONS / 40 / 12 => _,
                    in("r8") black_box([0u8; 64].as_ptr()),
                    out("xmm0") _, out("xmm1") _, out("xmm2") _, out("xmm3") _, out("xmm4") _,
                    out("xmm5") _, out("xmm6") _, out("xmm7") _, out("xmm8") _, out("xmm9") _,
                    out("xmm10") _, out("xmm11") _,
                    options(nostack, readonly),
                );
            }
        }
        cycles(run)
    }};
}

impl Rates {
    pub fn measure() -> Self {
        if is_x86_feature_detected!("avx512vbmi") && is_x86_feature_detected!("gfni") {
            Self {
                registers: "zmm",
                logic: chains!("vpternlogq zmm\\r, zmm12, zmm13, 0x96"),
                add: chains!("vpaddb zmm\\r, zmm\\r, zmm12"),
                shift: chains!("vpsrld zmm\\r, zmm\\r, 7"),
                shuffle: chains!("vpermi2b zmm\\r, zmm12, zmm13"),
                aes: chains!("vaesenc zmm\\r, zmm\\r, zmm12"),
                multiply: chains!("vpclmulqdq zmm\\r, zmm\\r, zmm12, 0"),
                load: chains!("vmovdqu64 zmm\\r, [r8]"),
            }
        } else {
            Self {
                registers: "ymm",
                logic: chains!("vpxor ymm\\r, ymm\\r, ymm12"),
                add: chains!("vpaddb ymm\\r, ymm\\r, ymm12"),
                shift: chains!("vpsrld ymm\\r, ymm\\r, 7"),
                shuffle: chains!("vpshufb ymm\\r, ymm\\r, ymm12"),
                aes: chains!("aesenc xmm\\r, xmm12"),
                multiply: chains!("pclmulqdq xmm\\r, xmm12, 0"),
                load: chains!("vmovdqu ymm\\r, [r8]"),
            }
        }
    }

    pub fn print(&self) {
        let Self { registers, logic, add, shift, shuffle, aes, multiply, load } = self;
        println!("cycles per instruction ({registers}; AES and products of AVX2 machines: xmm)");
        println!("  logic {logic:.2}  add {add:.2}  shift {shift:.2}  shuffle {shuffle:.2}");
        println!("  AES {aes:.2}  carry-less product {multiply:.2}  load {load:.2}\n");
    }
}

/// Core cycles of one instruction of a loop.
fn cycles(run: fn()) -> f64 {
    let (mut loops, mut chain) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..REPEATS {
        loops = loops.min(seconds(run));
        chain = chain.min(seconds(additions));
    }
    loops / chain
}

/// As many dependent additions as a loop has instructions: a cycle each.
pub fn additions() {
    // SAFETY: changes the declared registers alone.
    unsafe {
        asm!(
            "2:",
            ".rept 480",
            "add {sum}, {sum}",
            ".endr",
            "dec {count:e}",
            "jnz 2b",
            count = inout(reg) INSTRUCTIONS / 480 => _,
            sum = inout(reg) 1u64 => _,
            options(nostack, nomem),
        );
    }
}

/// Seconds of the additions over their number: how long a cycle is.
pub fn cycle_seconds() -> f64 {
    seconds(additions) / f64::from(INSTRUCTIONS)
}

fn seconds(run: impl FnOnce()) -> f64 {
    let begin = Instant::now();
    run();
    begin.elapsed().as_secs_f64()
}
