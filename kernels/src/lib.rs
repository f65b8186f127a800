//! Symmetric cryptography in portable C99: a reference of each algorithm to be read beside its
//! specification, and faster kernels that are tested against it.
//!
//! The C is the thing itself and needs no Rust: `include/kernels.h`. Here it is safe to call.
//!
//! ```
//! use ciphermark_kernels::{Kernel, Message, Operation};
//!
//! let mut md5 = Kernel::new("md5", Operation::Digest, None).expect("it is there");
//! let mut digest = [0; 16];
//! let message = Message { input: b"abc", ..Message::default() };
//! md5.process(&message, &mut digest).expect("a digest has 16 bytes");
//! assert_eq!(digest[..4], [0x90, 0x01, 0x50, 0x98]);
//! ```
#![no_std]

extern crate alloc;

pub mod abi;
mod block_cipher;
mod kernel;
mod lanes;
mod pieces;
mod table;

pub use block_cipher::BlockCipher;
pub use kernel::{Kernel, Message, Operation, Refusal};
pub use lanes::{BatchError, Packet, process_lanes};
pub use pieces::Pieces;
pub use table::rows;

/// The compiler of the C, and how it was asked to optimise.
pub const COMPILER: &str = env!("C_COMPILER");
