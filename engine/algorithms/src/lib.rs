//! Facts and test vectors of `algorithms/` and facts of `suites/`, embedded.

mod embedded;
mod extensions;
mod facts;
pub mod nonce;
mod suites;
pub mod threegpp;
pub mod vectors;

pub use ciphermark_record::description::Algorithm;
pub use facts::{algorithms, check_extensions, find};
