//! The right answers, computed message by message, without the timed loop.

use std::ops::Range;

use ciphermark_providers::api::{
    CallError, CreateError, Function, Message, Operation, Provider, Request,
};
use ciphermark_record::description::Algorithm;
use ciphermark_record::plan::Case;

use super::ring::of_answer;
use super::series::{Series, associations, receives};
use crate::buffer::POISON;

/// What [`Group::finish`](super::Group::finish) must say of these messages. The case's pattern,
/// contexts and lanes play no part: a function that was just made is given the key of each message
/// and processes it, so that any implementation of the operation can answer.
pub fn expected_answers(
    provider: &dyn Provider,
    algorithm: &Algorithm,
    case: &Case,
    seed: u64,
    messages: Range<u64>,
) -> Result<u64, CreateError> {
    let series = Series::of(case, algorithm, seed);
    let create = |operation| provider.create(&request(case, operation));
    let mut answerer = Answerer {
        function: create(case.operation)?,
        sender: match receives(case.operation) {
            true => Some(create(algorithm.kind.sending())?),
            false => None,
        },
        answer: vec![POISON; series.answer_bytes()],
        text: Vec::new(),
        sent: Vec::new(),
        set: [None, None],
        series,
    };
    let mut sum = 0_u64;
    for index in messages {
        let answer = answerer.process(index).map_err(failed)?;
        sum = sum.wrapping_add(of_answer(index, answer));
    }
    Ok(sum)
}

struct Answerer {
    series: Series,
    function: Box<dyn Function>,
    sender: Option<Box<dyn Function>>,
    answer: Vec<u8>,
    text: Vec<u8>,
    sent: Vec<u8>,
    /// The keys that function and sender have.
    set: [Option<u64>; 2],
}

impl Answerer {
    /// The answer to a message.
    fn process(&mut self, index: u64) -> Result<&[u8], CallError> {
        let Self { series, function, sender, answer, text, sent, set } = self;
        let number = series.number(index);
        let [of_function, of_sender] = set;
        if series.operation == Operation::Setup {
            answer.fill(POISON); // as the group finds it
            series.set_key(function.as_mut(), number, of_function)?;
            use_key(function.as_mut(), series, answer)?;
            return Ok(answer);
        }
        let input = match sender {
            Some(sender) => {
                series.set_key(sender.as_mut(), number, of_sender)?;
                series.send(sender.as_mut(), index, text, sent)?;
                sent
            }
            None => {
                series.text(index, text);
                text
            }
        };
        series.set_key(function.as_mut(), number, of_function)?;
        let answer = &mut answer[..series.extent(index).answer_bytes];
        answer.fill(POISON); // as the loop finds it
        function.process(&Message::new(&series.nonce(number), input), answer)?;
        Ok(answer)
    }
}

/// What a key setup has left behind shows only when the key is used.
pub fn use_key(
    function: &mut (dyn Function + 'static),
    series: &Series,
    answer: &mut [u8],
) -> Result<(), CallError> {
    let mut text = Vec::new();
    series.text(0, &mut text);
    function.process(&Message::new(&series.nonce(0), &text), answer)
}

pub fn request(case: &Case, operation: Operation) -> Request<'_> {
    let usual = Request::usual(&case.algorithm, &case.backend, operation);
    Request { associations: associations(case) as usize, ..usual }
}

pub fn failed(error: CallError) -> CreateError {
    CreateError::Failed(error.to_string())
}
