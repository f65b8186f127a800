//! What f8 and f9 take beside key and message.

use core::fmt;

/// Most bits of a message (3GPP TS 35.201, section 3.2, for f8; f9 is held to the same).
pub const MOST_BITS: usize = 20_000;

/// Which way a message goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// From the user equipment to the network: 0.
    Uplink,
    /// From the network to the user equipment: 1.
    Downlink,
}

impl Direction {
    pub(crate) fn bit(self) -> u8 {
        match self {
            Direction::Uplink => 0,
            Direction::Downlink => 1,
        }
    }
}

impl TryFrom<u8> for Direction {
    type Error = Error;

    fn try_from(bit: u8) -> Result<Self, Error> {
        match bit {
            0 => Ok(Direction::Uplink),
            1 => Ok(Direction::Downlink),
            _ => Err(Error::Direction(bit)),
        }
    }
}

/// Why nothing was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// BEARER has five bits, and this is more than 31.
    Bearer(u8),
    /// DIRECTION has one bit, and this is more than 1.
    Direction(u8),
    /// A message has 1 to [`MOST_BITS`] bits, and this one has as many.
    Bits(usize),
    /// So many bits are in another number of bytes than these.
    Bytes {
        /// What the message was said to have.
        bits: usize,
        /// What it has.
        bytes: usize,
    },
    /// The tag is wrong.
    Tag,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Bearer(bearer) => write!(f, "BEARER is {bearer}, more than 31"),
            Error::Direction(direction) => write!(f, "DIRECTION is {direction}, not 0 or 1"),
            Error::Bits(bits) => write!(f, "the message has {bits} bits, not 1 to {MOST_BITS}"),
            Error::Bytes { bits, bytes } => {
                let needed = bits.div_ceil(8);
                write!(f, "a message of {bits} bits is {needed} bytes, not {bytes}")
            }
            Error::Tag => f.write_str("the tag is wrong"),
        }
    }
}

impl core::error::Error for Error {}

pub(crate) fn check_bearer(bearer: u8) -> Result<(), Error> {
    if bearer > 31 { Err(Error::Bearer(bearer)) } else { Ok(()) }
}

pub(crate) fn check_length(bits: usize, bytes: usize) -> Result<(), Error> {
    if !(1..=MOST_BITS).contains(&bits) {
        return Err(Error::Bits(bits));
    }
    if bits.div_ceil(8) != bytes {
        return Err(Error::Bytes { bits, bytes });
    }
    Ok(())
}
