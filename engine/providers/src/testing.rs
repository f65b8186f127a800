//! What tests ask of providers in several crates.

use ciphermark_record::description::Algorithm;

use crate::api::*;
use crate::table::Table;

/// Checks that all algorithms of a table are known: a misspelt name would be left out in silence.
pub fn every_line_has_facts<R>(table: Table<R>) {
    for (name, _) in table {
        assert!(ciphermark_algorithms::find(name).is_some_and(|f| f.name == *name), "{name}");
    }
}

/// Checks that a context without a key is never used, for all keyed algorithms that
/// `has_context` names.
pub fn messages_before_the_key_are_refused(
    provider: &dyn Provider,
    has_context: impl Fn(&str) -> bool,
) {
    for Implementation { algorithm, backend, operations, .. } in provider.implementations() {
        let facts = ciphermark_algorithms::find(&algorithm).expect("it is described");
        if facts.key_bytes == 0 || !has_context(&algorithm) {
            continue;
        }
        for operation in operations {
            let request = Request::usual(&algorithm, &backend, operation);
            let mut function = provider.create(&request).expect("it is described");
            assert_eq!(function.renew(Renewed::Context), Ok(()), "{algorithm}");
            let answer = one_message(function.as_mut(), facts, operation);
            assert_eq!(answer, Err(CallError::Unsupported), "{algorithm} {operation}");
        }
    }
}

fn one_message(
    function: &mut dyn Function,
    facts: &Algorithm,
    operation: Operation,
) -> Result<(), CallError> {
    let operation = match operation {
        Operation::Setup => facts.kind.sending(),
        operation => operation,
    };
    let (bytes, tag_bytes) = (32, facts.tag_bytes as usize);
    let expansion = Expansion::Tag(tag_bytes);
    let input = vec![0; input_bytes(operation, bytes, expansion)];
    let mut output = vec![0; output_bytes(operation, bytes, expansion)];
    let nonce = vec![0; facts.nonce_bytes as usize];
    function.process(&Message::new(&nonce, &input), &mut output)
}
