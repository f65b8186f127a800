//! Adapters leave the vector registers to the library.
//!
//! A library may leave the upper halves of vector registers in use. The next instruction of legacy SSE
//! then costs some processors hundreds of cycles, and the library's next one of AVX as many again. So
//! an adapter that clears or copies 16 bytes between two calls of one message charges that to the
//! library: 1,000 of 2,500 cycles of OpenSSL's ChaCha20-Poly1305 on an Intel Xeon.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

use std::fs::File;
use std::os::unix::fs::FileExt;

use ciphermark_codepath::{Code, trace};
use ciphermark_providers::api::{Expansion, Message, Operation, Provider, Request, output_bytes};
use ciphermark_registry as registry;
use iced_x86::{Decoder, DecoderOptions, Instruction};

/// Libraries whose own code is not in this program.
const OPENED: [&str; 7] =
    ["openssl", "libgcrypt", "libsodium", "botan", "nettle", "mbedtls", "wolfssl"];

/// At least one of each kind of adapter.
const ALGORITHMS: [&str; 16] = [
    "aes-128-gcm",
    "aes-128-ccm",
    "aes-128-ocb",
    "aes-128-gcm-siv",
    "chacha20-poly1305",
    "aes-128-ecb",
    "aes-128-cbc",
    "aes-128-ctr",
    "chacha20",
    "rc4",
    "cmac-aes-128",
    "gmac-aes-128",
    "hmac-sha256",
    "poly1305",
    "umac-64",
    "sha256",
];

const MESSAGE_BYTES: usize = 16;
/// More than all but the slowest calls take.
const MOST_STEPS: u32 = 30_000;

#[test]
fn adapters_execute_no_vector_instructions() {
    let mut at_fault = Vec::new();
    for name in OPENED {
        let registration = registry::find(name).expect("it is registered");
        match (registration.open)(None) {
            Err(reason) => println!("{name}: {reason}"),
            Ok(provider) => at_fault.extend(
                vectors_of(provider.as_ref()).into_iter().map(|fault| format!("{name} {fault}")),
            ),
        }
    }
    assert!(at_fault.is_empty(), "{} functions:\n{}", at_fault.len(), at_fault.join("\n"));
}

/// Functions of a library in whose calls this program's own code executes vector instructions, with
/// these.
fn vectors_of(provider: &dyn Provider) -> Vec<String> {
    let mut at_fault = Vec::new();
    for implementation in provider.implementations() {
        let algorithm = implementation.algorithm.as_str();
        if implementation.backend != "default" || !ALGORITHMS.contains(&algorithm) {
            continue;
        }
        let facts = ciphermark_algorithms::find(algorithm).expect("the algorithm has facts");
        for &operation in &implementation.operations {
            if matches!(operation, Operation::Setup | Operation::Verify) {
                continue;
            }
            let make = |operation| {
                let request = Request::usual(algorithm, "default", operation);
                let mut function = provider.create(&request).expect("it says that it has it");
                function.set_key(&vec![1; facts.key_bytes as usize]).expect("a key of this length");
                function
            };
            let nonce = vec![1; facts.nonce_bytes as usize];
            let output_of =
                |operation, bytes| vec![0; output_bytes(operation, bytes, Expansion::of(facts))];
            let mut input = vec![1; MESSAGE_BYTES];
            if operation == Operation::Open {
                let mut sealed = output_of(Operation::Seal, input.len());
                let message = Message::new(&nonce, &input);
                make(Operation::Seal).process(&message, &mut sealed).expect("it seals");
                input = sealed;
            }
            let mut function = make(operation);
            let message = Message::new(&nonce, &input);
            let mut output = output_of(operation, input.len());
            let mut result = function.process(&message, &mut output); // binds symbols
            if result.is_err() {
                continue; // it does not have this length
            }
            let mut call = || result = function.process(&message, &mut output);
            let path = trace(&mut call, MOST_STEPS).expect("single steps are delivered here");
            result.unwrap_or_else(|error| panic!("{algorithm} {operation:?}: {error}"));
            let vectors: Vec<String> = path.code.iter().flat_map(vectors_in).collect();
            if !vectors.is_empty() {
                at_fault.push(format!("{algorithm} {operation:?}: {}", vectors.join("; ")));
            }
        }
    }
    at_fault
}

/// Instructions of this program among the code that have a vector register.
fn vectors_in(code: &Code) -> Vec<String> {
    let own = std::env::current_exe().expect("this program has a path");
    if code.file != own.to_string_lossy() {
        return Vec::new();
    }
    let file = File::open(own).expect("this program can be read");
    let mut found = Vec::new();
    for &(begin, end) in &code.pieces {
        let mut bytes = vec![0; (end - begin) as usize];
        file.read_exact_at(&mut bytes, begin).expect("the code is in the file");
        let decoder = Decoder::with_ip(64, &bytes, begin, DecoderOptions::NONE);
        let vectors = decoder.into_iter().filter(has_vector);
        found.extend(vectors.map(|instruction| format!("{:?}", instruction.code())));
    }
    found
}

fn has_vector(instruction: &Instruction) -> bool {
    (0..instruction.op_count()).any(|operand| instruction.op_register(operand).is_vector_register())
}
