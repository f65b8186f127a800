//! GCM, made of the provider's own GCM.
//!
//! A part is sealed by the provider under a nonce with which its counter begins at that part. Nonces
//! of 16 bytes reach every counter block: of a nonce N the first one is (N·H ⊕ L)·H, L being its
//! length (SP 800-38D, 7.1, step 2), which the inverse of H undoes.
//!
//! Behind the answer to a part the provider writes the part's tag, where the next one's answer begins.
//! The first block of each part but the first is therefore left out, and written when all are done: it
//! is the block of text plus the encrypted counter block that the part's tag needs anyway.
//!
//! To open, the tag is made first, of parts as associated data under the message's own nonce; only when
//! it is right the text is decrypted, in parts by the provider's counter mode.

use std::ops::Range;

use super::SplitRequest;
use super::blocks;
use super::cut::cut;
use super::functions::Functions;
use super::ghash::{BLOCK_BYTES, Element, Powers, bare, key_of};
use super::refusals::lacking;
use ciphermark_providers::api::*;
use ciphermark_providers::{checks, tag};

/// The nonces that messages have, and those with which parts begin anywhere.
const NONCE_BYTES: usize = 12;
const ANYWHERE_BYTES: usize = 16;

pub fn seal(split: &SplitRequest<'_>) -> Result<Box<dyn Function>, CreateError> {
    check_nonce(split)?;
    let key = Key::create(split)?;
    let anywhere = Request { nonce_bytes: Some(ANYWHERE_BYTES), ..*split.request };
    let anywhere = Functions::create(split, &anywhere).map_err(|why| lacking(split, why))?;
    Ok(Box::new(Seal { key, anywhere, inverse: Element::ZERO, lengths: Element::ZERO }))
}

pub fn open(split: &SplitRequest<'_>) -> Result<Box<dyn Function>, CreateError> {
    check_nonce(split)?;
    let key = Key::create(split)?;
    let name = split.request.algorithm.replace("-gcm", "-ctr");
    let request = Request::usual(&name, split.request.backend, Operation::Decrypt);
    let facts =
        ciphermark_algorithms::find(&name).ok_or_else(|| checks::unknown_algorithm(&request))?;
    let text = blocks::counter_mode(&SplitRequest { facts, request: &request, ..*split })
        .map_err(|why| lacking(split, why))?;
    Ok(Box::new(Open { key, text }))
}

/// Messages with other nonces begin at a counter whose low bits may begin anew within the message.
fn check_nonce(split: &SplitRequest<'_>) -> Result<(), CreateError> {
    checks::check_nonce(split.request, NONCE_BYTES)
}

/// The counter block of a nonce, so many blocks after the one that encrypts the tag.
fn counter_block(nonce: &[u8], blocks: usize) -> [u8; BLOCK_BYTES] {
    let mut block = [0; BLOCK_BYTES];
    block[..NONCE_BYTES].copy_from_slice(nonce);
    // Longer messages than 2^32 - 2 blocks do not exist.
    block[NONCE_BYTES..].copy_from_slice(&(blocks as u32 + 1).to_be_bytes());
    block
}

/// The provider's sealing with the nonces of messages, and H.
struct Key {
    sealing: Functions,
    powers: Powers,
}

impl Key {
    fn create(split: &SplitRequest<'_>) -> Result<Self, CreateError> {
        let request = Request { operation: Operation::Seal, ..*split.request };
        Ok(Self { sealing: Functions::create(split, &request)?, powers: Powers::default() })
    }

    fn set(&mut self, key: &[u8]) -> Result<(), CallError> {
        self.sealing.set_key(key)?;
        let tag = |aad: &[u8]| authenticated(&self.sealing, 0, &[0; NONCE_BYTES], aad);
        let h = key_of(tag(&[0; BLOCK_BYTES])?, tag(&[])?);
        self.powers = Powers::of(h);
        Ok(())
    }

    /// The powers for the first block of a part within the part, and for the part within the message.
    fn powers_of(&mut self, text_bytes: usize, part: Range<usize>) -> [Element; 2] {
        let blocks = part.len().div_ceil(BLOCK_BYTES) as u64;
        [self.powers.get(blocks + 1), self.behind(text_bytes, part.end)]
    }

