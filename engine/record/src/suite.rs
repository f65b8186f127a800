//! What protects a packet in a protocol: a cipher and what makes its integrity, with the framing.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What an algorithm of the kind `suite` is composed of, from `suites/<protocol>.toml`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Suite {
    /// Name of the protocol, as before the colon in the suite's name: `esp`.
    pub protocol: String,
    /// Canonical name of the cipher or AEAD.
    pub cipher: String,
    /// Canonical name of the function that makes the integrity check value; absent with an AEAD and
    /// where there is none.
    #[serde(default)]
    pub integrity: Option<String>,
    /// Canonical name of the function that hides the header's numbers, as QUIC does; absent elsewhere.
    #[serde(default)]
    pub header_protection: Option<String>,
    /// Bytes of the key material that are no key: the part of the nonce that stays the same.
    pub salt_bytes: u32,
    pub framing: Framing,
    /// What the protocol's standard says of it: `MUST (RFC 8221)`.
    pub standing: String,
    pub limits: Vec<KeyLimit>,
}

/// How a packet grows on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Framing {
    /// Headers that carry it and that no cryptography sees: outer IP and UDP.
    pub outer_bytes: u32,
    /// The protocol's own header before the packet.
    pub header_bytes: u32,
    /// IV or nonce that is sent along.
    pub iv_bytes: u32,
    /// What is encrypted with the packet, but for what only fills the block up.
    pub trailer_bytes: u32,
    /// What is encrypted is filled up to a multiple of so many bytes.
    pub pad_to: u32,
    /// The integrity check value, as it is sent.
    pub icv_bytes: u32,
}

impl Framing {
    /// Bytes that are encrypted of a packet of so many bytes.
    #[inline]
    pub fn encrypted_bytes(self, packet_bytes: usize) -> usize {
        (packet_bytes + self.trailer_bytes as usize).next_multiple_of(self.pad_to as usize)
    }

    /// Bytes that the cryptography makes of a packet: all but what carries it.
    #[inline]
    pub fn sealed_bytes(self, packet_bytes: usize) -> usize {
        let around = self.header_bytes + self.iv_bytes + self.icv_bytes;
        self.encrypted_bytes(packet_bytes) + around as usize
    }

    /// Bytes on the wire, without the link's own.
    pub fn wire_bytes(self, packet_bytes: usize) -> usize {
        self.sealed_bytes(packet_bytes) + self.outer_bytes as usize
    }
}

/// How much one key may protect; whatever of the three is there and reached first ends it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct KeyLimit {
    #[serde(default)]
    pub packets: Option<f64>,
    #[serde(default)]
    pub bytes: Option<f64>,
    #[serde(default)]
    pub seconds: Option<f64>,
    /// What the limit prevents.
    pub reason: String,
    /// Document and section.
    pub source: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 4303, section 2.4: ESP with AES-CBC and a 96-bit tag pads to the block, two bytes of trailer
    /// in it. 64 bytes become 80 with 14 of padding: 20 + 8 + 16 + 80 + 12.
    #[test]
    fn a_packet_grows_as_counted_by_hand() {
        let cbc = Framing {
            outer_bytes: 20,
            header_bytes: 8,
            iv_bytes: 16,
            trailer_bytes: 2,
            pad_to: 16,
            icv_bytes: 12,
        };
        assert_eq!(cbc.wire_bytes(64), 136);
        assert_eq!([cbc.encrypted_bytes(14), cbc.encrypted_bytes(15)], [16, 32]);
        assert_eq!(cbc.sealed_bytes(0), 8 + 16 + 16 + 12);
    }
}
