#![doc = include_str!("../README.md")]
#![no_std]
#![forbid(unsafe_code)]
#![warn(missing_docs)]

extern crate alloc;

mod batch;
mod block_cipher;
mod f8;
mod f9;
mod parameters;

pub use batch::{
    BatchError, F8Key, F8Packet, F9Key, F9Packet, f8_batch, f9_batch, f9_verify_batch,
};
pub use block_cipher::Kasumi;
pub use cipher;
pub use digest;
pub use f8::{F8, F8Core, f8, f8_iv};
pub use f9::{F9, f9, f9_verify};
pub use parameters::{Direction, Error, MOST_BITS};
