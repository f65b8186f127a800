//! Schedules of KASUMI (3GPP TS 35.202) for f8 and f9.

/// Bytes of a round's keys: KL, KO and KI, 16 bits each.
const ROUND_BYTES: usize = 16;

const BYTES: usize = 8 * ROUND_BYTES;

/// Bytes of the schedules of a key and of the modified key.
pub const SCHEDULE_BYTES: usize = 2 * BYTES;

/// Section 4.6, table 1.
const CONSTANTS: [u16; 8] = [0x0123, 0x4567, 0x89ab, 0xcdef, 0xfedc, 0xba98, 0x7654, 0x3210];

/// The schedules of f8 (TS 35.201, section 3.4).
pub fn f8_schedule(key: &[u8], schedule: &mut [u8]) {
    schedules(key, 0x55, schedule);
}

/// The schedules of f9 (section 4.4).
pub fn f9_schedule(key: &[u8], schedule: &mut [u8]) {
    schedules(key, 0xaa, schedule);
}

/// Those of the key, and of the key with each byte modified.
fn schedules(key: &[u8], modifier: u8, schedule: &mut [u8]) {
    let (plain, modified) = schedule.split_at_mut(BYTES);
    expand(|index| word(key, index), plain);
    expand(|index| word(key, index) ^ u16::from_be_bytes([modifier; 2]), modified);
}

fn word(key: &[u8], index: usize) -> u16 {
    u16::from_be_bytes([key[2 * index], key[2 * index + 1]])
}

/// Section 4.6, table 2.
fn expand(word: impl Fn(usize) -> u16, schedule: &mut [u8]) {
    let key = |index| word(index % 8);
    let changed = |index| word(index % 8) ^ CONSTANTS[index % 8];
    for (round, keys) in schedule.chunks_exact_mut(ROUND_BYTES).enumerate() {
        let words = [
            key(round).rotate_left(1),
            changed(round + 2),
            key(round + 1).rotate_left(5),
            key(round + 5).rotate_left(8),
            key(round + 6).rotate_left(13),
            changed(round + 4),
            changed(round + 3),
            changed(round + 7),
        ];
        for (bytes, word) in keys.chunks_exact_mut(2).zip(words) {
            bytes.copy_from_slice(&word.to_le_bytes());
        }
    }
}