    /// The power for as many blocks as are behind the byte `end` of a message's text.
    fn behind(&mut self, text_bytes: usize, end: usize) -> Element {
        self.powers.get((text_bytes - end).div_ceil(BLOCK_BYTES) as u64)
    }
}

/// The tag of associated data alone; of none it is the encrypted first counter block.
fn authenticated(
    sealing: &Functions,
    core: usize,
    nonce: &[u8],
    aad: &[u8],
) -> Result<Element, CallError> {
    let mut tag = [0; BLOCK_BYTES];
    let message = Message { nonce, aad, input: &[], unused_bits: 0 };
    sealing.process(core, &message, &mut tag)?;
    Ok(Element::of(&tag))
}

struct Seal {
    key: Key,
    anywhere: Functions,
    /// 1 / H², and the length of a nonce over H.
    inverse: Element,
    lengths: Element,
}

/// A part to be sealed.
struct Sealed<'a> {
    /// Bytes of text before it.
    start: usize,
    input: &'a [u8],
    /// Room for the answer, but for the first block of a later part, and for a tag behind it.
    output: &'a mut [u8],
    /// Power of H for the blocks behind it.
    behind: Element,
    /// That of a later part's first block, within the part.
    first: Element,
    result: &'a mut Share,
}

/// What comes of a part.
#[derive(Clone, Copy, Default)]
struct Share {
    /// What it adds to the tag.
    tag: Element,
    /// The block of ciphertext that it begins with; of the first part the encrypted counter block of the
    /// message.
    first: Element,
}

impl Seal {
    /// The nonce whose first counter block this is.
    fn nonce(&self, block: Element) -> [u8; ANYWHERE_BYTES] {
        block.times(self.inverse).plus(self.lengths).block()
    }

    /// The part that has the message's own nonce and associated data.
    fn seal_first(&self, message: &Message<'_>, part: Sealed<'_>) -> Result<(), CallError> {
        let (sealing, h) = (&self.key.sealing, self.key.powers.h);
        let encrypted = authenticated(sealing, 0, message.nonce, &[])?;
        sealing.process(0, &Message { input: part.input, ..*message }, part.output)?;
        let tag = Element::of(&part.output[part.input.len()..]);
        let lengths = Element::of_lengths(message.aad.len(), part.input.len());
        let share = bare(tag, encrypted, lengths, h).times(part.behind);
        *part.result = Share { tag: share, first: encrypted };
        Ok(())
    }

    fn seal_later(&self, core: usize, nonce: &[u8], part: Sealed<'_>) -> Result<(), CallError> {
        let (sealing, h) = (&self.anywhere, self.key.powers.h);
        // That of the part's first block, which is the one before what the provider is given.
        let counter = Element::of(&counter_block(nonce, part.start / BLOCK_BYTES + 1));
        let nonce = self.nonce(counter);
        let (first, input) = part.input.split_at(BLOCK_BYTES);
        let encrypted = authenticated(sealing, core, &nonce, &[])?;
        sealing.process(core, &Message::new(&nonce, input), part.output)?;
        let tag = Element::of(&part.output[input.len()..]);
        let first = Element::of(first).plus(encrypted);
        let lengths = Element::of_lengths(0, input.len());
        let share = bare(tag, encrypted, lengths, h).plus(first.times(part.first));
        *part.result = Share { tag: share.times(part.behind), first };
        Ok(())
    }
}

impl Function for Seal {
    fn set_key(&mut self, key: &[u8]) -> Result<(), CallError> {
        self.key.set(key)?;
        let inverse = self.key.powers.h.inverse();
        self.inverse = inverse.times(inverse);
        self.lengths = Element::of_lengths(0, ANYWHERE_BYTES).times(inverse);
        self.anywhere.set_key(key)
    }

