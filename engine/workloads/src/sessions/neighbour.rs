//! Threads beside the sessions that use the memory as much as they can.

use std::hint::black_box;

use ciphermark_harness::Clock;
use ciphermark_harness::window::{Phase, Window};

use crate::buffer::Aligned;
use crate::caches;

/// Bytes between two looks at the clock: some 10 µs.
const STRETCH: usize = 128 << 10;

/// Memory that one writes through, whose pages are there.
pub fn memory() -> Aligned {
    let mut memory = Aligned::new(caches::beyond_bytes());
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
