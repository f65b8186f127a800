//! Functions over a shim's rows that take several messages in one call.

use std::ffi::c_void;
use std::slice;

use super::abi;
use super::context::Context;
use super::function::Lengths;
use crate::api::*;
use crate::checks;

/// All that one call of `process_lanes` is given: contexts with a key each, and room for a message
/// for each lane.
pub struct LaneContexts {
    row: Box<abi::Function>,
    lengths: Lengths,
    process: abi::ProcessLanes,
    /// Their memory, in the order of the lanes: equal for lanes under the same key.
    pointers: Box<[*mut c_void]>,
    /// The same for a call that says which key each message is under; filled anew by each.
    chosen: Vec<*mut c_void>,
    /// The owners of that memory.
    contexts: Box<[Context]>,
    /// Filled anew by each call; its pointers mean nothing in between.
    messages: Vec<abi::Message>,
}

// SAFETY: the pointers are to memory of the contexts, which are `Send`; those of the messages are
// not followed between calls.
unsafe impl Send for LaneContexts {}

impl LaneContexts {
    /// A batch of `lanes` messages, where the row takes so many, over `keys` contexts, each made by
    /// `context`.
    pub fn new(
        row: abi::Function,
        lengths: Lengths,
        lanes: usize,
        keys: usize,
        context: impl Fn() -> Result<Context, CreateError>,
    ) -> Result<Self, CreateError> {
        let process = row.process_lanes.filter(|_| (1..=row.lanes).contains(&lanes));
        let process = process
            .ok_or_else(|| CreateError::Unsupported(format!("{lanes} messages per call")))?;
        if keys == 0 {
            return Err(CreateError::Unsupported("no key".into()));
        }
        let mut contexts: Box<[_]> = (0..keys).map(|_| context()).collect::<Result<_, _>>()?;
        let places: Vec<_> = contexts.iter_mut().map(Context::memory).collect();
        let pointers = places.into_iter().cycle().take(lanes).collect();
        let (chosen, messages) = (Vec::with_capacity(lanes), Vec::with_capacity(lanes));
        Ok(Self { row: Box::new(row), lengths, process, pointers, chosen, contexts, messages })
    }

    fn set_key(&mut self, number: usize, key: &[u8]) -> Result<(), CallError> {
        self.contexts.get_mut(number).ok_or(CallError::Length)?.set_key(key)
    }

    /// Processes messages, each with the place of its answer, under the keys of these numbers or, where
    /// there are none, of all lanes in turn.
    #[inline]
    fn process<'m>(
        &mut self,
        keys: Option<&[u32]>,
        messages: impl Iterator<Item = Result<(Message<'m>, &'m mut [u8]), CallError>>,
    ) -> Result<(), CallError> {
        let places = messages
            .map(|it| it.map(|(message, output)| (message, output.as_mut_ptr(), output.len())));
        write(&mut self.messages, &self.lengths, places)?;
        let count = self.messages.len();
        let contexts = match keys {
            None => &self.pointers[..],
            Some(keys) => self.choose(keys)?,
        };
        checks::check_length(count, contexts.len())?;
        let (contexts, messages) = (contexts.as_ptr(), self.messages.as_ptr());
        // SAFETY: there are as many contexts as messages, each with a key since the batch was made; the
        // lengths were checked, and the borrows keep the messages alive and the outputs apart.
        done(unsafe { (self.process)(&self.row, contexts, messages, count) })
    }

    /// Processes messages that were prepared here, as many as lanes, from the one of this number on.
    #[inline]
    fn process_prepared<'p>(
        &mut self,
        prepared: &'p PreparedLanes<'_>,
        first: usize,
    ) -> Result<&'p [abi::Message], CallError> {
        let messages = self.prepared(prepared, first)?;
        let (contexts, count) = (self.pointers.as_ptr(), messages.len());
        // SAFETY: as above; what was prepared keeps its bytes alive and its outputs apart.
        done(unsafe { (self.process)(&self.row, contexts, messages.as_ptr(), count) })?;
        Ok(messages)
    }

    /// Checks messages that are processed later, each with the place of its answer: that of the caller, who
    /// has given it away for as long, or this function's own.
    fn prepare<'a>(
        &self,
        messages: impl Iterator<Item = Result<(Message<'a>, *mut u8, usize), CallError>>,
        prepared: &mut PreparedLanes<'a>,
    ) -> Result<(), CallError> {
        prepared.context = self.number();
        write(&mut prepared.messages, &self.lengths, messages)
    }

    /// Of prepared messages those of one call; refused unless they were prepared here and are as many as
    /// lanes.
    #[inline]
    fn prepared<'p>(
        &self,
        prepared: &'p PreparedLanes<'_>,
        first: usize,
    ) -> Result<&'p [abi::Message], CallError> {
        if prepared.context != self.number() {
            return Err(CallError::Unsupported);
        }
        let end = first.checked_add(self.pointers.len()).ok_or(CallError::Length)?;
        prepared.messages.get(first..end).ok_or(CallError::Length)
    }

    /// The number of the first context, of which there is one at least.
    #[inline]
    fn number(&self) -> u64 {
        self.contexts[0].number()
    }

    /// The contexts of these keys, of which there are not more than lanes.
    #[inline]
    fn choose(&mut self, keys: &[u32]) -> Result<&[*mut c_void], CallError> {
        if keys.is_empty() || keys.len() > self.pointers.len() {
            return Err(CallError::Length);
        }
        self.chosen.clear();
        for &key in keys {
            let context = self.contexts.get_mut(key as usize).ok_or(CallError::Length)?;
            self.chosen.push(context.memory());
        }
        Ok(&self.chosen)
    }
}

