//! The libraries that supply algorithms, one file each, behind one interface ([`api`]).
//!
//! To add a library: write `<library>.rs` with a [`api::Registration`] and add its line to
//! [`registrations`]. What a library needs that is opened at run time is in `shared_library` (finding it, its
//! refusals), `copy` (what is loaded in place of a file), `shim` (its calls) and `table` (its algorithms).

pub mod api;
pub mod features;
pub mod registrations;

mod aws_lc;
mod blake3;
mod botan;
pub mod checks;
pub mod compiled_in;
pub mod copy;
mod cryptopp;
pub mod empty;
mod ipsec_mb;
mod kernel;
mod kernels;
mod libgcrypt;
mod libsodium;
mod libtomcrypt;
mod mbedtls;
mod nettle;
mod openssl;
mod patterns;
pub mod pieces;
mod rustcrypto;
mod scalar;
pub mod shared_library;
mod shim;
mod switches;
pub mod table;
pub mod tag;
#[doc(hidden)]
pub mod testing;
mod wolfssl;
