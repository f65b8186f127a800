//! A vector file as it is written.

use std::collections::BTreeMap;

use ciphermark_record::description::NonceField;
use serde::Deserialize;
use serde_json::Value;

use crate::nonce;

/// Longest message that a vector may ask for, bytes: the longest that is ever measured, so that
/// a wrong `count` cannot exhaust memory.
pub const LONGEST_MESSAGE_BYTES: usize = 1 << 30;

#[derive(Deserialize)]
pub struct VectorFile {
    pub vectors: Vec<Entry>,
}

/// One vector: what calls take has a field of its own, the rest is in `parameters`.
#[derive(Deserialize)]
pub struct Entry {
    pub id: String,
    pub key: Option<Hex>,
    // The pad of hash127 is what a nonce becomes.
    #[serde(alias = "iv", alias = "pad")]
    pub nonce: Option<Hex>,
    pub aad: Option<Hex>,
    pub plaintext: Option<Hex>,
    pub ciphertext: Option<Hex>,
    pub message: Option<Message>,
    pub tag: Option<Hex>,
    pub output: Option<Hex>,
    #[serde(flatten)]
    pub parameters: BTreeMap<String, Value>,
}

impl Entry {
    /// The parameter of that name, which has to be a whole number that is not negative.
    pub fn number(&self, name: &str) -> Result<Option<u64>, String> {
        self.parameters.get(name).map(|value| as_number(name, value)).transpose()
    }

    /// The parameter of that name, which has to be bytes.
    pub fn bytes(&self, name: &str) -> Result<Option<Vec<u8>>, String> {
        let bytes = |value: &Value| match value {
            Value::String(text) => Hex::try_from(text.clone()).map(|hex| hex.0),
            other => Err(format!("its `{name}` is {other}, not bytes")),
        };
        self.parameters.get(name).map(bytes).transpose()
    }

    /// Makes the nonce of the numbers that the function takes in one.
    pub fn pack_nonce(&mut self, fields: &[NonceField]) -> Result<(), String> {
        if !fields.is_empty() {
            let number = |name: &str| self.parameters.get(name).and_then(Value::as_u64);
            self.nonce = Some(Hex(nonce::pack(fields, number)?));
        }
        Ok(())
    }
}

fn as_number(name: &str, value: &Value) -> Result<u64, String> {
    value.as_u64().ok_or_else(|| format!("its `{name}` is {value}, not a whole number"))
}

/// Bytes, written as two hexadecimal digits each.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct Hex(pub Vec<u8>);

impl TryFrom<String> for Hex {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let digit = |byte: u8| char::from(byte).to_digit(16).map(|value| value as u8);
        let (pairs, rest) = text.as_bytes().as_chunks::<2>();
        let bytes = pairs.iter().map(|&[high, low]| Some(digit(high)? << 4 | digit(low)?));
        match bytes.collect() {
            Some(bytes) if rest.is_empty() => Ok(Self(bytes)),
            _ => Err(format!("`{text}` is not pairs of hexadecimal digits")),
        }
    }
}

#[derive(Clone, Debug, Deserialize)]
#[serde(untagged, expecting = "expected a message in hexadecimal or as repeat, count and tail")]
pub enum Message {
    Written(Hex),
    /// `repeat` written `count` times, then `tail`.
    Repeated {
        repeat: Hex,
        count: usize,
        #[serde(default)]
        tail: Hex,
    },
}

impl Message {
    /// Written out; only for a message that has passed [`Message::check_length`].
    pub fn bytes(&self) -> Vec<u8> {
        match self {
            Message::Written(bytes) => bytes.0.clone(),
            Message::Repeated { repeat, count, tail } => {
                let mut bytes = repeat.0.repeat(*count);
                bytes.extend(&tail.0);
                bytes
            }
        }
    }

    pub fn length(&self) -> usize {
        match self {
            Message::Written(bytes) => bytes.0.len(),
            Message::Repeated { repeat, count, tail } => {
                repeat.0.len().saturating_mul(*count).saturating_add(tail.0.len())
            }
        }
    }

    pub fn check_length(&self) -> Result<(), String> {
        let length = self.length();
        if length > LONGEST_MESSAGE_BYTES {
            return Err(format!("its message of {length} bytes is longer than 1 GiB"));
        }
        Ok(())
    }
}
