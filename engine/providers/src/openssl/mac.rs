//! Message authentication codes that OpenSSL has as such.

use std::ffi::{CStr, c_ulong};
use std::ptr;

use ciphermark_algorithms::Algorithm;

use super::libcrypto::{EVP_MAC, EVP_MAC_CTX, Libcrypto};
use super::params::{Parameter, Parameters};
use crate::api::*;
use crate::checks;
use crate::pieces::Cut;
use crate::shared_library::Owned;
use crate::tag::{self, TagInPieces};

/// From 3.0.3 on, `EVP_MAC_init` without a key restarts with the kept one. Before, it did nothing
/// (<https://github.com/openssl/openssl/issues/17811>), and a caller must give the key again.
const RESTARTS: c_ulong = 0x3000_0030;

/// Bytes of the first, zero key of an HMAC: none that a FIPS provider would call too short.
const ZERO_KEY_BYTES: usize = 32;

/// Which construction, on which algorithm.
#[derive(Clone, Copy)]
pub enum Construction {
    /// With the name of the hash.
    Hmac(&'static CStr),
    /// With the name of the block cipher in CBC mode.
    Cmac(&'static CStr),
    /// That of this name, which needs to be told nothing: KMAC, BLAKE2.
    Named(&'static CStr),
    /// With the bytes of its tag.
    SipHash(usize),
    Poly1305,
}

impl Construction {
    fn name(self) -> &'static CStr {
        match self {
            Construction::Hmac(_) => c"HMAC",
            Construction::Cmac(_) => c"CMAC",
            Construction::Named(name) => name,
            Construction::SipHash(_) => c"SIPHASH",
            Construction::Poly1305 => c"POLY1305",
        }
    }

    /// What a new context is told.
    fn parameters(&self) -> Option<Parameters<'_>> {
        let parameter = match self {
            Construction::Hmac(hash) => Parameter::name(c"digest", hash),
            Construction::Cmac(cipher) => Parameter::name(c"cipher", cipher),
            Construction::SipHash(tag_bytes) => Parameter::size(c"size", tag_bytes),
            Construction::Named(_) | Construction::Poly1305 => return None,
        };
        Some(Parameters::one(parameter))
    }

    /// Whether a context can begin another message under the key that it has: that of Poly1305
    /// serves once, and not every version of OpenSSL 3 keeps that of SipHash.
    fn restarts(self) -> bool {
        !matches!(self, Construction::SipHash(_) | Construction::Poly1305)
    }
}

/// Makes the function of `request.operation`.
pub fn create(
    libcrypto: &'static Libcrypto,
    construction: Construction,
    facts: &Algorithm,
    request: &Request<'_>,
) -> Result<Box<dyn Function>, CreateError> {
    checks::check_nonce(request, 0)?;
    // SAFETY: takes nothing.
    let version = unsafe { (libcrypto.OpenSSL_version_num)() };
    let restarts = construction.restarts() && version >= RESTARTS;
    let key_bytes = match construction {
        Construction::Hmac(_) => None,
        _ => Some(facts.key_bytes as usize),
    };
    let context = MacContext::new(libcrypto, construction, key_bytes, restarts)?;
    Ok(tag::function(context, request.operation))
}

/// Whether two tags of one length are the same.
pub fn equal(libcrypto: &Libcrypto, one: &[u8], other: &[u8]) -> bool {
    let (one, other, bytes) = (one.as_ptr().cast(), other.as_ptr().cast(), one.len());
    // SAFETY: both tags have this length.
    unsafe { (libcrypto.CRYPTO_memcmp)(one, other, bytes) == 0 }
}

struct MacContext {
    libcrypto: &'static Libcrypto,
    construction: Construction,
    mac: Owned<EVP_MAC>,
    context: Owned<EVP_MAC_CTX>,
    /// The context has neither parameters nor key.
    is_new: bool,
    /// `None` where a key may have any length.
    key_bytes: Option<usize>,
    tag_bytes: usize,
    /// The key, where it must be given again for every message.
    given_again: Option<Vec<u8>>,
}

impl MacContext {
    fn new(
        libcrypto: &'static Libcrypto,
        construction: Construction,
        key_bytes: Option<usize>,
        restarts: bool,
    ) -> Result<Self, CreateError> {
        let name = construction.name();
        let mac = fetch(libcrypto, name).map_err(|error| libcrypto.not_there(name, error))?;
        let failed = |error| libcrypto.failed(error);
        let mut new = Self {
            libcrypto,
            construction,
            context: new_context(libcrypto, &mac).map_err(failed)?,
            mac,
            is_new: true,
            key_bytes,
            tag_bytes: 0,
            given_again: if restarts { None } else { Some(Vec::new()) },
        };
        // So that there is no state without a key.
        new.set_key(&vec![0; key_bytes.unwrap_or(ZERO_KEY_BYTES)]).map_err(failed)?;
        // SAFETY: the context is alive, and has what its tag length depends on.
        new.tag_bytes = unsafe { (libcrypto.EVP_MAC_CTX_get_mac_size)(new.context.as_ptr()) };
        Ok(new)
    }

