//! How many instructions the reference of KASUMI executes, by what the standard says of its modes.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

use ciphermark_codepath::trace;
use ciphermark_providers::api::{Expansion, Message, Operation, Request, output_bytes};
use ciphermark_registry as registry;

/// More than any call here takes.
const ENOUGH: u32 = 100_000;

/// Instructions of a message of equal bytes by the reference.
fn instructions(algorithm: &str, operation: Operation, message_bytes: usize, byte: u8) -> u32 {
    let kernels = registry::find("kernels").expect("it is ours");
    let provider = (kernels.open)(None).unwrap_or_else(|reason| panic!("{reason}"));
    let facts = ciphermark_algorithms::find(algorithm).expect("the algorithm has facts");
    let request = Request::usual(algorithm, "reference", operation);
    let mut function = provider.create(&request).expect("the reference has it");
    function.set_key(&vec![byte; facts.key_bytes as usize]).expect("a key of the right length");
    let (nonce, input) = (vec![1; facts.nonce_bytes as usize], vec![byte; message_bytes]);
    let mut output = vec![0; output_bytes(operation, message_bytes, Expansion::of(facts))];
    let message = Message::new(&nonce, &input);
    let mut call = || function.process(&message, &mut output).expect("it processes its message");
    call(); // binds symbols
    let found = trace(&mut call, ENOUGH).expect("single steps are delivered here");
    assert!(!found.cut, "{algorithm} at {message_bytes} bytes");
    found.steps
}

/// A block of the message costs as much wherever it stands, and whatever is in it.
fn assert_regular(algorithm: &str, operation: Operation) {
    let at = |message_bytes, byte| instructions(algorithm, operation, message_bytes, byte);
    let block = at(16, 0x5a) - at(8, 0x5a);
    assert!(block > 500, "{algorithm}: {block} instructions of a block");
    assert_eq!(at(40, 0x5a) - at(16, 0x5a), 3 * block, "{algorithm}");
    assert_eq!(at(40, 0xff), at(40, 0x5a), "{algorithm}");
}

#[test]
fn every_block_of_f8_and_of_f9_has_as_many_instructions_whatever_the_data() {
    assert_regular("uea1", Operation::Encrypt);
    assert_regular("uia1", Operation::Mac);
}
