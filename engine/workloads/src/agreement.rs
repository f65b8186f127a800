//! Random inputs that all implementations of an algorithm answer alike.
//!
//! An input is made from a seed and a length alone, so that every worker process makes the same.

use ciphermark_algorithms::nonce;
use ciphermark_providers::api::{
    CallError, CreateError, Expansion, Function, Message, Operation, Parts, Provider, Request,
    input_bytes, output_bytes,
};
use ciphermark_record::description::Algorithm;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::inputs::{Inputs, random_bytes};
use crate::watched::{Breach, Fault, Place, SHIFTS, Watched};

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

    /// A message with this nonce and these associated data.
    pub fn giving<'a>(&'a self, input: &'a [u8]) -> Message<'a> {
        Message { nonce: &self.nonce, aad: &self.aad, input, unused_bits: 0 }
    }
}

/// One operation of one implementation, which answers one input after the other.
pub struct Answerer<'a> {
    algorithm: &'a Algorithm,
    operation: Operation,
    /// Makes what the receiving side reads.
    sender: Box<dyn Function>,
    function: Box<dyn Function>,
    watched: Watched,
    parts: Option<Parts>,
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
            watched: Watched::new(Place::Between),
            parts: None,
        })
    }

    /// Lays the buffers of the function there, and gives it messages in these parts.
    pub fn at(self, place: Place, parts: Option<Parts>) -> Self {
        Self { watched: Watched::new(place), parts, ..self }
    }

    /// The answer to an input. `open` and `verify` are given what the same library's sending side
    /// has made of it, and must refuse it with a flipped bit. The error is what it did beside its
    /// buffers.
    pub fn answer(&mut self, input: &Input) -> Result<Answer, Breach> {
        match self.try_answer(input) {
            Ok(Some(answer)) => Ok(Ok(answer)),
            Ok(None) => Ok(Err(format!("{} accepted a forged tag", self.operation))),
            Err(Fault::Call(error)) => Ok(Err(error.to_string())),
            Err(Fault::Breach(breach)) => Err(breach.by(self.operation)),
        }
    }

    /// Calls the function as for an answer, whatever it is; the error is how that failed.
    pub fn watch(&mut self, input: &Input) -> Result<(), Fault> {
        self.try_answer(input).map(|_| ())
    }

    /// Returns the first of sixteen places of its buffers at which the function gives another answer;
    /// none if it is the same everywhere. Both are asked again, so that the addresses are the reason.
    pub fn differs_by_address(&mut self, input: &Input) -> Result<Option<usize>, Fault> {
        let aligned = self.answer_as_call(0, input)?;
        for call in 1..SHIFTS {
            if self.answer_as_call(call, input)? != aligned
                && self.answer_as_call(0, input)? == aligned
                && self.answer_as_call(call, input)? != aligned
            {
                return Ok(Some(call));
            }
        }
        Ok(None)
    }

    /// The answer with the buffers where they lie in that call.
    fn answer_as_call(&mut self, call: usize, input: &Input) -> Result<Option<Vec<u8>>, Fault> {
        self.watched.shift(call);
        self.try_answer(input)
    }

    /// None when a forgery was accepted.
    fn try_answer(&mut self, input: &Input) -> Result<Option<Vec<u8>>, Fault> {
        match self.operation {
            Operation::Open | Operation::Verify => {
                let mut sent = self.given(input)?;
                let answer = self.processed(input, &sent)?;
                if !authenticates(self.algorithm) {
                    return Ok(Some(answer));
                }
                if let Some(last) = sent.last_mut() {
                    *last ^= 1;
                }
                match self.processed(input, &sent) {
                    Err(Fault::Call(CallError::Refused)) => Ok(Some(answer)),
                    Err(Fault::Breach(breach)) => Err(Fault::Breach(breach)),
                    _ => Ok(None),
                }
            }
            _ => {
                let given = self.given(input)?;
                self.processed(input, &given).map(Some)
            }
        }
    }

    /// What the function is given: its receiving side what the same library has sent.
    pub fn given(&mut self, input: &Input) -> Result<Vec<u8>, CallError> {
        let message = input.message.as_slice();
        if !matches!(self.operation, Operation::Open | Operation::Verify) {
            let none = input_bytes(self.operation, 1, Expansion::of(self.algorithm)) == 0;
            return Ok(if none { vec![] } else { message.to_vec() });
        }
        let sending = self.algorithm.kind.sending();
        let mut sent = vec![0; self.output_bytes(sending, input)];
        self.sender.set_key(&input.key)?;
        self.sender.process(&input.giving(message), &mut sent)?;
        match self.operation {
            Operation::Verify => Ok([message, &sent].concat()),
            _ => Ok(sent),
        }
    }

    fn processed(&mut self, input: &Input, given: &[u8]) -> Result<Vec<u8>, Fault> {
        let answer_bytes = self.output_bytes(self.operation, input);
        let function = self.function.as_mut();
        self.watched.set_key(function, &input.key)?;
        let message = input.giving(given);
        Ok(self.watched.process(function, &message, self.parts, answer_bytes)?.to_vec())
    }

    fn output_bytes(&self, operation: Operation, input: &Input) -> usize {
        output_bytes(operation, input.message.len(), Expansion::of(self.algorithm))
    }
}

/// Whether what was changed on its way is refused: not by suites without integrity.
fn authenticates(algorithm: &Algorithm) -> bool {
    algorithm.suite.as_ref().is_none_or(|suite| suite.framing.icv_bytes > 0)
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
    use ciphermark_registry as registry;

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
        let answer = answerer(name, operation).answer(input).expect("it keeps to its buffers");
        answer.expect("it answers")
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
