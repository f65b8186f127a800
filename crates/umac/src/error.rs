//! What can be wrong.

use core::fmt;

/// Why there is no tag, or a message is not to be believed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Error {
    /// The algorithm has no nonces of that length; of VMAC, 16 bytes whose first bit is 1.
    Nonce,
    /// The tag is not that of the message.
    Tag,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Error::Nonce => "the nonce has more than 16 bytes (for VMAC 127 bits), or none",
            Error::Tag => "the tag is not that of the message",
        })
    }
}

impl core::error::Error for Error {}
