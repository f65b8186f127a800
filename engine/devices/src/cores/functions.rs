//! What one device thread works with for one device: functions with their keys.

use super::packed::Packed;
use ciphermark_providers::api::*;

pub enum Functions {
    /// One for each key.
    Each(Vec<Box<dyn Function>>),
    /// All keys together, at most so many messages a call.
    Together { lanes: Box<dyn Lanes>, most: usize },
}

impl Functions {
    pub fn each(
        provider: &dyn Provider,
        request: &Request<'_>,
        keys: usize,
    ) -> Result<Self, CreateError> {
        let functions: Result<_, _> = (0..keys).map(|_| provider.create(request)).collect();
        Ok(Self::Each(functions?))
    }

    /// Of several messages a call, at most `most`, where the provider has that.
    pub fn for_batches(
        provider: &dyn Provider,
        request: &Request<'_>,
        most: usize,
        keys: usize,
    ) -> Result<Self, CreateError> {
        match most.min(most_lanes(provider, request)) {
            0 | 1 => Self::each(provider, request, keys),
            lanes => Self::together(provider, request, lanes, keys),
        }
    }

    pub fn together(
        provider: &dyn Provider,
        request: &Request<'_>,
        lanes: usize,
        keys: usize,
    ) -> Result<Self, CreateError> {
        let together = provider.create_lanes(request, lanes, keys)?;
        Ok(Self::Together { lanes: together, most: lanes })
    }

    pub fn set_key(&mut self, number: usize, key: &[u8]) -> Result<(), CallError> {
        match self {
            Self::Each(functions) => {
                functions.get_mut(number).ok_or(CallError::Length)?.set_key(key)
            }
            Self::Together { lanes, .. } => lanes.set_key(number, key),
        }
    }

    /// Answers all messages, also where some fail; of their errors the first is told.
    pub fn process(&mut self, packed: &Packed, answers: &mut [u8]) -> Result<(), CallError> {
        let mut outcome = Ok(());
        match self {
            Self::Each(functions) => {
                let calls =
                    packed.keys().iter().zip(packed.messages()).zip(packed.answers(answers));
                for ((&key, message), answer) in calls {
                    let function = functions.get_mut(key as usize).ok_or(CallError::Length)?;
                    outcome = outcome.and(function.process(&message, answer));
                }
            }
            Self::Together { lanes, most } => {
                let messages: Vec<_> = packed.messages().collect();
                let mut answers: Vec<_> = packed.answers(answers).collect();
                let calls = packed.keys().chunks(*most).zip(messages.chunks(*most));
                for ((keys, messages), answers) in calls.zip(answers.chunks_mut(*most)) {
                    outcome = outcome.and(lanes.process_under(keys, messages, answers));
                }
            }
        }
        outcome
    }
}

/// Messages that one call of an implementation takes.
fn most_lanes(provider: &dyn Provider, request: &Request<'_>) -> usize {
    let implementations = provider.implementations();
    let named = implementations.iter().find(|it| {
        let backend = it.backend == request.backend || (request.backend == "default" && it.default);
        it.algorithm == request.algorithm && backend
    });
    named.map_or(1, |it| it.most_lanes as usize)
}
