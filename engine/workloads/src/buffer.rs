//! Equal slots in one piece of aligned memory.

use std::hint::black_box;
use std::ops::{Deref, DerefMut};

/// Vector loads and cache lines: what libraries align their own data to.
pub const ALIGNMENT: usize = 64;

/// What answers are overwritten with, so that no earlier one can pass for a new one.
pub const POISON: u8 = 0xA5;

/// Bytes that begin at a cache line.
#[derive(Default)]
pub struct Aligned {
    bytes: Vec<u8>,
    start: usize,
}

impl Aligned {
    /// So many zero bytes, at least.
    pub fn new(count: usize) -> Self {
        let bytes = vec![0; count + ALIGNMENT];
        let start = bytes.as_ptr().align_offset(ALIGNMENT);
        Self { bytes, start }
    }
}

impl Deref for Aligned {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        &self.bytes[self.start..]
    }
}

impl DerefMut for Aligned {
    #[inline]
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.bytes[self.start..]
    }
}

/// How slots lie in memory: each at a cache line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    slot_bytes: usize,
    stride: usize,
    count: usize,
}

impl Shape {
    pub fn new(slot_bytes: usize, count: usize) -> Self {
        Self { slot_bytes, stride: slot_bytes.max(1).next_multiple_of(ALIGNMENT), count }
    }

    /// Bytes from one slot to the next.
    pub fn stride(&self) -> usize {
        self.stride
    }

    /// Bytes that all slots take.
    pub fn bytes(&self) -> usize {
        self.stride * self.count
    }

    /// Brings all slots into the caches, from this one on round to the one before it.
    pub fn touch(&self, memory: &[u8], slot: usize) {
        touch(&memory[..self.bytes()], slot * self.stride);
    }

    #[inline]
    pub fn get<'a>(&self, memory: &'a [u8], slot: usize) -> &'a [u8] {
        let start = slot * self.stride;
        &memory[start..start + self.slot_bytes]
    }

    #[inline]
    pub fn get_mut<'a>(&self, memory: &'a mut [u8], slot: usize) -> &'a mut [u8] {
        let start = slot * self.stride;
        &mut memory[start..start + self.slot_bytes]
    }
}

/// As many slots as fit `budget` bytes, at least 1 and at most `most`.
pub fn slots_within(slot_bytes: usize, budget: usize, most: usize) -> usize {
    (budget / slot_bytes.max(1)).clamp(1, most)
}

/// A ring of slots with its memory.
pub struct Slots {
    memory: Aligned,
    shape: Shape,
}

impl Slots {
    /// `count` slots of `slot_bytes` zero bytes.
    pub fn new(slot_bytes: usize, count: usize) -> Self {
        let shape = Shape::new(slot_bytes, count);
        Self { memory: Aligned::new(shape.bytes()), shape }
    }

    pub fn count(&self) -> usize {
        self.shape.count
    }

    #[inline]
    pub fn get(&self, slot: usize) -> &[u8] {
        self.shape.get(&self.memory, slot)
    }

    #[inline]
    pub fn get_mut(&mut self, slot: usize) -> &mut [u8] {
        self.shape.get_mut(&mut self.memory, slot)
    }
}

/// Brings memory into the caches, from `first` on round to what lies before it, so that the nearest one
/// holds what comes last.
pub fn touch(memory: &[u8], first: usize) {
    let (last, next) = memory.split_at(first.min(memory.len()));
    for line in next.chunks(ALIGNMENT).chain(last.chunks(ALIGNMENT)) {
        black_box(line[0]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_are_aligned_and_apart() {
        let mut slots = Slots::new(43, 3);
        for slot in 0..3 {
            assert_eq!(slots.get(slot).as_ptr() as usize % ALIGNMENT, 0);
            slots.get_mut(slot).fill(slot as u8);
        }
        for slot in 0..3 {
            assert_eq!(slots.get(slot), [slot as u8; 43]);
        }
    }

    #[test]
    fn the_number_of_slots_follows_the_budget() {
        assert_eq!(slots_within(16, 4096, 64), 64);
        assert_eq!(slots_within(1500, 4096, 64), 2);
        assert_eq!(slots_within(16384, 4096, 64), 1);
        assert_eq!(slots_within(0, 4096, 64), 64);
    }
}
