//! Functions over a shim's rows that take several messages in one call.

use std::ffi::c_void;

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
        self.messages.clear();
        for message in messages {
            let (message, output) = message?;
            self.lengths.check(&message, output.len())?;
            self.messages.push(abi::message(&message, output.as_mut_ptr(), output.len()));
        }
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
        let expected = expected.chunks_exact(tag_bytes);
        let wrong = messages.iter().zip(expected).filter(|(message, expected)| {
            let parts = checks::split_tag(message.input, tag_bytes);
            !parts.is_ok_and(|(_, tag)| abi::equal(library, expected, tag))
        });
        // All are compared, as each would be alone.
        if wrong.count() == 0 { Ok(()) } else { Err(CallError::Refused) }
    }
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
