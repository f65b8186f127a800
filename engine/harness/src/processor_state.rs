//! What a function leaves behind in the processor, beside its answer.
//!
//! Two kinds matter. Control words (MXCSR, that of the x87 unit, the direction flag; FPCR on arm64)
//! change what later code computes. Upper halves of vector registers that are in use change how fast
//! later code is: every legacy SSE instruction then has to keep the upper half of its destination, and
//! waits for what was in it before. Nothing but VZEROUPPER, or the like, ends that. So a figure would
//! depend on the case that ran before.
//!
//! [`clean`] takes all of it away, and [`after`] says whether a function leaves upper halves in use.

use crate::clock::Clock;

#[cfg(not(target_arch = "x86_64"))]
use others as processor;
#[cfg(target_arch = "x86_64")]
use x86_64 as processor;

/// Brings the processor into the state that a program starts with; some 0.1 µs.
///
/// Where the kernel lets user code save and restore registers at once, which it does wherever AVX can
/// be used, all vector, mask and x87 registers get their first values.
#[inline(never)]
pub fn clean() {
    processor::clean();
}

/// Does the work in a clean processor, and says whether it has left upper halves of vector registers in
/// use. None where the processor has none, or does not tell.
pub fn after<T>(work: impl FnOnce() -> T) -> (T, Option<bool>) {
    clean();
    let before = upper_halves_in_use();
    let result = work();
    let left = upper_halves_in_use();
    clean();
    // A processor, or what plays one, that never says that they are clean says nothing.
    (result, left.filter(|_| before == Some(false)))
}

/// Whether upper halves of vector registers are in use; none where there are none, or the processor
/// does not tell.
pub fn upper_halves_in_use() -> Option<bool> {
    processor::upper_halves_in_use()
}

/// Leaves an upper half in use, as a function does that forgets VZEROUPPER.
pub fn use_upper_halves() {
    processor::use_upper_halves();
}

/// How many times as long legacy SSE code takes while upper halves are in use; none where there are none.
///
/// The code is two quarter rounds of ChaCha20 with one spare register between them, as compilers write
/// them for SSE2: a copy into the spare one begins a computation of its own, unless an upper half has to
/// be kept there.
pub fn cost_of_upper_halves<C: Clock>(clock: &mut C) -> Option<f64> {
    upper_halves_in_use()?;
    let mut shortest = |prepare: fn()| {
        let ticks = (0..REPEATS).map(|_| {
            clean();
            prepare();
            let start = clock.ticks();
            processor::legacy_code(STEPS);
            clock.ticks() - start
        });
        ticks.min().unwrap_or(0)
    };
    // Nothing makes code quicker than it is.
    let (with, without) = (shortest(use_upper_halves), shortest(|| ()));
    clean();
    (without > 0).then(|| with as f64 / without as f64)
}

/// Ticks of the clock that it takes to go from code of AVX that leaves an upper half in use to one
/// instruction of legacy SSE, and back; none where there are no upper halves.
///
/// Some processors save the upper halves at such a change and then run legacy code as fast as ever:
/// there the factor above is 1, and this is what an adapter, a copy of 16 bytes, or a program that mixes
/// both kinds pays. Others have no change and pay the factor.
pub fn cost_of_changes<C: Clock>(clock: &mut C) -> Option<f64> {
    upper_halves_in_use()?;
    let mut shortest = |leaves_upper_half| {
        let ticks = (0..REPEATS).map(|_| {
            clean();
            let start = clock.ticks();
            processor::mixed_code(CHANGES, leaves_upper_half);
            clock.ticks() - start
        });
        ticks.min().unwrap_or(0)
    };
    let (with, without) = (shortest(true), shortest(false));
    clean();
    Some(with.saturating_sub(without) as f64 / f64::from(CHANGES))
}

/// Of the second probe, which takes some 10 µs where a change costs 500 cycles.
const CHANGES: u32 = 100;

