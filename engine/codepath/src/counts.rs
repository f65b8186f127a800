//! Instructions of a call by what they keep busy.

use std::collections::BTreeMap;

/// What an instruction needs of the processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Bits of vectors: xor, and, or, ternary logic.
    Logic,
    /// Sums, comparisons, minima of vectors.
    Add,
    Shift,
    /// Bytes and words of vectors change places; maps of bytes, which use the same units.
    Shuffle,
    Aes,
    /// Products of words.
    Multiply,
    /// Products of polynomials, without carries.
    CarrylessMultiply,
    /// A vector is loaded, stored or copied, and nothing else.
    Carry,
    /// Products of words in general registers.
    GeneralMultiply,
    /// Everything else that works on general registers.
    General,
}

/// Instructions that one call executed, without those of the C library.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub of_kind: BTreeMap<Kind, u64>,
    /// Vector instructions that read memory, and that write it, whatever their kind.
    pub loads: u64,
    pub stores: u64,
    /// Whether the call went on where it was no longer followed.
    pub cut: bool,
}

impl Counts {
    pub fn of(&self, kind: Kind) -> u64 {
        self.of_kind.get(&kind).copied().unwrap_or(0)
    }

    /// All instructions.
    pub fn all(&self) -> u64 {
        self.of_kind.values().sum()
    }

    /// All instructions that compute with vectors.
    pub fn computing(&self) -> u64 {
        use Kind::{Add, Aes, CarrylessMultiply, Logic, Multiply, Shift, Shuffle};
        let kinds = [Logic, Add, Shift, Shuffle, Aes, Multiply, CarrylessMultiply];
        kinds.map(|kind| self.of(kind)).iter().sum()
    }
}
