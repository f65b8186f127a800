//! The contract between the engine and everything that reads it.
//!
//! This crate owns every type that crosses the process boundary: the [`plan`] that the engine
//! reads, the [`event`]s that it writes (one JSON object a line), the [`description`] of what it
//! can do, its [`verification`] report, the [`limits`] of the processor, the
//! [`question`]s of test vectors, what became of [`traffic`], and what meters of [`energy`] showed. The
//! JSON Schema under `schema/` and the Python types in
//! `python/ciphermark/record/contract.py` are generated from here (`make generate`); a test fails
//! when they differ.
//!
//! Units end the names: `_ns`, `_cycles`, `_bytes`, `_hz`, `_s`.

pub mod bench;
pub mod call;
pub mod case;
pub mod description;
pub mod energy;
pub mod environment;
pub mod event;
pub mod limits;
pub mod packets;
pub mod plan;
pub mod question;
pub mod schema;
pub mod sessions;
pub mod suite;
pub mod traffic;
pub mod verification;
pub mod version;

pub use version::{SCHEMA, SchemaVersion};