/// Of the first, some 10 µs in each state; the shortest of so many counts.
const STEPS: u32 = 1000;
const REPEATS: u32 = 100;

#[cfg(target_arch = "x86_64")]
mod x86_64 {
    use std::arch::asm;
    use std::arch::x86_64::{__cpuid, __cpuid_count};
    use std::sync::OnceLock;

    /// Intel SDM volume 1, "Managing state using the XSAVE feature set": bits of XCR0 and of XINUSE.
    const X87: u64 = 1 << 0;
    const SSE: u64 = 1 << 1;
    const AVX: u64 = 1 << 2;
    const MASKS: u64 = 1 << 5;
    const UPPER_ZMM: u64 = 1 << 6;
    const LATER_ZMM: u64 = 1 << 7;

    /// Of the first sixteen registers, whose lower halves legacy SSE code writes.
    const UPPER_HALVES: u64 = AVX | UPPER_ZMM;

    const FIRST_MXCSR: u32 = 0x1f80;

    struct Known {
        /// Registers that can be restored, by their bits; 0 without XRSTOR.
        restored: u64,
        has_upper_halves: bool,
        tells_use: bool,
    }

    fn known() -> &'static Known {
        static KNOWN: OnceLock<Known> = OnceLock::new();
        KNOWN.get_or_init(|| {
            const OSXSAVE: u32 = 1 << 27;
            if __cpuid(1).ecx & OSXSAVE == 0 {
                return Known { restored: 0, has_upper_halves: false, tells_use: false };
            }
            // SAFETY: OSXSAVE says that XGETBV may be executed; register 0 is always there.
            let enabled = unsafe { extended_control(0) };
            Known {
                restored: enabled & (X87 | SSE | UPPER_HALVES | MASKS | LATER_ZMM),
                has_upper_halves: enabled & AVX != 0 && __cpuid(1).ecx & (1 << 28) != 0,
                tells_use: __cpuid_count(0xd, 1).eax & (1 << 2) != 0,
            }
        })
    }

    /// SAFETY: the processor must have OSXSAVE and this register.
    unsafe fn extended_control(register: u32) -> u64 {
        let (low, high): (u32, u32);
        // SAFETY: the caller says that the instruction is there; it changes nothing else.
        unsafe {
            asm!("xgetbv", in("ecx") register, out("eax") low, out("edx") high,
                options(nomem, nostack, preserves_flags));
        }
        u64::from(high) << 32 | u64::from(low)
    }

    /// Bytes in the form of XSAVE: registers that its header (from byte 512 on) does not name get their
    /// first values, of which none is read. MXCSR alone is, from byte 24.
    #[repr(C, align(64))]
    struct Area([u32; 1024]);

    static FIRST_VALUES: Area = {
        let mut words = [0; 1024];
        words[6] = FIRST_MXCSR;
        Area(words)
    };

    pub fn clean() {
        let Known { restored, has_upper_halves, .. } = *known();
        if restored == 0 {
            // SAFETY: both are in every x86-64 processor. Rust expects these very values.
            unsafe {
                asm!("fninit", "ldmxcsr [{mxcsr}]", mxcsr = in(reg) &raw const FIRST_MXCSR_WORD,
                    clobber_abi("C"), options(readonly, nostack));
            }
        } else {
            // SAFETY: `restored` are registers that the kernel has enabled, so that the processor has
            // XRSTOR; the area has its alignment and more than its size, and is only read. All
            // registers that it writes are named as changed, and the control words get the values
            // that Rust expects.
            unsafe {
                asm!("xrstor64 [{area}]", area = in(reg) &raw const FIRST_VALUES,
                    inout("eax") restored as u32 => _, inout("edx") (restored >> 32) as u32 => _,
                    clobber_abi("C"), options(readonly, nostack));
            }
        }
        if has_upper_halves {
            // SAFETY: AVX is there and enabled; nobody else in Rust knows of upper halves, since the
            // engine is compiled without AVX.
            unsafe { asm!("vzeroupper", options(nomem, nostack, preserves_flags)) };
        }
        // SAFETY: Rust expects the direction flag to be clear.
        unsafe { asm!("cld", options(nomem, nostack)) };
    }

    static FIRST_MXCSR_WORD: u32 = FIRST_MXCSR;

    pub fn upper_halves_in_use() -> Option<bool> {
        let Known { has_upper_halves, tells_use, .. } = *known();
        (has_upper_halves && tells_use).then(|| {
            // SAFETY: AVX is enabled, so there is OSXSAVE, and CPUID tells of this register.
            unsafe { extended_control(1) & UPPER_HALVES != 0 }
        })
    }

    pub fn use_upper_halves() {
        if known().has_upper_halves {
            // SAFETY: AVX is there and enabled; the lower half is named as changed.
            unsafe {
                asm!("vcmptrueps ymm15, ymm15, ymm15", out("xmm15") _, options(nomem, nostack));
            }
        }
    }

    /// So many times one instruction of AVX, of 256 bits where it is to leave an upper half in use and of
    /// 128 bits elsewhere, and one of legacy SSE on other registers.
    pub fn mixed_code(times: u32, leaves_upper_half: bool) {
        if !known().has_upper_halves {
            return;
        }
        // SAFETY: AVX is there and enabled, SSE2 in every x86-64 processor; all registers that are changed
        // are named.
        unsafe {
            if leaves_upper_half {
                asm!("2:", "vaddps ymm14, ymm15, ymm15", "paddd xmm0, xmm1", "sub {left:e}, 1", "jnz 2b",
                    left = inout(reg) times.max(1) => _, out("xmm0") _, out("xmm1") _,
                    out("xmm14") _, out("xmm15") _, options(nomem, nostack));
            } else {
                asm!("2:", "vaddps xmm14, xmm15, xmm15", "paddd xmm0, xmm1", "sub {left:e}, 1", "jnz 2b",
                    left = inout(reg) times.max(1) => _, out("xmm0") _, out("xmm1") _,
                    out("xmm14") _, out("xmm15") _, options(nomem, nostack));
            }
        }
    }

    pub fn legacy_code(steps: u32) {
        // SAFETY: SSE2 is in every x86-64 processor; all registers that are changed are named.
        unsafe {
            asm!(
                ".macro ciphermark_step a, b, d, left, right",
                "paddd \\a, \\b",
                "pxor \\d, \\a",
                "movdqa xmm8, \\d",
                "pslld \\d, \\left",
                "psrld xmm8, \\right",
                "por \\d, xmm8",
                ".endm",
                ".macro ciphermark_quarter_round a, b, c, d",
                "ciphermark_step \\a, \\b, \\d, 16, 16",
                "ciphermark_step \\c, \\d, \\b, 12, 20",
                "ciphermark_step \\a, \\b, \\d, 8, 24",
                "ciphermark_step \\c, \\d, \\b, 7, 25",
                ".endm",
                "2:",
                "ciphermark_quarter_round xmm0, xmm1, xmm2, xmm3",
                "ciphermark_quarter_round xmm4, xmm5, xmm6, xmm7",
                "sub {left:e}, 1",
                "jnz 2b",
                ".purgem ciphermark_quarter_round",
                ".purgem ciphermark_step",
                left = inout(reg) steps.max(1) => _,
                out("xmm0") _, out("xmm1") _, out("xmm2") _, out("xmm3") _, out("xmm4") _,
                out("xmm5") _, out("xmm6") _, out("xmm7") _, out("xmm8") _,
                options(nomem, nostack),
            );
        }
    }
}