/// Checks messages, each with the place and the length of its answer, and writes them in the form of the row.
/// What was there before goes.
#[inline]
fn write<'m>(
    written: &mut Vec<abi::Message>,
    lengths: &Lengths,
    messages: impl Iterator<Item = Result<(Message<'m>, *mut u8, usize), CallError>>,
) -> Result<(), CallError> {
    written.clear();
    for message in messages {
        let (message, output, output_bytes) = message?;
        lengths.check(&message, output_bytes)?;
        written.push(abi::message(&message, output, output_bytes));
    }
    Ok(())
}

/// All but `verify`.
pub struct Plain(pub LaneContexts);

impl Plain {
    #[inline]
    fn run(
        &mut self,
        keys: Option<&[u32]>,
        messages: &[Message<'_>],
        outputs: &mut [&mut [u8]],
    ) -> Result<(), CallError> {
        checks::check_length(outputs.len(), messages.len())?;
        let outputs = outputs.iter_mut().map(|output| &mut **output);
        self.0.process(keys, messages.iter().copied().zip(outputs).map(Ok))
    }
}

impl Lanes for Plain {
    fn set_key(&mut self, number: usize, key: &[u8]) -> Result<(), CallError> {
        self.0.set_key(number, key)
    }

    fn process(
        &mut self,
        messages: &[Message<'_>],
        outputs: &mut [&mut [u8]],
    ) -> Result<(), CallError> {
        self.run(None, messages, outputs)
    }

    fn prepare<'a>(
        &mut self,
        messages: &mut dyn Iterator<Item = (Message<'a>, &'a mut [u8])>,
        prepared: &mut PreparedLanes<'a>,
    ) -> Result<(), CallError> {
        let messages =
            messages.map(|(message, output)| Ok((message, output.as_mut_ptr(), output.len())));
        self.0.prepare(messages, prepared)
    }

    fn process_prepared(
        &mut self,
        prepared: &PreparedLanes<'_>,
        first: usize,
    ) -> Result<(), CallError> {
        self.0.process_prepared(prepared, first).map(drop)
    }

    fn process_under(
        &mut self,
        keys: &[u32],
        messages: &[Message<'_>],
        outputs: &mut [&mut [u8]],
    ) -> Result<(), CallError> {
        self.run(Some(keys), messages, outputs)
    }

    fn adapter(&self) -> Adapter {
        Adapter::Row
    }
}

/// `verify`: the tags of all lanes, compared one by one.
pub struct Verify {
    library: &'static abi::Library,
    /// Of `mac`.
    batch: LaneContexts,
    tag_bytes: usize,
    /// Room for the tags that are right, one after the other.
    expected: Box<[u8]>,
}

impl Verify {
    pub fn new(library: &'static abi::Library, batch: LaneContexts) -> Self {
        let tag_bytes = batch.row.tag_bytes;
        let expected = vec![0; tag_bytes * batch.pointers.len()].into();
        Self { library, batch, tag_bytes, expected }
    }

