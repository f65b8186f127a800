//! The field GF(2^128) of GHASH, and what parts of a message add to its tag (NIST SP 800-38D, 6.3 and
//! 6.4).
//!
//! A tag over blocks X1 … Xn is (Y ⊕ L)·H ⊕ E, where Y = X1·H^n ⊕ … ⊕ Xn·H, L has the lengths in bits
//! and E is the encrypted first counter block. Of a part with m blocks behind it the provider's tag is
//! its own (Y ⊕ L)·H ⊕ E, so that Y·H, times H^m, is what it adds to the whole one.
//!
//! Nothing here depends on secrets in its time, on processors that multiply numbers in a constant one:
//! there are no conditions and no tables, and only lengths decide how often something is done.

/// Bytes of a block, and of a tag.
pub const BLOCK_BYTES: usize = 16;

/// An element: bit n is the coefficient of x^n, so that blocks, whose first bit is that of 1 (6.3), are
/// their bits in reverse.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Element(u128);

impl Element {
    pub const ZERO: Self = Self(0);
    const ONE: Self = Self(1);

    /// At most a block of bytes, with zeros behind it.
    pub fn of(bytes: &[u8]) -> Self {
        let mut block = [0; BLOCK_BYTES];
        block[..bytes.len()].copy_from_slice(bytes);
        Self(u128::from_be_bytes(block).reverse_bits())
    }

    /// The block of the lengths of associated data and of ciphertext, both in bytes.
    pub fn of_lengths(aad_bytes: usize, text_bytes: usize) -> Self {
        let bits = |bytes: usize| bytes as u128 * 8;
        Self((bits(aad_bytes) << 64 | bits(text_bytes)).reverse_bits())
    }

    pub fn block(self) -> [u8; BLOCK_BYTES] {
        self.0.reverse_bits().to_be_bytes()
    }

    /// Their sum, which is also their difference.
    pub fn plus(self, other: Self) -> Self {
        Self(self.0 ^ other.0)
    }

    /// Their product, modulo 1 + x + x^2 + x^7 + x^128.
    pub fn times(self, other: Self) -> Self {
        let halves = |it: u128| (it as u64, (it >> 64) as u64);
        let ((a, b), (c, d)) = (halves(self.0), halves(other.0));
        let (low, high) = (carryless(a, c), carryless(b, d));
        let middle = carryless(a, d) ^ carryless(b, c);
        let (low, high) = (low ^ middle << 64, high ^ middle >> 64);
        // x^128 is 1 + x + x^2 + x^7; what that makes of the highest bits is above 127 once more.
        let above = high >> 127 ^ high >> 126 ^ high >> 121;
        let folded = |it: u128| it ^ it << 1 ^ it << 2 ^ it << 7;
        Self(low ^ folded(high) ^ folded(above))
    }

    pub fn to_the(self, mut exponent: u128) -> Self {
        let (mut power, mut square) = (Self::ONE, self);
        while exponent > 0 {
            if exponent & 1 == 1 {
                power = power.times(square);
            }
            square = square.times(square);
            exponent >>= 1;
        }
        power
    }

    /// What makes 1 of it; nothing does of zero, which stays what it is.
    pub fn inverse(self) -> Self {
        // The multiplicative group has 2^128 - 1 elements.
        self.to_the(u128::MAX - 1)
    }
}

/// Product of polynomials of 64 coefficients. Every fifth bit is taken at a time: 13 of them meet in a
/// bit of a product of numbers at most, which is then even or odd, and no carry reaches the fifth bit.
fn carryless(a: u64, b: u64) -> u128 {
    const APART: usize = 5;
    // 1 + 2^5 + 2^10 + … + 2^125.
    const EVERY_FIFTH: u128 = ((u128::MAX >> 3) / 31) | (1 << 125);
    let bits = |it: u64, first: usize| u128::from(it) & EVERY_FIFTH << first;
    let mut products = [0; APART];
    for i in 0..APART {
        for j in 0..APART {
            products[(i + j) % APART] ^= bits(a, i) * bits(b, j);
        }
    }
    let kept = products.iter().enumerate().map(|(first, it)| it & EVERY_FIFTH << first);
    kept.fold(0, |sum, it| sum | it)
}

