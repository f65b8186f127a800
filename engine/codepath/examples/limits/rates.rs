//! Cycles that one instruction of a kind takes where many follow each other and none waits.

use std::arch::{asm, is_x86_feature_detected};
use std::hint::black_box;
use std::time::Instant;

/// Instructions of each loop; a multiple of the registers that the loops go round.
const INSTRUCTIONS: u32 = 40 * 12 * 200;
const REPEATS: u32 = 200;

/// What is loaded: a vector that lies in one line of the cache.
static LINE: Line = Line([0; 64]);

#[repr(align(64))]
struct Line(#[expect(dead_code, reason = "assembly reads it")] [u8; 64]);

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
    pub carryless_multiply: f64,
    pub load: f64,
    /// A product of doubles and a sum.
    pub double_product: f64,
    /// Of general registers.
    pub general_multiply: f64,
    /// Of any kind: how many instructions enter the processor.
    pub any: f64,
}

/// A loop of twelve independent chains of one vector instruction; `\\r` is a chain's register.
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
                    in("r8") black_box(&raw const LINE),
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
                multiply: chains!("vpmuludq zmm\\r, zmm\\r, zmm12"),
                carryless_multiply: chains!("vpclmulqdq zmm\\r, zmm\\r, zmm12, 0"),
                load: chains!("vmovdqu64 zmm\\r, [r8]"),
                double_product: chains!("vfmadd231pd zmm\\r, zmm12, zmm13"),
                general_multiply: cycles(general_products),
                any: chains!("nop"),
            }
        } else {
            Self {
                registers: "ymm",
                logic: chains!("vpxor ymm\\r, ymm\\r, ymm12"),
                add: chains!("vpaddb ymm\\r, ymm\\r, ymm12"),
                shift: chains!("vpsrld ymm\\r, ymm\\r, 7"),
                shuffle: chains!("vpshufb ymm\\r, ymm\\r, ymm12"),
                aes: chains!("aesenc xmm\\r, xmm12"),
                multiply: chains!("vpmuludq ymm\\r, ymm\\r, ymm12"),
                carryless_multiply: chains!("pclmulqdq xmm\\r, xmm12, 0"),
                load: chains!("vmovdqu ymm\\r, [r8]"),
                double_product: chains!("vfmadd231pd ymm\\r, ymm12, ymm13"),
                general_multiply: cycles(general_products),
                any: chains!("nop"),
            }
        }
    }

    pub fn print(&self) {
        let registers = self.registers;
        println!("cycles per instruction ({registers}; AES and carry-less of AVX2 machines: xmm)");
        for (name, cycles) in [
            ("logic", self.logic),
            ("add", self.add),
            ("shift", self.shift),
            ("shuffle", self.shuffle),
            ("AES", self.aes),
            ("product", self.multiply),
            ("carry-less product", self.carryless_multiply),
            ("load", self.load),
            ("product and sum of doubles", self.double_product),
            ("product of general registers", self.general_multiply),
            ("any", self.any),
        ] {
            print!("  {name} {cycles:.2}");
        }
        println!("\n");
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

/// Core cycles for a byte of memory that is read over and over, by vectors of 32 bytes.
pub fn reading(memory: &[u8]) -> f64 {
    const STEP: usize = 8 * 32;
    let steps = memory.len() / STEP;
    let (mut least, mut cycle) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..REPEATS {
        cycle = cycle.min(cycle_seconds());
        least = least.min(seconds(|| {
            // SAFETY: reads whole steps of the memory, by instructions that the processor has where
            // rates are measured, and changes the declared registers alone.
            unsafe {
                asm!(
                    "2:",
                    ".irp n, 0, 1, 2, 3, 4, 5, 6, 7",
                    "vmovdqu ymm\\n, [{at} + 32 * \\n]",
                    ".endr",
                    "add {at}, 256",
                    "dec {steps}",
                    "jnz 2b",
                    at = inout(reg) memory.as_ptr() => _,
                    steps = inout(reg) steps => _,
                    out("xmm0") _, out("xmm1") _, out("xmm2") _, out("xmm3") _, out("xmm4") _,
                    out("xmm5") _, out("xmm6") _, out("xmm7") _,
                    options(nostack, readonly),
                );
            }
        }));
    }
    least / cycle / (steps * STEP) as f64
}

/// Four independent chains of products of 64 bits.
fn general_products() {
    // SAFETY: changes the declared registers alone.
    unsafe {
        asm!(
            "2:",
            ".rept 120",
            "imul {a}, {a}",
            "imul {b}, {b}",
            "imul {c}, {c}",
            "imul {d}, {d}",
            ".endr",
            "dec {count:e}",
            "jnz 2b",
            count = inout(reg) INSTRUCTIONS / 480 => _,
            a = inout(reg) 1u64 => _,
            b = inout(reg) 1u64 => _,
            c = inout(reg) 1u64 => _,
            d = inout(reg) 1u64 => _,
            options(nostack, nomem),
        );
    }
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
