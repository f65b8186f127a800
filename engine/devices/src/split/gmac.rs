//! GMAC: each core has the tag of its part under the message's nonce, and the calling one makes the
//! whole tag of them.

use super::SplitRequest;
use super::cut::cut;
use super::functions::Functions;
use super::ghash::{BLOCK_BYTES, Element, Powers, bare, key_of};
use ciphermark_providers::api::*;
use ciphermark_providers::checks;
use ciphermark_providers::tag::{self, ComputeTag};

pub fn create(split: &SplitRequest<'_>) -> Result<Box<dyn Function>, CreateError> {
    let nonce_bytes = split.facts.nonce_bytes as usize;
    checks::check_nonce(split.request, nonce_bytes)?;
    let request = Request { operation: Operation::Mac, ..*split.request };
    let functions = Functions::create(split, &request)?;
    let gmac = Gmac { functions, powers: Powers::default(), nonce_bytes };
    Ok(tag::function(gmac, split.request.operation))
}

struct Gmac {
    functions: Functions,
    powers: Powers,
    nonce_bytes: usize,
}

/// A part of a message, and the powers that its share is made with.
struct Part<'a> {
    input: &'a [u8],
    behind: Element,
    /// The part's Y·H, or the encrypted counter block, times that power.
    share: &'a mut Element,
}

impl Gmac {
    fn tag(&self, core: usize, nonce: &[u8], input: &[u8]) -> Result<Element, CallError> {
        let mut tag = [0; BLOCK_BYTES];
        self.functions.process(core, &Message::new(nonce, input), &mut tag)?;
        Ok(Element::of(&tag))
    }
}

impl ComputeTag for Gmac {
    fn set_key(&mut self, key: &[u8]) -> Result<(), CallError> {
        self.functions.set_key(key)?;
        let nonce = vec![0; self.nonce_bytes];
        let of_zeros = self.tag(0, &nonce, &[0; BLOCK_BYTES])?;
        self.powers = Powers::of(key_of(of_zeros, self.tag(0, &nonce, &[])?));
        Ok(())
    }

    fn tag_bytes(&self) -> usize {
        BLOCK_BYTES
    }

    fn compute(&mut self, message: &Message<'_>, tag: &mut [u8]) -> Result<(), CallError> {
        let (input, nonce) = (message.input, message.nonce);
        let ranges = cut(input.len(), self.functions.team.cores());
        if ranges.clone().nth(1).is_none() {
            return self.functions.process(0, message, tag);
        }
        let behind = |end: usize| (input.len() - end).div_ceil(BLOCK_BYTES) as u64;
        let weights: Vec<_> = ranges.clone().map(|it| self.powers.get(behind(it.end))).collect();
        let mut shares = vec![Element::ZERO; weights.len()];
        let parts = ranges.zip(weights).zip(&mut shares).map(|((range, behind), share)| Part {
            input: &input[range],
            behind,
            share,
        });
        // The tag of nothing is the encrypted counter block.
        let encrypted = self.tag(0, nonce, &[])?;
        let (this, h) = (&*self, self.powers.h);
        this.functions.team.share(parts, |core, Part { input, behind, share }| {
            let tag = this.tag(core, nonce, input)?;
            let lengths = Element::of_lengths(input.len(), 0);
            *share = bare(tag, encrypted, lengths, h).times(behind);
            Ok(())
        })?;
        let lengths = Element::of_lengths(input.len(), 0).times(h);
        let whole = shares.into_iter().fold(lengths.plus(encrypted), Element::plus);
        tag.copy_from_slice(&whole.block());
        Ok(())
    }
}
