//! Keystream generators.

use aes::cipher::{Iv, Key, KeyInit, KeyIvInit, KeySizeUser, StreamCipher};
use rc4::Rc4;
use rc4::consts::U16;

use super::Recipe;
use super::keyed::{self, Pieces, ProcessPieces};
use crate::api::*;
use crate::checks;
use crate::pieces::Cut;

/// A generator that is made from key and nonce at once.
pub(super) const fn with_nonce<C: KeyIvInit + StreamCipher + 'static>() -> Recipe {
    Recipe::new(|keys, _| keyed::function::<KeptKey<C>, Pieces<Keystream>>(keys))
}

pub(super) const fn rc4_128() -> Recipe {
    Recipe::new(|keys, _| keyed::function::<Rc4128, Pieces<Keystream>>(keys))
}

struct Keystream;

fn fill(
    generator: &mut impl StreamCipher,
    cut: impl Cut,
    output: &mut [u8],
) -> Result<(), CallError> {
    for piece in cut.pieces(output.len(), 1) {
        generator.try_write_keystream(&mut output[piece]).map_err(|_| CallError::Length)?;
    }
    Ok(())
}

/// The key of a `C`, which can be set up only when the nonce is known.
struct KeptKey<C: KeySizeUser>(Key<C>);

impl<C: KeySizeUser> KeySizeUser for KeptKey<C> {
    type KeySize = C::KeySize;
}

impl<C: KeySizeUser> KeyInit for KeptKey<C> {
    fn new(key: &Key<Self>) -> Self {
        Self(key.clone())
    }
}

impl<C: KeyIvInit + StreamCipher> ProcessPieces<KeptKey<C>> for Keystream {
    fn process(
        key: &mut KeptKey<C>,
        message: &Message<'_>,
        cut: impl Cut,
        output: &mut [u8],
    ) -> Result<(), CallError> {
        checks::check_length(message.input.len(), 0)?;
        let nonce: &Iv<C> = message.nonce.try_into().map_err(|_| CallError::Length)?;
        fill(&mut C::new(&key.0, nonce), cut, output)
    }
}

/// RC4 at the beginning of its stream. The crate's can be neither copied nor rewound, so that the
/// key is needed again for the next stream.
struct Rc4128 {
    rc4: Rc4,
    key: Key<Self>,
}

impl KeySizeUser for Rc4128 {
    type KeySize = U16;
}

impl KeyInit for Rc4128 {
    fn new(key: &Key<Self>) -> Self {
        let rc4 = Rc4::new_from_slice(key).expect("RC4 takes a key of 16 bytes");
        Self { rc4, key: *key }
    }
}

impl ProcessPieces<Rc4128> for Keystream {
    fn process(
        keyed: &mut Rc4128,
        message: &Message<'_>,
        cut: impl Cut,
        output: &mut [u8],
    ) -> Result<(), CallError> {
        checks::check_length(message.input.len(), 0)?;
        fill(&mut keyed.rc4, cut, output)?;
        *keyed = Rc4128::new(&keyed.key);
        Ok(())
    }
}
