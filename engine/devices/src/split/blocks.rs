//! Ciphers whose parts are runs of blocks: counter mode, CBC decryption and ECB.

use super::SplitRequest;
use super::counter::{Counter, MOST_BYTES};
use super::cut::cut;
use super::functions::Functions;
use ciphermark_providers::api::*;
use ciphermark_providers::checks;

pub fn counter_mode(split: &SplitRequest<'_>) -> Result<Box<dyn Function>, CreateError> {
    let block_bytes = split.request.nonce_bytes.unwrap_or(split.facts.nonce_bytes as usize);
    let mut functions = Functions::asked(split)?;
    let key = vec![0; split.facts.key_bytes as usize];
    functions
        .set_key(&key)
        .map_err(|error| CreateError::Failed(format!("a key of zeros was refused: {error}")))?;
    let counter = Counter::measured(&functions, block_bytes)?;
    Ok(Box::new(Blocks { functions, block_bytes, begins: Begins::Counted(counter) }))
}

pub fn chained_decryption(split: &SplitRequest<'_>) -> Result<Box<dyn Function>, CreateError> {
    blocks(split, Begins::Chained)
}

pub fn apart(split: &SplitRequest<'_>) -> Result<Box<dyn Function>, CreateError> {
    blocks(split, Begins::Apart)
}

fn blocks(split: &SplitRequest<'_>, begins: Begins) -> Result<Box<dyn Function>, CreateError> {
    let block_bytes = split.facts.block_bytes as usize;
    Ok(Box::new(Blocks { functions: Functions::asked(split)?, block_bytes, begins }))
}

/// What a part begins with.
enum Begins {
    /// A counter block, so many blocks after the message's.
    Counted(Counter),
    /// The block of ciphertext before it, as IV.
    Chained,
    /// Nothing.
    Apart,
}

struct Blocks {
    functions: Functions,
    block_bytes: usize,
    begins: Begins,
}

/// A part of a message: its input and where its answer goes.
struct Part<'a> {
    nonce: Nonce<'a>,
    input: &'a [u8],
    output: &'a mut [u8],
}

enum Nonce<'a> {
    Found(&'a [u8]),
    Counted([u8; MOST_BYTES]),
}

impl Blocks {
    /// What the part at `start` of a message begins with.
    fn nonce<'a>(&self, message: &Message<'a>, start: usize) -> Nonce<'a> {
        match &self.begins {
            Begins::Counted(counter) => {
                let mut block = [0; MOST_BYTES];
                block[..self.block_bytes].copy_from_slice(message.nonce);
                counter.advance(&mut block[..self.block_bytes], (start / self.block_bytes) as u64);
                Nonce::Counted(block)
            }
            Begins::Chained if start > 0 => {
                Nonce::Found(&message.input[start - self.block_bytes..start])
            }
            Begins::Chained | Begins::Apart => Nonce::Found(message.nonce),
        }
    }
}

impl Function for Blocks {
    fn set_key(&mut self, key: &[u8]) -> Result<(), CallError> {
        self.functions.set_key(key)
    }

    fn process(&mut self, message: &Message<'_>, output: &mut [u8]) -> Result<(), CallError> {
        let input = message.input;
        checks::check_length(output.len(), input.len())?;
        if let Begins::Counted(_) = self.begins {
            checks::check_length(message.nonce.len(), self.block_bytes)?;
        }
        let Functions { team, .. } = &self.functions;
        let mut rest = output;
        let parts = cut(input.len(), team.cores()).map(|range| {
            let (output, behind) = std::mem::take(&mut rest).split_at_mut(range.len());
            rest = behind;
            Part { nonce: self.nonce(message, range.start), input: &input[range], output }
        });
        team.share(parts, |core, Part { nonce, input, output }| {
            let nonce = match &nonce {
                Nonce::Found(nonce) => nonce,
                Nonce::Counted(block) => &block[..self.block_bytes],
            };
            self.functions.process(core, &Message::new(nonce, input), output)
        })
    }
}
