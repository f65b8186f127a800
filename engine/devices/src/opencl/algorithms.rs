//! The algorithms that devices have: kernels, and what the host does beside them.

use std::ffi::CStr;
use std::ops::RangeInclusive;

use ciphermark_algorithms::Algorithm;

use super::host::{Cipher, Host, Tag};
use super::umac::{self, Umac};
use super::{aes, hmac, kasumi};

/// How an algorithm is computed on a device.
pub struct Recipe {
    pub name: &'static str,
    /// Headers with tables that references share, what kernels have in common, and the kernels.
    sources: &'static [&'static str],
    /// For the compiler.
    pub options: &'static CStr,
    pub kernel: &'static CStr,
    /// Bytes of a message that one work item takes; all of it where blocks depend on each other.
    pub item_bytes: Option<usize>,
    /// Lengths that nonces may have.
    pub nonces: RangeInclusive<usize>,
    pub counts_bits: bool,
    /// Whether keys may have any length, as HMAC's do (RFC 2104, section 3); otherwise only the usual one.
    pub any_key: bool,
    /// The host's side, for so many keys.
    pub host: fn(usize) -> Box<dyn Host>,
}

impl Recipe {
    pub fn facts(&self) -> Option<&'static Algorithm> {
        ciphermark_algorithms::find(self.name)
    }

    /// The program. Of headers it has what is not included by them.
    pub fn source(&self) -> String {
        let parts = [C99, PACKETS].into_iter().chain(self.sources.iter().copied());
        let lines = parts.flat_map(str::lines).filter(|line| !line.starts_with("#include"));
        lines.flat_map(|line| [line, "\n"]).collect()
    }
}

const C99: &str = include_str!("../../../../kernels/opencl/c99.cl");
const PACKETS: &str = include_str!("../../../../kernels/opencl/packets.cl");

const KASUMI: &[&str] = &[
    include_str!("../../../../kernels/reference/kasumi.h"),
    include_str!("../../../../kernels/opencl/kasumi.cl"),
];
const AES: &[&str] = &[
    include_str!("../../../../kernels/reference/aes_sbox.h"),
    include_str!("../../../../kernels/opencl/aes.cl"),
];
const HASHING: &str = include_str!("../../../../kernels/opencl/hashing.cl");
const SHA1: &[&str] = &[HASHING, include_str!("../../../../kernels/opencl/sha1.cl")];
const SHA1_OPTIONS: &CStr = c"-cl-std=CL1.2 -DSTATE_WORDS=5";
const SHA256: &[&str] = &[
    include_str!("../../../../kernels/reference/sha256.h"),
    HASHING,
    include_str!("../../../../kernels/opencl/sha256.cl"),
];
const SHA256_OPTIONS: &CStr = c"-cl-std=CL1.2 -DSTATE_WORDS=8";
const UMAC_NH: &[&str] = &[include_str!("../../../../kernels/opencl/umac_nh.cl")];

