//! The ways in which a function can be called, found out by trying.

use ciphermark_algorithms::Algorithm;

use crate::api::*;

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

fn takes_chunks(function: &mut dyn Function, facts: &Algorithm) -> bool {
    let block = facts.block_bytes as usize;
    let bytes = (2 * block).max(facts.min_message_bytes as usize).next_multiple_of(block);
    let operation = facts.kind.sending();
    let tag_bytes = facts.tag_bytes as usize;
    let input = vec![0; input_bytes(operation, bytes, tag_bytes)];
    let mut output = vec![0; output_bytes(operation, bytes, tag_bytes)];
    let nonce = vec![0; facts.nonce_bytes as usize];
    let message = Message { nonce: &nonce, aad: &[], input: &input };
    function.set_key(&vec![0; facts.key_bytes as usize]).is_ok()
        && function.process_chunks(&message, block, &mut output).is_ok()
}
