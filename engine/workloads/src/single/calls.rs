//! How a loop calls the function for each message.

use std::mem;
use std::ops::Range;

use ciphermark_providers::api::{CallError, Function, Lanes, Message, Parts, Renewed};
use ciphermark_record::plan::Pattern;

use super::lengths::Lengths;
use super::loops::{run, run_lanes};
use super::series::KEYS_IN_TURN;
use super::source::Source;
use crate::buffer::{Slots, View};

/// A function with its contexts and the way in which it is called.
pub enum Calls {
    /// The key is set once.
    Reused(Box<dyn Function>),
    /// A key is set before each message, in a context that may be got anew.
    Keyed { function: Box<dyn Function>, keys: Slots, renewed: Option<Renewed> },
    /// As `Reused`, each message in parts.
    InParts { function: Box<dyn Function>, parts: Parts },
    /// A context for each key; they take turns.
    Many { functions: Vec<Box<dyn Function>>, bytes: usize },
    /// Several messages in one call.
    Batches(Batches),
}

/// Name of a way to call, for measuring what its loop costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CallKind {
    Pattern(Pattern),
    Many,
    Lanes(usize),
}

impl Calls {
    pub fn kind(&self) -> CallKind {
        match self {
            Calls::Reused(_) => CallKind::Pattern(Pattern::ReusedKey),
            Calls::Keyed { renewed: None, .. } => CallKind::Pattern(Pattern::Rekeyed),
            Calls::Keyed { renewed: Some(Renewed::Context), .. } => {
                CallKind::Pattern(Pattern::OneShot)
            }
            Calls::Keyed { renewed: Some(Renewed::Algorithm), .. } => {
                CallKind::Pattern(Pattern::Fetched)
            }
            Calls::InParts { .. } => CallKind::Pattern(Pattern::Incremental),
            Calls::Many { .. } => CallKind::Many,
            Calls::Batches(batches) => CallKind::Lanes(batches.lanes),
        }
    }

    /// Bytes that the contexts take, where these are many.
    pub fn bytes(&self) -> usize {
        if let Calls::Many { bytes, .. } = self { *bytes } else { 0 }
    }

    /// Processes messages of `source`; the answers go to their slots.
    pub fn run<S: Source>(
        &mut self,
        source: &mut S,
        answers: View<'_>,
        lengths: impl Lengths,
        messages: Range<u64>,
    ) -> Result<(), CallError> {
        match self {
            Calls::Reused(function) => {
                run(source, Reused(function.as_mut()), answers, lengths, messages)
            }
            Calls::Keyed { function, keys, renewed } => {
                let call = Keyed { function: function.as_mut(), keys, renewed: *renewed };
                run(source, call, answers, lengths, messages)
            }
            Calls::InParts { function, parts } => {
                let call = InParts { function: function.as_mut(), parts: *parts };
                run(source, call, answers, lengths, messages)
            }
            Calls::Many { functions, .. } => {
                let next = (messages.start % functions.len() as u64) as usize;
                run(source, Many { functions, next }, answers, lengths, messages)
            }
            Calls::Batches(batches) => run_lanes(source, batches, answers, lengths, messages),
        }
    }
}

/// What is done with one message.
pub trait Call {
    fn call(
        &mut self,
        number: usize,
        message: &Message<'_>,
        answer: &mut [u8],
    ) -> Result<(), CallError>;
}

struct Reused<'a>(&'a mut dyn Function);

impl Call for Reused<'_> {
    #[inline]
    fn call(
        &mut self,
        _: usize,
        message: &Message<'_>,
        answer: &mut [u8],
    ) -> Result<(), CallError> {
        self.0.process(message, answer)
    }
}

struct Keyed<'a> {
    function: &'a mut dyn Function,
    keys: &'a Slots,
    renewed: Option<Renewed>,
}

impl Call for Keyed<'_> {
    #[inline]
    fn call(
        &mut self,
        number: usize,
        message: &Message<'_>,
        answer: &mut [u8],
    ) -> Result<(), CallError> {
        if let Some(what) = self.renewed {
            self.function.renew(what)?;
        }
        self.function.set_key(self.keys.get(number % KEYS_IN_TURN as usize))?;
        self.function.process(message, answer)
    }
}

struct InParts<'a> {
    function: &'a mut dyn Function,
    parts: Parts,
}

impl Call for InParts<'_> {
    #[inline]
    fn call(
        &mut self,
        _: usize,
        message: &Message<'_>,
        answer: &mut [u8],
    ) -> Result<(), CallError> {
        self.function.process_parts(message, self.parts, answer)
    }
}

struct Many<'a> {
    functions: &'a mut [Box<dyn Function>],
    next: usize,
}

impl Call for Many<'_> {
    #[inline]
    fn call(
        &mut self,
        _: usize,
        message: &Message<'_>,
        answer: &mut [u8],
    ) -> Result<(), CallError> {
        let function = &mut self.functions[self.next];
        function.process(message, answer)?;
        self.next += 1;
        if self.next == self.functions.len() {
            self.next = 0;
        }
        Ok(())
    }
}

/// A function that takes several messages in one call, and the lists that it is given.
pub struct Batches {
    pub lanes: usize,
    function: Box<dyn Lanes>,
    messages: Vec<Message<'static>>,
    answers: Vec<&'static mut [u8]>,
}

impl Batches {
    pub fn new(function: Box<dyn Lanes>, lanes: usize) -> Self {
        let (messages, answers) = (Vec::with_capacity(lanes), Vec::with_capacity(lanes));
        Self { lanes, function, messages, answers }
    }

    /// Processes one message in each lane.
    #[inline]
    pub fn call<'a>(
        &mut self,
        messages: impl Iterator<Item = Message<'a>>,
        answers: impl Iterator<Item = &'a mut [u8]>,
    ) -> Result<(), CallError> {
        let mut inputs = emptied(mem::take(&mut self.messages));
        let mut outputs = emptied(mem::take(&mut self.answers));
        inputs.extend(messages);
        outputs.extend(answers);
        let result = self.function.process(&inputs, &mut outputs);
        self.messages = emptied(inputs);
        self.answers = emptied(outputs);
        result
    }
}

/// The same memory for a list of things that live for another time: the standard library collects
/// in place where sizes are equal.
#[inline]
fn emptied<T, U>(mut list: Vec<T>) -> Vec<U> {
    list.clear();
    list.into_iter().map(|_| unreachable!("the list is empty")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_emptied_list_keeps_its_memory() {
        let text = vec![1_u8];
        let list = vec![Message { input: &text, ..Message::default() }; 8];
        let memory = list.as_ptr() as usize;
        let list: Vec<Message<'static>> = emptied(list);
        assert_eq!((list.len(), list.capacity(), list.as_ptr() as usize), (0, 8, memory));
    }
}
