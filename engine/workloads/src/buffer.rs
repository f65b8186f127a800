//! Equal slots in one piece of aligned memory.

/// Vector loads and cache lines: what libraries align their own data to.
const ALIGNMENT: usize = 64;

/// A ring of slots of one length, each aligned to 64 bytes.
pub struct Slots {
    bytes: Vec<u8>,
    start: usize,
    slot_bytes: usize,
    stride: usize,
    count: usize,
}

impl Slots {
    /// `count` slots of `slot_bytes` zero bytes.
    pub fn new(slot_bytes: usize, count: usize) -> Self {
        let stride = slot_bytes.next_multiple_of(ALIGNMENT);
        let bytes = vec![0; stride * count + ALIGNMENT];
        let start = bytes.as_ptr().align_offset(ALIGNMENT);
        Self { bytes, start, slot_bytes, stride, count }
    }

    /// As many slots as fit `budget` bytes, at least 1 and at most `most`.
    pub fn within(slot_bytes: usize, budget: usize, most: usize) -> Self {
        Self::new(slot_bytes, (budget / slot_bytes.max(1)).clamp(1, most))
    }

    pub fn count(&self) -> usize {
        self.count
    }

    #[inline]
    pub fn get(&self, slot: usize) -> &[u8] {
        let start = self.start + slot * self.stride;
        &self.bytes[start..start + self.slot_bytes]
    }

    #[inline]
    pub fn get_mut(&mut self, slot: usize) -> &mut [u8] {
        let start = self.start + slot * self.stride;
        &mut self.bytes[start..start + self.slot_bytes]
    }

    /// Overwrites all slots, so that no earlier answer can pass for a new one.
    pub fn poison(&mut self) {
        self.bytes.fill(0xA5);
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
        assert_eq!(Slots::within(16, 4096, 64).count(), 64);
        assert_eq!(Slots::within(1500, 4096, 64).count(), 2);
        assert_eq!(Slots::within(16384, 4096, 64).count(), 1);
        assert_eq!(Slots::within(0, 4096, 64).count(), 64);
    }
}
