//! Functions over a shim's rows: which row does an operation, and the lengths that it has.

use ciphermark_algorithms::Algorithm;
use ciphermark_record::description::Kind;

use super::abi;
use super::context::Context;
use crate::api::*;
use crate::checks;
use crate::pieces::Chunks;
use crate::table::Recipe;
use crate::tag::{self, ComputeTag};

/// The rows of one algorithm.
#[derive(Clone, Copy)]
pub struct Rows(pub &'static [abi::Function]);

impl Recipe for Rows {
    type Library = abi::Library;

    fn create(
        self,
        library: &'static abi::Library,
        facts: &'static Algorithm,
        request: &Request<'_>,
    ) -> Result<Box<dyn Function>, CreateError> {
        let operation = processed(facts.kind, request.operation);
        let row = self.find(operation)?;
        check_row(row, facts)?;
        let nonce_bytes = nonce_bytes(row, facts, request)?;
        let mut context = Context::new(row)?;
        // So that there is no context without a key.
        context
            .set_key(&vec![0; facts.key_bytes as usize])
            .map_err(|error| CreateError::Failed(error.to_string()))?;
        Ok(match operation {
            Operation::Mac => {
                let block_bytes = facts.block_bytes as usize;
                let mac = Mac { library, row, context, nonce_bytes, block_bytes };
                tag::function(mac, request.operation)
            }
            _ => Box::new(Plain { facts, operation, context, nonce_bytes }),
        })
    }

    fn constant_time(self) -> Option<bool> {
        self.0[0].constant_time()
    }
}

impl Rows {
    fn find(self, operation: Operation) -> Result<&'static abi::Function, CreateError> {
        let row = self.0.iter().find(|row| row.operation() == Some(operation));
        row.ok_or_else(|| CreateError::Unsupported(format!("the operation {operation}")))
    }
}

/// The operation whose row does what is asked for.
fn processed(kind: Kind, operation: Operation) -> Operation {
    match operation {
        Operation::Setup => kind.operations()[1],
        Operation::Verify => Operation::Mac,
        other => other,
    }
}

/// Refuses a row whose answers have another length than the algorithm's, which would be written
/// behind the end of a buffer.
fn check_row(row: &abi::Function, facts: &Algorithm) -> Result<(), CreateError> {
    if row.tag_bytes != facts.tag_bytes as usize {
        return Err(CreateError::Unsupported(format!("a tag of {} bytes", row.tag_bytes)));
    }
    if row.lanes != 1 {
        return Err(CreateError::Unsupported(format!("{} messages per call", row.lanes)));
    }
    Ok(())
}

/// The one length of nonces that the function will take.
fn nonce_bytes(
    row: &abi::Function,
    facts: &Algorithm,
    request: &Request<'_>,
) -> Result<usize, CreateError> {
    let bytes = request.nonce_bytes.unwrap_or(facts.nonce_bytes as usize);
    match row.nonce_bytes.lengths().contains(&bytes) {
        true => Ok(bytes),
        false => Err(checks::unsupported_nonce(bytes)),
    }
}

/// All but MACs.
struct Plain {
    facts: &'static Algorithm,
    operation: Operation,
    context: Context,
    nonce_bytes: usize,
}

impl Plain {
    fn check_lengths(&self, input: usize, output: usize) -> Result<(), CallError> {
        let tag_bytes = self.facts.tag_bytes as usize;
        match self.operation {
            Operation::Seal => checks::check_length(output, input + tag_bytes),
            Operation::Open => checks::check_length(input, output + tag_bytes),
            Operation::Digest => checks::check_length(output, tag_bytes),
            Operation::Keystream => checks::check_length(input, 0),
            _ => {
                checks::check_blocks(input, self.facts.block_bytes as usize)?;
                checks::check_length(output, input)
            }
        }
    }
}

impl Function for Plain {
    fn set_key(&mut self, key: &[u8]) -> Result<(), CallError> {
        self.context.set_key(key)
    }

    fn process(&mut self, message: &Message<'_>, output: &mut [u8]) -> Result<(), CallError> {
        checks::check_length(message.nonce.len(), self.nonce_bytes)?;
        self.check_lengths(message.input.len(), output.len())?;
        // SAFETY: the lengths were checked.
        unsafe { self.context.process(message, output) }
    }

    fn process_chunks(
        &mut self,
        message: &Message<'_>,
        chunk_bytes: usize,
        output: &mut [u8],
    ) -> Result<(), CallError> {
        checks::check_length(message.nonce.len(), self.nonce_bytes)?;
        self.check_lengths(message.input.len(), output.len())?;
        Chunks::of(chunk_bytes, self.facts.block_bytes as usize)?;
        // SAFETY: the lengths were checked.
        unsafe { self.context.process_chunks(message, chunk_bytes, output) }
    }

    fn renew(&mut self, what: Renewed) -> Result<(), CallError> {
        self.context.renew(what)
    }
}

struct Mac {
    library: &'static abi::Library,
    row: &'static abi::Function,
    context: Context,
    nonce_bytes: usize,
    block_bytes: usize,
}

impl Mac {
    fn check_lengths(&self, message: &Message<'_>) -> Result<(), CallError> {
        checks::check_length(message.nonce.len(), self.nonce_bytes)?;
        checks::check_blocks(message.input.len(), self.block_bytes)
    }
}

impl ComputeTag for Mac {
    fn set_key(&mut self, key: &[u8]) -> Result<(), CallError> {
        self.context.set_key(key)
    }

    fn tag_bytes(&self) -> usize {
        self.row.tag_bytes
    }

    fn compute(&mut self, message: &Message<'_>, tag: &mut [u8]) -> Result<(), CallError> {
        self.check_lengths(message)?;
        // SAFETY: nonce and input were checked, and the tag has its length.
        unsafe { self.context.process(message, tag) }
    }

    fn compute_chunks(
        &mut self,
        message: &Message<'_>,
        chunk_bytes: usize,
        tag: &mut [u8],
    ) -> Result<(), CallError> {
        self.check_lengths(message)?;
        Chunks::of(chunk_bytes, self.block_bytes)?;
        // SAFETY: nonce and input were checked, and the tag has its length.
        unsafe { self.context.process_chunks(message, chunk_bytes, tag) }
    }

    fn renew(&mut self, what: Renewed) -> Result<(), CallError> {
        self.context.renew(what)
    }

    fn equal(&self, one: &[u8], other: &[u8]) -> bool {
        // SAFETY: both have as many bytes.
        unsafe {
            (self.library.tags_equal)(one.as_ptr().cast(), other.as_ptr().cast(), one.len()) == 1
        }
    }
}
