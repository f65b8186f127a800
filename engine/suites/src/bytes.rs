//! Fields of headers: taken from a packet without a look beyond its end.

use ciphermark_providers::api::CallError;

/// The first `N` bytes and the rest. A packet that is too short is dropped, as one that was changed.
#[inline]
pub fn take<const N: usize>(packet: &[u8]) -> Result<(&[u8; N], &[u8]), CallError> {
    packet.split_first_chunk().ok_or(CallError::Refused)
}

/// All but the last bytes, and these.
#[inline]
pub fn cut_end(packet: &[u8], bytes: usize) -> Result<(&[u8], &[u8]), CallError> {
    let text_bytes = packet.len().checked_sub(bytes).ok_or(CallError::Refused)?;
    Ok(packet.split_at(text_bytes))
}

/// What a receiver of the low `bits` of a number takes it for: the one nearest to what it expects
/// (RFC 9000, appendix A.3; RFC 3711, appendix A; TS 38.323, section 5.2.2.1).
#[inline]
pub fn nearest(low: u64, bits: u32, expected: u64) -> u64 {
    let span = 1_u64 << bits;
    let candidate = expected & !(span - 1) | low;
    if candidate + span / 2 <= expected && candidate <= u64::MAX - span {
        candidate + span
    } else if candidate > expected.saturating_add(span / 2) && candidate >= span {
        candidate - span
    } else {
        candidate
    }
}

/// Exclusive or, byte by byte.
#[inline]
pub fn xor<const N: usize>(mut one: [u8; N], other: &[u8]) -> [u8; N] {
    one.iter_mut().zip(other).for_each(|(one, other)| *one ^= other);
    one
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of RFC 9000, appendix A.3, and numbers on both sides of a wrap.
    #[test]
    fn a_number_is_the_nearest_one_with_these_low_bits() {
        assert_eq!(nearest(0x9b32, 16, 0xa82f_30eb), 0xa82f_9b32);
        assert_eq!(nearest(0x0001, 16, 0x1_fffe), 0x2_0001);
        assert_eq!(nearest(0xfffe, 16, 0x2_0001), 0x1_fffe);
        assert_eq!(nearest(3, 16, 5), 3);
    }

    #[test]
    fn short_packets_are_refused() {
        assert_eq!(take::<4>(&[1, 2, 3]), Err(CallError::Refused));
        assert_eq!(cut_end(&[1, 2], 3), Err(CallError::Refused));
        assert_eq!(cut_end(&[1, 2, 3], 2), Ok((&[1][..], &[2, 3][..])));
    }
}
