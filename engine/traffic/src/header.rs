//! The first bytes of each payload, and what follows them.

/// Of IPv4 without options, and of UDP.
pub const HEADERS: usize = 20 + 8;
/// Bytes of ours: the packet's number in its flow, the flow, and when it was sent.
const OWN: usize = 4 + 2 + 6;
/// The shortest packet that has room for all of them: 40 bytes, the shortest of usual mixes.
pub const SHORTEST: usize = HEADERS + OWN;
/// The longest packet of IPv4.
pub const LONGEST: usize = 65_535;
/// Flows of a sender.
pub const MOST_FLOWS: u16 = 64;

/// Of the 64 bits of a time only these are sent: three days.
const TIME_BITS: u32 = 48;

/// What a packet says of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    pub number: u32,
    pub flow: u16,
    /// Of the monotonic clock, nanoseconds, without what is beyond 48 bits.
    pub sent_ns: u64,
}

impl Header {
    /// Writes it to the beginning of a payload of at least `SHORTEST - HEADERS` bytes.
    pub fn write(self, payload: &mut [u8]) {
        payload[..4].copy_from_slice(&self.number.to_be_bytes());
        payload[4..6].copy_from_slice(&self.flow.to_be_bytes());
        payload[6..OWN].copy_from_slice(&self.sent_ns.to_be_bytes()[2..]);
    }

    /// Reads it again; `None` where the payload is too short.
    pub fn read(payload: &[u8]) -> Option<Self> {
        let own = payload.get(..OWN)?;
        let mut time = [0; 8];
        time[2..].copy_from_slice(&own[6..]);
        Some(Self {
            number: u32::from_be_bytes([own[0], own[1], own[2], own[3]]),
            flow: u16::from_be_bytes([own[4], own[5]]),
            sent_ns: u64::from_be_bytes(time),
        })
    }

    /// How long it was under way until a moment of the same clock.
    pub fn age_ns(self, now_ns: u64) -> u64 {
        now_ns.wrapping_sub(self.sent_ns) & ((1 << TIME_BITS) - 1)
    }
}

/// What follows the header: the same bytes in every packet, which nothing can compress.
pub fn content() -> Vec<u8> {
    let mut state = 0x6369_7068_6572_6d6b_u64;
    std::iter::repeat_with(|| split_mix(&mut state).to_le_bytes())
        .flatten()
        .take(LONGEST - HEADERS)
        .collect()
}

/// Whether what follows the header is as it was sent.
pub fn is_intact(payload: &[u8], content: &[u8]) -> bool {
    content.get(OWN..payload.len()).is_some_and(|sent| sent == &payload[OWN..])
}

/// SplitMix64 (Steele, Lea, Flood, Fast Splittable Pseudorandom Number Generators, 2014).
fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut mixed = *state;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        let header = Header { number: 0xfedc_ba98, flow: 63, sent_ns: 0xffee_ddcc_bbaa };
        let mut payload = [0; SHORTEST - HEADERS];
        header.write(&mut payload);
        assert_eq!(Header::read(&payload), Some(header));
    }

    #[test]
    fn what_is_too_short_has_no_header() {
        assert_eq!(Header::read(&[0; SHORTEST - HEADERS - 1]), None);
    }

    #[test]
    fn the_age_is_right_when_the_sent_bits_wrap() {
        let sent = (1 << TIME_BITS) - 5;
        let mut payload = [0; OWN];
        Header { number: 0, flow: 0, sent_ns: sent }.write(&mut payload);
        let read = Header::read(&payload).unwrap();
        assert_eq!(read.age_ns((1 << TIME_BITS) + 10), 15);
    }

    #[test]
    fn one_changed_byte_is_seen_wherever_it_lies() {
        let content = content();
        let mut payload = content[..200].to_vec();
        assert!(is_intact(&payload, &content));
        for place in OWN..payload.len() {
            payload[place] ^= 1;
            assert!(!is_intact(&payload, &content), "byte {place}");
            payload[place] ^= 1;
        }
    }
}
