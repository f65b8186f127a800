//! How a case's function is called, and the loop that is timed.

use std::ops::Range;

use ciphermark_providers::api::{
    Adapter, CallError, Function, Lanes, Message, Parts, Prepared, Renewed,
};
use ciphermark_record::plan::Pattern;

use super::ring::Ready;
use crate::buffer::Slots;

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
    Batches { function: Box<dyn Lanes>, lanes: usize },
    /// A key schedule, under keys that grow.
    Setup(Box<dyn Function>),
}

/// Name of a way to call, for measuring what its loop costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CallKind {
    Pattern(Pattern),
    Many,
    Lanes(usize),
    Setup,
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
            Calls::Batches { lanes, .. } => CallKind::Lanes(*lanes),
            Calls::Setup(_) => CallKind::Setup,
        }
    }

    /// What lies between the loop and the library.
    pub fn adapter(&self) -> Adapter {
        match self {
            Calls::Reused(function)
            | Calls::Keyed { function, .. }
            | Calls::InParts { function, .. }
            | Calls::Setup(function) => function.adapter(),
            Calls::Many { functions, .. } => {
                functions.first().map_or(Adapter::Direct, |function| function.adapter())
            }
            Calls::Batches { function, .. } => function.adapter(),
        }
    }

    /// Bytes that the contexts take, where these are many.
    pub fn bytes(&self) -> usize {
        if let Calls::Many { bytes, .. } = self { *bytes } else { 0 }
    }

    /// Keys or contexts that take turns.
    pub fn turns(&self) -> usize {
        match self {
            Calls::Keyed { keys, .. } => keys.count(),
            Calls::Many { functions, .. } => functions.len(),
            _ => 1,
        }
    }

    /// Has the functions make these messages ready, each the one whose turn it is, where they can.
    pub fn prepare(&mut self, ready: &mut Ready<'_>) {
        ready.prepared.clear();
        let calls = ready.messages.iter().zip(&mut ready.outputs).zip(&ready.turns);
        for ((message, output), turn) in calls {
            let function = match self {
                Calls::Reused(function) | Calls::Keyed { function, .. } => function,
                Calls::Many { functions, .. } => &mut functions[*turn],
                Calls::InParts { .. } | Calls::Batches { .. } | Calls::Setup(_) => return,
            };
            match function.prepare(message, output) {
                Some(prepared) => ready.prepared.push(prepared),
                None => return ready.prepared.clear(),
            }
        }
    }

    /// Makes the calls of these messages. This is what is timed.
    pub fn run(&mut self, ready: &mut Ready<'_>, part: Range<usize>) -> Result<(), CallError> {
        match self {
            Calls::Reused(function) => {
                run(ready, part, 1, |_, call| process(function.as_mut(), call))
            }
            Calls::Keyed { function, keys, renewed } => run(ready, part, 1, |turn, call| {
                if let Some(what) = *renewed {
                    function.renew(what)?;
                }
                function.set_key(keys.get(turn))?;
                process(function.as_mut(), call)
            }),
            Calls::InParts { function, parts } => run(ready, part, 1, |_, call| {
                function.process_parts(&call.messages[0], *parts, call.outputs[0])
            }),
            Calls::Many { functions, .. } => {
                run(ready, part, 1, |turn, call| process(functions[turn].as_mut(), call))
            }
            Calls::Batches { function, lanes } => {
                run(ready, part, *lanes, |_, call| function.process(call.messages, call.outputs))
            }
            Calls::Setup(function) => {
                run(ready, part, 1, |_, call| function.set_key(call.messages[0].input))
            }
        }
    }
}

/// One call that is ready.
struct ReadyCall<'r, 'a> {
    messages: &'r [Message<'a>],
    outputs: &'r mut [&'a mut [u8]],
    /// The message, as the function has made it ready.
    prepared: Option<&'r Prepared>,
}

#[inline(always)]
fn process(function: &mut dyn Function, call: ReadyCall<'_, '_>) -> Result<(), CallError> {
    match call.prepared {
        // SAFETY: `Calls::prepare` has had this function make it ready of this message and output, which
        // are borrowed as long as the call is.
        Some(prepared) => unsafe { function.process_prepared(prepared) },
        None => function.process(&call.messages[0], call.outputs[0]),
    }
}

/// The timed loop: one call after the other, each with what it needs ready in memory.
#[inline(never)]
fn run<'a>(
    ready: &mut Ready<'a>,
    part: Range<usize>,
    lanes: usize,
    mut call: impl FnMut(usize, ReadyCall<'_, 'a>) -> Result<(), CallError>,
) -> Result<(), CallError> {
    let messages = ready.messages[part.clone()].chunks_exact(lanes);
    let outputs = ready.outputs[part.clone()].chunks_exact_mut(lanes);
    let turns = ready.turns[part.clone()].chunks_exact(lanes);
    let prepared = ready.prepared.get(part);
    for (index, ((messages, outputs), turns)) in messages.zip(outputs).zip(turns).enumerate() {
        let prepared = prepared.map(|prepared| &prepared[index]);
        call(turns[0], ReadyCall { messages, outputs, prepared })?;
    }
    Ok(())
}
