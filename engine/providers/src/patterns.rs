//! The ways in which a function can be called, found out by trying.

use ciphermark_algorithms::Algorithm;

use crate::api::*;
use crate::checks;

/// Whole units of every library.
const REPEATED_BYTES: usize = 64;

/// What a function of the algorithm's sending side can be called by.
pub fn of(function: &mut dyn Function, facts: &Algorithm) -> Vec<Pattern> {
    Pattern::ALL.into_iter().filter(|&pattern| can(function, facts, pattern)).collect()
}

fn can(function: &mut dyn Function, facts: &Algorithm, pattern: Pattern) -> bool {
    match pattern {
        Pattern::ReusedKey => true,
        Pattern::Rekeyed => facts.key_bytes > 0,
        Pattern::OneShot => function.renew(Renewed::Context).is_ok(),
        Pattern::Fetched => function.renew(Renewed::Algorithm).is_ok(),
        Pattern::Incremental => takes_chunks(function, facts),
    }
}

/// Whether a function of the algorithm's sending side takes messages that are one chunk repeated.
pub fn takes_repeats(function: &mut dyn Function, facts: &Algorithm) -> bool {
    if !matches!(facts.kind.sending(), Operation::Mac | Operation::Digest) {
        return false;
    }
    let chunk_bytes = REPEATED_BYTES.next_multiple_of(facts.block_bytes as usize);
    takes_parts(function, facts, chunk_bytes, Parts::Repeated(2 * chunk_bytes))
}

fn takes_chunks(function: &mut dyn Function, facts: &Algorithm) -> bool {
    let block = facts.block_bytes as usize;
    let bytes = (2 * block).max(facts.min_message_bytes as usize).next_multiple_of(block);
    takes_parts(function, facts, bytes, Parts::Chunks(block))
}

/// Whether a function of the algorithm's sending side takes so many bytes in these parts.
fn takes_parts(function: &mut dyn Function, facts: &Algorithm, bytes: usize, parts: Parts) -> bool {
    let operation = facts.kind.sending();
    let expansion = Expansion::of(facts);
    let input = vec![0; input_bytes(operation, bytes, expansion)];
    let mut output = vec![0; output_bytes(operation, bytes, expansion)];
    let nonce = vec![0; facts.nonce_bytes as usize];
    let message = Message::new(&nonce, &input);
    function.set_key(&checks::trial_key(facts)).is_ok()
        && function.process_parts(&message, parts, &mut output).is_ok()
}
