//! The right answers, computed message by message, without the timed loop.

use std::ops::Range;

use ciphermark_providers::api::{
    CallError, CreateError, Function, Message, Operation, Provider, Request,
};
use ciphermark_record::description::Algorithm;
use ciphermark_record::plan::Case;
use sha2::{Digest, Sha256};

use super::series::{Series, associations, last_of, receives};
use crate::buffer::POISON;

/// The digest that [`Single::answers`](super::Single::answers) must have after a run of these
/// messages, of which it keeps the last answers, so many. The case's pattern, contexts and lanes
/// play no part: a function that was just made is given the key of each message and processes it, so
/// that any implementation of the operation can answer.
pub fn expected_answers(
    provider: &dyn Provider,
    algorithm: &Algorithm,
    case: &Case,
    seed: u64,
    messages: Range<u64>,
    kept: u64,
) -> Result<[u8; 32], CreateError> {
    let series = Series::of(case, algorithm, seed);
    let create = |operation| provider.create(&request(case, operation));
    let mut answerer = Answerer {
        function: create(case.operation)?,
        sender: match receives(case.operation) {
            true => Some(create(algorithm.kind.sending())?),
            false => None,
        },
        answer: vec![POISON; series.answer_bytes()],
        set: [None, None],
        series,
    };
    answerer.digest(&messages, kept).map_err(failed)
}

struct Answerer {
    series: Series,
    function: Box<dyn Function>,
    sender: Option<Box<dyn Function>>,
    answer: Vec<u8>,
    /// The keys that function and sender have.
    set: [Option<Vec<u8>>; 2],
}

impl Answerer {
    fn digest(&mut self, messages: &Range<u64>, kept: u64) -> Result<[u8; 32], CallError> {
        let mut digest = Sha256::new();
        if self.series.operation == Operation::Setup {
            self.function.set_key(&self.series.key(messages.end.saturating_sub(1)))?;
            use_key(self.function.as_mut(), &self.series, &mut self.answer)?;
            digest.update(&self.answer);
        } else {
            for index in last_of(messages, kept) {
                digest.update(self.process(index)?);
            }
        }
        Ok(digest.finalize().into())
    }

    /// The answer to a message.
    fn process(&mut self, index: u64) -> Result<&[u8], CallError> {
        let series = &self.series;
        let number = series.number(index);
        let nonce = series.nonce(number);
        let [of_function, of_sender] = &mut self.set;
        let input = match &mut self.sender {
            Some(sender) => {
                series.set_key(sender.as_mut(), number, of_sender)?;
                series.send(sender.as_mut(), number)?.into()
            }
            None => series.text(index),
        };
        series.set_key(self.function.as_mut(), number, of_function)?;
        let answer = &mut self.answer[..series.cut(index).answer_bytes];
        answer.fill(POISON); // as the loop finds it
        self.function.process(&Message::new(&nonce, &input), answer)?;
        Ok(answer)
    }
}

/// What a key setup has left behind shows only when the key is used.
pub fn use_key(
    function: &mut dyn Function,
    series: &Series,
    answer: &mut [u8],
) -> Result<(), CallError> {
    let text = series.text(0);
    let message = Message::new(&series.inputs.nonce, &text);
    function.process(&message, answer)
}

pub fn request(case: &Case, operation: Operation) -> Request<'_> {
    let usual = Request::usual(&case.algorithm, &case.backend, operation);
    Request { associations: associations(case) as usize, ..usual }
}

pub fn failed(error: CallError) -> CreateError {
    CreateError::Failed(error.to_string())
}
