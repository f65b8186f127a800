//! Messages and answers that pass through more memory than the caches hold.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::OnceLock;

use ciphermark_harness::environment;

use super::memory;
use crate::buffer::{ALIGNMENT, Aligned, POISON};
use crate::inputs::random_bytes;

/// A ring holds this many times what the last-level cache does, so that nothing of the last time
/// round is left in it.
const CACHES: usize = 2;
/// For a machine that does not tell the size of its caches.
const USUAL_RING_BYTES: usize = 64 << 20;
const LARGEST_RING_BYTES: usize = 256 << 20;
/// The random bytes that a ring of messages repeats.
const PATTERN_BYTES: usize = 64 << 10;

/// Bytes of a ring, at least.
fn ring_bytes() -> usize {
    static BYTES: OnceLock<usize> = OnceLock::new();
    *BYTES.get_or_init(|| {
        environment::last_level_cache_bytes()
            .map_or(USUAL_RING_BYTES, |cache| CACHES * cache as usize)
            .min(LARGEST_RING_BYTES)
    })
}

/// Slots of a ring of messages: a multiple of `unit`, and two of these at least. So many rings are in
/// use at once that together they are large enough.
pub fn slots(message_bytes: usize, unit: usize, rings: usize) -> usize {
    let count = ring_bytes().div_ceil(rings * stride(message_bytes));
    count.max(2 * unit).next_multiple_of(unit)
}

fn stride(message_bytes: usize) -> usize {
    message_bytes.next_multiple_of(ALIGNMENT).max(ALIGNMENT)
}

/// The messages of a ring, one by one.
pub struct Texts {
    pattern: Vec<u8>,
    message_bytes: usize,
    slots: usize,
}

impl Texts {
    pub fn new(seed: u64, message_bytes: usize, slots: usize) -> Self {
        Self { pattern: pattern(seed), message_bytes, slots }
    }

    /// The message in the slot that has its turn.
    pub fn get(&self, index: u64) -> Vec<u8> {
        let slot = (index % self.slots as u64) as usize;
        let start = slot * stride(self.message_bytes) % PATTERN_BYTES;
        self.pattern.iter().cycle().skip(start).take(self.message_bytes).copied().collect()
    }
}

fn pattern(seed: u64) -> Vec<u8> {
    random_bytes(seed, "stream", PATTERN_BYTES)
}

/// The rings that all cases of a worker share: one of messages, whose bytes are the same for all
/// sizes, and one that answers are written to.
#[derive(Default)]
pub struct Rings {
    pub messages: Aligned,
    pub answers: Aligned,
}

/// Rings that may be held by many cases.
pub type SharedRings = Rc<RefCell<Rings>>;

impl Rings {
    /// Makes the rings at least so large. The error is a sentence.
    pub fn grow(&mut self, seed: u64, messages: usize, answers: usize) -> Result<(), String> {
        let more = |ring: &Aligned, bytes| if ring.len() < bytes { bytes } else { 0 };
        let (messages, answers) = (more(&self.messages, messages), more(&self.answers, answers));
        memory::check_room("messages and answers that stream through memory", messages + answers)?;
        if messages > 0 {
            self.messages = Aligned::new(messages);
            let pattern = pattern(seed);
            for chunk in self.messages.chunks_mut(PATTERN_BYTES) {
                chunk.copy_from_slice(&pattern[..chunk.len()]);
            }
        }
        if answers > 0 {
            self.answers = Aligned::new(answers);
            self.answers.fill(POISON); // memory that was never written to is not there yet
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::buffer::Shape;

    const SEED: u64 = 5;

    #[test]
    fn a_ring_holds_whole_units_and_more_than_the_caches() {
        for (bytes, unit) in [(0, 1), (16, 1), (1024, 8), (1500, 15), (1 << 30, 4)] {
            for rings in [1, 100] {
                let count = slots(bytes, unit, rings);
                assert!(count.is_multiple_of(unit) && count >= 2 * unit, "{bytes} {unit}");
                assert!(rings * count * stride(bytes) >= ring_bytes(), "{bytes} {unit}");
            }
        }
    }

    #[test]
    fn each_message_is_what_lies_in_its_slot() {
        for bytes in [1, 64, 1500, 100_000] {
            let shape = Shape::new(bytes, 100);
            let mut rings = Rings::default();
            rings.grow(SEED, shape.bytes(), 0).expect("there is room");
            let texts = Texts::new(SEED, bytes, 100);
            for index in [0, 1, 99, 100, 250] {
                let slot = (index % 100) as usize;
                assert_eq!(texts.get(index), shape.get(&rings.messages, slot), "{bytes} {index}");
            }
        }
    }

    #[test]
    fn rings_only_grow() {
        let mut rings = Rings::default();
        rings.grow(SEED, 1000, 2000).expect("there is room");
        let (messages, answers) = (rings.messages.as_ptr(), rings.answers.as_ptr());
        rings.grow(SEED, 500, 1000).expect("there is room");
        assert_eq!((rings.messages.as_ptr(), rings.answers.as_ptr()), (messages, answers));
        rings.grow(SEED, 500, 5000).expect("there is room");
        assert!(rings.answers.len() >= 5000);
    }
}
