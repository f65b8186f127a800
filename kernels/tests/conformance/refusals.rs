//! What a row does not take is refused with the reason, and nothing is written.

use ciphermark_algorithms::{find, nonce};
use ciphermark_kernels::abi::{self, Function, Range};
use ciphermark_kernels::{BatchError, Kernel, Message, Packet, Refusal, process_lanes};

use crate::texts::*;

/// Longest message that is allocated to see that it is too long, bytes.
const MOST_BYTES: usize = 1 << 20;

/// Messages before the one that is refused.
const OTHERS: usize = 3;

#[test]
fn keys_of_other_lengths() {
    for_one(rows(), |row, text| {
        let mut kernel = text.keyed(row);
        let answer = text.answer_of(&mut kernel);
        let taken = key_lengths(row);
        for bytes in (0..=MOST_KEY_BYTES).filter(|bytes| !taken.contains(bytes)) {
            assert_eq!(kernel.set_key(&vec![0; bytes]), Err(Refusal::Key), "{}", label(row));
        }
        assert_eq!(text.answer_of(&mut kernel), answer, "{}: the key stays", label(row));
    });
}

#[test]
fn keys_of_equal_halves() {
    let sectors = rows().filter(|row| row.algorithm().ends_with("-xts"));
    for_one(sectors, |row, text| {
        let answer = text.answer(row);
        let mut kernel = text.keyed(row);
        let equal = text.key[..text.key.len() / 2].repeat(2);
        assert_eq!(kernel.set_key(&equal), Err(Refusal::Key), "{}", label(row));
        assert_eq!(text.answer_of(&mut kernel), answer, "{}: the key stays", label(row));
    });
}

#[test]
fn messages_before_a_key() {
    let with_key = rows().filter(|row| row.set_key.is_some());
    for_one(with_key, |row, text| {
        let kernel = Kernel::from_row(*row);
        refused(kernel, text, &text.message(row), text.output_bytes(row), Refusal::Key);
    });
}

#[test]
fn nonces_of_other_lengths() {
    for_one(rows(), |row, text| {
        for bytes in outside(row.nonce_bytes) {
            let nonce = vec![0; bytes];
            let message = Message { nonce: &nonce, ..text.message(row) };
            refused(text.keyed(row), text, &message, text.output_bytes(row), Refusal::Nonce);
        }
    });
}

/// BEARER and DIRECTION of the 3GPP functions.
#[test]
fn numbers_out_of_range_in_a_nonce() {
    for_one(rows(), |row, text| {
        let algorithm = find(row.algorithm()).expect("every kernel's algorithm has facts");
        let mut at = 0;
        for field in &algorithm.nonce_fields {
            let bytes = nonce::bytes(field.bits);
            for bit in field.bits as usize..8 * bytes {
                let mut nonce = text.nonce.clone();
                nonce[at + bytes - 1 - bit / 8] |= 1 << (bit % 8);
                let message = Message { nonce: &nonce, ..text.message(row) };
                refused(text.keyed(row), text, &message, text.output_bytes(row), Refusal::Nonce);
            }
            at += bytes;
        }
    });
}

#[test]
fn nonces_of_vmac_with_a_bit_too_many() {
    for_one(rows().filter(is_vmac), |row, text| {
        let message = Message { nonce: &[0x80; 16], ..text.message(row) };
        refused(text.keyed(row), text, &message, text.output_bytes(row), Refusal::Nonce);
    });
}

#[test]
fn messages_of_other_lengths() {
    for_one(rows(), |row, text| {
        for bytes in wrong_lengths(row) {
            let wrong = Text { input: vec![0; bytes], unused_bits: 0, ..text.clone() };
            let output_bytes = wrong.output_bytes(row);
            let refusal = match row.operation {
                abi::KEYSTREAM => Refusal::Output,
                _ => Refusal::Input,
            };
            refused(text.keyed(row), text, &wrong.message(row), output_bytes, refusal);
        }
    });
}

