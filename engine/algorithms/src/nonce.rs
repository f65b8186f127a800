//! Nonces that are made of numbers, so that not every string of bytes is one.
//!
//! The facts of an algorithm name the numbers in order, see [`NonceField`]; each is big-endian, in
//! as few whole bytes as hold its bits, and the bits above it are zero.

use ciphermark_record::description::{Algorithm, NonceField};

/// The bytes of a nonce; `value` gives the number of that name, where there is one.
///
/// The error names the field that is missing or too large.
pub fn pack(fields: &[NonceField], value: impl Fn(&str) -> Option<u64>) -> Result<Vec<u8>, String> {
    let mut nonce = Vec::new();
    for NonceField { name, bits } in fields {
        let number = value(name).ok_or_else(|| format!("it has no `{name}`"))?;
        if number & !largest(*bits) != 0 {
            return Err(format!("its `{name}` is {number}, which has more than {bits} bits"));
        }
        nonce.extend(&number.to_be_bytes()[8 - bytes(*bits)..]);
    }
    Ok(nonce)
}

/// Makes a nonce of any bytes one that the algorithm has, by clearing the bits that are not used.
pub fn confine(algorithm: &Algorithm, nonce: &mut [u8]) {
    let mut rest = nonce;
    for NonceField { bits, .. } in &algorithm.nonce_fields {
        let (field, behind) = rest.split_at_mut(bytes(*bits));
        let mask = largest(*bits).to_be_bytes();
        field.iter_mut().zip(&mask[8 - bytes(*bits)..]).for_each(|(byte, mask)| *byte &= mask);
        rest = behind;
    }
}

/// Bytes that a field takes.
pub fn bytes(bits: u32) -> usize {
    bits.div_ceil(8) as usize
}

fn largest(bits: u32) -> u64 {
    u64::MAX >> (64 - bits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::find;

    fn fields() -> Vec<NonceField> {
        let field = |(name, bits): (&str, _)| NonceField { name: name.into(), bits };
        [("count", 32), ("bearer", 5), ("direction", 1)].map(field).into()
    }

    fn packed(bearer: Option<u64>) -> Result<Vec<u8>, String> {
        pack(&fields(), |name| match name {
            "count" => Some(0x0102_0304),
            "bearer" => bearer,
            _ => Some(1),
        })
    }

    #[test]
    fn numbers_are_big_endian_in_whole_bytes() {
        assert_eq!(packed(Some(31)), Ok(vec![1, 2, 3, 4, 31, 1]));
        assert_eq!(packed(Some(32)), Err("its `bearer` is 32, which has more than 5 bits".into()));
        assert_eq!(packed(None), Err("it has no `bearer`".into()));
    }

    #[test]
    fn bits_that_no_field_has_are_cleared() {
        let mut nonce = [0xff; 6];
        confine(find("uea1").expect("UEA1 has facts"), &mut nonce);
        assert_eq!(nonce, [0xff, 0xff, 0xff, 0xff, 0x1f, 1]);
        let mut nonce = [0xff; 12];
        confine(find("aes-128-gcm").expect("AES-128-GCM has facts"), &mut nonce);
        assert_eq!(nonce, [0xff; 12]);
    }
}
