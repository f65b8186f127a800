//! Values that the compiler keeps out of vector registers.
//!
//! A library may leave the upper halves of vector registers in use. Where it does, the next instruction of
//! legacy SSE costs some processors hundreds of cycles (measured on an Intel Xeon: 480 after OpenSSL's
//! ChaCha20-Poly1305), and compilers copy and clear neighbouring fields by such instructions. What an
//! adapter writes between two calls of one message is therefore made of these.
//! `engine/codepath/tests/adapters.rs` looks at what adapters execute.

use std::hint::black_box;

/// The value, which is stored by itself and not together with its neighbour.
#[inline(always)]
pub fn scalar<T: Copy>(value: T) -> T {
    black_box(value)
}
