//! Messages and answers that lie in rings: in more memory than the caches hold, or than the nearest
//! one.

use std::cell::RefCell;
use std::rc::Rc;

use ciphermark_record::plan::Buffers;

use crate::buffer::{ALIGNMENT, Aligned, POISON};
use crate::caches;
use crate::inputs::random_bytes;
use crate::memory;

/// The random bytes that a ring of messages repeats.
const PATTERN_BYTES: usize = 64 << 10;

/// Slots of a ring of messages, and of one of their answers: a multiple of `unit`, and two of these at
/// least. So many rings of messages are in use at once that together they are large enough.
pub fn slots(buffers: Buffers, sizes: Sizes, unit: usize, rings: usize) -> usize {
    let count = match buffers {
        Buffers::L2 => caches::half_of_second_level().unwrap_or(0) / sizes.pair() / unit * unit,
        _ => caches::beyond_bytes().div_ceil(rings * stride(sizes.message_bytes)),
    };
    count.max(2 * unit).next_multiple_of(unit)
}

/// Refuses messages of which two units do not lie in the second-level cache. The error is a sentence.
pub fn check_second_level(sizes: Sizes, unit: usize) -> Result<(), String> {
    let half = caches::half_of_second_level()?;
    if 2 * unit * sizes.pair() <= half {
        return Ok(());
    }
    Err(format!(
        "{} messages of {} bytes and their answers are more than the {} kB of half the second-level \
         cache: write smaller --sizes or --buffers stream",
        2 * unit,
        sizes.message_bytes,
        half >> 10
    ))
}

/// Bytes of the longest message and of its answer.
#[derive(Clone, Copy, Debug)]
pub struct Sizes {
    pub message_bytes: usize,
    pub answer_bytes: usize,
}

impl Sizes {
    /// What both take in their rings.
    fn pair(self) -> usize {
        stride(self.message_bytes) + stride(self.answer_bytes)
    }
}

fn stride(message_bytes: usize) -> usize {
    message_bytes.next_multiple_of(ALIGNMENT).max(ALIGNMENT)
}

/// The texts of a ring, one by one.
pub struct RingTexts {
    pattern: Vec<u8>,
    message_bytes: usize,
    slots: usize,
}

impl RingTexts {
    pub fn new(seed: u64, message_bytes: usize, slots: usize) -> Self {
        Self { pattern: pattern(seed), message_bytes, slots }
    }

    /// Adds so many bytes of the message in the slot that has its turn.
    pub fn write(&self, index: u64, bytes: usize, text: &mut Vec<u8>) {
        let slot = (index % self.slots as u64) as usize;
        let start = slot * stride(self.message_bytes) % PATTERN_BYTES;
        text.extend(self.pattern.iter().cycle().skip(start).take(bytes));
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

    fn sizes(message_bytes: usize) -> Sizes {
        Sizes { message_bytes, answer_bytes: message_bytes + 16 }
    }

    #[test]
    fn a_ring_holds_whole_units_and_more_than_the_caches() {
        for (bytes, unit) in [(0, 1), (16, 1), (1024, 8), (1500, 15), (1 << 30, 4)] {
            for rings in [1, 100] {
                let count = slots(Buffers::Stream, sizes(bytes), unit, rings);
                assert!(count.is_multiple_of(unit) && count >= 2 * unit, "{bytes} {unit}");
                assert!(rings * count * stride(bytes) >= caches::beyond_bytes(), "{bytes} {unit}");
            }
        }
    }

    #[test]
    fn rings_in_the_second_level_take_no_more_than_half_of_it() {
        let Ok(half) = caches::half_of_second_level() else { return };
        for (bytes, unit) in [(0, 1), (16, 1), (1024, 8), (1500, 15)] {
            let (count, pair) = (slots(Buffers::L2, sizes(bytes), unit, 1), sizes(bytes).pair());
            assert!(count.is_multiple_of(unit), "{bytes} {unit}");
            assert!((half - unit * pair..=half).contains(&(count * pair)), "{bytes} {unit}");
        }
    }

    #[test]
    fn messages_that_do_not_fit_the_second_level_are_refused() {
        let Ok(half) = caches::half_of_second_level() else { return };
        assert_eq!(check_second_level(sizes(half / 8), 1), Ok(()));
        let sentence = check_second_level(sizes(half), 3).expect_err("it is too long");
        assert!(sentence.starts_with(&format!("6 messages of {half} bytes")), "{sentence}");
    }

    #[test]
    fn each_message_is_what_lies_in_its_slot() {
        for bytes in [1, 64, 1500, 100_000] {
            let shape = Shape::new(bytes, 100);
            let mut rings = Rings::default();
            rings.grow(SEED, shape.bytes(), 0).expect("there is room");
            let texts = RingTexts::new(SEED, bytes, 100);
            for index in [0, 1, 99, 100, 250] {
                let start = (index % 100) as usize * shape.stride();
                let mut text = Vec::new();
                texts.write(index, bytes, &mut text);
                assert_eq!(text, rings.messages[start..][..bytes], "{bytes} {index}");
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
