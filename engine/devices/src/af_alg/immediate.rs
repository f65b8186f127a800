//! A device that has finished when a submission returns: hashes, for which the kernel has no other
//! way, and everything where it refuses asynchronous reads.

use super::descriptors;
use ciphermark_providers::api::*;
use ciphermark_providers::checks;

/// Most messages of a submission.
const MOST_MESSAGES: usize = 64;

/// The kernel takes these messages in parts, so nothing but memory bounds them.
const MOST_BYTES: usize = 1 << 30;

pub struct Immediate {
    place: String,
    /// One for each key.
    functions: Vec<Box<dyn Function>>,
    submitted: Option<Submitted>,
}

struct Submitted {
    answers: Vec<Vec<u8>>,
    result: Result<(), CallError>,
}

impl Immediate {
    pub fn new(
        place: String,
        keys: usize,
        make: impl Fn() -> Result<Box<dyn Function>, CreateError>,
    ) -> Result<Self, CreateError> {
        descriptors::requests_per_key(keys, keys)?;
        let functions = (0..keys).map(|_| make()).collect::<Result<_, _>>()?;
        Ok(Self { place, functions, submitted: None })
    }
}

impl Device for Immediate {
    fn place(&self) -> String {
        self.place.clone()
    }

    fn capacities(&self) -> Capacities {
        Capacities { messages: MOST_MESSAGES, in_flight: 1, bytes: MOST_BYTES }
    }

    fn set_key(&mut self, number: usize, key: &[u8]) -> Result<(), CallError> {
        self.functions.get_mut(number).ok_or(CallError::Length)?.set_key(key)
    }

    fn submit(
        &mut self,
        keys: &[u32],
        messages: &[Message<'_>],
        output_bytes: &[usize],
    ) -> Result<Ticket, CallError> {
        checks::check_length(keys.len(), messages.len())?;
        checks::check_length(output_bytes.len(), messages.len())?;
        if messages.len() > MOST_MESSAGES {
            return Err(CallError::Length);
        }
        if self.submitted.is_some() {
            return Err(CallError::Unsupported);
        }
        let mut answers: Vec<_> = output_bytes.iter().map(|&bytes| vec![0; bytes]).collect();
        let mut result = Ok(());
        for ((&key, message), answer) in keys.iter().zip(messages).zip(&mut answers) {
            let function = self.functions.get_mut(key as usize).ok_or(CallError::Length)?;
            match function.process(message, answer) {
                Err(CallError::Refused) => result = Err(CallError::Refused),
                other => other?,
            }
        }
        self.submitted = Some(Submitted { answers, result });
        Ok(Ticket(0))
    }

    fn poll(&mut self, _: Ticket) -> Result<bool, CallError> {
        Ok(true)
    }

    fn collect(&mut self, _: Ticket, outputs: &mut [&mut [u8]]) -> Result<DeviceTimes, CallError> {
        let Submitted { answers, result } = self.submitted.take().ok_or(CallError::Unsupported)?;
        checks::check_length(outputs.len(), answers.len())?;
        for (output, answer) in outputs.iter_mut().zip(&answers) {
            checks::check_length(output.len(), answer.len())?;
            output.copy_from_slice(answer);
        }
        result.map(|()| DeviceTimes::default())
    }
}
