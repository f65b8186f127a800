//! Hash functions.

use std::marker::PhantomData;

use hmac::digest::{Digest, Output};

use super::Recipe;
use crate::api::*;
use crate::checks;
use crate::pieces::{Chunks, Cut, Whole};

pub(super) const fn recipe<D: Digest + Send + 'static>() -> Recipe {
    Recipe::new(|_, _| Box::new(Hash::<D>(PhantomData)))
}

struct Hash<D>(PhantomData<D>);

impl<D: Digest + Send> Function for Hash<D> {
    fn set_key(&mut self, key: &[u8]) -> Result<(), CallError> {
        checks::check_length(key.len(), 0)
    }

    fn process(&mut self, message: &Message<'_>, output: &mut [u8]) -> Result<(), CallError> {
        digest::<D>(message.input, Whole, output)
    }

    fn process_chunks(
        &mut self,
        message: &Message<'_>,
        chunk_bytes: usize,
        output: &mut [u8],
    ) -> Result<(), CallError> {
        digest::<D>(message.input, Chunks::of(chunk_bytes, 1)?, output)
    }

    fn renew(&mut self, what: Renewed) -> Result<(), CallError> {
        checks::renew_plain_value(what)
    }
}

fn digest<D: Digest>(input: &[u8], cut: impl Cut, output: &mut [u8]) -> Result<(), CallError> {
    let digest: &mut Output<D> = output.try_into().map_err(|_| CallError::Length)?;
    let mut hasher = D::new();
    for piece in cut.pieces(input.len(), 1) {
        hasher.update(&input[piece]);
    }
    hasher.finalize_into(digest);
    Ok(())
}
