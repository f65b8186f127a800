//! The numbers that a 3GPP function takes beside its key, read from the bytes of a nonce.
//!
//! A message carries one nonce, and these functions take two or three numbers with it, so they are
//! laid out one after the other, each in whole bytes:
//!
//! | functions | nonce |
//! | --- | --- |
//! | `uea1`, `uea2`, `eea2`, `eea3`, `eia2`, `eia3` | COUNT, 4 bytes; BEARER, 1 byte (0 … 31); DIRECTION, 1 byte (0, 1) |
//! | `uia1`, `uia2` | COUNT, 4 bytes; FRESH, 4 bytes; DIRECTION, 1 byte (0, 1) |
//!
//! All are big-endian. The same is said as `nonce_fields` in the facts of each function, which is
//! what random nonces and test vectors follow; a larger BEARER or DIRECTION never occurs.
//!
//! The standards count messages in bits, and what is measured is whole bytes. A vector with another
//! length is run by a cipher, whose keystream does not depend on the length, and compared in the
//! bits it has; a MAC has to count in bits for it.

/// Beside the key of UEA1, UEA2, EEA2, EEA3, EIA2 and EIA3.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BearerNonce {
    pub count: u32,
    pub bearer: u8,
    /// 0 is uplink, 1 downlink.
    pub direction: u8,
}

impl BearerNonce {
    /// Bytes in a nonce.
    pub const BYTES: usize = 6;

    /// Absent where the nonce has another length.
    #[inline]
    pub fn read(nonce: &[u8]) -> Option<Self> {
        let &[a, b, c, d, bearer, direction] = nonce else { return None };
        Some(Self { count: u32::from_be_bytes([a, b, c, d]), bearer, direction })
    }
}

/// Beside the key of UIA1 and UIA2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FreshNonce {
    pub count: u32,
    pub fresh: u32,
    /// 0 is uplink, 1 downlink.
    pub direction: u8,
}

impl FreshNonce {
    /// Bytes in a nonce.
    pub const BYTES: usize = 9;

    /// Absent where the nonce has another length.
    #[inline]
    pub fn read(nonce: &[u8]) -> Option<Self> {
        let (count, rest) = nonce.split_first_chunk()?;
        let (fresh, &[direction]) = rest.split_first_chunk()? else { return None };
        let (count, fresh) = (u32::from_be_bytes(*count), u32::from_be_bytes(*fresh));
        Some(Self { count, fresh, direction })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::algorithms;
    use crate::nonce;

    const COUNT: u32 = 0x0102_0304;
    const FRESH: u32 = 0x0506_0708;
    const BEARER: u8 = 21;
    const DIRECTION: u8 = 1;

    fn value(name: &str) -> Option<u64> {
        match name {
            "count" => Some(COUNT.into()),
            "fresh" => Some(FRESH.into()),
            "bearer" => Some(BEARER.into()),
            "direction" => Some(DIRECTION.into()),
            _ => None,
        }
    }

    #[test]
    fn what_the_facts_lay_out_is_read_back() {
        let bearer = BearerNonce { count: COUNT, bearer: BEARER, direction: DIRECTION };
        let fresh = FreshNonce { count: COUNT, fresh: FRESH, direction: DIRECTION };
        let mut functions = Vec::new();
        for algorithm in algorithms().iter().filter(|it| !it.nonce_fields.is_empty()) {
            let nonce = nonce::pack(&algorithm.nonce_fields, value).expect("all fields are known");
            match algorithm.name.as_str() {
                "uia1" | "uia2" => assert_eq!(FreshNonce::read(&nonce), Some(fresh)),
                _ => assert_eq!(BearerNonce::read(&nonce), Some(bearer)),
            }
            functions.push(algorithm.name.as_str());
        }
        assert_eq!(functions, ["eea2", "eea3", "eia2", "eia3", "uea1", "uea2", "uia1", "uia2"]);
    }

    #[test]
    fn a_nonce_of_another_length_is_none() {
        for bytes in (0..12).filter(|&bytes| bytes != BearerNonce::BYTES) {
            assert_eq!(BearerNonce::read(&vec![0; bytes]), None);
        }
        for bytes in (0..12).filter(|&bytes| bytes != FreshNonce::BYTES) {
            assert_eq!(FreshNonce::read(&vec![0; bytes]), None);
        }
    }
}
