//! Facts and test vectors of `algorithms/` and facts of `suites/`, embedded.

mod embedded;
mod extensions;
mod facts;
pub mod nonce;
mod suites;
pub mod threegpp;
pub mod vectors;

pub use ciphermark_record::description::Algorithm;
pub use facts::{algorithms, find};

/// Checks the user's own algorithms and test vectors: called once, before anything else.
///
/// The error is a sentence that names the file and the fault.
pub fn check_extensions() -> Result<(), String> {
    facts::check_extensions()?;
    vectors::check_extensions()
}
