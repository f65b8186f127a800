//! The libraries that supply algorithms, one file each, behind one interface ([`api`]).
//!
//! To add a library: write `<library>.rs` with a [`api::Registration`] and add its line to
//! [`registry`]. Nothing else needs to know.

pub mod api;
pub mod registry;

mod checks;
mod empty;
mod openssl;
mod rustcrypto;
