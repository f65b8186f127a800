//! How a case's function is called, and the loop that is timed.

use std::ops::Range;

use ciphermark_providers::api::{Adapter, CallError, Function, Lanes, Message, Parts, Renewed};
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

    /// Makes the calls of these messages. This is what is timed.
    pub fn run(&mut self, ready: &mut Ready<'_>, part: Range<usize>) -> Result<(), CallError> {
        match self {
            Calls::Reused(function) => run(ready, part, 1, |_, messages, outputs| {
                function.process(&messages[0], outputs[0])
            }),
            Calls::Keyed { function, keys, renewed } => {
                run(ready, part, 1, |turn, messages, outputs| {
                    if let Some(what) = *renewed {
                        function.renew(what)?;
                    }
                    function.set_key(keys.get(turn))?;
                    function.process(&messages[0], outputs[0])
                })
            }
            Calls::InParts { function, parts } => run(ready, part, 1, |_, messages, outputs| {
                function.process_parts(&messages[0], *parts, outputs[0])
            }),
            Calls::Many { functions, .. } => run(ready, part, 1, |turn, messages, outputs| {
                functions[turn].process(&messages[0], outputs[0])
            }),
            Calls::Batches { function, lanes } => {
                run(ready, part, *lanes, |_, messages, outputs| function.process(messages, outputs))
            }
            Calls::Setup(function) => {
                run(ready, part, 1, |_, messages, _| function.set_key(messages[0].input))
            }
        }
    }
}

/// The timed loop: one call after the other, each with what it needs ready in memory.
#[inline(never)]
fn run<'a>(
    ready: &mut Ready<'a>,
    part: Range<usize>,
    lanes: usize,
    mut call: impl FnMut(usize, &[Message<'a>], &mut [&'a mut [u8]]) -> Result<(), CallError>,
) -> Result<(), CallError> {
    let messages = ready.messages[part.clone()].chunks_exact(lanes);
    let outputs = ready.outputs[part.clone()].chunks_exact_mut(lanes);
    let turns = ready.turns[part].chunks_exact(lanes);
    for ((messages, outputs), turns) in messages.zip(outputs).zip(turns) {
        call(turns[0], messages, outputs)?;
    }
    Ok(())
}
