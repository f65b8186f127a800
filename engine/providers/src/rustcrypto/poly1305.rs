//! Poly1305 (RFC 8439): a universal hash whose key, r and then s, serves one message.

use ::poly1305::{Poly1305, Tag};
use ctutils::CtEq;

use super::Recipe;
use super::keyed::{self, Process};
use crate::api::*;
use crate::checks;

pub(super) const fn recipe() -> Recipe {
    Recipe::new(|keys, operation| match operation {
        Operation::Verify => keyed::function::<Poly1305, VerifyTag>(keys),
        _ => keyed::function::<Poly1305, ComputeTag>(keys),
    })
}

/// The tag of a message; the copy is the state that its key leaves behind.
fn tag(keyed: &Poly1305, message: &[u8]) -> Tag {
    keyed.clone().compute_unpadded(message)
}

struct ComputeTag;

impl Process<Poly1305> for ComputeTag {
    fn process(
        keyed: &mut Poly1305,
        message: &Message<'_>,
        output: &mut [u8],
    ) -> Result<(), CallError> {
        let output: &mut Tag = output.try_into().map_err(|_| CallError::Length)?;
        *output = tag(keyed, message.input);
        Ok(())
    }
}

struct VerifyTag;

impl Process<Poly1305> for VerifyTag {
    fn process(
        keyed: &mut Poly1305,
        message: &Message<'_>,
        output: &mut [u8],
    ) -> Result<(), CallError> {
        checks::check_length(output.len(), 0)?;
        let (text, given) = checks::split_tag(message.input, size_of::<Tag>())?;
        if tag(keyed, text).ct_eq(given).to_bool() { Ok(()) } else { Err(CallError::Refused) }
    }
}
