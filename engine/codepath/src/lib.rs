//! Which code path ran: one call is executed instruction by instruction inside this process, and
//! what was executed is looked at afterwards.
//!
//! A library that chooses its code path by the processor's features seldom says which one it took.
//! Its instructions do. The processor's trap flag makes each of them raise a signal
//! (`x86_64::single_step`), whose handler notes its address (`x86_64::trap`); the instructions
//! found there are decoded, and the extensions that they belong to (`x86_64::extensions`) make up
//! the name of the path ([`name()`]). Code of the C library is left out (`x86_64::memory`): a
//! `memcpy` by AVX says nothing about a cipher.
//!
//! A step costs 20 µs in a virtual machine (Zen 3, KVM), where each trap leaves to the hypervisor:
//! 0.1 s for an AES-GCM of 1024 bytes, 1 s for a scalar SHA-256. So this is for one call of a case,
//! never for a timed one.

mod counts;
mod name;
mod overlap;

#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
mod elsewhere;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod x86_64;

use std::fmt;

use serde::{Deserialize, Serialize};

pub use counts::{Bits, Counts, Kind};
pub use name::name;
pub use overlap::same;

#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
use elsewhere as platform;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
use x86_64 as platform;

/// What one call executed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CodePath {
    /// Extensions of the processor that the call computed with, from the plainest to the most
    /// special, by the names of `ciphermark_providers::features`. `sse2`, which compilers use in
    /// any code, only where a good part of the instructions has it.
    pub features: Vec<String>,
    /// Instructions executed, at most as many as were to be followed. Each repetition of a string
    /// instruction is one.
    pub steps: u32,
    /// Whether the call went on where it was no longer followed.
    pub cut: bool,
    /// Code executed, without that of the C library.
    pub code: Vec<Code>,
}

/// Code of one file that was executed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Code {
    /// Path of the file; empty for code that was made at run time.
    pub file: String,
    /// First byte of each piece and the one after its last, as offsets in the file; sorted, apart
    /// from each other.
    pub pieces: Vec<(u64, u64)>,
}

/// Which code path ran cannot be seen here; one sentence that says why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unavailable(pub String);

impl fmt::Display for Unavailable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Unavailable {}

/// Makes the call once, in this thread, and says what it executed.
///
/// After `most_steps` instructions the call goes on at full speed; so it does from a system call
/// that makes a process or thread or changes signals. What is not followed is not seen: a GCM that
/// encrypts all before it authenticates can be cut before its GHASH. The first call of a function of a shared
/// library also binds its symbols, which takes some thousand steps: make the call once before.
///
/// One trace runs at a time; others wait. A panic of the call goes on from here. Where the answer
/// is `Unavailable`, the call may have been made or not.
pub fn trace(call: &mut dyn FnMut(), most_steps: u32) -> Result<CodePath, Unavailable> {
    platform::trace(call, most_steps)
}

/// Makes the call once as [`trace`] does, and counts its instructions by kind.
pub fn count(call: &mut dyn FnMut(), most_steps: u32) -> Result<Counts, Unavailable> {
    platform::count(call, most_steps)
}
