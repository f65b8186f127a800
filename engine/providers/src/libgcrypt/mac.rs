//! Message authentication codes.

use std::ffi::c_int;
use std::ptr;

use ciphermark_algorithms::Algorithm;

use super::functions::{Give, Libgcrypt, RESET, Status, called, gcry_mac_handle as Handle, reopen};
use crate::api::*;
use crate::checks;
use crate::pieces::{Cut, FunctionInPieces};
use crate::shared_library::Owned;

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
    libgcrypt: &'static Libgcrypt,
    algorithm: c_int,
    keys: Keys,
    facts: &Algorithm,
    request: &Request<'_>,
) -> Result<Box<dyn Function>, CreateError> {
    checks::check_nonce(request, facts.nonce_bytes as usize)?;
    let mac = Mac::new(libgcrypt, algorithm, keys, facts)?;
    Ok(match request.operation {
        Operation::Verify => Box::new(Verify(mac)),
        _ => Box::new(Tag(mac)),
    })
}

struct Mac {
    libgcrypt: &'static Libgcrypt,
    handle: Owned<Handle>,
    algorithm: c_int,
    /// A handle that was opened anew has none, and some MACs would then jump to nowhere.
    has_key: bool,
    keys: Keys,
    key_bytes: usize,
    nonce_bytes: usize,
    tag_bytes: usize,
}

fn open(libgcrypt: &Libgcrypt, algorithm: c_int) -> Result<Owned<Handle>, Status> {
    let open = |handle: *mut _| {
        // SAFETY: there is room for the handle; null for no context.
        unsafe { (libgcrypt.gcry_mac_open)(handle, algorithm, 0, ptr::null_mut()) }
    };
    // SAFETY: these two make and close MACs' handles.
    unsafe { Libgcrypt::open(open, libgcrypt.gcry_mac_close) }
}

impl Mac {
    /// A MAC with the key zero, so that there is no state without one.
    fn new(
        libgcrypt: &'static Libgcrypt,
        algorithm: c_int,
        keys: Keys,
        facts: &Algorithm,
    ) -> Result<Self, CreateError> {
        let handle = libgcrypt.opened(open(libgcrypt, algorithm))?;
        let new = Self {
            libgcrypt,
            handle,
            algorithm,
            has_key: true,
            keys,
            key_bytes: facts.key_bytes as usize,
            nonce_bytes: facts.nonce_bytes as usize,
            // SAFETY: takes any number.
            tag_bytes: unsafe { (libgcrypt.gcry_mac_get_algo_maclen)(algorithm) } as usize,
        };
        libgcrypt.created(new.give(libgcrypt.gcry_mac_setkey, &vec![0; new.key_bytes]))?;
        Ok(new)
    }

    fn set_key(&mut self, key: &[u8]) -> Result<(), CallError> {
        if self.keys == Keys::OneLength {
            checks::check_length(key.len(), self.key_bytes)?;
        }
        called(self.give(self.libgcrypt.gcry_mac_setkey, key))?;
        self.has_key = true;
        Ok(())
    }

    fn renew(&mut self, what: Renewed) -> Result<(), CallError> {
        reopen(what, &mut self.handle, || open(self.libgcrypt, self.algorithm))?;
        self.has_key = false;
        Ok(())
    }

    /// Calls one of the functions that read bytes.
    fn give(&self, function: Give<Handle>, bytes: &[u8]) -> Status {
        // SAFETY: the handle is alive, and the function reads so many bytes.
        unsafe { function(self.handle.as_ptr(), bytes.as_ptr().cast(), bytes.len()) }
    }

    /// Starts a message under the kept key and takes all of it.
    fn take(&mut self, nonce: &[u8], input: &[u8], cut: impl Cut) -> Result<(), CallError> {
        checks::check_length(nonce.len(), self.nonce_bytes)?;
        if !self.has_key {
            return Err(CallError::Unsupported);
        }
        let status = match self.nonce_bytes {
            // SAFETY: the handle is alive, and the command takes no data.
            0 => unsafe {
                (self.libgcrypt.gcry_mac_ctl)(self.handle.as_ptr(), RESET, ptr::null_mut(), 0)
            },
            // It resets besides.
            _ => self.give(self.libgcrypt.gcry_mac_setiv, nonce),
        };
        called(status)?;
        for piece in cut.pieces(input.len(), 1) {
            called(self.give(self.libgcrypt.gcry_mac_write, &input[piece]))?;
        }
        Ok(())
    }

    fn compute(
        &mut self,
        message: &Message<'_>,
        cut: impl Cut,
        tag: &mut [u8],
    ) -> Result<(), CallError> {
        checks::check_length(tag.len(), self.tag_bytes)?;
        self.take(message.nonce, message.input, cut)?;
        let (handle, mut bytes) = (self.handle.as_ptr(), tag.len());
        // SAFETY: the handle is alive, and the tag has room for so many bytes.
        called(unsafe {
            (self.libgcrypt.gcry_mac_read)(handle, tag.as_mut_ptr().cast(), &mut bytes)
        })
    }

    fn verify(
        &mut self,
        message: &Message<'_>,
        cut: impl Cut,
        output: &[u8],
    ) -> Result<(), CallError> {
        checks::check_length(output.len(), 0)?;
        let (input, tag) = checks::split_tag(message.input, self.tag_bytes)?;
        self.take(message.nonce, input, cut)?;
        called(self.give(self.libgcrypt.gcry_mac_verify, tag))
    }
}

struct Tag(Mac);

impl FunctionInPieces for Tag {
    const REPEATS: bool = true;

    fn set_key(&mut self, key: &[u8]) -> Result<(), CallError> {
        self.0.set_key(key)
    }

    fn process_pieces(
        &mut self,
        message: &Message<'_>,
        cut: impl Cut,
        output: &mut [u8],
    ) -> Result<(), CallError> {
        self.0.compute(message, cut, output)
    }

    fn renew(&mut self, what: Renewed) -> Result<(), CallError> {
        self.0.renew(what)
    }
}

struct Verify(Mac);

impl FunctionInPieces for Verify {
    const REPEATS: bool = true;

    fn set_key(&mut self, key: &[u8]) -> Result<(), CallError> {
        self.0.set_key(key)
    }

    fn process_pieces(
        &mut self,
        message: &Message<'_>,
        cut: impl Cut,
        output: &mut [u8],
    ) -> Result<(), CallError> {
        self.0.verify(message, cut, output)
    }

    fn renew(&mut self, what: Renewed) -> Result<(), CallError> {
        self.0.renew(what)
    }
}
