//! Tags that are wrong are refused, and nothing of the text is given away.

use ciphermark_kernels::abi;
use ciphermark_kernels::{Kernel, Refusal};
use proptest::prelude::*;

use crate::texts::*;

#[test]
fn every_bit_of_a_tag_counts() {
    for_one(of_operation(&[abi::OPEN]), |row, text| {
        let mut kernel = text.keyed(row);
        let bits = 8 * text.input.len();
        for bit in bits - 8 * row.tag_bytes..bits {
            let mut forged = text.clone();
            flip(&mut forged.input, bit);
            assert!(is_refused(&mut kernel, &forged), "{}: bit {bit}", label(row));
        }
    });
}

#[test]
fn changed_messages_are_refused() {
    for_each(of_operation(&[abi::OPEN]), |row, text| {
        let mut kernel = text.keyed(row);
        let changes: [fn(&mut Text) -> &mut Vec<u8>; 3] =
            [|text| &mut text.input, |text| &mut text.nonce, |text| &mut text.aad];
        for change in changes {
            let mut forged = text.clone();
            let bytes = change(&mut forged);
            if !bytes.is_empty() {
                // Another one for other keys.
                let bit = usize::from(text.key[0]) * 251 % (8 * bytes.len());
                flip(bytes, bit);
                prop_assert!(is_refused(&mut kernel, &forged), "{:02x?}", forged);
            }
        }
        prop_assert!(text.answer_of(&mut kernel).is_ok(), "after forgeries");
        Ok(())
    });
}

fn flip(bytes: &mut [u8], bit: usize) {
    bytes[bit / 8] ^= 1 << (bit % 8);
}

fn is_refused(kernel: &mut Kernel, forged: &Text) -> bool {
    let row = *kernel.function();
    let mut output = vec![0xa5; forged.output_bytes(&row)];
    let refusal = kernel.process(&forged.message(&row), &mut output);
    refusal == Err(Refusal::Tag) && output.iter().all(|byte| *byte == 0)
}
