//! Packets as kernels read them: the layout of `kernels/opencl/packets.cl`.

use std::ops::Range;

/// Packets start at multiples of so many bytes.
const PACKET_BYTES: usize = 64;

/// Answers start at multiples of so many bytes.
const ANSWER_BYTES: usize = 16;

/// Bytes of the description of a packet: nine words.
const DESCRIPTION_BYTES: usize = 36;

pub const MOST_NONCE_BYTES: usize = 16;

/// What is known of a packet on its way.
#[derive(Clone, Copy, Default)]
pub struct Packet {
    pub key: u32,
    pub nonce: [u8; MOST_NONCE_BYTES],
    pub nonce_bytes: u8,
    pub unused_bits: u8,
    /// Where the device's answer is.
    answer: (usize, usize),
    /// Length of the answer that was promised to the caller.
    pub output_bytes: usize,
}

impl Packet {
    pub fn new(key: u32, nonce: &[u8], unused_bits: u8, output_bytes: usize) -> Self {
        let mut packet = Self { key, unused_bits, output_bytes, ..Self::default() };
        packet.nonce[..nonce.len()].copy_from_slice(nonce);
        packet.nonce_bytes = nonce.len() as u8;
        packet
    }

    pub fn nonce(&self) -> &[u8] {
        &self.nonce[..self.nonce_bytes.into()]
    }

    /// The device's answer among all.
    pub fn answer(&self) -> Range<usize> {
        self.answer.0..self.answer.1
    }
}

/// Packets of one submission, with their memory on the host.
#[derive(Default)]
pub struct Packets {
    pub list: Vec<Packet>,
    /// What is written to the device: descriptions, then packets.
    pub input: Vec<u8>,
    /// Tags that messages brought, one after the other.
    pub tags: Vec<u8>,
    /// Length of what is read from the device.
    pub answer_bytes: usize,
    /// The longest packet.
    pub longest: usize,
}

impl Packets {
    /// Begins with room for the descriptions of so many packets.
    pub fn start(&mut self, count: usize) {
        self.list.clear();
        self.input.clear();
        self.input.resize((count * DESCRIPTION_BYTES).next_multiple_of(PACKET_BYTES), 0);
        self.tags.clear();
        (self.answer_bytes, self.longest) = (0, 0);
    }

    /// Adds a packet with its text, which the device answers with so many bytes.
    pub fn push(&mut self, mut packet: Packet, text: &[u8], device_bytes: usize) {
        let start = self.input.len();
        self.input.extend_from_slice(text);
        if let Some(last) = self.input[start..].last_mut() {
            *last &= u8::MAX << packet.unused_bits;
        }
        // Zeros up to the next packet, also behind an empty one.
        let end = (start + text.len().max(1)).next_multiple_of(PACKET_BYTES);
        self.input.resize(end, 0);
        packet.answer = (self.answer_bytes, self.answer_bytes + device_bytes);
        self.describe(&packet, start, text.len());
        // An empty answer has room too: nothing cannot be read from a device.
        let end = packet.answer.0 + device_bytes.max(1);
        self.answer_bytes = end.next_multiple_of(ANSWER_BYTES);
        self.longest = self.longest.max(text.len());
        self.list.push(packet);
    }

    fn describe(&mut self, packet: &Packet, start: usize, bytes: usize) {
        let words = [
            (start / 4) as u32,
            (packet.answer.0 / 4) as u32,
            bytes as u32,
            packet.unused_bits.into(),
            packet.key,
        ];
        let at = self.list.len() * DESCRIPTION_BYTES;
        let (numbers, nonce) =
            self.input[at..at + DESCRIPTION_BYTES].split_at_mut(size_of_val(&words));
        for (bytes, word) in numbers.chunks_exact_mut(4).zip(words) {
            bytes.copy_from_slice(&word.to_le_bytes());
        }
        nonce.copy_from_slice(&packet.nonce);
    }

    /// Leaves the device what it may still look at, for good.
    pub fn leak(&mut self) {
        std::mem::take(&mut self.input).leak();
    }
}
