//! Hash functions.

use std::marker::PhantomData;

use hmac::digest::{Digest, Output};

use super::Recipe;
use crate::api::*;
use crate::checks;
use crate::pieces::{Cut, FunctionInPieces};

pub(super) const fn recipe<D: Digest + Send + 'static>() -> Recipe {
    Recipe::new(|_, _| Box::new(Hash::<D>(PhantomData)))
}

struct Hash<D>(PhantomData<D>);

impl<D: Digest + Send> FunctionInPieces for Hash<D> {
    const REPEATS: bool = true;

    fn process_pieces(
        &mut self,
        message: &Message<'_>,
        cut: impl Cut,
        output: &mut [u8],
    ) -> Result<(), CallError> {
        let digest: &mut Output<D> = output.try_into().map_err(|_| CallError::Length)?;
        let mut hasher = D::new();
        for piece in cut.pieces(message.input.len(), 1) {
            hasher.update(&message.input[piece]);
        }
        hasher.finalize_into(digest);
        Ok(())
    }

    fn renew(&mut self, what: Renewed) -> Result<(), CallError> {
        checks::renew_plain_value(what)
    }
}
