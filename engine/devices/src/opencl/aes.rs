//! Schedules of AES (FIPS 197), which crates keep to themselves.

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
