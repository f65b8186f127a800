//! Work that is done elsewhere than on the calling core.
//!
//! What can do so is a [`ciphermark_providers::api::Device`]. [`Synchronous`] makes a function of one, so
//! that vectors, agreement and the workload `sessions` call it as any other; [`Cores`] makes a device of
//! other CPUs of this machine, for the functions of any provider; [`split`] shares one message between
//! the calling core and others. OpenCL and the Linux kernel are providers with devices of their own.

mod af_alg;
mod cores;
mod opencl;
pub mod split;
mod synchronous;

use ciphermark_providers::api::Registration;

pub use cores::Cores;
pub use synchronous::Synchronous;

/// Providers that are devices: one line each.
pub const DEVICES: &[Registration] = &[opencl::REGISTRATION, af_alg::REGISTRATION];