    /// Starts a message under the kept key.
    fn restart(&mut self) -> Result<(), CallError> {
        if self.is_new {
            return Err(CallError::Unsupported);
        }
        match &self.given_again {
            None => self.init(ptr::null(), 0, None),
            Some(key) => self.init(key.as_ptr(), key.len(), None),
        }
    }

    /// `key` is null for the kept one, or points to `bytes` bytes.
    fn init(
        &self,
        key: *const u8,
        bytes: usize,
        parameters: Option<&Parameters<'_>>,
    ) -> Result<(), CallError> {
        let context = self.context.as_ptr();
        let parameters = parameters.map_or(ptr::null(), Parameters::as_ptr);
        // SAFETY: the context and the parameters' values are alive, and all callers pass a key as
        // described.
        let status = unsafe { (self.libcrypto.EVP_MAC_init)(context, key, bytes, parameters) };
        self.libcrypto.called(status)
    }
}

impl TagInPieces for MacContext {
    fn set_key(&mut self, key: &[u8]) -> Result<(), CallError> {
        checks::check_length(key.len(), self.key_bytes.unwrap_or(key.len()))?;
        if let Some(kept) = &mut self.given_again {
            kept.clear();
            kept.extend_from_slice(key);
        }
        let parameters = if self.is_new { self.construction.parameters() } else { None };
        self.init(key.as_ptr(), key.len(), parameters.as_ref())?;
        self.is_new = false;
        Ok(())
    }

    fn tag_bytes(&self) -> usize {
        self.tag_bytes
    }

    fn compute_pieces(
        &mut self,
        message: &Message<'_>,
        cut: impl Cut,
        tag: &mut [u8],
    ) -> Result<(), CallError> {
        self.restart()?;
        let (libcrypto, context) = (self.libcrypto, self.context.as_ptr());
        for piece in cut.pieces(message.input.len(), 1) {
            let piece = &message.input[piece];
            // SAFETY: the context is alive and started, and the piece has so many bytes.
            libcrypto.called(unsafe {
                (libcrypto.EVP_MAC_update)(context, piece.as_ptr(), piece.len())
            })?;
        }
        let mut written = 0;
        // SAFETY: as above, and the tag has the length given.
        libcrypto.called(unsafe {
            (libcrypto.EVP_MAC_final)(context, tag.as_mut_ptr(), &mut written, tag.len())
        })
    }

    /// When nothing new can be had the old stays.
    fn renew(&mut self, what: Renewed) -> Result<(), CallError> {
        if what == Renewed::Algorithm {
            self.mac = fetch(self.libcrypto, self.construction.name())?;
        }
        self.context = new_context(self.libcrypto, &self.mac)?;
        self.is_new = true;
        Ok(())
    }

    fn equal(&self, one: &[u8], other: &[u8]) -> bool {
        equal(self.libcrypto, one, other)
    }
}

fn fetch(libcrypto: &Libcrypto, name: &CStr) -> Result<Owned<EVP_MAC>, CallError> {
    // SAFETY: the two functions belong to this type.
    unsafe { libcrypto.fetch(libcrypto.EVP_MAC_fetch, libcrypto.EVP_MAC_free, name) }
}

fn new_context(
    libcrypto: &Libcrypto,
    mac: &Owned<EVP_MAC>,
) -> Result<Owned<EVP_MAC_CTX>, CallError> {
    // SAFETY: the algorithm is alive, and the new context, which is ours, keeps a reference to it.
    unsafe { libcrypto.own((libcrypto.EVP_MAC_CTX_new)(mac.as_ptr()), libcrypto.EVP_MAC_CTX_free) }
}

#[cfg(test)]
mod tests {
    use super::super::load;
    use super::*;
    use crate::pieces::Whole;

    /// Versions without the restart are not at hand: the way round it is tested on one with it.
    #[test]
    fn giving_the_key_again_is_the_same_as_restarting() {
        let Ok(loaded) = load::load(None) else {
            eprintln!("skipped: OpenSSL cannot be used here");
            return;
        };
        for construction in [Construction::Hmac(c"SHA2-256"), Construction::Cmac(c"AES-128-CBC")] {
            let tags = [true, false].map(|restarts| {
                let mut mac = MacContext::new(loaded.functions, construction, Some(16), restarts)
                    .expect("every OpenSSL 3 has these");
                mac.set_key(&[7; 16]).expect("a key of the right length");
                let mut tags = vec![vec![0; mac.tag_bytes]; 3];
                for (tag, message) in tags.iter_mut().zip([&[1; 100][..], &[], &[2; 16]]) {
                    let message = Message { input: message, ..Message::default() };
                    mac.compute_pieces(&message, Whole, tag).expect("any length has a tag");
                }
                tags
            });
            assert_eq!(tags[0], tags[1]);
        }
    }
}