/// H, and those of its powers that the last messages asked for: mostly of the same lengths.
#[derive(Default)]
pub struct Powers {
    pub h: Element,
    known: Vec<(u64, Element)>,
}

impl Powers {
    /// Powers that are kept: those of two lengths of messages over eight cores.
    const KEPT: usize = 32;

    pub fn of(h: Element) -> Self {
        Self { h, known: Vec::new() }
    }

    pub fn get(&mut self, exponent: u64) -> Element {
        if let Some((_, power)) = self.known.iter().find(|it| it.0 == exponent) {
            return *power;
        }
        if self.known.len() == Self::KEPT {
            self.known.remove(0);
        }
        let power = self.h.to_the(exponent.into());
        self.known.push((exponent, power));
        power
    }
}

/// H of the tags of a block of zeros and of nothing, as associated data alone, under one nonce: their
/// difference is H times the block of lengths.
pub fn key_of(of_zeros: Element, of_nothing: Element) -> Element {
    of_zeros.plus(of_nothing).times(Element::of_lengths(BLOCK_BYTES, 0).inverse())
}

/// What a part's tag is without the encrypted counter block and without its own lengths: Y·H.
pub fn bare(tag: Element, encrypted: Element, lengths: Element, h: Element) -> Element {
    tag.plus(encrypted).plus(lengths.times(h))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn block(bits: u128) -> Element {
        Element::of(&bits.to_be_bytes())
    }

    /// Algorithm 1 of the standard, bit by bit.
    fn product(one: Element, other: Element) -> Element {
        const REDUCTION: u128 = 0xE1 << 120;
        let [one, other] = [one, other].map(|it| u128::from_be_bytes(it.block()));
        let (mut sum, mut shifted) = (0, other);
        for bit in (0..128).rev() {
            sum ^= if one >> bit & 1 == 1 { shifted } else { 0 };
            shifted = shifted >> 1 ^ if shifted & 1 == 1 { REDUCTION } else { 0 };
        }
        block(sum)
    }

    fn element() -> impl Strategy<Value = Element> {
        any::<u128>().prop_map(Element)
    }

    /// Test case 2 of "The Galois/Counter Mode of Operation" (McGrew, Viega), the origin of SP
    /// 800-38D: one block of ciphertext and the lengths.
    #[test]
    fn ghash_is_that_of_the_published_case() {
        let h = block(0x66e9_4bd4_ef8a_2c3b_884c_fa59_ca34_2b2e);
        let ciphertext = block(0x0388_dace_60b6_a392_f328_c2b9_71b2_fe78);
        let lengths = Element::of_lengths(0, 16);
        let ghash = ciphertext.times(h).plus(lengths).times(h);
        assert_eq!(ghash, block(0xf38c_bb1a_d692_23dc_c345_7ae5_b6b0_f885));
    }

    #[test]
    fn powers_that_were_forgotten_are_computed_again() {
        let h = block(0x66e9_4bd4_ef8a_2c3b_884c_fa59_ca34_2b2e);
        let mut powers = Powers::of(h);
        for exponent in (0..100).chain(0..100) {
            assert_eq!(powers.get(exponent), h.to_the(exponent.into()));
        }
    }

    proptest! {
        #[test]
        fn it_is_a_field(a in element(), b in element(), c in element()) {
            prop_assert_eq!(a.times(b), product(a, b));
            prop_assert_eq!(a.times(b), b.times(a));
            prop_assert_eq!(a.times(b).times(c), a.times(b.times(c)));
            prop_assert_eq!(a.plus(b).times(c), a.times(c).plus(b.times(c)));
            prop_assert_eq!(a.times(Element::ONE), a);
            prop_assume!(a != Element::ZERO);
            prop_assert_eq!(a.times(a.inverse()), Element::ONE);
        }

        #[test]
        fn powers_add_up(a in element(), one in 0_u64..1 << 40, other in 0_u64..1 << 40) {
            let to_the = |exponent: u64| a.to_the(exponent.into());
            prop_assert_eq!(to_the(one).times(to_the(other)), to_the(one + other));
        }
    }
}
