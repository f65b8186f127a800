//! Where the stack of timed code lies.
//!
//! How a library's local variables lie to cache lines changes the figures of short messages by up
//! to 5 % (SHA-256 of 64 bytes, RustCrypto, Zen 3), and the kernel places the stack of every
//! process anew, in steps of 16 bytes. So timed code runs at all four positions in turn: a figure
//! is their mean, as a caller's stack lies anywhere.

use std::hint::black_box;
use std::mem::MaybeUninit;

/// Steps of 16 bytes in a cache line of 64.
pub const POSITIONS: u64 = 4;

/// Runs `work` with the stack so many steps lower than elsewhere.
pub fn at<T>(position: u64, work: impl FnOnce() -> T) -> T {
    match position % POSITIONS {
        0 => lowered::<0, T>(work),
        1 => lowered::<16, T>(work),
        2 => lowered::<32, T>(work),
        _ => lowered::<48, T>(work),
    }
}

#[inline(never)]
fn lowered<const BYTES: usize, T>(work: impl FnOnce() -> T) -> T {
    let room = [MaybeUninit::<u8>::uninit(); BYTES];
    black_box(&room);
    let result = work();
    black_box(&room); // keeps the room until here, so that the call above is no tail call
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Position within a cache line of a function's own variables.
    #[inline(never)]
    fn place_of_a_variable() -> usize {
        let variable = black_box(0_u128);
        std::ptr::from_ref(black_box(&variable)) as usize % 64
    }

    #[test]
    fn every_position_puts_variables_elsewhere_in_a_cache_line() {
        let mut places: Vec<usize> =
            (0..POSITIONS).map(|position| at(position, place_of_a_variable)).collect();
        places.sort_unstable();
        places.dedup();
        assert_eq!(places.len(), POSITIONS as usize, "{places:?}");
    }
}
