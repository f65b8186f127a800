//! The caches of this machine: how large they are, and how to fill them with something else.

use std::sync::OnceLock;

use ciphermark_harness::environment;

use crate::buffer::{Aligned, touch};
use crate::memory::check_room;

/// So many times what the last-level cache holds: nothing of before is left in it.
const CACHES: usize = 2;
/// For a machine that does not tell the size of its caches.
const USUAL_BYTES: usize = 64 << 20;
const LARGEST_BYTES: usize = 256 << 20;

/// Memory that is more than the caches hold.
pub fn beyond_bytes() -> usize {
    static BYTES: OnceLock<usize> = OnceLock::new();
    *BYTES.get_or_init(|| {
        environment::last_level_cache_bytes()
            .map_or(USUAL_BYTES, |cache| CACHES * cache as usize)
            .min(LARGEST_BYTES)
    })
}

/// Half of the second-level cache, which leaves room for what else a call touches. The error is a
/// sentence where the machine does not tell, or has none that holds more than the first one twice
/// over.
pub fn half_of_second_level() -> Result<usize, String> {
    static BYTES: OnceLock<Option<usize>> = OnceLock::new();
    let half =
        *BYTES.get_or_init(|| half_of(environment::cache_bytes(1)?, environment::cache_bytes(2)?));
    half.ok_or_else(|| {
        "the kernel tells of no second-level cache of more than four times the first-level one: \
         leave out --buffers l2"
            .into()
    })
}

fn half_of(first_bytes: u64, second_bytes: u64) -> Option<usize> {
    let half = second_bytes / 2;
    (half > 2 * first_bytes).then_some(half as usize)
}

/// Fills all caches with something else than what is in them. Reads do that: long writes may pass
/// the caches by.
pub struct Eviction {
    memory: Aligned,
}

impl Eviction {
    /// The error is a sentence.
    pub fn new() -> Result<Self, String> {
        check_room("memory that empties the caches", beyond_bytes())?;
        let mut memory = Aligned::new(beyond_bytes());
        memory.fill(1); // pages that were never written to are all one page of zeros
        Ok(Self { memory })
    }

    /// Leaves nothing of before in any cache of data, nor in the first one of instructions, which
    /// need not lose what those after it lose.
    pub fn run(&self) {
        touch(&self.memory, 0);
        jump_from_line_to_line();
    }
}

/// Executes 4096 lines of instructions, 256 KiB: more than any first-level cache of them holds (the
/// largest, of Apple's M1, 192 KiB).
#[inline(never)]
fn jump_from_line_to_line() {
    // SAFETY: every jump leads to the next line, and nothing else is done.
    #[cfg(target_arch = "x86_64")]
    unsafe {
        std::arch::asm!(
            ".rept 4096",
            "jmp 2f",
            ".balign 64",
            "2:",
            ".endr",
            options(nomem, nostack, preserves_flags)
        );
    }
    // SAFETY: as above.
    #[cfg(any(target_arch = "aarch64", target_arch = "arm"))]
    unsafe {
        std::arch::asm!(
            ".rept 4096",
            "b 2f",
            ".balign 64",
            "2:",
            ".endr",
            options(nomem, nostack, preserves_flags)
        );
    }
    // SAFETY: as above.
    #[cfg(target_arch = "riscv64")]
    unsafe {
        std::arch::asm!(
            ".rept 4096",
            "j 2f",
            ".balign 64",
            "2:",
            ".endr",
            options(nomem, nostack, preserves_flags)
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_a_second_level_is_more_than_the_first_level_for_messages_and_for_answers() {
        assert_eq!(half_of(32 << 10, 512 << 10), Some(256 << 10));
        assert_eq!(half_of(32 << 10, 256 << 10), Some(128 << 10));
        assert_eq!(half_of(64 << 10, 256 << 10), None);
    }
}
