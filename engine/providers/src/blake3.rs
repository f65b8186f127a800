//! BLAKE3: its authors' crate `blake3`, Rust with assembly, compiled into the engine.
//!
//! The code path (AVX-512, AVX2, SSE4.1, …) is chosen at run time by the crate itself, so the one
//! backend is `default`. It works on one thread here, without the crate's feature `rayon`. What is
//! timed:
//!
//! | operation | timed |
//! |---|---|
//! | digest | `hash` |
//! | setup | a copy of the key, there being nothing else to prepare |
//! | mac | `keyed_hash` with the kept key |
//! | verify | as mac, and the crate's comparison in constant time |
//!
//! In chunks, a `Hasher` is made, updated with each and finalised. There is no context to make
//! anew: a one-shot caller pays nothing else.
//!
//! The authors do not state whether the time of hashing depends on secrets.

use std::path::Path;

use ::blake3::{Hash, Hasher, KEY_LEN, OUT_LEN, hash, keyed_hash};
use ciphermark_algorithms::Algorithm;

use crate::api::*;
use crate::pieces::{Chunks, Cut, Repeated};
use crate::table::{self, Table, TableProvider};
use crate::tag::{self, ComputeTag};
use crate::{checks, compiled_in};

const NAME: &str = "blake3";

pub const REGISTRATION: Registration =
    Registration { name: NAME, title: "BLAKE3", open, listed: true, switches: None };

fn open(path: Option<&Path>) -> Opened {
    compiled_in::refuse_path(NAME, path)?;
    let library = Library {
        version: env!("BLAKE3_CRATE").trim_start_matches("blake3 ").into(),
        location: compiled_in::LOCATION.into(),
        build: env!("C_COMPILER").into(),
    };
    Ok(Box::new(TableProvider { name: NAME, functions: &(), library, table: TABLE }))
}

#[derive(Clone, Copy)]
enum Recipe {
    Digest,
    Mac,
}

const TABLE: Table<Recipe> = &[("blake3", Recipe::Digest), ("blake3-mac", Recipe::Mac)];

impl table::Recipe for Recipe {
    type Library = ();

    fn create(
        self,
        _: &'static (),
        facts: &'static Algorithm,
        request: &Request<'_>,
    ) -> Result<Box<dyn Function>, CreateError> {
        checks::check_nonce(request, facts.nonce_bytes as usize)?;
        Ok(match self {
            Recipe::Digest => Box::new(Digest),
            Recipe::Mac => tag::function(Mac([0; KEY_LEN]), request.operation),
        })
    }
}

struct Digest;

impl Function for Digest {
    fn set_key(&mut self, key: &[u8]) -> Result<(), CallError> {
        checks::check_length(key.len(), 0)
    }

    fn process(&mut self, message: &Message<'_>, output: &mut [u8]) -> Result<(), CallError> {
        checks::check_length(output.len(), OUT_LEN)?;
        output.copy_from_slice(hash(message.input).as_bytes());
        Ok(())
    }

    fn process_parts(
        &mut self,
        message: &Message<'_>,
        parts: Parts,
        output: &mut [u8],
    ) -> Result<(), CallError> {
        checks::check_length(output.len(), OUT_LEN)?;
        in_parts(Hasher::new(), message.input, parts, output)
    }

    fn renew(&mut self, what: Renewed) -> Result<(), CallError> {
        checks::renew_plain_value(what)
    }
}

/// Takes a message into a new hasher, and ends it.
fn in_parts(
    mut hasher: Hasher,
    input: &[u8],
    parts: Parts,
    output: &mut [u8],
) -> Result<(), CallError> {
    match parts {
        Parts::Chunks(bytes) => update(&mut hasher, input, Chunks::of(bytes, 1)?),
        Parts::Repeated(bytes) => update(&mut hasher, input, Repeated(bytes)),
    }
    output.copy_from_slice(hasher.finalize().as_bytes());
    Ok(())
}

fn update(hasher: &mut Hasher, input: &[u8], cut: impl Cut) {
    for piece in cut.pieces(input.len(), 1) {
        hasher.update(&input[piece]);
    }
}

/// The key.
struct Mac([u8; KEY_LEN]);

impl ComputeTag for Mac {
    fn set_key(&mut self, key: &[u8]) -> Result<(), CallError> {
        self.0 = key.try_into().map_err(|_| CallError::Length)?;
        Ok(())
    }

    fn tag_bytes(&self) -> usize {
        OUT_LEN
    }

    fn compute(&mut self, message: &Message<'_>, tag: &mut [u8]) -> Result<(), CallError> {
        tag.copy_from_slice(keyed_hash(&self.0, message.input).as_bytes());
        Ok(())
    }

    fn compute_parts(
        &mut self,
        message: &Message<'_>,
        parts: Parts,
        tag: &mut [u8],
    ) -> Result<(), CallError> {
        in_parts(Hasher::new_keyed(&self.0), message.input, parts, tag)
    }

    fn renew(&mut self, what: Renewed) -> Result<(), CallError> {
        checks::renew_plain_value(what)
    }

    fn equal(&self, one: &[u8], other: &[u8]) -> bool {
        Hash::from_slice(one).is_ok_and(|one| one == *other)
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_line_has_facts() {
        crate::testing::every_line_has_facts(super::TABLE);
    }
}
