//! Functions over a shim's rows that take several messages in one call.

use std::ffi::c_void;

use super::abi;
use super::context::{self, Context};
use super::function::Lengths;
use crate::api::*;
use crate::checks;

/// All that one call of `process_lanes` is given: contexts with a key each, and room for a message
/// for each lane.
pub struct LaneContexts {
    row: Box<abi::Function>,
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
        let contexts: Box<[_]> = (0..keys).map(|_| context()).collect::<Result<_, _>>()?;
        let pointers = contexts.iter().map(Context::memory).cycle().take(lanes).collect();
        let (chosen, messages) = (Vec::with_capacity(lanes), Vec::with_capacity(lanes));
        Ok(Self { row: Box::new(row), process, pointers, chosen, contexts, messages })
    }

    fn set_key(&mut self, number: usize, key: &[u8]) -> Result<(), CallError> {
        self.contexts.get_mut(number).ok_or(CallError::Length)?.set_key(key)
    }

    /// Begins a call with that many messages and outputs, under the keys of these numbers or, where
    /// there are none, of all lanes in turn.
    #[inline]
    fn begin(
        &mut self,
        keys: Option<&[u32]>,
        messages: usize,
        outputs: usize,
    ) -> Result<(), CallError> {
        self.messages.clear();
        checks::check_length(outputs, messages)?;
        match keys {
            None => checks::check_length(messages, self.pointers.len()),
            Some(keys) => self.choose(keys, messages),
        }
    }

    #[inline]
    fn choose(&mut self, keys: &[u32], messages: usize) -> Result<(), CallError> {
        checks::check_length(keys.len(), messages)?;
        if messages == 0 || messages > self.pointers.len() {
            return Err(CallError::Length);
        }
        self.chosen.clear();
        for &key in keys {
            let context = self.contexts.get(key as usize).ok_or(CallError::Length)?;
            self.chosen.push(context.memory());
        }
        Ok(())
    }

    /// Gives the next lane its message.
    #[inline]
    fn add(&mut self, message: &Message<'_>, output: &mut [u8]) {
        self.messages.push(abi::message(message, output));
    }

    /// Processes the messages that were added.
    ///
    /// # Safety
    ///
    /// The call was begun with these keys and as many messages as were added, all lengths are those
    /// that the row's operation has, and the messages that were added still live.
    #[inline]
    unsafe fn process(&mut self, keys: Option<&[u32]>) -> Result<(), CallError> {
        let contexts = if keys.is_some() { &self.chosen[..] } else { &self.pointers[..] };
        let (contexts, messages) = (contexts.as_ptr(), self.messages.as_ptr());
        // SAFETY: there are as many contexts as messages, each with a key since the batch was made;
        // the caller vouches for the rest.
        context::called(unsafe {
            (self.process)(&*self.row, contexts, messages, self.messages.len())
        })
    }
}

/// All but `verify`.
pub struct Plain {
    pub batch: LaneContexts,
    pub lengths: Lengths,
}

impl Plain {
    #[inline]
    fn run(
        &mut self,
        keys: Option<&[u32]>,
        messages: &[Message<'_>],
        outputs: &mut [&mut [u8]],
    ) -> Result<(), CallError> {
        self.batch.begin(keys, messages.len(), outputs.len())?;
        for (message, output) in messages.iter().zip(outputs) {
            self.lengths.check(message, output.len())?;
            self.batch.add(message, output);
        }
        // SAFETY: the call was begun with these keys and messages, the lengths were checked, and the
        // borrows keep the messages alive.
        unsafe { self.batch.process(keys) }
    }
}

impl Lanes for Plain {
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

/// `verify`: the tags of all lanes, compared one by one.
pub struct Verify {
    library: &'static abi::Library,
    batch: LaneContexts,
    /// Of `mac`.
    lengths: Lengths,
    tag_bytes: usize,
    /// Room for the tags that are right, one after the other.
    expected: Box<[u8]>,
}

impl Verify {
    pub fn new(library: &'static abi::Library, batch: LaneContexts, lengths: Lengths) -> Self {
        let tag_bytes = batch.row.tag_bytes;
        let expected = vec![0; tag_bytes * batch.pointers.len()].into();
        Self { library, batch, lengths, tag_bytes, expected }
    }

    fn run(
        &mut self,
        keys: Option<&[u32]>,
        messages: &[Message<'_>],
        outputs: &mut [&mut [u8]],
    ) -> Result<(), CallError> {
        self.batch.begin(keys, messages.len(), outputs.len())?;
        let expected = self.expected.chunks_exact_mut(self.tag_bytes);
        for ((message, output), expected) in messages.iter().zip(outputs).zip(expected) {
            checks::check_length(output.len(), 0)?;
            let (input, _) = checks::split_tag(message.input, self.tag_bytes)?;
            let message = Message { input, ..*message };
            self.lengths.check(&message, expected.len())?;
            self.batch.add(&message, expected);
        }
        // SAFETY: the call was begun with these keys and messages, the lengths were checked, the
        // borrows keep the messages alive, and the room for the tags is our own.
        unsafe { self.batch.process(keys) }?;
        let expected = self.expected.chunks_exact(self.tag_bytes);
        let wrong = messages.iter().zip(expected).filter(|(message, expected)| {
            let (_, tag) = message.input.split_at(message.input.len() - self.tag_bytes);
            !abi::equal(self.library, expected, tag)
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
