//! Threads beside the sessions that use the memory as much as they can.

use std::hint::black_box;

use ciphermark_harness::window::{Phase, Window};
use ciphermark_harness::{Clock, environment};

use crate::buffer::Aligned;

/// Memory that one writes through: twice the last-level cache, or this where its size is not told.
const USUAL_BYTES: usize = 64 << 20;
const LARGEST_BYTES: usize = 256 << 20;

/// Bytes between two looks at the clock: some 10 µs.
const STRETCH: usize = 128 << 10;

pub fn bytes() -> usize {
    let cache = environment::last_level_cache_bytes();
    cache.map_or(USUAL_BYTES, |cache| 2 * cache as usize).min(LARGEST_BYTES)
}

/// Memory whose pages are there.
pub fn memory() -> Aligned {
    let mut memory = Aligned::new(bytes());
    memory.fill(1);
    memory
}

/// Writes through its memory, again and again, until the execution is over.
pub fn run(mut memory: Aligned, clock: &mut impl Clock, window: &Window) {
    loop {
        for (turn, stretch) in memory.chunks_mut(STRETCH).enumerate() {
            if window.phase(clock.ticks()) == Phase::Over {
                return;
            }
            stretch.fill(turn as u8);
            black_box(&stretch);
        }
    }
}
