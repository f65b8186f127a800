//! How long messages and answers are in their slots: as long as these, or as a profile says.

/// The parts of its slots that a message of a profile and its answer take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cut {
    pub input_bytes: usize,
    pub answer_bytes: usize,
}

/// What a loop asks for the lengths of each message.
pub trait Lengths: Copy {
    /// Messages after which lengths begin anew.
    fn period(self) -> usize;

    /// The message that has its turn, of what lies in its slot.
    fn input(self, turn: usize, slot: &[u8]) -> &[u8];

    /// Its answer's place in a slot.
    fn answer(self, turn: usize, slot: &mut [u8]) -> &mut [u8];
}

/// All messages are as long as their slots.
#[derive(Clone, Copy)]
pub struct Whole;

impl Lengths for Whole {
    #[inline]
    fn period(self) -> usize {
        1
    }

    #[inline]
    fn input(self, _: usize, slot: &[u8]) -> &[u8] {
        slot
    }

    #[inline]
    fn answer(self, _: usize, slot: &mut [u8]) -> &mut [u8] {
        slot
    }
}

/// Messages of a profile.
#[derive(Clone, Copy)]
pub struct Mixed<'a>(pub &'a [Cut]);

impl Lengths for Mixed<'_> {
    #[inline]
    fn period(self) -> usize {
        self.0.len()
    }

    #[inline]
    fn input(self, turn: usize, slot: &[u8]) -> &[u8] {
        &slot[..self.0[turn].input_bytes]
    }

    #[inline]
    fn answer(self, turn: usize, slot: &mut [u8]) -> &mut [u8] {
        &mut slot[..self.0[turn].answer_bytes]
    }
}