#[cfg(not(target_arch = "x86_64"))]
mod others {
    /// The vector registers of AdvSIMD are written as a whole; what code of SVE leaves above them slows
    /// nobody.
    pub fn clean() {
        // SAFETY: user code may write FPCR, and Rust expects its first value: rounding to nearest,
        // nothing flushed to zero, no traps.
        #[cfg(target_arch = "aarch64")]
        unsafe {
            std::arch::asm!("msr fpcr, xzr", options(nomem, nostack, preserves_flags));
        }
        // SAFETY: the same of FPSCR, which 32-bit code may write; the rounding of RISC-V is in each
        // instruction.
        #[cfg(target_arch = "arm")]
        unsafe {
            std::arch::asm!("vmsr fpscr, {}", in(reg) 0, options(nomem, nostack, preserves_flags));
        }
    }

    pub fn upper_halves_in_use() -> Option<bool> {
        None
    }

    pub fn use_upper_halves() {}

    pub fn legacy_code(_: u32) {}

    pub fn mixed_code(_: u32, _: bool) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::HostClock;

    /// Whether this machine can tell; a line says so where it cannot.
    fn tells() -> bool {
        let tells = upper_halves_in_use().is_some();
        if !tells {
            println!("skipped: this processor has no upper halves, or does not tell of their use");
        }
        tells
    }

