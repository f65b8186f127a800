//! A kernel with its messages, ready to be called again and again.

use ciphermark_providers::api::{
    CallError, CreateError, Expansion, Function, Implementation, Lanes, Message, Operation,
    Provider, Request, output_bytes,
};
use ciphermark_record::description::Algorithm;

/// A byte of all nonces that chooses no part of a pad, which some functions keep between messages.
const COUNTED: usize = 3;

/// Whatever a message has.
const FILLED: u8 = 0x5a;

enum Kernel {
    Single(Box<dyn Function>),
    Many(Box<dyn Lanes>),
}

/// The sending side of one implementation: many messages in a call where it takes many, else one.
pub struct Subject {
    kernel: Kernel,
    pub operation: Operation,
    pub lanes: usize,
    nonce: Vec<u8>,
    expansion: Expansion,
}

impl Subject {
    /// With `lanes` messages a call, each under a key of its own, or as many as it takes.
    pub fn new(
        provider: &dyn Provider,
        implementation: &Implementation,
        algorithm: &Algorithm,
        lanes: usize,
    ) -> Result<Self, CreateError> {
        let operation = algorithm.kind.sending();
        let lanes = lanes.min(implementation.most_lanes as usize).max(1);
        let request = Request::usual(&algorithm.name, &implementation.backend, operation);
        let failed = |error: CallError| CreateError::Failed(error.to_string());
        let key = |lane: usize| vec![FILLED ^ lane as u8; algorithm.key_bytes as usize];
        let kernel = if lanes > 1 {
            let mut many = provider.create_lanes(&request, lanes, lanes)?;
            for lane in 0..lanes {
                many.set_key(lane, &key(lane)).map_err(failed)?;
            }
            Kernel::Many(many)
        } else {
            let mut function = provider.create(&request)?;
            function.set_key(&key(0)).map_err(failed)?;
            Kernel::Single(function)
        };
        let nonce = vec![1; algorithm.nonce_bytes as usize];
        Ok(Self { kernel, operation, lanes, nonce, expansion: Expansion::of(algorithm) })
    }

    /// Hands a call of messages of so many bytes each, with all around it made before, to what looks at
    /// it. What calls it twice gets another nonce where the kernel takes one message.
    pub fn with_call<T>(
        &mut self,
        bytes: usize,
        look: impl FnOnce(&mut dyn FnMut() -> Result<(), CallError>) -> T,
    ) -> T {
        let Self { kernel, operation, lanes, nonce, expansion } = self;
        let input = vec![FILLED; bytes * *lanes];
        let answer = output_bytes(*operation, bytes, *expansion);
        let mut output = vec![0; answer * *lanes];
        match kernel {
            Kernel::Single(function) => look(&mut || {
                if let Some(byte) = nonce.get_mut(COUNTED) {
                    *byte = byte.wrapping_add(1);
                }
                function.process(&Message::new(nonce, &input), &mut output)
            }),
            Kernel::Many(many) => {
                let messages: Vec<_> =
                    input.chunks(bytes).map(|input| Message::new(nonce, input)).collect();
                let mut outputs: Vec<_> = output.chunks_mut(answer).collect();
                look(&mut || many.process(&messages, &mut outputs))
            }
        }
    }
}
