//! Schedules of AES (FIPS 197), which crates keep to themselves, and of CMAC.

use aes::cipher::{BlockCipherEncrypt, KeyInit};
use aes::{Aes128, Aes256};

/// Bytes of a schedule for so many rounds.
pub const fn schedule_bytes(rounds: usize) -> usize {
    16 * (rounds + 1)
}

const SBOX: [u8; 256] = sbox();

/// Section 5.1.1. Every value but 0 is a power of 3, whose inverse is the same power of 1/3 (0xf6).
const fn sbox() -> [u8; 256] {
    let mut sbox = [0; 256];
    let (mut power, mut inverse) = (1_u8, 1_u8);
    loop {
        let b = inverse;
        let sum = b.rotate_left(1) ^ b.rotate_left(2) ^ b.rotate_left(3) ^ b.rotate_left(4);
        sbox[power as usize] = b ^ sum ^ 0x63;
        power ^= times_x(power);
        inverse = times_f6(inverse);
        if power == 1 {
            break;
        }
    }
    sbox[0] = 0x63;
    sbox
}

/// Multiplication by x (section 4.2.1).
const fn times_x(a: u8) -> u8 {
    a << 1 ^ if a >> 7 == 1 { 0x1b } else { 0 }
}

/// Multiplication by x^7 + x^6 + x^5 + x^4 + x^2 + x.
const fn times_f6(a: u8) -> u8 {
    let (mut product, mut power, mut bits) = (0, a, 0xf6_u8);
    while bits > 0 {
        if bits & 1 == 1 {
            product ^= power;
        }
        power = times_x(power);
        bits >>= 1;
    }
    product
}

/// Section 5.2: four bytes after four bytes.
pub fn schedule(key: &[u8], schedule: &mut [u8]) {
    let mut constant = 1;
    schedule[..key.len()].copy_from_slice(key);
    for at in (key.len()..schedule.len()).step_by(4) {
        let mut word = [0; 4];
        word.copy_from_slice(&schedule[at - 4..at]);
        if at % key.len() == 0 {
            word.rotate_left(1);
            word = word.map(|byte| SBOX[usize::from(byte)]);
            word[0] ^= constant;
            constant = times_x(constant);
        } else if key.len() > 24 && at % key.len() == 16 {
            word = word.map(|byte| SBOX[usize::from(byte)]);
        }
        for (index, byte) in word.into_iter().enumerate() {
            schedule[at + index] = schedule[at + index - key.len()] ^ byte;
        }
    }
}

/// Bytes of a schedule with both subkeys.
pub const fn cmac_schedule_bytes(rounds: usize) -> usize {
    schedule_bytes(rounds) + 2 * 16
}

/// The round keys, then the subkeys K1 and K2 (SP 800-38B, section 6.1).
pub fn cmac_schedule(key: &[u8], schedule: &mut [u8]) {
    let (round_keys, subkeys) = schedule.split_at_mut(schedule.len() - 2 * 16);
    self::schedule(key, round_keys);
    let mut block = [0; 16].into();
    match key.len() {
        16 => Aes128::new_from_slice(key).expect("16 bytes").encrypt_block(&mut block),
        _ => Aes256::new_from_slice(key).expect("32 bytes").encrypt_block(&mut block),
    }
    let mut subkey = u128::from_be_bytes(block.into());
    for bytes in subkeys.chunks_exact_mut(16) {
        let carried = if subkey >> 127 == 1 { 0x87 } else { 0 };
        subkey = subkey << 1 ^ carried;
        bytes.copy_from_slice(&subkey.to_be_bytes());
    }
}