    #[test]
    fn what_is_left_in_use_is_seen_and_taken_away() {
        if !tells() {
            return;
        }
        clean();
        assert_eq!(upper_halves_in_use(), Some(false));
        use_upper_halves();
        assert_eq!(upper_halves_in_use(), Some(true));
        clean();
        assert_eq!(upper_halves_in_use(), Some(false));
    }

    #[test]
    fn a_function_is_blamed_for_its_own_leavings_only() {
        if !tells() {
            return;
        }
        use_upper_halves();
        assert_eq!(after(|| 7), (7, Some(false)));
        assert_eq!(after(use_upper_halves), ((), Some(true)));
        assert_eq!(after(|| ()), ((), Some(false)));
    }

    #[test]
    fn the_cost_is_a_factor_of_this_processor() {
        let cost = cost_of_upper_halves(&mut HostClock::with_rate(1.0));
        assert_eq!(cost.is_some(), tells());
        assert!(cost.is_none_or(|it| it.is_finite() && it > 0.0), "{cost:?}");
    }

    #[test]
    fn a_change_costs_so_many_ticks() {
        let cost = cost_of_changes(&mut HostClock::with_rate(1.0));
        assert_eq!(cost.is_some(), tells());
        assert!(cost.is_none_or(|it| it.is_finite() && it >= 0.0), "{cost:?}");
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn control_words_get_their_first_values() {
        use std::arch::asm;
        /// MXCSR, the x87 control word and the flags.
        fn words() -> (u32, u16, u64) {
            let (mut mxcsr, mut x87, flags) = (0_u32, 0_u16, 0_u64);
            let mut flags = flags;
            // SAFETY: the first two write one word each; the third leaves the stack as it was.
            unsafe {
                asm!("stmxcsr [{}]", in(reg) &mut mxcsr, options(nostack));
                asm!("fnstcw [{}]", in(reg) &mut x87, options(nostack));
                asm!("pushfq", "pop {}", inout(reg) flags);
            }
            (mxcsr, x87, flags)
        }
        // SAFETY: one block, so that no Rust runs in this state; `clean` ends it, whose first
        // instructions depend on none of it.
        unsafe {
            asm!("ldmxcsr [{mxcsr}]", "fldcw [{x87}]", "std", "call {clean}",
                mxcsr = in(reg) &0x9fc0_u32, x87 = in(reg) &0x027f_u16,
                clean = sym clean_by_c, clobber_abi("C"));
        }
        let (mxcsr, x87, flags) = words();
        assert_eq!((mxcsr, x87, flags & 1 << 10), (0x1f80, 0x037f, 0));
    }

    #[cfg(target_arch = "x86_64")]
    extern "C" fn clean_by_c() {
        clean();
    }
}
