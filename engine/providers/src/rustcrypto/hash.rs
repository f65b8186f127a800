//! Hash functions.

use std::marker::PhantomData;

use hmac::digest::{Digest, Output};

use super::Recipe;
use crate::api::*;
use crate::checks;

pub(super) const fn recipe<D: Digest + Send + 'static>() -> Recipe {
    Recipe::new(|_, _| Box::new(Hash::<D>(PhantomData)))
}

struct Hash<D>(PhantomData<D>);

impl<D: Digest + Send> Function for Hash<D> {
    fn set_key(&mut self, key: &[u8]) -> Result<(), CallError> {
        checks::check_length(key.len(), 0)
    }

    fn process(&mut self, message: &Message<'_>, output: &mut [u8]) -> Result<(), CallError> {
        let digest: &mut Output<D> = output.try_into().map_err(|_| CallError::Length)?;
        let mut hasher = D::new();
        hasher.update(message.input);
        hasher.finalize_into(digest);
        Ok(())
    }
}
