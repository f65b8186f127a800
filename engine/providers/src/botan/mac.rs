//! Message authentication codes.

use std::ffi::{CStr, c_int};

use ciphermark_algorithms::Algorithm;

use super::functions::{Botan, Give, Object, botan_mac_struct, called, give, remake};
use crate::api::*;
use crate::checks;
use crate::pieces::{Chunks, Cut, Whole};
use crate::tag::{self, TagInPieces};

/// `BOTAN_FFI_ERROR_KEY_NOT_SET`
const KEY_NOT_SET: i64 = -33;

/// Which keys a MAC takes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Keys {
    /// Those of the usual length.
    OneLength,
    /// HMAC hashes long ones first.
    AnyLength,
}

/// Makes the function of `request.operation`.
pub fn create(
    botan: &'static Botan,
    name: &'static CStr,
    keys: Keys,
    facts: &Algorithm,
    request: &Request<'_>,
) -> Result<Box<dyn Function>, CreateError> {
    checks::check_nonce(request, facts.nonce_bytes as usize)?;
    let set_nonce = match facts.nonce_bytes {
        0 => None,
        _ => Some(botan.botan_mac_set_nonce.ok_or_else(|| {
            CreateError::Unsupported("a nonce through the C interface of Botan 2".into())
        })?),
    };
    Ok(tag::function(Mac::new(botan, name, keys, set_nonce, facts)?, request.operation))
}

struct Mac {
    botan: &'static Botan,
    name: &'static CStr,
    object: Object<botan_mac_struct>,
    keys: Keys,
    /// The key, where it has to be given again for every message.
    given_again: Option<Vec<u8>>,
    set_nonce: Option<Give<botan_mac_struct>>,
    key_bytes: usize,
    nonce_bytes: usize,
    tag_bytes: usize,
    block_bytes: usize,
}

fn make(botan: &Botan, name: &CStr) -> Result<Object<botan_mac_struct>, c_int> {
    // SAFETY: there is room for the object, and MACs have no flags.
    let init = |object: *mut _, name| unsafe { (botan.botan_mac_init)(object, name, 0) };
    // SAFETY: these two make and destroy MACs.
    unsafe { Botan::make(name, init, botan.botan_mac_destroy) }
}

impl Mac {
    /// A MAC with the key zero, so that there is no state without one.
    fn new(
        botan: &'static Botan,
        name: &'static CStr,
        keys: Keys,
        set_nonce: Option<Give<botan_mac_struct>>,
        facts: &Algorithm,
    ) -> Result<Self, CreateError> {
        let object = botan.made(name, make(botan, name))?;
        let mut tag_bytes = 0;
        // SAFETY: the object is alive.
        let status = unsafe { (botan.botan_mac_output_length)(object.as_ptr(), &mut tag_bytes) };
        botan.created(status)?;
        let key = vec![0; facts.key_bytes as usize];
        botan.created(give(&object, botan.botan_mac_set_key, &key))?;
        let mut new = Self {
            botan,
            name,
            object,
            keys,
            given_again: None,
            set_nonce,
            key_bytes: key.len(),
            nonce_bytes: facts.nonce_bytes as usize,
            tag_bytes,
            block_bytes: facts.block_bytes as usize,
        };
        new.given_again = new.forgets_key().then_some(key);
        Ok(new)
    }

    /// Whether the key serves one message, as Poly1305's should. Leaves the object without a key
    /// where that is so.
    fn forgets_key(&mut self) -> bool {
        let message = Message::default();
        let mut tag = vec![0; self.tag_bytes];
        self.nonce_bytes == 0
            && self.compute_pieces(&message, Whole, &mut tag).is_ok()
            && self.compute_pieces(&message, Whole, &mut tag)
                == Err(CallError::Library(KEY_NOT_SET))
    }

    /// Makes the object ready for a message, where the one before did not.
    fn start(&mut self, nonce: &[u8]) -> Result<(), CallError> {
        checks::check_length(nonce.len(), self.nonce_bytes)?;
        if let Some(key) = &self.given_again {
            called(give(&self.object, self.botan.botan_mac_set_key, key))?;
        }
        match self.set_nonce {
            Some(function) => called(give(&self.object, function, nonce)),
            None => Ok(()),
        }
    }
}

impl TagInPieces for Mac {
    fn set_key(&mut self, key: &[u8]) -> Result<(), CallError> {
        if self.keys == Keys::OneLength {
            checks::check_length(key.len(), self.key_bytes)?;
        }
        if let Some(kept) = &mut self.given_again {
            kept.copy_from_slice(key);
        }
        called(give(&self.object, self.botan.botan_mac_set_key, key))
    }

    fn tag_bytes(&self) -> usize {
        self.tag_bytes
    }

    fn chunks(&self, chunk_bytes: usize) -> Result<Chunks, CallError> {
        Chunks::of(chunk_bytes, self.block_bytes)
    }

    fn compute_pieces(
        &mut self,
        message: &Message<'_>,
        cut: impl Cut,
        tag: &mut [u8],
    ) -> Result<(), CallError> {
        self.start(message.nonce)?;
        for piece in cut.pieces(message.input.len(), 1) {
            called(give(&self.object, self.botan.botan_mac_update, &message.input[piece]))?;
        }
        // SAFETY: the object is alive, and the tag has the length that the object said.
        called(unsafe { (self.botan.botan_mac_final)(self.object.as_ptr(), tag.as_mut_ptr()) })
    }

    fn renew(&mut self, what: Renewed) -> Result<(), CallError> {
        remake(what, &mut self.object, || make(self.botan, self.name))
    }

    fn equal(&self, one: &[u8], other: &[u8]) -> bool {
        let (one, other, bytes) = (one.as_ptr(), other.as_ptr(), one.len());
        // SAFETY: both have so many bytes.
        unsafe { (self.botan.botan_constant_time_compare)(one, other, bytes) == 0 }
    }
}
