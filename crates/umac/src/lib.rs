#![doc = include_str!("../README.md")]
#![no_std]

extern crate alloc;

mod algorithms;
mod batch;
mod error;
mod key;
mod mac;

pub use digest;

pub use algorithms::{Algorithm, Umac32Algorithm, Umac64Algorithm, Umac96Algorithm};
pub use algorithms::{Umac128Algorithm, Vmac64Algorithm, Vmac128Algorithm};
pub use batch::{BatchError, BatchMessage, tag_batch, verify_batch};
pub use error::Error;
pub use key::NonceMacKey;
pub use mac::NonceMac;

/// UMAC with tags of 32 bits: keys of 16, 24 or 32 bytes, nonces of 1 to 16.
pub type Umac32 = NonceMac<Umac32Algorithm>;
/// UMAC with tags of 64 bits: keys of 16, 24 or 32 bytes, nonces of 1 to 16.
pub type Umac64 = NonceMac<Umac64Algorithm>;
/// UMAC with tags of 96 bits: keys of 16, 24 or 32 bytes, nonces of 1 to 16.
pub type Umac96 = NonceMac<Umac96Algorithm>;
/// UMAC with tags of 128 bits: keys of 16, 24 or 32 bytes, nonces of 1 to 16.
pub type Umac128 = NonceMac<Umac128Algorithm>;
/// VMAC with tags of 64 bits: keys of 16 bytes, nonces of 1 to 127 bits.
pub type Vmac64 = NonceMac<Vmac64Algorithm>;
/// VMAC with tags of 128 bits: keys of 16 bytes, nonces of 1 to 127 bits.
pub type Vmac128 = NonceMac<Vmac128Algorithm>;

/// A key of [`Umac32`].
pub type Umac32Key = NonceMacKey<Umac32Algorithm>;
/// A key of [`Umac64`].
pub type Umac64Key = NonceMacKey<Umac64Algorithm>;
/// A key of [`Umac96`].
pub type Umac96Key = NonceMacKey<Umac96Algorithm>;
/// A key of [`Umac128`].
pub type Umac128Key = NonceMacKey<Umac128Algorithm>;
/// A key of [`Vmac64`].
pub type Vmac64Key = NonceMacKey<Vmac64Algorithm>;
/// A key of [`Vmac128`].
pub type Vmac128Key = NonceMacKey<Vmac128Algorithm>;
