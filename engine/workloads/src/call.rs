//! One call of one function, or of one that takes several messages, to be looked at rather than timed.

use ciphermark_providers::api::{
    CallError, CreateError, Expansion, Function, Lanes, Message, Operation, Provider, Request,
    output_bytes,
};
use ciphermark_record::description::Algorithm;

use crate::agreement::{Input, Zeros};

const SEED: u64 = 1;

/// A function with a message, ready to be called again and again.
pub struct Call {
    function: Box<dyn Function>,
    operation: Operation,
    input: Input,
    given: Vec<u8>,
    output: Vec<u8>,
}

impl Call {
    /// Of a message of about `message_bytes`: as many as the algorithm has.
    pub fn new(
        provider: &dyn Provider,
        algorithm: &Algorithm,
        backend: &str,
        operation: Operation,
        message_bytes: usize,
    ) -> Result<Self, CreateError> {
        let create = |operation| {
            let algorithm = &algorithm.name;
            provider.create(&Request::usual(algorithm, backend, operation))
        };
        let input =
            Input::new(SEED, algorithm, fitting(algorithm, message_bytes), Zeros::default());
        let sending = algorithm.kind.sending();
        let mut sent = vec![0; answer_bytes(sending, &input, algorithm)];
        let plain = plain(sending, &input);
        let mut sender = create(sending)?;
        call(sender.as_mut(), &input, &plain, &mut sent).map_err(failed)?;
        let given = match operation {
            Operation::Open | Operation::Decrypt => sent,
            Operation::Verify => [plain, sent].concat(),
            _ => plain,
        };
        let mut function = create(operation)?;
        function.set_key(&input.key).map_err(failed)?;
        let output = vec![0; answer_bytes(operation, &input, algorithm)];
        Ok(Self { function, operation, input, given, output })
    }

    /// The call; of a key setup the setting of the key.
    pub fn run(&mut self) -> Result<(), CallError> {
        let Self { function, operation, input, given, output } = self;
        match operation {
            Operation::Setup => function.set_key(&input.key),
            _ => {
                let message = Message::new(&input.nonce, given);
                function.process(&message, output)
            }
        }
    }
}

/// The sending side of a function that takes several messages in one call, each under a key of its own,
/// ready to be called again and again.
pub struct LanesCall {
    lanes: Box<dyn Lanes>,
    inputs: Vec<Input>,
    given: Vec<Vec<u8>>,
    outputs: Vec<Vec<u8>>,
}

impl LanesCall {
    /// Of `lanes` messages of about `message_bytes`: as many as the algorithm has.
    pub fn new(
        provider: &dyn Provider,
        algorithm: &Algorithm,
        backend: &str,
        message_bytes: usize,
        lanes: usize,
    ) -> Result<Self, CreateError> {
        let operation = algorithm.kind.sending();
        let bytes = fitting(algorithm, message_bytes);
        let inputs: Vec<Input> = (0..lanes)
            .map(|lane| Input::new(SEED + lane as u64, algorithm, bytes, Zeros::default()))
            .collect();
        let request = Request::usual(&algorithm.name, backend, operation);
        let mut function = provider.create_lanes(&request, lanes, lanes)?;
        for (lane, input) in inputs.iter().enumerate() {
            function.set_key(lane, &input.key).map_err(failed)?;
        }
        let given = inputs.iter().map(|input| plain(operation, input)).collect();
        let answer = |input| vec![0; answer_bytes(operation, input, algorithm)];
        let outputs = inputs.iter().map(answer).collect();
        Ok(Self { lanes: function, inputs, given, outputs })
    }

    pub fn run(&mut self) -> Result<(), CallError> {
        let Self { lanes, inputs, given, outputs } = self;
        let pairs = inputs.iter().zip(given);
        let messages: Vec<_> =
            pairs.map(|(input, given)| Message::new(&input.nonce, given)).collect();
        let mut outputs: Vec<_> = outputs.iter_mut().map(Vec::as_mut_slice).collect();
        lanes.process(&messages, &mut outputs)
    }
}

/// What the sending side is given.
fn plain(sending: Operation, input: &Input) -> Vec<u8> {
    if sending == Operation::Keystream { vec![] } else { input.message.clone() }
}

fn call(
    function: &mut dyn Function,
    input: &Input,
    given: &[u8],
    output: &mut [u8],
) -> Result<(), CallError> {
    function.set_key(&input.key)?;
    function.process(&Message::new(&input.nonce, given), output)
}

fn answer_bytes(operation: Operation, input: &Input, algorithm: &Algorithm) -> usize {
    output_bytes(operation, input.message.len(), Expansion::of(algorithm))
}

/// The bytes of a message of about so many that the algorithm has.
pub fn fitting(algorithm: &Algorithm, message_bytes: usize) -> usize {
    let most = algorithm.max_message_bytes.map_or(message_bytes, |most| most as usize);
    let block = algorithm.block_bytes as usize;
    let bytes = message_bytes.min(most) / block * block;
    bytes.max(algorithm.min_message_bytes as usize)
}

fn failed(error: CallError) -> CreateError {
    CreateError::Failed(error.to_string())
}

#[cfg(test)]
mod tests {
    use ciphermark_registry as registry;

    use super::*;

    #[test]
    fn every_operation_can_be_called_again_and_again() {
        let registration = registry::find("rustcrypto").expect("rustcrypto is registered");
        let provider = (registration.open)(None).unwrap_or_else(|reason| panic!("{reason}"));
        for name in ["aes-128-gcm", "aes-128-cbc", "hmac-sha256", "sha256", "chacha20"] {
            let algorithm = ciphermark_algorithms::find(name).expect("the algorithm has facts");
            for &operation in algorithm.kind.operations() {
                let call = Call::new(provider.as_ref(), algorithm, "default", operation, 1024);
                let mut call = call.unwrap_or_else(|error| panic!("{name} {operation}: {error}"));
                for _ in 0..3 {
                    assert_eq!(call.run(), Ok(()), "{name} {operation}");
                }
            }
        }
    }

    #[test]
    fn messages_are_as_long_as_the_algorithm_allows() {
        let facts = |name| ciphermark_algorithms::find(name).expect("the algorithm has facts");
        assert_eq!(fitting(facts("aes-128-cbc"), 1030), 1024);
        assert_eq!(fitting(facts("uea1"), 10_000), 2500);
        assert_eq!(fitting(facts("aes-128-cbc"), 1), 16);
    }
}
