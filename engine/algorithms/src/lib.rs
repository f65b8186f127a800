//! Facts and test vectors of `algorithms/`, embedded.

mod embedded;
mod facts;
pub mod vectors;

pub use ciphermark_record::description::Algorithm;
pub use facts::{algorithms, find};
