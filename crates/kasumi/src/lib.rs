#![doc = include_str!("../README.md")]
#![no_std]
#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod block_cipher;
mod f8;
mod f9;
mod parameters;

pub use block_cipher::Kasumi;
pub use cipher;
pub use digest;
pub use f8::{F8, F8Core, f8, f8_iv};
pub use f9::{F9, f9, f9_verify};
pub use parameters::{Direction, Error, MOST_BITS};
