//! Published packets, packets that are built here in another way, and what holds for all suites.

use super::macsec;
use super::provider::{SuiteParts, with};
use ciphermark_providers::api::*;
use ciphermark_registry as registry;

mod built;
mod properties;
mod published;

/// A provider that is always there.
fn provider(name: &str) -> Box<dyn Provider> {
    let registration = registry::find(name).expect("it is registered");
    with((registration.open)(None).unwrap_or_else(|reason| panic!("{reason}")))
}

fn facts(name: &str) -> &'static ciphermark_record::description::Algorithm {
    ciphermark_algorithms::find(name).expect("it has facts")
}

/// The bytes of hexadecimal digits with spaces.
fn hex(digits: &str) -> Vec<u8> {
    let digits: Vec<u8> = digits.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
    let byte = |pair: &[u8]| {
        let pair = std::str::from_utf8(pair).expect("digits");
        u8::from_str_radix(pair, 16).expect("digits")
    };
    digits.chunks(2).map(byte).collect()
}

/// A function with its key.
fn keyed(
    provider: &dyn Provider,
    name: &str,
    operation: Operation,
    key: &[u8],
) -> Box<dyn Function> {
    let mut function =
        provider.create(&Request::usual(name, "default", operation)).expect("it is there");
    function.set_key(key).expect("the key fits");
    function
}

/// One answer of a plain function.
fn answer(
    name: &str,
    operation: Operation,
    key: &[u8],
    message: Message<'_>,
    bytes: usize,
) -> Vec<u8> {
    let plain =
        if name.starts_with("ee") || name.starts_with("ei") { "kernels" } else { "rustcrypto" };
    let mut output = vec![0; bytes];
    let mut function = keyed(provider(plain).as_ref(), name, operation, key);
    function.process(&message, &mut output).expect("it answers");
    output
}

/// What a suite does to a packet of this number, under one association.
fn sealed(suite: &str, key: &[u8], number: u64, packet: &[u8]) -> Vec<u8> {
    let own = if suite.starts_with("pdcp") { "kernels" } else { "rustcrypto" };
    let provider = provider(own);
    let framing = facts(suite).suite.as_ref().expect("a suite").framing;
    let mut wire = vec![0; framing.sealed_bytes(packet.len())];
    let mut function = keyed(provider.as_ref(), suite, Operation::Seal, key);
    let nonce = number.to_be_bytes();
    function.process(&Message::new(&nonce, packet), &mut wire).expect("it answers");
    wire
}

/// The packet within what came from the wire, for the association that has this identifier.
fn opened(
    suite: &str,
    identifier: u32,
    key: &[u8],
    number: u64,
    wire: &[u8],
    bytes: usize,
) -> Result<Vec<u8>, CallError> {
    let provider = provider("rustcrypto");
    let request = Request::usual(suite, "default", Operation::Open);
    let suite = facts(suite).suite.as_ref().expect("a suite");
    let mut function = SuiteParts::for_test(provider.as_ref(), suite, &request, identifier);
    function.set_key(key)?;
    let mut packet = vec![0; bytes];
    function.process(&Message::new(&number.to_be_bytes(), wire), &mut packet)?;
    Ok(packet)
}
