//! Random inputs that all implementations of an algorithm answer alike.
//!
//! An input is made from a seed and a length alone, so that every worker process makes the same.

use ciphermark_algorithms::nonce;
use ciphermark_providers::api::{
    CallError, CreateError, Expansion, Function, Message, Operation, Provider, Request,
    input_bytes, output_bytes,
};
use ciphermark_record::description::Algorithm;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::inputs::{Inputs, random_bytes};

/// Associated data of an AEAD is 0 … this many bytes, changing with the length of the message.
const MOST_AAD_BYTES: usize = 40;

/// What is asked of a function, in full.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Input {
    pub key: Vec<u8>,
    pub nonce: Vec<u8>,
    pub aad: Vec<u8>,
    pub message: Vec<u8>,
}

/// The parts of an input that are zeros instead of random bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Zeros {
    pub key: bool,
    /// Also leaves the associated data out.
    pub nonce: bool,
    pub message: bool,
}

/// An answer, or why there was none.
pub type Answer = Result<Vec<u8>, String>;

impl Input {
    /// The input of that length.
    pub fn new(seed: u64, algorithm: &Algorithm, message_bytes: usize, zeros: Zeros) -> Self {
        let Inputs { mut key, mut nonce, mut message } =
            Inputs::new(seed, algorithm, message_bytes);
        let mut aad = vec![];
        if algorithm.kind == ciphermark_record::description::Kind::Aead && !zeros.nonce {
            aad = random_bytes(seed, "associated data", message_bytes % (MOST_AAD_BYTES + 1));
        }
        for (zero, part) in
            [(zeros.key, &mut key), (zeros.nonce, &mut nonce), (zeros.message, &mut message)]
        {
            if zero {
                part.fill(0);
            }
        }
        nonce::confine(algorithm, &mut nonce);
        Self { key, nonce, aad, message }
    }
}

/// One operation of one implementation, which answers one input after the other.
pub struct Answerer<'a> {
    algorithm: &'a Algorithm,
    operation: Operation,
    /// Makes what the receiving side reads.
    sender: Box<dyn Function>,
    function: Box<dyn Function>,
}

impl<'a> Answerer<'a> {
    pub fn new(
        provider: &dyn Provider,
        algorithm: &'a Algorithm,
        backend: &str,
        operation: Operation,
    ) -> Result<Self, CreateError> {
        let create =
            |operation| provider.create(&Request::usual(&algorithm.name, backend, operation));
        Ok(Self {
            algorithm,
            operation,
            sender: create(algorithm.kind.sending())?,
            function: create(operation)?,
        })
    }

    /// The answer to an input. `open` and `verify` are given what the same library's sending side
    /// has made of it, and must refuse it with a flipped bit.
    pub fn answer(&mut self, input: &Input) -> Answer {
        self.try_answer(input).map_err(|error| error.to_string()).and_then(|answer| {
            answer.ok_or_else(|| format!("{} accepted a forged tag", self.operation))
        })
    }

    /// None when a forgery was accepted.
    fn try_answer(&mut self, input: &Input) -> Result<Option<Vec<u8>>, CallError> {
        match self.operation {
            Operation::Open | Operation::Verify => {
                let mut sent = self.sent(input)?;
                let answer = self.processed(input, &sent)?;
                if !authenticates(self.algorithm) {
                    return Ok(Some(answer));
                }
                if let Some(last) = sent.last_mut() {
                    *last ^= 1;
                }
                match self.processed(input, &sent) {
                    Err(CallError::Refused) => Ok(Some(answer)),
                    _ => Ok(None),
                }
            }
            Operation::Keystream => self.processed(input, &[]).map(Some),
            _ => self.processed(input, &input.message).map(Some),
        }
    }

    /// What the receiving side is given.
    fn sent(&mut self, input: &Input) -> Result<Vec<u8>, CallError> {
        let sending = self.algorithm.kind.sending();
        let answer = process(self.sender.as_mut(), self.algorithm, sending, input, &input.message)?;
        match self.operation {
            Operation::Verify => Ok([input.message.as_slice(), &answer].concat()),
            _ => Ok(answer),
        }
    }

    fn processed(&mut self, input: &Input, given: &[u8]) -> Result<Vec<u8>, CallError> {
        process(self.function.as_mut(), self.algorithm, self.operation, input, given)
    }
}

