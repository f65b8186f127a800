//! Functions over a shim's rows: which row does an operation, and the lengths that it has.

use ciphermark_algorithms::Algorithm;
use ciphermark_record::description::Kind;

use super::abi;
use super::context::Context;
use super::lanes::{self, Batch};
use crate::api::*;
use crate::checks;
use crate::pieces::Chunks;
use crate::table::Recipe;
use crate::tag::{self, ComputeTag};

/// The rows of one algorithm, or of a variant of it, by one backend.
#[derive(Clone, Copy)]
pub struct Rows {
    /// All rows of the algorithm.
    pub rows: &'static [abi::Function],
    pub backend: Option<&'static str>,
    pub variant: Option<&'static str>,
}

impl Recipe for Rows {
    type Library = abi::Library;

    fn create(
        self,
        library: &'static abi::Library,
        facts: &'static Algorithm,
        request: &Request<'_>,
    ) -> Result<Box<dyn Function>, CreateError> {
        let (row, lengths) = self.find(facts, request)?;
        let context = keyed(row, facts)?;
        Ok(match lengths.operation {
            Operation::Mac => tag::function(Mac { library, context, lengths }, request.operation),
            _ => Box::new(Plain { context, lengths }),
        })
    }

    fn create_lanes(
        self,
        library: &'static abi::Library,
        facts: &'static Algorithm,
        request: &Request<'_>,
        lanes: usize,
        keys: usize,
    ) -> Result<Box<dyn Lanes>, CreateError> {
        let (row, lengths) = self.find(facts, request)?;
        let batch = Batch::new(row, lanes, keys, || keyed(row, facts))?;
        Ok(match request.operation {
            Operation::Verify => Box::new(lanes::Verify::new(library, batch, lengths)),
            _ => Box::new(lanes::Plain { batch, lengths }),
        })
    }

    fn backend(self) -> Option<&'static str> {
        self.backend
    }

    fn variant(self) -> Option<&'static str> {
        self.variant
    }

    fn counts_bits(self) -> bool {
        self.own().all(|row| row.counts_bits == 1)
    }

    fn operations(self, kind: Kind) -> Vec<Operation> {
        let has = |operation| self.row(processed(kind, operation)).is_some();
        kind.operations().iter().copied().filter(|&operation| has(operation)).collect()
    }

    fn constant_time(self) -> Option<bool> {
        self.own().next().and_then(abi::Function::constant_time)
    }

    fn most_lanes(self) -> u32 {
        let most = self.own().map(abi::Function::most_lanes).max();
        most.and_then(|lanes| lanes.try_into().ok()).unwrap_or(1)
    }
}

impl Rows {
    /// The rows of the variant and backend.
    fn own(self) -> impl Iterator<Item = &'static abi::Function> {
        let what = (self.variant, self.backend);
        self.rows.iter().filter(move |row| (row.variant(), row.backend()) == what)
    }

    fn row(self, operation: Operation) -> Option<&'static abi::Function> {
        self.own().find(|row| abi::operation(row) == Some(operation))
    }

    /// The row that does what is asked for, and the lengths that it takes.
    fn find(
        self,
        facts: &Algorithm,
        request: &Request<'_>,
    ) -> Result<(&'static abi::Function, Lengths), CreateError> {
        let operation = processed(facts.kind, request.operation);
        let unsupported = || CreateError::Unsupported(format!("the operation {operation}"));
        let row = self.row(operation).ok_or_else(unsupported)?;
        check_row(row, facts)?;
        let nonce_bytes = nonce_bytes(row, facts, request)?;
        let block_bytes = facts.block_bytes as usize;
        Ok((row, Lengths::new(operation, nonce_bytes, row.tag_bytes, block_bytes)))
    }
}

