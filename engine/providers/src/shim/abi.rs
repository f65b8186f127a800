//! The structures of `kernels/include/kernel.h`, and what the engine's interface makes of them.

use std::ffi::CStr;

pub use ciphermark_kernels::abi::*;

use crate::api::{self, Operation};
use crate::scalar::scalar;
use crate::tag;

/// A message as a row's functions take it, with the place of its answer and the bytes there.
#[inline]
pub fn message(message: &api::Message<'_>, output: *mut u8, output_bytes: usize) -> Message {
    Message {
        nonce: scalar(message.nonce.as_ptr()),
        nonce_bytes: message.nonce.len(),
        aad: scalar(message.aad.as_ptr()),
        aad_bytes: message.aad.len(),
        input: scalar(message.input.as_ptr()),
        input_bytes: message.input.len(),
        output,
        output_bytes,
        unused_bits: message.unused_bits.into(),
        repeats: 0,
    }
}

/// What a row does; absent where its number means nothing.
pub fn operation(row: &Function) -> Option<Operation> {
    use Operation::*;
    let operations = [Seal, Open, Encrypt, Decrypt, Mac, Digest, Keystream, Verify];
    operations.get((row.operation as usize).wrapping_sub(1)).copied()
}

/// Whether two tags of one length are the same, by the library's comparison where it has one.
pub fn equal(library: &Library, one: &[u8], other: &[u8]) -> bool {
    let Some(tags_equal) = library.tags_equal else { return tag::equal(one, other) };
    let bytes = one.len();
    assert_eq!(bytes, other.len(), "tags of two lengths");
    // SAFETY: both have as many bytes.
    unsafe { tags_equal(one.as_ptr().cast(), other.as_ptr().cast(), bytes) == 1 }
}

/// A row that needs neither key nor context and answers with nothing, for others to be made of.
pub const fn row(algorithm: &'static CStr, operation: u32, process: Process) -> Function {
    let none = Range { least: 0, most: 0 };
    Function {
        algorithm: Text::text(algorithm),
        operation,
        timing: 0,
        key_bytes: none,
        nonce_bytes: none,
        tag_bytes: 0,
        lanes: 1,
        context_bytes: 0,
        context_alignment: 1,
        parameters: Constant::NULL,
        init: None,
        set_key: None,
        process: Some(process),
        release: None,
        backend: Text::NULL,
        process_chunks: None,
        process_lanes: None,
        input_bytes: none,
        block_bytes: 0,
        counts_bits: 0,
        variant: Text::NULL,
        check_nonce: None,
        takes_repeats: 0,
    }
}
