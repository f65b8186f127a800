//! How a message is given to a library: all of it in one call, or chunk by chunk.

use std::iter;
use std::ops::Range;

use crate::api::*;
use crate::checks;

/// Cuts messages into the pieces that are given in one call each.
pub trait Cut {
    /// The pieces of a message of so many bytes. A library that takes whole units until the message
    /// ends leaves a part of one over, which is given again with the next piece. An empty message
    /// is one empty piece.
    fn pieces(&self, bytes: usize, unit_bytes: usize) -> impl Iterator<Item = Range<usize>>;
}

/// A function whose library is called for chunks as for a whole message, which is one piece.
pub trait FunctionInPieces: Send {
    /// Whether the pieces of a message may come again: not where the output has as many bytes.
    const REPEATS: bool = false;

    /// As [`Function::set_key`]; hashes need no other than this.
    fn set_key(&mut self, key: &[u8]) -> Result<(), CallError> {
        checks::check_length(key.len(), 0)
    }

    /// The chunks that messages may be given in.
    fn chunks(&self, chunk_bytes: usize) -> Result<Chunks, CallError> {
        Chunks::of(chunk_bytes, 1)
    }

    /// As [`Function::process`].
    fn process_pieces(
        &mut self,
        message: &Message<'_>,
        cut: impl Cut,
        output: &mut [u8],
    ) -> Result<(), CallError>;

    /// As [`Function::renew`].
    fn renew(&mut self, what: Renewed) -> Result<(), CallError>;
}

impl<F: FunctionInPieces> Function for F {
    fn set_key(&mut self, key: &[u8]) -> Result<(), CallError> {
        FunctionInPieces::set_key(self, key)
    }

    fn process(&mut self, message: &Message<'_>, output: &mut [u8]) -> Result<(), CallError> {
        self.process_pieces(message, Whole, output)
    }

    fn process_parts(
        &mut self,
        message: &Message<'_>,
        parts: Parts,
        output: &mut [u8],
    ) -> Result<(), CallError> {
        match parts {
            Parts::Chunks(bytes) => self.process_pieces(message, self.chunks(bytes)?, output),
            Parts::Repeated(bytes) if Self::REPEATS => {
                self.process_pieces(message, Repeated(bytes), output)
            }
            Parts::Repeated(_) => Err(CallError::Unsupported),
        }
    }

    fn renew(&mut self, what: Renewed) -> Result<(), CallError> {
        FunctionInPieces::renew(self, what)
    }
}

/// All of a message in one piece.
pub struct Whole;

impl Cut for Whole {
    #[inline]
    fn pieces(&self, bytes: usize, _: usize) -> impl Iterator<Item = Range<usize>> {
        iter::once(0..bytes)
    }
}

/// A message as it arrives, so many bytes at a time.
pub struct Chunks(usize);

impl Chunks {
    /// Chunks have at least one byte, and whole blocks.
    pub fn of(chunk_bytes: usize, block_bytes: usize) -> Result<Self, CallError> {
        match chunk_bytes > 0 && chunk_bytes.is_multiple_of(block_bytes) {
            true => Ok(Self(chunk_bytes)),
            false => Err(CallError::Length),
        }
    }
}

impl Cut for Chunks {
    fn pieces(&self, bytes: usize, unit_bytes: usize) -> impl Iterator<Item = Range<usize>> {
        let Self(chunk_bytes) = *self;
        let mut start = 0;
        (1..=bytes.div_ceil(chunk_bytes).max(1)).filter_map(move |count| {
            let arrived = count.saturating_mul(chunk_bytes).min(bytes);
            let is_last = arrived == bytes;
            let end = if is_last { bytes } else { arrived - arrived % unit_bytes };
            let piece = start..end;
            start = end;
            (is_last || !piece.is_empty()).then_some(piece)
        })
    }
}

/// A message of so many bytes that is one chunk again and again, the last time cut to what is left:
/// pieces of the chunk. Of no bytes there is no chunk to repeat.
#[derive(Clone, Copy)]
pub struct Repeated(pub usize);

impl Cut for Repeated {
    /// Units do not lie in two chunks: the chunk is whole ones.
    fn pieces(&self, chunk_bytes: usize, _: usize) -> impl Iterator<Item = Range<usize>> {
        let Self(bytes) = *self;
        let whole = bytes.checked_div(chunk_bytes).unwrap_or(0);
        let rest = bytes.checked_rem(chunk_bytes).unwrap_or(0);
        let last = (rest > 0 || whole == 0).then_some(0..rest);
        iter::repeat_n(0..chunk_bytes, whole).chain(last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where the pieces end.
    fn ends(bytes: usize, chunk_bytes: usize, unit_bytes: usize) -> Vec<usize> {
        let mut at = 0;
        let end = |piece: Range<usize>| {
            assert_eq!(piece.start, at, "nothing is left out");
            at = piece.end;
            piece.end
        };
        Chunks(chunk_bytes).pieces(bytes, unit_bytes).map(end).collect()
    }

    #[test]
    fn the_last_chunk_is_shorter() {
        assert_eq!(ends(10, 4, 1), [4, 8, 10]);
        assert_eq!(ends(8, 4, 1), [4, 8]);
        assert_eq!(ends(3, usize::MAX, 1), [3]);
    }

    #[test]
    fn part_of_a_unit_waits_for_the_next_chunk() {
        assert_eq!(ends(50, 10, 16), [16, 32, 50]);
        assert_eq!(ends(32, 1, 16), [16, 32]);
        assert_eq!(ends(5, 1, 16), [5]);
    }

    #[test]
    fn an_empty_message_is_one_empty_piece() {
        assert_eq!(ends(0, 16, 16), [0]);
        assert!(Whole.pieces(0, 16).eq([Range::default()]));
    }

    #[test]
    fn a_chunk_comes_again_until_the_message_is_whole() {
        let ends = |bytes, chunk_bytes| -> Vec<usize> {
            let begins_anew = |piece: Range<usize>| {
                assert_eq!(piece.start, 0);
                piece.end
            };
            Repeated(bytes).pieces(chunk_bytes, 1).map(begins_anew).collect()
        };
        assert_eq!(ends(10, 4), [4, 4, 2]);
        assert_eq!(ends(8, 4), [4, 4]);
        assert_eq!(ends(3, 4), [3]);
        assert_eq!(ends(0, 4), [0]);
        assert_eq!(ends(0, 0), [0]);
    }

    #[test]
    fn chunks_are_whole_blocks() {
        assert!(Chunks::of(32, 16).is_ok());
        for bytes in [0, 17] {
            assert_eq!(Chunks::of(bytes, 16).err(), Some(CallError::Length));
        }
    }
}
