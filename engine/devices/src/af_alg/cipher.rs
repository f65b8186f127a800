//! Ciphers without authentication: block modes and stream ciphers.

use super::context::Context;
use super::control::Control;
use super::layout::Layout;
use ciphermark_providers::api::*;
use ciphermark_providers::pieces::{Chunks, Cut, FunctionInPieces};

/// What is given to the kernel at once: what one of its lists of pages holds.
const MOST_BYTES: usize = 16 * 4096;

/// Bytes that the kernel takes whole ones of until the text ends: the block of all ciphers here that
/// have a mode for any length.
const COUNTER_BLOCK_BYTES: usize = 16;

pub struct Cipher {
    context: Context,
    layout: Layout,
    control: Control,
}

impl Cipher {
    pub fn new(context: Context, layout: Layout) -> Self {
        Self { context, control: layout.control(), layout }
    }

    fn unit_bytes(&self) -> usize {
        if self.layout.block_bytes == 1 { COUNTER_BLOCK_BYTES } else { self.layout.block_bytes }
    }
}

impl FunctionInPieces for Cipher {
    fn set_key(&mut self, key: &[u8]) -> Result<(), CallError> {
        self.context.set_key(key)
    }

    fn chunks(&self, chunk_bytes: usize) -> Result<Chunks, CallError> {
        Chunks::of(chunk_bytes, self.layout.block_bytes)
    }

    fn process_pieces(
        &mut self,
        message: &Message<'_>,
        cut: impl Cut,
        output: &mut [u8],
    ) -> Result<(), CallError> {
        self.layout.check(message, output.len())?;
        let (bytes, unit_bytes) = (output.len(), self.unit_bytes());
        let mut control = self.control.of(message.nonce, 0);
        self.context.request(|requests| {
            for piece in cut.pieces(bytes, unit_bytes).filter(|piece| !piece.is_empty()) {
                let most = Chunks::of(MOST_BYTES, unit_bytes)?;
                for part in most.pieces(piece.len(), unit_bytes) {
                    let part = piece.start + part.start..piece.start + part.end;
                    let more = part.end < bytes;
                    requests.send(control, [&message.input[part.clone()], &[]], more)?;
                    requests.receive(&mut output[part])?;
                    control = &[];
                }
            }
            Ok(())
        })
    }

    fn renew(&mut self, what: Renewed) -> Result<(), CallError> {
        self.context.renew(what)
    }
}

/// Keystreams and sectors, each one request: the kernel begins every request at the block that the IV has.
pub struct OneRequest {
    context: Context,
    layout: Layout,
    control: Control,
}

impl OneRequest {
    pub fn new(context: Context, layout: Layout) -> Self {
        Self { context, control: layout.control(), layout }
    }
}

impl Function for OneRequest {
    fn set_key(&mut self, key: &[u8]) -> Result<(), CallError> {
        self.context.set_key(key)
    }

    fn process(&mut self, message: &Message<'_>, output: &mut [u8]) -> Result<(), CallError> {
        self.layout.check(message, output.len())?;
        if output.len() > self.context.most_bytes() {
            return Err(CallError::Length);
        }
        let control = self.control.of(message.nonce, 0);
        self.context.request(|requests| {
            if message.input.is_empty() {
                output.fill(0);
                requests.send(control, [output, &[]], false)?;
            } else {
                requests.send(control, [message.input, &[]], false)?;
            }
            requests.receive(output)
        })
    }

    fn renew(&mut self, what: Renewed) -> Result<(), CallError> {
        self.context.renew(what)
    }
}