/// The operation whose row does what is asked for.
fn processed(kind: Kind, operation: Operation) -> Operation {
    match operation {
        Operation::Setup => kind.sending(),
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

/// A context with a key, so that there is none without.
fn keyed(row: &'static abi::Function, facts: &Algorithm) -> Result<Context, CreateError> {
    let mut context = Context::new(row)?;
    context
        .set_key(&vec![0; facts.key_bytes as usize])
        .map_err(|error| CreateError::Failed(error.to_string()))?;
    Ok(context)
}

/// The lengths that a row's operation has, in a form that is checked before each call without asking
/// which operation it is.
#[derive(Clone, Copy)]
pub struct Lengths {
    /// Of the row, so never setup or verify.
    operation: Operation,
    nonce_bytes: usize,
    tag_bytes: usize,
    block_bytes: usize,
    /// What the input has to be a multiple of.
    unit_bytes: usize,
    /// All ones where the length of the input counts, else 0; the same for the output.
    input_counts: usize,
    output_counts: usize,
    /// What the output has beyond the input, of those that count.
    beyond: usize,
}

impl Lengths {
    fn new(operation: Operation, nonce_bytes: usize, tag_bytes: usize, block_bytes: usize) -> Self {
        use Operation::*;
        let (input_counts, output_counts, beyond) = match operation {
            Seal => (true, true, tag_bytes),
            Open => (true, true, tag_bytes.wrapping_neg()),
            Mac | Digest => (false, true, tag_bytes),
            Keystream => (true, false, 0),
            Encrypt | Decrypt | Setup | Verify => (true, true, 0),
        };
        let has_blocks = matches!(operation, Mac | Encrypt | Decrypt);
        let mask = |counts| if counts { usize::MAX } else { 0 };
        Self {
            operation,
            nonce_bytes,
            tag_bytes,
            block_bytes,
            unit_bytes: if has_blocks { block_bytes } else { 1 },
            input_counts: mask(input_counts),
            output_counts: mask(output_counts),
            beyond,
        }
    }

    /// [`CallError::Length`] unless they are those of the message and its output.
    #[inline]
    pub fn check(&self, message: &Message<'_>, output: usize) -> Result<(), CallError> {
        self.check_bytes(message, message.input.len(), output)
    }

    /// The same for a message in parts.
    fn check_parts(
        &self,
        message: &Message<'_>,
        parts: Parts,
        output: usize,
    ) -> Result<(), CallError> {
        match parts {
            Parts::Chunks(bytes) => {
                self.check(message, output)?;
                Chunks::of(bytes, self.block_bytes).map(drop)
            }
            Parts::Repeated(_) if !matches!(self.operation, Operation::Mac | Operation::Digest) => {
                Err(CallError::Unsupported)
            }
            Parts::Repeated(bytes) => {
                checks::check_blocks(message.input.len(), self.block_bytes)?;
                self.check_bytes(message, bytes, output)
            }
        }
    }

    #[inline]
    fn check_bytes(
        &self,
        message: &Message<'_>,
        input: usize,
        output: usize,
    ) -> Result<(), CallError> {
        let input_counted = input & self.input_counts;
        let beyond = (output & self.output_counts).wrapping_sub(input_counted);
        checks::check_length(message.nonce.len(), self.nonce_bytes)?;
        checks::check_length(beyond, self.beyond)?;
        checks::check_blocks(input, self.unit_bytes)
    }
}

/// All but MACs.
struct Plain {
    context: Context,
    lengths: Lengths,
}

impl Function for Plain {
    fn set_key(&mut self, key: &[u8]) -> Result<(), CallError> {
        self.context.set_key(key)
    }

    fn process(&mut self, message: &Message<'_>, output: &mut [u8]) -> Result<(), CallError> {
        self.lengths.check(message, output.len())?;
        // SAFETY: the lengths were checked.
        unsafe { self.context.process(message, output) }
    }

    fn process_parts(
        &mut self,
        message: &Message<'_>,
        parts: Parts,
        output: &mut [u8],
    ) -> Result<(), CallError> {
        self.lengths.check_parts(message, parts, output.len())?;
        // SAFETY: the lengths were checked.
        unsafe { self.context.process_parts(message, parts, output) }
    }

    fn renew(&mut self, what: Renewed) -> Result<(), CallError> {
        self.context.renew(what)
    }

    fn adapter(&self) -> Adapter {
        Adapter::Row
    }
}

struct Mac {
    library: &'static abi::Library,
    context: Context,
    lengths: Lengths,
}

impl ComputeTag for Mac {
    fn set_key(&mut self, key: &[u8]) -> Result<(), CallError> {
        self.context.set_key(key)
    }

    fn tag_bytes(&self) -> usize {
        self.lengths.tag_bytes
    }

    fn compute(&mut self, message: &Message<'_>, tag: &mut [u8]) -> Result<(), CallError> {
        self.lengths.check(message, tag.len())?;
        // SAFETY: the lengths were checked.
        unsafe { self.context.process(message, tag) }
    }

    fn compute_parts(
        &mut self,
        message: &Message<'_>,
        parts: Parts,
        tag: &mut [u8],
    ) -> Result<(), CallError> {
        self.lengths.check_parts(message, parts, tag.len())?;
        // SAFETY: the lengths were checked.
        unsafe { self.context.process_parts(message, parts, tag) }
    }

    fn renew(&mut self, what: Renewed) -> Result<(), CallError> {
        self.context.renew(what)
    }

    fn adapter(&self) -> Adapter {
        Adapter::Row
    }

    fn equal(&self, one: &[u8], other: &[u8]) -> bool {
        abi::equal(self.library, one, other)
    }
}