    fn run(
        &mut self,
        keys: Option<&[u32]>,
        messages: &[Message<'_>],
        outputs: &mut [&mut [u8]],
    ) -> Result<(), CallError> {
        let Self { library, batch, tag_bytes, expected } = self;
        checks::check_length(outputs.len(), messages.len())?;
        outputs.iter().try_for_each(|output| checks::check_length(output.len(), 0))?;
        checks::check_length(messages.len().min(batch.pointers.len()), messages.len())?;
        let tag_bytes = *tag_bytes;
        let places = expected.chunks_exact_mut(tag_bytes);
        batch.process(
            keys,
            messages.iter().zip(places).map(|(message, expected)| {
                let (input, _) = checks::split_tag(message.input, tag_bytes)?;
                Ok((Message { input, ..*message }, expected))
            }),
        )?;
        let tags = messages.iter().map(|message| {
            let parts = checks::split_tag(message.input, tag_bytes);
            parts.map_or(&[][..], |(_, tag)| tag)
        });
        compare(library, expected, tags, tag_bytes)
    }
}

/// [`CallError::Refused`] when any of the tags is wrong. All are compared, as each would be alone.
fn compare<'t>(
    library: &abi::Library,
    expected: &[u8],
    tags: impl Iterator<Item = &'t [u8]>,
    tag_bytes: usize,
) -> Result<(), CallError> {
    let pairs = expected.chunks_exact(tag_bytes).zip(tags);
    let wrong = pairs.filter(|(expected, tag)| !abi::equal(library, expected, tag));
    if wrong.count() == 0 { Ok(()) } else { Err(CallError::Refused) }
}

impl Lanes for Verify {
    fn set_key(&mut self, number: usize, key: &[u8]) -> Result<(), CallError> {
        self.batch.set_key(number, key)
    }

    fn process(
        &mut self,
        messages: &[Message<'_>],
        outputs: &mut [&mut [u8]],
    ) -> Result<(), CallError> {
        self.run(None, messages, outputs)
    }

    fn prepare<'a>(
        &mut self,
        messages: &mut dyn Iterator<Item = (Message<'a>, &'a mut [u8])>,
        prepared: &mut PreparedLanes<'a>,
    ) -> Result<(), CallError> {
        let tag_bytes = self.tag_bytes;
        let lanes = self.batch.pointers.len();
        let places = self.expected.as_mut_ptr();
        let messages = messages.enumerate().map(|(number, (message, _))| {
            let (input, _) = checks::split_tag(message.input, tag_bytes)?;
            let place = places.wrapping_add(number % lanes * tag_bytes);
            Ok((Message { input, ..message }, place, tag_bytes))
        });
        self.batch.prepare(messages, prepared)
    }

    fn process_prepared(
        &mut self,
        prepared: &PreparedLanes<'_>,
        first: usize,
    ) -> Result<(), CallError> {
        let Self { library, batch, tag_bytes, expected } = self;
        checks::check_length(first % batch.pointers.len(), 0)?;
        let messages = batch.process_prepared(prepared, first)?;
        let tags = messages.iter().map(|message| {
            // SAFETY: a tag of so many bytes was split off behind the input, and lives as long as that.
            unsafe { slice::from_raw_parts(message.input.add(message.input_bytes), *tag_bytes) }
        });
        compare(library, expected, tags, *tag_bytes)
    }

    fn process_under(
        &mut self,
        keys: &[u32],
        messages: &[Message<'_>],
        outputs: &mut [&mut [u8]],
    ) -> Result<(), CallError> {
        self.run(Some(keys), messages, outputs)
    }

    fn adapter(&self) -> Adapter {
        Adapter::Row
    }
}
