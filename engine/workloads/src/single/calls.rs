//! How a case's function is called, and the loop that is timed.

use std::ops::Range;

use ciphermark_providers::api::{
    Adapter, CallError, Function, Lanes, Parts, Prepared, PreparedLanes, Renewed,
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

    /// Has the functions prepare these messages, each the one whose turn it is, where rows of kernel.h
    /// stand between them and the library.
    pub fn prepare(&mut self, ready: &mut Ready<'_>) -> Result<(), CallError> {
        let Ready { messages, outputs, turns, prepared, prepared_lanes } = ready;
        prepared.clear();
        if self.adapter() == Adapter::Direct {
            return Ok(());
        }
        match self {
            Calls::Reused(_) | Calls::Keyed { .. } | Calls::Many { .. } => {}
            Calls::Batches { function, .. } => {
                let mut each = messages.iter().copied().zip(outputs.drain(..));
                return function.prepare(&mut each, prepared_lanes);
            }
            Calls::InParts { .. } | Calls::Setup(_) => return Ok(()),
        }
        for ((message, output), turn) in messages.iter().zip(outputs.drain(..)).zip(turns) {
            let function = match self {
                Calls::Reused(function) | Calls::Keyed { function, .. } => function,
                Calls::Many { functions, .. } => &mut functions[*turn],
                Calls::InParts { .. } | Calls::Batches { .. } | Calls::Setup(_) => break,
            };
            prepared.push(function.prepare(message, output)?);
        }
        Ok(())
    }

    /// Makes the calls of these messages. This is what is timed.
    pub fn run(&mut self, ready: &mut Ready<'_>, part: Range<usize>) -> Result<(), CallError> {
        let turns = &ready.turns[part.clone()];
        if let Some(prepared) = ready.prepared.get(part.clone()) {
            return self.run_prepared(prepared, turns);
        }
        if !ready.prepared_lanes.is_empty() {
            return self.run_prepared_lanes(&ready.prepared_lanes, part);
        }
        let (messages, outputs) = (&ready.messages[part.clone()], &mut ready.outputs[part]);
        let each = messages.iter().zip(outputs.iter_mut());
        match self {
            Calls::Reused(function) => {
                run(each, |(message, output)| function.process(message, output))
            }
            Calls::Keyed { function, keys, renewed } => {
                run(each.zip(turns), |((message, output), turn)| {
                    set_key(function.as_mut(), keys.get(*turn), *renewed)?;
                    function.process(message, output)
                })
            }
            Calls::InParts { function, parts } => {
                run(each, |(message, output)| function.process_parts(message, *parts, output))
            }
            Calls::Many { functions, .. } => run(each.zip(turns), |((message, output), turn)| {
                functions[*turn].process(message, output)
            }),
            Calls::Batches { function, lanes } => {
                let each = messages.chunks_exact(*lanes).zip(outputs.chunks_exact_mut(*lanes));
                run(each, |(messages, outputs)| function.process(messages, outputs))
            }
            Calls::Setup(function) => run(messages, |message| function.set_key(message.input)),
        }
    }

    /// The same of messages that were prepared.
    fn run_prepared(
        &mut self,
        prepared: &[Prepared<'_>],
        turns: &[usize],
    ) -> Result<(), CallError> {
        match self {
            Calls::Reused(function) => {
                if let Some(mut call) = function.call() {
                    return run(prepared, |message| call.process(message));
                }
                run(prepared, |message| function.process_prepared(message))
            }
            Calls::Keyed { function, keys, renewed } => {
                run(prepared.iter().zip(turns), |(message, turn)| {
                    set_key(function.as_mut(), keys.get(*turn), *renewed)?;
                    function.process_prepared(message)
                })
            }
            Calls::Many { functions, .. } => run(prepared.iter().zip(turns), |(message, turn)| {
                functions[*turn].process_prepared(message)
            }),
            Calls::InParts { .. } | Calls::Batches { .. } | Calls::Setup(_) => {
                Err(CallError::Unsupported)
            }
        }
    }

    /// The same of calls of several messages each.
    fn run_prepared_lanes(
        &mut self,
        prepared: &PreparedLanes<'_>,
        part: Range<usize>,
    ) -> Result<(), CallError> {
        let Calls::Batches { function, lanes } = self else { return Err(CallError::Unsupported) };
        run(part.step_by(*lanes), |first| function.process_prepared(prepared, first))
    }
}

#[inline(always)]
fn set_key(
    function: &mut dyn Function,
    key: &[u8],
    renewed: Option<Renewed>,
) -> Result<(), CallError> {
    if let Some(what) = renewed {
        function.renew(what)?;
    }
    function.set_key(key)
}

/// The timed loop: one call after the other, each with what it needs ready in memory.
#[inline(never)]
fn run<C>(
    calls: impl IntoIterator<Item = C>,
    mut call: impl FnMut(C) -> Result<(), CallError>,
) -> Result<(), CallError> {
    for each in calls {
        call(each)?;
    }
    Ok(())
}
