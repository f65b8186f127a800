//! Keystream generators.

use aes::cipher::{Iv, Key, KeyInit, KeyIvInit, KeySizeUser, StreamCipher};
use rc4::Rc4;
use rc4::consts::U16;

use super::Recipe;
use super::keyed::{self, Process};
use crate::api::*;
use crate::checks;

/// A generator that is made from key and nonce at once.
pub(super) const fn with_nonce<C: KeyIvInit + StreamCipher + 'static>() -> Recipe {
    Recipe::new(|keys, _| keyed::function::<KeptKey<C>, Keystream>(keys))
}

pub(super) const fn rc4_128() -> Recipe {
    Recipe::new(|keys, _| keyed::function::<Rc4128, Keystream>(keys))
}

struct Keystream;

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

impl<C: KeyIvInit + StreamCipher> Process<KeptKey<C>> for Keystream {
    fn process(
        key: &mut KeptKey<C>,
        message: &Message<'_>,
        output: &mut [u8],
    ) -> Result<(), CallError> {
        checks::check_length(message.input.len(), 0)?;
        let nonce: &Iv<C> = message.nonce.try_into().map_err(|_| CallError::Length)?;
        C::new(&key.0, nonce).try_write_keystream(output).map_err(|_| CallError::Length)
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

impl Process<Rc4128> for Keystream {
    fn process(
        keyed: &mut Rc4128,
        message: &Message<'_>,
        output: &mut [u8],
    ) -> Result<(), CallError> {
        checks::check_length(message.input.len(), 0)?;
        keyed.rc4.try_write_keystream(output).map_err(|_| CallError::Length)?;
        *keyed = Rc4128::new(&keyed.key);
        Ok(())
    }
}