/// A keystream has no input.
#[test]
fn inputs_of_keystreams() {
    for_one(of_operation(&[abi::KEYSTREAM]), |row, text| {
        let message = Message { input: &[0], ..text.message(row) };
        refused(text.keyed(row), text, &message, text.input.len(), Refusal::Input);
    });
}

#[test]
fn unused_bits_of_messages_in_bytes() {
    for_one(rows(), |row, text| {
        let least = if row.counts_bits == 1 && !text.message(row).input.is_empty() { 8 } else { 1 };
        for unused_bits in [least, u8::MAX] {
            let message = Message { unused_bits, ..text.message(row) };
            refused(text.keyed(row), text, &message, text.output_bytes(row), Refusal::Input);
        }
    });
}

#[test]
fn outputs_of_other_lengths() {
    let lengths_follow = rows().filter(|row| row.operation != abi::KEYSTREAM);
    for_one(lengths_follow, |row, text| {
        let right = text.output_bytes(row);
        let wrong = [0, right.saturating_sub(1), right + 1, 2 * right + 1];
        for bytes in wrong.into_iter().filter(|bytes| *bytes != right) {
            refused(text.keyed(row), text, &text.message(row), bytes, Refusal::Output);
        }
    });
}

#[test]
fn chunks_that_are_none() {
    for_one(rows(), |row, text| {
        let part = (row.block_bytes > 1).then_some(row.block_bytes + 1);
        let whole = row.process_chunks.is_none().then_some(row.block_bytes);
        for chunk_bytes in [Some(0), part, whole].into_iter().flatten() {
            let mut output = vec![0xa5; text.output_bytes(row)];
            let mut kernel = text.keyed(row);
            let refusal = kernel.process_chunks(&text.message(row), &mut output, chunk_bytes);
            assert_eq!(refusal, Err(Refusal::Input), "{}: {chunk_bytes}", label(row));
            assert!(is_untouched(&output), "{}", label(row));
        }
    });
}

/// Alone, and as the last of several that are taken.
fn refused(
    mut kernel: Kernel,
    taken: &Text,
    message: &Message<'_>,
    output_bytes: usize,
    refusal: Refusal,
) {
    let row = *kernel.function();
    let (said, label) = (format!("{message:02x?}"), label(&row));
    let mut output = vec![0xa5; output_bytes];
    assert_eq!(kernel.process(message, &mut output), Err(refusal), "{label}: {said}");
    assert!(is_untouched(&output), "{label}: {said}");

    let key = taken.keyed(&row);
    let mut outputs = [0; OTHERS].map(|_| vec![0xa5; taken.output_bytes(&row)]);
    let others = outputs.iter_mut().map(|it| Packet::new(&key, taken.message(&row), it));
    let last = Packet::new(&kernel, *message, &mut output);
    let answer = process_lanes(&mut others.chain([last]).collect::<Vec<_>>());
    assert_eq!(answer, Err(BatchError::Packet { packet: OTHERS, refusal }), "{label}: {said}");
    assert!(outputs.iter().chain([&output]).all(|it| is_untouched(it)), "{label}: {said}");
}

fn is_untouched(output: &[u8]) -> bool {
    output.iter().all(|byte| *byte == 0xa5)
}

/// Lengths just outside the range.
fn outside(range: Range) -> impl Iterator<Item = usize> {
    let least = range.least.checked_sub(1);
    let most = range.most.checked_add(1);
    least.into_iter().chain(most)
}

/// Lengths of inputs, or of keystreams: out of range, of a part of a block, too short for a tag.
fn wrong_lengths(row: &Function) -> Vec<usize> {
    let tag_bytes = if row.operation == abi::OPEN { row.tag_bytes } else { 0 };
    let texts = outside(row.input_bytes).filter(|bytes| *bytes <= MOST_BYTES);
    let mut wrong: Vec<_> = texts.map(|bytes| bytes + tag_bytes).collect();
    wrong.extend((row.block_bytes > 1).then_some(row.input_bytes.least + row.block_bytes + 1));
    wrong.extend(tag_bytes.checked_sub(1));
    wrong
}