/// Whether what was changed on its way is refused: not by suites without integrity.
fn authenticates(algorithm: &Algorithm) -> bool {
    algorithm.suite.as_ref().is_none_or(|suite| suite.framing.icv_bytes > 0)
}

fn process(
    function: &mut dyn Function,
    algorithm: &Algorithm,
    operation: Operation,
    input: &Input,
    given: &[u8],
) -> Result<Vec<u8>, CallError> {
    let expansion = Expansion::of(algorithm);
    let given = if input_bytes(operation, 1, expansion) == 0 { &[] } else { given };
    let mut output = vec![0; output_bytes(operation, input.message.len(), expansion)];
    function.set_key(&input.key)?;
    function.process(
        &Message { nonce: &input.nonce, aad: &input.aad, input: given, unused_bits: 0 },
        &mut output,
    )?;
    Ok(output)
}

/// A number that stands for an answer; a failure is one too, whatever its words.
pub fn digest(answer: &Answer) -> u64 {
    let mut digest = Sha256::new();
    match answer {
        Ok(bytes) => digest.update([&[1], bytes.as_slice()].concat()),
        Err(_) => digest.update([0]),
    }
    let digest: [u8; 32] = digest.finalize().into();
    u64::from_le_bytes(*digest.first_chunk().expect("a digest has 32 bytes"))
}

#[cfg(test)]
mod tests {
    use ciphermark_providers::registry;

    use super::*;

    fn algorithm(name: &str) -> &'static Algorithm {
        ciphermark_algorithms::find(name).expect("the algorithm has facts")
    }

    fn answerer(name: &str, operation: Operation) -> Answerer<'static> {
        let registration = registry::find("rustcrypto").expect("rustcrypto is registered");
        let provider = (registration.open)(None).unwrap_or_else(|reason| panic!("{reason}"));
        Answerer::new(provider.as_ref(), algorithm(name), "default", operation)
            .expect("it is there")
    }

    fn answer(name: &str, operation: Operation, input: &Input) -> Vec<u8> {
        answerer(name, operation).answer(input).expect("it answers")
    }

    #[test]
    fn the_receiving_side_gives_the_message_back() {
        for bytes in [0, 1, 16, 100] {
            let input = Input::new(1, algorithm("aes-128-gcm"), bytes, Zeros::default());
            assert_eq!(answer("aes-128-gcm", Operation::Open, &input), input.message);
        }
        let input = Input::new(1, algorithm("aes-128-cbc"), 48, Zeros::default());
        let sealed = answer("aes-128-cbc", Operation::Encrypt, &input);
        let back = Input { message: sealed, ..input.clone() };
        assert_eq!(answer("aes-128-cbc", Operation::Decrypt, &back), input.message);
    }

    #[test]
    fn keystreams_take_no_input_and_have_the_length_asked_for() {
        let input = Input::new(1, algorithm("chacha20"), 77, Zeros::default());
        assert_eq!(answer("chacha20", Operation::Keystream, &input).len(), 77);
    }

    #[test]
    fn associated_data_comes_in_all_lengths_and_only_with_an_aead() {
        let aad = |name, bytes| Input::new(1, algorithm(name), bytes, Zeros::default()).aad.len();
        assert_eq!([aad("aes-128-gcm", 0), aad("aes-128-gcm", 40)], [0, 40]);
        assert_eq!([aad("aes-128-gcm", 41), aad("hmac-sha256", 40)], [0, 0]);
    }

    #[test]
    fn zeros_stand_where_they_are_asked_for() {
        let zeros = Zeros { key: true, nonce: true, message: true };
        let input = Input::new(1, algorithm("aes-128-gcm"), 5, zeros);
        let plain =
            Input { key: vec![0; 16], nonce: vec![0; 12], aad: vec![], message: vec![0; 5] };
        assert_eq!(input, plain);
    }

    #[test]
    fn answers_that_differ_have_different_digests() {
        let digests = [Ok(vec![]), Ok(vec![0]), Err("why".to_owned())].map(|it| digest(&it));
        assert!(digests[0] != digests[1] && digests[0] != digests[2] && digests[1] != digests[2]);
    }
}
