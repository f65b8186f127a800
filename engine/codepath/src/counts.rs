//! Instructions of a call by what they keep busy.

use std::collections::BTreeMap;

/// What an instruction needs of the processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Bits of vectors (xor, and, or, ternary logic), and whatever no other kind is.
    Logic,
    /// Sums and differences of vectors.
    Add,
    /// Minima, maxima and comparisons whose result is a vector.
    Minimum,
    /// Comparisons and tests of vectors whose result is a mask.
    Mask,
    Shift,
    /// Bytes and words change places within 16 bytes, or a vector is filled from its first.
    Shuffle,
    /// They change places over the whole vector.
    Permute,
    /// Bytes and words are looked up in two vectors.
    PermuteTwo,
    /// Bytes as vectors of bits, by a matrix: GFNI.
    Affine,
    Aes,
    /// Products of words.
    Multiply,
    /// Products of 52 bits, with a sum.
    Multiply52,
    /// Products of floating point, with a sum or without.
    FloatMultiply,
    /// Products of polynomials, without carries.
    CarrylessMultiply,
    /// A vector is loaded, stored or copied, and nothing else.
    Carry,
    /// Products of words in general registers.
    GeneralMultiply,
    /// Everything else that works on general registers.
    General,
}

impl Kind {
    /// As it is printed.
    pub fn name(self) -> &'static str {
        match self {
            Self::Logic => "logic",
            Self::Add => "sum",
            Self::Minimum => "minimum, comparison",
            Self::Mask => "comparison into a mask",
            Self::Shift => "shift",
            Self::Shuffle => "shuffle within 16 bytes",
            Self::Permute => "permutation",
            Self::PermuteTwo => "permutation of two vectors",
            Self::Affine => "affine map",
            Self::Aes => "AES round",
            Self::Multiply => "product",
            Self::Multiply52 => "product of 52 bits",
            Self::FloatMultiply => "floating-point product",
            Self::CarrylessMultiply => "carry-less product",
            Self::Carry => "load, store or copy",
            Self::GeneralMultiply => "general product",
            Self::General => "general",
        }
    }

    /// Whether it computes with vectors.
    pub fn computes_vectors(self) -> bool {
        !matches!(self, Self::Carry | Self::GeneralMultiply | Self::General)
    }
}

/// Bits of the widest vector that an instruction names; 64 where it names general registers only.
pub type Bits = u32;

/// Instructions that one call executed, without those of the C library.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub by_kind: BTreeMap<(Kind, Bits), u64>,
    /// Instructions that read memory, and that write it, whatever their kind.
    pub loads: BTreeMap<Bits, u64>,
    pub stores: BTreeMap<Bits, u64>,
    /// Whether the call went on where it was no longer followed.
    pub cut: bool,
}

impl Counts {
    /// Those of a kind, of any width.
    pub fn of(&self, kind: Kind) -> u64 {
        self.by_kind.iter().filter(|((other, _), _)| *other == kind).map(|(_, times)| times).sum()
    }

    /// All instructions.
    pub fn all(&self) -> u64 {
        self.by_kind.values().sum()
    }
}