    fn process(&mut self, message: &Message<'_>, output: &mut [u8]) -> Result<(), CallError> {
        let (input, nonce) = (message.input, message.nonce);
        checks::check_length(output.len(), input.len() + BLOCK_BYTES)?;
        checks::check_length(nonce.len(), NONCE_BYTES)?;
        let ranges = cut(input.len(), self.anywhere.team.cores());
        if ranges.clone().nth(1).is_none() {
            return self.key.sealing.process(0, message, output);
        }
        let powers: Vec<_> = ranges.clone().map(|it| self.key.powers_of(input.len(), it)).collect();
        let mut shares = vec![Share::default(); powers.len()];
        let this = &*self;
        let mut rest = &mut *output;
        let parts = ranges.clone().zip(powers).zip(&mut shares).map(|((range, powers), result)| {
            let [first, behind] = powers;
            // Up to where the next part's second block begins, or to the end of the tag.
            let taken = if range.start == 0 { range.len() + BLOCK_BYTES } else { range.len() };
            let (output, later) = std::mem::take(&mut rest).split_at_mut(taken);
            rest = later;
            Sealed { start: range.start, input: &input[range], output, behind, first, result }
        });
        this.anywhere.team.share(parts, |core, part| match part.start {
            0 => this.seal_first(message, part),
            _ => this.seal_later(core, nonce, part),
        })?;
        for (range, share) in ranges.zip(&shares).skip(1) {
            output[range.start..][..BLOCK_BYTES].copy_from_slice(&share.first.block());
        }
        let lengths = Element::of_lengths(message.aad.len(), input.len()).times(this.key.powers.h);
        let whole = shares.iter().fold(lengths.plus(shares[0].first), |sum, it| sum.plus(it.tag));
        output[input.len()..].copy_from_slice(&whole.block());
        Ok(())
    }
}

struct Open {
    key: Key,
    /// The split counter mode.
    text: Box<dyn Function>,
}

/// A part of what is authenticated: ciphertext, or all associated data.
struct Authenticated<'a> {
    input: &'a [u8],
    behind: Element,
    share: &'a mut Element,
}

impl Open {
    /// The tag that a message should have.
    fn tag(&mut self, message: &Message<'_>, text: &[u8]) -> Result<Element, CallError> {
        let (nonce, aad) = (message.nonce, message.aad);
        let ranges = cut(text.len(), self.key.sealing.team.cores());
        let whole = self.key.behind(text.len(), 0);
        let behind: Vec<_> = ranges.clone().map(|it| self.key.behind(text.len(), it.end)).collect();
        let mut shares = vec![Element::ZERO; behind.len()];
        let (sealing, h) = (&self.key.sealing, self.key.powers.h);
        let encrypted = authenticated(sealing, 0, nonce, &[])?;
        let share = |core, input: &[u8], behind| {
            let tag = authenticated(sealing, core, nonce, input)?;
            let lengths = Element::of_lengths(input.len(), 0);
            Ok::<_, CallError>(bare(tag, encrypted, lengths, h).times(behind))
        };
        let parts = ranges
            .zip(behind)
            .zip(&mut shares)
            .map(|((range, behind), share)| Authenticated { input: &text[range], behind, share });
        sealing.team.share(parts, |core, part| {
            *part.share = share(core, part.input, part.behind)?;
            Ok(())
        })?;
        let of_aad = match aad.is_empty() {
            true => Element::ZERO,
            false => share(0, aad, whole)?,
        };
        let lengths = Element::of_lengths(aad.len(), text.len()).times(h);
        let begun = encrypted.plus(lengths).plus(of_aad);
        Ok(shares.into_iter().fold(begun, Element::plus))
    }
}

impl Function for Open {
    fn set_key(&mut self, key: &[u8]) -> Result<(), CallError> {
        self.key.set(key)?;
        self.text.set_key(key)
    }

    fn process(&mut self, message: &Message<'_>, output: &mut [u8]) -> Result<(), CallError> {
        let (text, told) = checks::split_tag(message.input, BLOCK_BYTES)?;
        checks::check_length(output.len(), text.len())?;
        checks::check_length(message.nonce.len(), NONCE_BYTES)?;
        let right = self.tag(message, text)?.block();
        if !tag::equal(&right, told) {
            return Err(CallError::Refused);
        }
        self.text.process(&Message::new(&counter_block(message.nonce, 1), text), output)
    }
}
