//! What must not change an answer: where bytes lie, how they are given, what came before.

use std::ops::Range;

use ciphermark_kernels::abi::{self, Function};
use ciphermark_kernels::{Kernel, Message};
use proptest::prelude::*;

use crate::texts::*;

/// The widest alignment that a compiler assumes of anything.
const ALIGNMENTS: Range<usize> = 0..16;

#[test]
fn places_in_memory_change_nothing() {
    for_one(rows(), |row, text| {
        let answer = text.answer(row).expect("a text it takes");
        for alignment in ALIGNMENTS {
            let key = Placed::new(&text.key, alignment);
            let nonce = Placed::new(&text.nonce, alignment);
            let aad = Placed::new(&text.aad, alignment);
            let input = Placed::new(text.message(row).input, alignment);
            let mut kernel = Kernel::from_row(*row);
            kernel.set_key(key.bytes()).expect("as in the answer");
            let message = Message {
                nonce: nonce.bytes(),
                aad: aad.bytes(),
                input: input.bytes(),
                unused_bits: text.unused_bits,
            };
            for alignment in [alignment, ALIGNMENTS.end - 1 - alignment] {
                let mut output = Placed::new(&vec![0xa5; answer.len()], alignment);
                kernel.process(&message, output.bytes_mut()).expect("as in the answer");
                assert_eq!(output.bytes(), answer, "{}", label(row));
                assert!(output.is_only_itself(), "{} writes beyond its output", label(row));
            }
        }
    });
}

/// Bytes at an alignment, with zeros around them.
struct Placed {
    room: Vec<u8>,
    place: Range<usize>,
}

impl Placed {
    fn new(bytes: &[u8], alignment: usize) -> Self {
        let mut room = vec![0; bytes.len() + 3 * ALIGNMENTS.end];
        let start = room.as_ptr().align_offset(ALIGNMENTS.end) + alignment;
        let place = start..start + bytes.len();
        room[place.clone()].copy_from_slice(bytes);
        Self { room, place }
    }

    fn bytes(&self) -> &[u8] {
        &self.room[self.place.clone()]
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.room[self.place.clone()]
    }

    fn is_only_itself(&self) -> bool {
        let before = &self.room[..self.place.start];
        before.iter().chain(&self.room[self.place.end..]).all(|byte| *byte == 0)
    }
}

#[test]
fn ciphers_answer_in_place() {
    for_each(of_operation(&[abi::ENCRYPT, abi::DECRYPT]), |row, text| {
        let mut bytes = text.input.clone();
        text.keyed(row).process_in_place(&text.message(row), &mut bytes).expect("a text it takes");
        prop_assert_eq!(Ok(bytes), text.answer(row));
        Ok(())
    });
}

#[test]
fn chunks_change_nothing() {
    let in_chunks = rows().filter(|row| row.process_chunks.is_some());
    for_each(in_chunks, |row, text| {
        let answer = text.answer(row).expect("a text it takes");
        let mut kernel = text.keyed(row);
        for blocks in chunks(text.input.len() / row.block_bytes) {
            let mut output = vec![0xa5; answer.len()];
            let chunk_bytes = blocks * row.block_bytes;
            let done = kernel.process_chunks(&text.message(row), &mut output, chunk_bytes);
            prop_assert_eq!(done, Ok(()), "chunks of {} bytes", chunk_bytes);
            prop_assert_eq!(&output, &answer, "chunks of {} bytes", chunk_bytes);
        }
        Ok(())
    });
}

/// So many blocks at a time: few, parts of blocks that kernels have inside, and all or more.
fn chunks(blocks: usize) -> impl Iterator<Item = usize> {
    [1, 2, 3, 5, 7, 16, 17, 63, 64, 65, 129, blocks.max(1), blocks + 1].into_iter()
}

#[test]
fn earlier_keys_and_messages_change_nothing() {
    for_each(rows(), |row, text| {
        let answer = text.answer(row);
        let mut kernel = another(row, text).keyed(row);
        let _ = another(row, text).answer_of(&mut kernel);
        kernel.set_key(&text.key).expect("as in the answer");
        prop_assert_eq!(&text.answer_of(&mut kernel), &answer, "after another key");
        let _ = another(row, text).answer_of(&mut kernel);
        prop_assert_eq!(&text.answer_of(&mut kernel), &answer, "after another message");
        Ok(())
    });
}

#[test]
fn unused_bits_change_nothing_and_come_out_as_zeros() {
    let in_bits = rows().filter(|row| row.counts_bits == 1);
    for_each(in_bits, |row, text| {
        let mut other = text.clone();
        let unused = (1u8 << text.unused_bits) - 1;
        if let Some(last) = other.input.last_mut() {
            *last ^= unused;
        }
        let answer = text.answer(row);
        prop_assert_eq!(&other.answer(row), &answer);
        if matches!(row.operation, abi::ENCRYPT | abi::DECRYPT) {
            let last = answer.expect("a text it takes").pop();
            prop_assert_eq!(last.map(|last| last & unused), text.input.last().map(|_| 0));
        }
        Ok(())
    });
}

/// A text with other bytes in every place, and a block shorter where the row takes that.
fn another(row: &Function, text: &Text) -> Text {
    let other = |bytes: &[u8]| bytes.iter().map(|byte| !byte).collect();
    let least = row.input_bytes.least + if row.operation == abi::OPEN { row.tag_bytes } else { 0 };
    let shorter = text.input.len().saturating_sub(row.block_bytes).max(least);
    Text {
        key: other(&text.key),
        nonce: text.nonce.clone(),
        aad: other(&text.aad),
        input: other(&text.input[..shorter]),
        unused_bits: if shorter == 0 { 0 } else { text.unused_bits },
    }
}
