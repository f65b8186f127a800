//! Functions over a shim's rows: which row does an operation, and the lengths that it has.

use ciphermark_algorithms::Algorithm;
use ciphermark_record::description::Kind;

use super::abi;
use super::context::Context;
use super::lanes::{self, LaneContexts};
use crate::api::*;
use crate::checks;
use crate::pieces::Chunks;
use crate::table::Recipe;

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
        if request.operation != Operation::Verify {
            return Ok(Box::new(self.plain(library, facts, request, Adapter::Row)?));
        }
        let (row, lengths) = self.find(facts, request)?;
        let context = keyed(library, row, lengths, facts)?;
        Ok(match lengths.operation {
            Operation::Verify => Box::new(Verify(context)),
            _ => Box::new(Compared { library, context: context.with_room(row.tag_bytes) }),
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
        // Tags of many messages are computed, and compared one by one.
        let operation = match request.operation {
            Operation::Verify => Operation::Mac,
            operation => operation,
        };
        let (row, lengths) = self.find(facts, &Request { operation, ..*request })?;
        let context = || keyed(library, row, lengths, facts);
        let batch = LaneContexts::new(row, lengths, lanes, keys, context)?;
        Ok(match request.operation {
            Operation::Verify => Box::new(lanes::Verify::new(library, batch)),
            _ => Box::new(lanes::Plain(batch)),
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
        let has = |operation| self.row_for(kind, operation).is_some();
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
    /// A function that does all of what its row does and nothing more; called by the timed loop itself
    /// where the adapter is [`Adapter::Row`].
    pub fn plain(
        self,
        library: &'static abi::Library,
        facts: &'static Algorithm,
        request: &Request<'_>,
        adapter: Adapter,
    ) -> Result<Plain, CreateError> {
        let (row, lengths) = self.find(facts, request)?;
        Ok(Plain { context: keyed(library, row, lengths, facts)?, adapter })
    }

    /// The rows of the variant and backend.
    fn own(self) -> impl Iterator<Item = &'static abi::Function> {
        let what = (self.variant, self.backend);
        self.rows.iter().filter(move |row| (row.variant(), row.backend()) == what)
    }

    fn row(self, operation: Operation) -> Option<&'static abi::Function> {
        self.own().find(|row| abi::operation(row) == Some(operation))
    }

    /// The row that does an operation of algorithms of this kind.
    fn row_for(self, kind: Kind, operation: Operation) -> Option<&'static abi::Function> {
        match operation {
            Operation::Setup => self.row(kind.sending()),
            Operation::Verify => self.row(operation).or_else(|| self.row(Operation::Mac)),
            operation => self.row(operation),
        }
    }

    /// The row that does what is asked for, for nonces of one length, and the lengths that it takes.
    fn find(
        self,
        facts: &Algorithm,
        request: &Request<'_>,
    ) -> Result<(abi::Function, Lengths), CreateError> {
        let operation = request.operation;
        let unsupported = || CreateError::Unsupported(format!("the operation {operation}"));
        let row = self.row_for(facts.kind, operation).ok_or_else(unsupported)?;
        let operation = abi::operation(row).ok_or_else(unsupported)?;
        check_row(row, facts)?;
        let nonce_bytes = nonce_bytes(row, facts, request)?;
        let lengths =
            Lengths::new(operation, nonce_bytes, row.tag_bytes, facts.block_bytes as usize);
        let nonce_bytes = abi::Range { least: nonce_bytes, most: nonce_bytes };
        Ok((abi::Function { nonce_bytes, ..*row }, lengths))
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
fn keyed(
    library: &abi::Library,
    row: abi::Function,
    lengths: Lengths,
    facts: &Algorithm,
) -> Result<Context, CreateError> {
    let mut context = Context::new(library, row, lengths)?;
    context.set_key(&checks::trial_key(facts)).map_err(|error| context.lacks(error))?;
    Ok(context)
}

/// The lengths that a row's operation has, in a form that is checked before each call without asking
/// which operation it is.
#[derive(Clone, Copy)]
pub struct Lengths {
    /// Of the row, so never setup.
    operation: Operation,
    nonce_bytes: usize,
    tag_bytes: usize,
    block_bytes: usize,
    /// What the input has to be a multiple of, less one: all blocks have a power of two bytes.
    unit_mask: usize,
    /// All ones where the length of the input counts, else 0; the same for the output.
    input_counts: usize,
    output_counts: usize,
    /// What the output has beyond the input, of those that count.
    beyond: usize,
}

impl Lengths {
    pub fn new(
        operation: Operation,
        nonce_bytes: usize,
        tag_bytes: usize,
        block_bytes: usize,
    ) -> Self {
        use Operation::*;
        let (input_counts, output_counts, beyond) = match operation {
            Seal => (true, true, tag_bytes),
            Open => (true, true, tag_bytes.wrapping_neg()),
            Mac | Digest => (false, true, tag_bytes),
            // The tag is split off before.
            Verify => (false, true, 0),
            Keystream => (true, false, 0),
            Encrypt | Decrypt | Setup => (true, true, 0),
        };
        let has_blocks = matches!(operation, Mac | Verify | Encrypt | Decrypt);
        let mask = |counts| if counts { usize::MAX } else { 0 };
        Self {
            operation,
            nonce_bytes,
            tag_bytes,
            block_bytes,
            unit_mask: if has_blocks { block_bytes.next_power_of_two() - 1 } else { 0 },
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
    pub fn check_parts(
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
            Parts::Repeated(_) if !self.repeats() => Err(CallError::Unsupported),
            Parts::Repeated(bytes) => {
                checks::check_blocks(message.input.len(), self.block_bytes)?;
                self.check_bytes(message, bytes, output)
            }
        }
    }

    /// Whether messages may be one chunk repeated: not where the output has as many bytes.
    fn repeats(&self) -> bool {
        matches!(self.operation, Operation::Mac | Operation::Verify | Operation::Digest)
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
        checks::check_length(input & self.unit_mask, 0)
    }
}

/// All but `verify`.
pub struct Plain {
    context: Context,
    adapter: Adapter,
}

impl Function for Plain {
    fn set_key(&mut self, key: &[u8]) -> Result<(), CallError> {
        self.context.set_key(key)
    }

    fn process(&mut self, message: &Message<'_>, output: &mut [u8]) -> Result<(), CallError> {
        let prepared = self.context.prepare(message, output)?;
        self.context.process(&prepared)
    }

    fn prepare<'a>(
        &mut self,
        message: &Message<'a>,
        output: &'a mut [u8],
    ) -> Result<Prepared<'a>, CallError> {
        self.context.prepare(message, output)
    }

    fn process_prepared(&mut self, prepared: &Prepared<'_>) -> Result<(), CallError> {
        self.context.process(prepared)
    }

    fn call(&mut self) -> Option<RowCall<'_>> {
        if self.adapter == Adapter::Row { self.context.call() } else { None }
    }

    fn process_parts(
        &mut self,
        message: &Message<'_>,
        parts: Parts,
        output: &mut [u8],
    ) -> Result<(), CallError> {
        self.context.process_parts(message, parts, Some(output))
    }

    fn renew(&mut self, what: Renewed) -> Result<(), CallError> {
        self.context.renew(what)
    }

    fn adapter(&self) -> Adapter {
        self.adapter
    }
}

