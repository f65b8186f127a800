//! Kernels of one function against each other.

use ciphermark_kernels::abi;
use proptest::prelude::*;

use crate::texts::*;

/// A kernel that has no reference to be tested against is not trusted.
#[test]
fn faster_kernels_answer_as_their_reference() {
    let faster = rows().filter(|row| row.backend() != Some("reference"));
    for_each(faster, |row, text| {
        let reference = related(row, row.operation, Some("reference"));
        prop_assert_eq!(text.answer(row), text.answer(&reference));
        Ok(())
    });
}

#[test]
fn what_is_sent_is_received() {
    for_each(of_operation(&[abi::ENCRYPT, abi::SEAL]), |row, text| {
        let receive = if row.operation == abi::SEAL { abi::OPEN } else { abi::DECRYPT };
        let sent = Text { input: text.answer(row).expect("a text it takes"), ..text.clone() };
        prop_assert_eq!(sent.answer(&partner(row, receive)), Ok(without_unused_bits(text)));
        Ok(())
    });
}

fn without_unused_bits(text: &Text) -> Vec<u8> {
    let mut input = text.input.clone();
    if let Some(last) = input.last_mut() {
        *last = *last >> text.unused_bits << text.unused_bits;
    }
    input
}
