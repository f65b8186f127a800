//! Loops of instructions of which none waits for another, on x86-64.

use std::arch::{asm, is_x86_feature_detected as has};
use std::hint::black_box;

use ciphermark_codepath::{Bits, Kind};

/// Times that a loop goes round.
const ROUNDS: u32 = 800;

/// Instructions that each round has of a kind that is executed alone, and of one beside others.
const ALONE: u32 = 48;
const BESIDE: u32 = 24;

/// Of the plainest kind, for one of another kind.
pub const LOGIC_BESIDE: u32 = 4;

/// What is loaded and stored: a vector that lies in one line of the cache.
#[repr(align(64))]
struct Line(#[expect(dead_code, reason = "assembly uses it")] [u8; 64]);

/// A loop, and how many of the instructions asked about it executes.
#[derive(Clone, Copy)]
pub struct Loop {
    pub run: fn(),
    pub instructions: u32,
}

/// The loops of one kind of vector instruction.
pub struct VectorProbe {
    pub kind: Kind,
    pub bits: Bits,
    pub instruction: &'static str,
    pub alone: Loop,
    /// Each with [`LOGIC_BESIDE`] instructions of logic.
    pub with_logic: Loop,
    /// Each with one of a kind that most processors have few units for.
    pub with: [(Kind, Loop); 3],
}

/// A loop of one instruction that computes with no vectors.
pub struct PlainProbe {
    pub what: Plain,
    pub bits: Bits,
    pub instruction: &'static str,
    pub alone: Loop,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Plain {
    Load,
    Store,
    Multiply,
    Add,
    /// Whatever needs no unit.
    Any,
}

/// Twelve destinations, six of `$first` and six of `$second`; `\\d` is the register of one. Registers 6
/// and 7 are sources. All are zero at first: numbers of floating point that are not normal take longer.
macro_rules! rounds_of {
    ($zero:expr, $end:expr, $first:expr, [$($second:expr),+]) => {{
        fn run() {
            let mut line = Line([0; 64]);
            // SAFETY: the instructions change the declared registers alone and at most the 64 bytes
            // that r8 points at, which are this function's; the processor has them, which the caller
            // has looked for.
            unsafe {
                asm!(
                    ".irp d, 0, 1, 2, 3, 4, 5, 6, 7, 10, 11, 12, 13, 14, 15",
                    $zero,
                    ".endr",
                    "2:",
                    ".rept 4",
                    ".irp r, 0, 1, 2, 3, 4, 5",
                    ".irp d, \\r",
                    $first,
                    ".endr",
                    ".irp d, 1\\r",
                    $($second,)+
                    ".endr",
                    ".endr",
                    ".endr",
                    "dec {count:e}",
                    "jnz 2b",
                    $end,
                    count = inout(reg) ROUNDS => _,
                    in("r8") black_box(&raw mut line),
                    out("xmm0") _, out("xmm1") _, out("xmm2") _, out("xmm3") _, out("xmm4") _,
                    out("xmm5") _, out("xmm6") _, out("xmm7") _, out("xmm10") _, out("xmm11") _,
                    out("xmm12") _, out("xmm13") _, out("xmm14") _, out("xmm15") _, out("k1") _,
                    options(nostack),
                );
            }
        }
        run as fn()
    }};
}

/// The probes of one width that the processor has.
macro_rules! vector_probes {
    ($bits:literal, $zero:expr, $end:expr, logic $logic:expr, shift $shift:expr,
     shuffle $shuffle:expr, multiply $multiply:expr,
     $($kind:ident if $has:expr => $instruction:expr;)+) => {{
        let mut probes = vec![];
        $(
            if $has {
                let beside = |run| Loop { run, instructions: ROUNDS * BESIDE };
                probes.push(VectorProbe {
                    kind: Kind::$kind,
                    bits: $bits,
                    instruction: name($instruction),
                    alone: Loop {
                        run: rounds_of!($zero, $end, $instruction, [$instruction]),
                        instructions: ROUNDS * ALONE,
                    },
                    with_logic: beside(
                        rounds_of!($zero, $end, $instruction, [$logic, $logic, $logic, $logic])
                    ),
                    with: [
                        (Kind::Shift, beside(rounds_of!($zero, $end, $instruction, [$shift]))),
                        (Kind::Shuffle, beside(rounds_of!($zero, $end, $instruction, [$shuffle]))),
                        (Kind::Multiply, beside(rounds_of!($zero, $end, $instruction, [$multiply]))),
                    ],
                });
            }
        )+
        probes
    }};
}

/// Those of a width, whose instructions differ from others in the names of their registers. All read
/// registers that nothing writes, where an instruction has a destination of its own.
macro_rules! probes_of_width {
    ($bits:literal, $v:literal, $logic:expr, $has:ident, $permute:expr) => {
        vector_probes!(
            $bits, "vpxor xmm\\d, xmm\\d, xmm\\d", "vzeroupper",
            logic $logic,
            shift concat!("vpsrld ", $v, "\\d, ", $v, "6, 7"),
            shuffle concat!("vpshufb ", $v, "\\d, ", $v, "6, ", $v, "7"),
            multiply concat!("vpmuludq ", $v, "\\d, ", $v, "6, ", $v, "7"),
            Logic if $has => $logic;
            Add if $has => concat!("vpaddd ", $v, "\\d, ", $v, "6, ", $v, "7");
            Minimum if $has => concat!("vpminub ", $v, "\\d, ", $v, "6, ", $v, "7");
            Shift if $has => concat!("vpsrld ", $v, "\\d, ", $v, "6, 7");
            Shuffle if $has => concat!("vpshufb ", $v, "\\d, ", $v, "6, ", $v, "7");
            Permute if $has && $bits > 128 => $permute;
            Multiply if $has => concat!("vpmuludq ", $v, "\\d, ", $v, "6, ", $v, "7");
            FloatMultiply if $has && has!("fma")
                => concat!("vfmadd231pd ", $v, "\\d, ", $v, "6, ", $v, "7");
            Affine if $has && has!("gfni")
                => concat!("vgf2p8affineqb ", $v, "\\d, ", $v, "6, ", $v, "7, 0");
            Aes if $has && has!("aes") && (has!("vaes") || $bits == 128)
                => concat!("vaesenc ", $v, "\\d, ", $v, "6, ", $v, "7");
            CarrylessMultiply if $has && has!("pclmulqdq") && (has!("vpclmulqdq") || $bits == 128)
                => concat!("vpclmulqdq ", $v, "\\d, ", $v, "6, ", $v, "7, 0");
            Mask if $has && has!("avx512bw") && has!("avx512vl")
                => concat!("vpcmpgtb k1, ", $v, "6, ", $v, "7");
            Multiply52 if $has && has!("avx512ifma") && has!("avx512vl")
                => concat!("vpmadd52luq ", $v, "\\d, ", $v, "6, ", $v, "7");
            PermuteTwo if $has && has!("avx512vbmi") && has!("avx512vl")
                => concat!("vpermi2b ", $v, "\\d, ", $v, "6, ", $v, "7");
        )
    };
}

/// All vector instructions that this processor has, the narrowest first. Those of 128 bits too are in the
/// forms of AVX: one of SSE waits for its destination, and is the same to the units.
pub fn vector_probes() -> Vec<VectorProbe> {
    let (avx, avx2) = (has!("avx"), has!("avx2"));
    let avx512 = has!("avx512f") && has!("avx512bw");
    let narrow =
        probes_of_width!(128, "xmm", "vpxor xmm\\d, xmm6, xmm7", avx, "vpshufd xmm\\d, xmm6, 0");
    let middle =
        probes_of_width!(256, "ymm", "vpxor ymm\\d, ymm6, ymm7", avx2, "vpermd ymm\\d, ymm6, ymm7");
    let wide = probes_of_width!(
        512,
        "zmm",
        "vpternlogq zmm\\d, zmm6, zmm7, 0x96",
        avx512,
        "vpermd zmm\\d, zmm6, zmm7"
    );
    narrow.into_iter().chain(middle).chain(wide).collect()
}

/// Loads, stores, products of general registers, and whatever enters the processor.
pub fn plain_probes() -> Vec<PlainProbe> {
    macro_rules! probe {
        ($what:ident, $bits:literal, $end:expr, $instruction:expr) => {
            PlainProbe {
                what: Plain::$what,
                bits: $bits,
                instruction: name($instruction),
                alone: Loop {
                    run: rounds_of!("", $end, $instruction, [$instruction]),
                    instructions: ROUNDS * ALONE,
                },
            }
        };
    }
    let mut probes = vec![
        probe!(Any, 64, "", "nop"),
        PlainProbe { what: Plain::Add, bits: 64, instruction: "add", alone: general(sums) },
        PlainProbe {
            what: Plain::Multiply,
            bits: 64,
            instruction: "imul",
            alone: general(products),
        },
        PlainProbe { what: Plain::Load, bits: 64, instruction: "mov", alone: general(loads) },
        probe!(Store, 64, "", "mov [r8], r8"),
        probe!(Load, 128, "", "movdqu xmm\\d, [r8]"),
        probe!(Store, 128, "", "movdqu [r8], xmm\\d"),
    ];
    if has!("bmi2") {
        let alone = general(wide_products);
        probes.push(PlainProbe { what: Plain::Multiply, bits: 64, instruction: "mulx", alone });
    }
    if has!("avx2") {
        probes.push(probe!(Load, 256, "vzeroupper", "vmovdqu ymm\\d, [r8]"));
        probes.push(probe!(Store, 256, "vzeroupper", "vmovdqu [r8], ymm\\d"));
    }
    if has!("avx512f") {
        probes.push(probe!(Load, 512, "vzeroupper", "vmovdqu64 zmm\\d, [r8]"));
        probes.push(probe!(Store, 512, "vzeroupper", "vmovdqu64 [r8], zmm\\d"));
    }
    probes
}

/// The instruction's own name, of the line that has it.
fn name(line: &'static str) -> &'static str {
    line.split(' ').next().unwrap_or(line)
}

fn general(run: fn()) -> Loop {
    Loop { run, instructions: ROUNDS * ALONE }
}

/// Loops of six instructions, eight times, of general registers.
macro_rules! general_rounds {
    ($name:ident, $($line:literal),+) => {
        fn $name() {
            let mut line = Line([0; 64]);
            // SAFETY: the instructions change the declared registers alone and read the 64 bytes that
            // r8 points at; the processor has them, which the caller has looked for.
            unsafe {
                asm!(
                    "2:",
                    ".rept 8",
                    $($line,)+
                    ".endr",
                    "dec {count:e}",
                    "jnz 2b",
                    count = inout(reg) ROUNDS => _,
                    in("r8") black_box(&raw mut line),
                    inout("rdx") 3u64 => _, inout("rax") 1u64 => _, inout("rcx") 1u64 => _,
                    inout("rsi") 1u64 => _, inout("rdi") 1u64 => _, inout("r9") 1u64 => _,
                    inout("r10") 1u64 => _, out("r11") _,
                    options(nostack, readonly),
                );
            }
        }
    };
}

general_rounds!(
    sums,
    "add rax, rdx",
    "add rcx, rdx",
    "add rsi, rdx",
    "add rdi, rdx",
    "add r9, rdx",
    "add r10, rdx"
);
general_rounds!(
    products,
    "imul rax, rdx",
    "imul rcx, rdx",
    "imul rsi, rdx",
    "imul rdi, rdx",
    "imul r9, rdx",
    "imul r10, rdx"
);
general_rounds!(
    wide_products,
    "mulx r11, rax, rax",
    "mulx r11, rcx, rcx",
    "mulx r11, rsi, rsi",
    "mulx r11, rdi, rdi",
    "mulx r11, r9, r9",
    "mulx r11, r10, r10"
);
general_rounds!(
    loads,
    "mov rax, [r8]",
    "mov rcx, [r8 + 8]",
    "mov rsi, [r8 + 16]",
    "mov rdi, [r8 + 24]",
    "mov r9, [r8 + 32]",
    "mov r10, [r8 + 40]"
);
