//! How the counter block of a function in counter mode grows.

use super::functions::Functions;
use ciphermark_providers::api::*;

/// The longest counter block: a cipher's block.
pub const MOST_BYTES: usize = 16;

/// A number, big-endian, in the last bytes of the block, which begins anew behind the largest. Of the
/// standards, SP 800-38A leaves its width open; libraries take the whole block, half of it or, as GCM
/// has it, 32 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counter {
    block_bytes: usize,
    counting_bytes: usize,
}

impl Counter {
    /// Which one a function has is seen by what it does where narrower ones would begin anew. A key
    /// has been set.
    pub fn measured(functions: &Functions, block_bytes: usize) -> Result<Self, CreateError> {
        let unknown =
            || CreateError::Unsupported("counter blocks that grow in a way of their own".into());
        if !(1..=MOST_BYTES).contains(&block_bytes) {
            return Err(unknown());
        }
        let widths = || [4, 8, block_bytes].into_iter().filter(|&it| it <= block_bytes);
        for counting_bytes in widths() {
            let counter = Self { block_bytes, counting_bytes };
            let mut is_it = true;
            for full_bytes in widths() {
                is_it &= counter.fits(functions, full_bytes).map_err(failed)?;
            }
            if is_it {
                return Ok(counter);
            }
        }
        Err(unknown())
    }

    /// Whether a function goes on as this counter says, from a block whose last bytes are full.
    fn fits(self, functions: &Functions, full_bytes: usize) -> Result<bool, CallError> {
        let mut nonce = [0; MOST_BYTES];
        let nonce = &mut nonce[..self.block_bytes];
        nonce[self.block_bytes - full_bytes..].fill(u8::MAX);
        let zeros = [0; 2 * MOST_BYTES];
        let (mut two, mut second) = ([0; 2 * MOST_BYTES], [0; MOST_BYTES]);
        let (two, second) = (&mut two[..2 * self.block_bytes], &mut second[..self.block_bytes]);
        functions.process(0, &Message::new(nonce, &zeros[..two.len()]), two)?;
        self.advance(nonce, 1);
        functions.process(0, &Message::new(nonce, &zeros[..second.len()]), second)?;
        Ok(two[self.block_bytes..] == *second)
    }

    /// Makes of a counter block the one so many blocks later.
    pub fn advance(self, block: &mut [u8], blocks: u64) {
        let mut carry = u128::from(blocks);
        for byte in block[self.block_bytes - self.counting_bytes..].iter_mut().rev() {
            carry += u128::from(*byte);
            *byte = carry as u8;
            carry >>= 8;
        }
    }
}

fn failed(error: CallError) -> CreateError {
    CreateError::Failed(format!("a look at its counter blocks failed: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_begin_anew_within_their_bytes() {
        let after = |counting_bytes, mut block: [u8; 8], blocks| {
            Counter { block_bytes: 8, counting_bytes }.advance(&mut block, blocks);
            block
        };
        assert_eq!(after(4, [7, 7, 7, 7, 255, 255, 255, 254], 3), [7, 7, 7, 7, 0, 0, 0, 1]);
        assert_eq!(after(8, [7, 7, 7, 7, 255, 255, 255, 254], 3), [7, 7, 7, 8, 0, 0, 0, 1]);
        assert_eq!(after(8, [255; 8], 0x0100), [0, 0, 0, 0, 0, 0, 0, 255]);
    }
}
