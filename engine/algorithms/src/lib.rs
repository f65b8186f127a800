//! Facts and test vectors of `algorithms/`, embedded.

mod embedded;
mod facts;
pub mod nonce;
pub mod threegpp;
pub mod vectors;

pub use ciphermark_record::description::Algorithm;
pub use facts::{algorithms, find};