/// A call of the library's own that verifies a tag.
struct Verify(Context);

impl Verify {
    /// The message with its tag in place of associated data.
    #[inline]
    fn split<'a>(&self, message: &Message<'a>) -> Result<Message<'a>, CallError> {
        let (input, aad) = checks::split_tag(message.input, self.0.lengths.tag_bytes)?;
        Ok(Message { input, aad, ..*message })
    }
}

impl Function for Verify {
    fn set_key(&mut self, key: &[u8]) -> Result<(), CallError> {
        self.0.set_key(key)
    }

    fn process(&mut self, message: &Message<'_>, output: &mut [u8]) -> Result<(), CallError> {
        let prepared = self.0.prepare(&self.split(message)?, output)?;
        self.0.process(&prepared)
    }

    fn prepare<'a>(
        &mut self,
        message: &Message<'a>,
        output: &'a mut [u8],
    ) -> Result<Prepared<'a>, CallError> {
        self.0.prepare(&self.split(message)?, output)
    }

    fn process_prepared(&mut self, prepared: &Prepared<'_>) -> Result<(), CallError> {
        self.0.process(prepared)
    }

    fn call(&mut self) -> Option<RowCall<'_>> {
        self.0.call()
    }

    fn process_parts(
        &mut self,
        message: &Message<'_>,
        parts: Parts,
        output: &mut [u8],
    ) -> Result<(), CallError> {
        let message = self.split(message)?;
        self.0.process_parts(&message, parts, Some(output))
    }

    fn renew(&mut self, what: Renewed) -> Result<(), CallError> {
        self.0.renew(what)
    }

    fn adapter(&self) -> Adapter {
        Adapter::Row
    }
}

/// A tag that is computed, and compared with the one that has come.
struct Compared {
    library: &'static abi::Library,
    /// Of the MAC, with room for the tag that is right.
    context: Context,
}

impl Compared {
    fn compare(&self, tag: &[u8]) -> Result<(), CallError> {
        let is_right = abi::equal(self.library, self.context.answer(), tag);
        if is_right { Ok(()) } else { Err(CallError::Refused) }
    }
}

impl Function for Compared {
    fn set_key(&mut self, key: &[u8]) -> Result<(), CallError> {
        self.context.set_key(key)
    }

    fn process(&mut self, message: &Message<'_>, output: &mut [u8]) -> Result<(), CallError> {
        checks::check_length(output.len(), 0)?;
        let prepared = self.context.prepare_for_room(message)?;
        self.process_prepared(&prepared)
    }

    fn prepare<'a>(
        &mut self,
        message: &Message<'a>,
        output: &'a mut [u8],
    ) -> Result<Prepared<'a>, CallError> {
        checks::check_length(output.len(), 0)?;
        self.context.prepare_for_room(message)
    }

    fn process_prepared(&mut self, prepared: &Prepared<'_>) -> Result<(), CallError> {
        self.context.process(prepared)?;
        self.compare(self.context.tag_behind(prepared)?)
    }

    fn process_parts(
        &mut self,
        message: &Message<'_>,
        parts: Parts,
        output: &mut [u8],
    ) -> Result<(), CallError> {
        checks::check_length(output.len(), 0)?;
        let (input, tag) = checks::split_tag(message.input, self.context.answer().len())?;
        self.context.process_parts(&Message { input, ..*message }, parts, None)?;
        self.compare(tag)
    }

    fn renew(&mut self, what: Renewed) -> Result<(), CallError> {
        self.context.renew(what)
    }

    fn adapter(&self) -> Adapter {
        Adapter::Compared
    }
}
