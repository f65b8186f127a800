//! The libraries that supply algorithms, one file each, behind one interface ([`api`]).
//!
//! To add a library: write `<library>.rs` with a [`api::Registration`] and add its line to
//! [`registry`]. What a library needs that is opened at run time is in `shared_library` (finding it, its
//! refusals), `shim` (its calls) and `table` (its algorithms).

pub mod api;
pub mod features;
pub mod offload;
pub mod registry;
pub mod split;

mod af_alg;
mod aws_lc;
mod blake3;
mod botan;
mod checks;
mod compiled_in;
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
mod opencl;
mod openssl;
mod patterns;
mod pieces;
mod rustcrypto;
mod scalar;
mod shared_library;
mod shim;
mod suites;
mod switches;
mod table;
mod tag;
mod wolfssl;
