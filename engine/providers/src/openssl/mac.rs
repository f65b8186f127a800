//! Message authentication codes.

use std::ffi::{CStr, c_ulong};
use std::ptr;

use super::cipher;
use super::libcrypto::{EVP_MAC_CTX, Libcrypto};
use super::params::Parameter;
use crate::api::*;
use crate::checks;
use crate::shared_library::Owned;
use crate::tag::{self, ComputeTag};

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
}

/// Makes the function of `request.operation`.
pub fn create(
    libcrypto: &'static Libcrypto,
    construction: Construction,
    request: &Request<'_>,
) -> Result<Box<dyn Function>, CreateError> {
    checks::check_nonce(request, 0)?;
    // SAFETY: takes nothing.
    let version = unsafe { (libcrypto.OpenSSL_version_num)() };
    let context = MacContext::new(libcrypto, construction, version >= RESTARTS)?;
    Ok(tag::function(context, request.operation))
}

struct MacContext {
    libcrypto: &'static Libcrypto,
    context: Owned<EVP_MAC_CTX>,
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
        restarts: bool,
    ) -> Result<Self, CreateError> {
        let (name, parameter, key_bytes) = match construction {
            Construction::Hmac(hash) => (c"HMAC", Parameter::name(c"digest", hash), None),
            Construction::Cmac(cipher) => {
                let key_bytes = cipher::key_bytes(libcrypto, cipher)?;
                (c"CMAC", Parameter::name(c"cipher", cipher), Some(key_bytes))
            }
        };
        let context = new_context(libcrypto, name, &parameter)?;
        let given_again = if restarts { None } else { Some(Vec::new()) };
        let mut new = Self { libcrypto, context, key_bytes, tag_bytes: 0, given_again };
        // So that there is no state without a key.
        let zero_key = vec![0; key_bytes.unwrap_or(ZERO_KEY_BYTES)];
        new.set_key(&zero_key).map_err(|error| CreateError::Failed(error.to_string()))?;
        // SAFETY: the context is alive, and has what its tag length depends on.
        new.tag_bytes = unsafe { (libcrypto.EVP_MAC_CTX_get_mac_size)(new.context.as_ptr()) };
        Ok(new)
    }

    /// Starts a message under the kept key.
    fn restart(&mut self) -> Result<(), CallError> {
        match &self.given_again {
            None => self.init(ptr::null(), 0),
            Some(key) => self.init(key.as_ptr(), key.len()),
        }
    }

    /// `key` is null for the kept one, or points to `bytes` bytes.
    fn init(&self, key: *const u8, bytes: usize) -> Result<(), CallError> {
        let context = self.context.as_ptr();
        // SAFETY: the context is alive, and both callers pass a key as described.
        let status = unsafe { (self.libcrypto.EVP_MAC_init)(context, key, bytes, ptr::null()) };
        self.libcrypto.called(status)
    }
}

impl ComputeTag for MacContext {
    fn set_key(&mut self, key: &[u8]) -> Result<(), CallError> {
        checks::check_length(key.len(), self.key_bytes.unwrap_or(key.len()))?;
        if let Some(kept) = &mut self.given_again {
            kept.clear();
            kept.extend_from_slice(key);
        }
        self.init(key.as_ptr(), key.len())
    }

    fn tag_bytes(&self) -> usize {
        self.tag_bytes
    }

    fn compute(&mut self, message: &Message<'_>, tag: &mut [u8]) -> Result<(), CallError> {
        self.restart()?;
        let context = self.context.as_ptr();
        let input = message.input;
        let mut written = 0;
        // SAFETY: the context is alive and started, and all lengths are those of the slices.
        let (updated, finished) = unsafe {
            (
                (self.libcrypto.EVP_MAC_update)(context, input.as_ptr(), input.len()),
                (self.libcrypto.EVP_MAC_final)(context, tag.as_mut_ptr(), &mut written, tag.len()),
            )
        };
        self.libcrypto.called(updated.min(finished))
    }

    fn equal(&self, one: &[u8], other: &[u8]) -> bool {
        let (one, other, bytes) = (one.as_ptr().cast(), other.as_ptr().cast(), one.len());
        // SAFETY: both tags have this length.
        unsafe { (self.libcrypto.CRYPTO_memcmp)(one, other, bytes) == 0 }
    }
}

fn new_context(
    libcrypto: &Libcrypto,
    name: &CStr,
    parameter: &Parameter<'_>,
) -> Result<Owned<EVP_MAC_CTX>, CreateError> {
    // SAFETY: the two functions belong to this type.
    let mac = unsafe { libcrypto.fetch(libcrypto.EVP_MAC_fetch, libcrypto.EVP_MAC_free, name)? };
    // SAFETY: the algorithm is alive, and the new context, which is ours, keeps a reference to it.
    let context = unsafe {
        let context = (libcrypto.EVP_MAC_CTX_new)(mac.as_ptr());
        libcrypto.own(context, libcrypto.EVP_MAC_CTX_free)?
    };
    // SAFETY: the context and the parameter's value are alive.
    let status =
        unsafe { (libcrypto.EVP_MAC_CTX_set_params)(context.as_ptr(), parameter.as_ptr()) };
    libcrypto.created(status)?;
    Ok(context)
}

#[cfg(test)]
mod tests {
    use super::super::load;
    use super::*;

    /// Versions without the restart are not at hand: the way round it is tested on one with it.
    #[test]
    fn giving_the_key_again_is_the_same_as_restarting() {
        let Ok(loaded) = load::load(None) else {
            eprintln!("skipped: OpenSSL cannot be used here");
            return;
        };
        for construction in [Construction::Hmac(c"SHA2-256"), Construction::Cmac(c"AES-128-CBC")] {
            let tags = [true, false].map(|restarts| {
                let mut mac = MacContext::new(loaded.functions, construction, restarts)
                    .expect("every OpenSSL 3 has these");
                mac.set_key(&[7; 16]).expect("a key of the right length");
                let mut tags = vec![vec![0; mac.tag_bytes]; 3];
                for (tag, message) in tags.iter_mut().zip([&[1; 100][..], &[], &[2; 16]]) {
                    let message = Message { input: message, ..Message::default() };
                    mac.compute(&message, tag).expect("any length has a tag");
                }
                tags
            });
            assert_eq!(tags[0], tags[1]);
        }
    }
}