pub static RECIPES: [Recipe; 13] = [
    Recipe {
        name: "uea1",
        sources: KASUMI,
        options: c"-cl-std=CL1.2",
        kernel: c"f8",
        item_bytes: None,
        nonces: 6..=6,
        counts_bits: true,
        any_key: false,
        host: |_| {
            let (schedule_bytes, schedule) = (kasumi::SCHEDULE_BYTES, kasumi::f8_schedule);
            Box::new(Cipher { schedule_bytes, schedule })
        },
    },
    Recipe {
        name: "uia1",
        sources: KASUMI,
        options: c"-cl-std=CL1.2",
        kernel: c"f9",
        item_bytes: None,
        nonces: 9..=9,
        counts_bits: true,
        any_key: false,
        host: |_| {
            let (schedule_bytes, schedule) = (kasumi::SCHEDULE_BYTES, kasumi::f9_schedule);
            Box::new(Tag { schedule_bytes, schedule, bytes: 4 })
        },
    },
    aes_ctr("aes-128-ctr", c"-cl-std=CL1.2 -DROUNDS=10", |_| aes_of(10)),
    aes_ctr("aes-256-ctr", c"-cl-std=CL1.2 -DROUNDS=14", |_| aes_of(14)),
    whole("cmac-aes-128", AES, c"-cl-std=CL1.2 -DROUNDS=10", c"cmac", |_| cmac_of(10)),
    whole("cmac-aes-256", AES, c"-cl-std=CL1.2 -DROUNDS=14", c"cmac", |_| cmac_of(14)),
    hmac("hmac-sha1", SHA1, SHA1_OPTIONS, |_| {
        let (schedule_bytes, schedule) = (hmac::SHA1_BYTES, hmac::sha1_schedule);
        Box::new(Tag { schedule_bytes, schedule, bytes: 20 })
    }),
    hmac("hmac-sha256", SHA256, SHA256_OPTIONS, |_| {
        let (schedule_bytes, schedule) = (hmac::SHA256_BYTES, hmac::sha256_schedule);
        Box::new(Tag { schedule_bytes, schedule, bytes: 32 })
    }),
    whole("sha256", SHA256, SHA256_OPTIONS, c"digest", |_| {
        Box::new(Tag { schedule_bytes: 0, schedule: |_, _| {}, bytes: 32 })
    }),
    umac("umac-32", c"-cl-std=CL1.2 -DSTREAMS=1", |keys| Box::new(Umac::new(1, keys))),
    umac("umac-64", c"-cl-std=CL1.2 -DSTREAMS=2", |keys| Box::new(Umac::new(2, keys))),
    umac("umac-96", c"-cl-std=CL1.2 -DSTREAMS=3", |keys| Box::new(Umac::new(3, keys))),
    umac("umac-128", c"-cl-std=CL1.2 -DSTREAMS=4", |keys| Box::new(Umac::new(4, keys))),
];

const fn aes_ctr(
    name: &'static str,
    options: &'static CStr,
    host: fn(usize) -> Box<dyn Host>,
) -> Recipe {
    Recipe {
        name,
        sources: AES,
        options,
        kernel: c"ctr",
        // As the kernel has it: four blocks.
        item_bytes: Some(64),
        nonces: 16..=16,
        counts_bits: false,
        any_key: false,
        host,
    }
}

fn aes_of(rounds: usize) -> Box<dyn Host> {
    let (schedule_bytes, schedule) = (aes::schedule_bytes(rounds), aes::schedule);
    Box::new(Cipher { schedule_bytes, schedule })
}

fn cmac_of(rounds: usize) -> Box<dyn Host> {
    let (schedule_bytes, schedule) = (aes::cmac_schedule_bytes(rounds), aes::cmac_schedule);
    Box::new(Tag { schedule_bytes, schedule, bytes: 16 })
}

const fn hmac(
    name: &'static str,
    sources: &'static [&'static str],
    options: &'static CStr,
    host: fn(usize) -> Box<dyn Host>,
) -> Recipe {
    Recipe { any_key: true, ..whole(name, sources, options, c"hmac", host) }
}

/// A MAC or hash of which a work item takes a whole message, without a nonce.
const fn whole(
    name: &'static str,
    sources: &'static [&'static str],
    options: &'static CStr,
    kernel: &'static CStr,
    host: fn(usize) -> Box<dyn Host>,
) -> Recipe {
    Recipe {
        name,
        sources,
        options,
        kernel,
        item_bytes: None,
        nonces: 0..=0,
        counts_bits: false,
        any_key: false,
        host,
    }
}

const fn umac(
    name: &'static str,
    options: &'static CStr,
    host: fn(usize) -> Box<dyn Host>,
) -> Recipe {
    Recipe {
        name,
        sources: UMAC_NH,
        options,
        kernel: c"nh",
        item_bytes: Some(umac::BLOCK_BYTES),
        nonces: 1..=16,
        counts_bits: false,
        any_key: false,
        host,
    }
}

#[cfg(test)]
mod tests {
    use super::RECIPES;

    #[test]
    fn every_recipe_has_facts() {
        for recipe in &RECIPES {
            assert!(recipe.facts().is_some_and(|it| it.name == recipe.name), "{}", recipe.name);
        }
    }
}
