//! Values that the compiler keeps out of vector registers.
//!
//! A library may leave the upper halves of vector registers in use. Where it does, the next instruction of
//! legacy SSE costs some processors hundreds of cycles (measured on an Intel Xeon: 480 after OpenSSL's
//! ChaCha20-Poly1305), and compilers copy and clear neighbouring fields by such instructions. What an
//! adapter writes between two calls of one message is therefore made of these.
//! `engine/codepath/tests/adapters.rs` looks at what adapters execute.

/// The pointer, which is in a register and is stored by itself, not together with its neighbour.
#[inline(always)]
#[cfg_attr(not(any(target_arch = "x86_64", target_arch = "aarch64")), allow(unused_mut))]
// Of what the pointer leads to nothing is read.
#[allow(clippy::pointers_in_nomem_asm_block)]
pub fn scalar(mut pointer: *const u8) -> *const u8 {
    // SAFETY: there is no instruction.
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    unsafe {
        std::arch::asm!("/* {0} */", inout(reg) pointer, options(pure, nomem, nostack, preserves_flags));
    }
    pointer
}
