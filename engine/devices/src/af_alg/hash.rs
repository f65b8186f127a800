//! Hash functions and MACs.

use std::mem;

use super::context::Context;
use super::layout::Layout;
use ciphermark_providers::api::*;
use ciphermark_providers::pieces::{Chunks, Cut, FunctionInPieces, Repeated, Whole};
use ciphermark_providers::tag::{self, ComputeTag};

/// Makes the function of the layout's operation: to verify, a tag is made and compared.
pub fn mac(context: Context, mut layout: Layout) -> Box<dyn Function> {
    let operation = mem::replace(&mut layout.operation, Operation::Mac);
    tag::function(Hash::new(context, layout), operation)
}

pub struct Hash {
    context: Context,
    layout: Layout,
    /// What stands before the message: the nonce of MACs that have one, as the kernel wants it.
    before: Vec<u8>,
}

impl Hash {
    pub fn new(context: Context, layout: Layout) -> Self {
        let before = match layout.nonce_bytes {
            0 => Vec::new(),
            bytes => layout.iv.zero(bytes),
        };
        Self { context, layout, before }
    }

    fn answer(
        &mut self,
        message: &Message<'_>,
        cut: impl Cut,
        answer: &mut [u8],
    ) -> Result<(), CallError> {
        self.layout.check(message, answer.len())?;
        self.before[self.layout.iv.before.len()..].copy_from_slice(message.nonce);
        let mut before = self.before.as_slice();
        self.context.request(|requests| {
            let mut pieces = cut.pieces(message.input.len(), 1).peekable();
            while let Some(piece) = pieces.next() {
                let more = pieces.peek().is_some();
                requests.send(&[], [before, &message.input[piece]], more)?;
                before = &[];
            }
            requests.receive(answer)
        })
    }
}

impl FunctionInPieces for Hash {
    const REPEATS: bool = true;

    fn process_pieces(
        &mut self,
        message: &Message<'_>,
        cut: impl Cut,
        output: &mut [u8],
    ) -> Result<(), CallError> {
        self.answer(message, cut, output)
    }

    fn renew(&mut self, what: Renewed) -> Result<(), CallError> {
        self.context.renew(what)
    }
}

impl ComputeTag for Hash {
    fn set_key(&mut self, key: &[u8]) -> Result<(), CallError> {
        self.context.set_key(key)
    }

    fn tag_bytes(&self) -> usize {
        self.layout.tag_bytes
    }

    fn compute(&mut self, message: &Message<'_>, tag: &mut [u8]) -> Result<(), CallError> {
        self.answer(message, Whole, tag)
    }

    fn compute_parts(
        &mut self,
        message: &Message<'_>,
        parts: Parts,
        tag: &mut [u8],
    ) -> Result<(), CallError> {
        let chunks = |bytes| Chunks::of(bytes, self.layout.block_bytes);
        match parts {
            Parts::Chunks(bytes) => self.answer(message, chunks(bytes)?, tag),
            Parts::Repeated(bytes) => {
                if !message.input.is_empty() {
                    chunks(message.input.len())?;
                }
                self.answer(message, Repeated(bytes), tag)
            }
        }
    }

    fn renew(&mut self, what: Renewed) -> Result<(), CallError> {
        self.context.renew(what)
    }
}
