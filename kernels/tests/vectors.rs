//! Every kernel against the vectors of its algorithm.

use ciphermark_algorithms::vectors::{self, Check};
use ciphermark_kernels::abi::Function;
use ciphermark_kernels::{Kernel, Message, Refusal, rows};
use ciphermark_record::plan::Operation;

#[test]
fn every_kernel_passes_its_vectors() {
    let vectors = vectors::known();
    for row in rows() {
        let kernel = Kernel::from_row(row);
        let own = vectors.iter().filter(|vector| vector.algorithm == row.algorithm());
        let mut passed = 0;
        for vector in own.filter(|vector| vector.variant() == row.variant()) {
            let checks = vector.checks();
            for check in checks.unwrap_or_default().iter().filter(|check| is_of(&row, check)) {
                let given = answer(&mut kernel.clone(), check);
                let name = format!("{} {:?} {}", row.algorithm(), row.backend(), vector.id);
                passes(check, given, &name);
                passed += 1;
            }
        }
        assert!(passed > 0, "{} {:?} has passed no vector", row.algorithm(), row.backend());
    }
}

/// Whether the check is of the row's operation, and its key and nonce have lengths that the row
/// takes.
fn is_of(row: &Function, check: &Check) -> bool {
    use Operation::*;
    let operations = [Seal, Open, Encrypt, Decrypt, Mac, Digest, Keystream];
    operations[row.operation as usize - 1] == check.operation
        && row.key_bytes.lengths().contains(&check.key.len())
        && row.nonce_bytes.lengths().contains(&check.nonce.len())
}

fn answer(kernel: &mut Kernel, check: &Check) -> Result<Vec<u8>, Refusal> {
    kernel.set_key(&check.key)?;
    let mut input = check.input.clone();
    for _ in 0..check.iterations {
        let mut output = vec![0xa5; answer_bytes(kernel.function(), check)];
        let message = Message {
            nonce: &check.nonce,
            aad: &check.aad,
            input: &input,
            unused_bits: check.unused_bits,
        };
        kernel.process(&message, &mut output)?;
        input = output;
    }
    Ok(input)
}

fn answer_bytes(function: &Function, check: &Check) -> usize {
    match check.operation {
        Operation::Keystream => check.expected.output_bytes(),
        Operation::Seal => check.input.len() + function.tag_bytes,
        Operation::Open => check.input.len() - function.tag_bytes,
        Operation::Mac | Operation::Digest => function.tag_bytes,
        _ => check.input.len(),
    }
}

fn passes(check: &Check, given: Result<Vec<u8>, Refusal>, name: &str) {
    let nothing = Vec::new();
    match check.expected.compared(given.as_ref().unwrap_or(&nothing)) {
        None => assert_eq!(given, Err(Refusal::Tag), "{name}"),
        Some((ours, right)) => {
            assert!(given.is_ok(), "{name}: {given:?}");
            assert_eq!(ours, right, "{name}");
        }
    }
}
