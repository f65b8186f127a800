//! The context of a cipher, which ciphers, keystreams, authenticated encryption and GMAC share.

use std::ffi::{CStr, c_int, c_uint};
use std::mem::MaybeUninit;
use std::ptr;

use super::libcrypto::{
    CipherFinal, CipherInit, CipherUpdate, EVP_CIPHER, EVP_CIPHER_CTX, Libcrypto,
};
use super::params::{Answer, Parameter, Parameters};
use crate::api::*;
use crate::checks;
use crate::pieces::Cut;
use crate::shared_library::Owned;

/// `EVP_MAX_BLOCK_LENGTH`: the most that a final call writes.
const MAX_BLOCK_BYTES: usize = 32;

/// A cipher's context, for one direction.
pub struct CipherContext {
    pub libcrypto: &'static Libcrypto,
    name: &'static CStr,
    cipher: Owned<EVP_CIPHER>,
    context: Owned<EVP_CIPHER_CTX>,
    /// The context has neither cipher nor key.
    is_new: bool,
    settings: Settings,
    direction: Direction,
    key_bytes: usize,
    pub nonce_bytes: usize,
    pub block_bytes: usize,
}

/// What a context is told besides the cipher.
#[derive(Clone, Copy)]
pub enum Settings {
    Usual,
    /// Padding stays off for good. `EVP_CIPHER_CTX_set_padding` sets a flag besides, for which
    /// every later initialising call sets the parameter again: 40 % of the time of a 16-byte
    /// message in AES-128-CBC.
    Unpadded,
    /// Bytes of nonce and, where the cipher's own are others, of tag.
    Lengths {
        nonce_bytes: usize,
        tag_bytes: Option<usize>,
    },
}

/// The functions of one direction.
struct Direction {
    init: CipherInit,
    update: CipherUpdate,
    finish: CipherFinal,
}

impl Direction {
    fn of(operation: Operation, libcrypto: &Libcrypto) -> Self {
        match operation {
            Operation::Open | Operation::Decrypt => Self {
                init: libcrypto.EVP_DecryptInit_ex2,
                update: libcrypto.EVP_DecryptUpdate,
                finish: libcrypto.EVP_DecryptFinal_ex,
            },
            _ => Self {
                init: libcrypto.EVP_EncryptInit_ex2,
                update: libcrypto.EVP_EncryptUpdate,
                finish: libcrypto.EVP_EncryptFinal_ex,
            },
        }
    }
}

impl CipherContext {
    /// A context without a key.
    pub fn new(
        libcrypto: &'static Libcrypto,
        name: &'static CStr,
        operation: Operation,
        settings: Settings,
    ) -> Result<Self, CreateError> {
        let cipher = fetch(libcrypto, name).map_err(|error| libcrypto.not_there(name, error))?;
        // SAFETY: the cipher is alive.
        let [key_bytes, iv_bytes, block_bytes] = unsafe {
            [
                (libcrypto.EVP_CIPHER_get_key_length)(cipher.as_ptr()),
                (libcrypto.EVP_CIPHER_get_iv_length)(cipher.as_ptr()),
                (libcrypto.EVP_CIPHER_get_block_size)(cipher.as_ptr()),
            ]
        }
        .map(|bytes| bytes as usize);
        let nonce_bytes = match settings {
            Settings::Lengths { nonce_bytes, .. } => nonce_bytes,
            _ => iv_bytes,
        };
        Ok(Self {
            libcrypto,
            name,
            cipher,
            context: new_context(libcrypto).map_err(|error| libcrypto.failed(error))?,
            is_new: true,
            settings,
            direction: Direction::of(operation, libcrypto),
            key_bytes,
            nonce_bytes,
            block_bytes,
        })
    }

    /// As [`Function::renew`]; when nothing new can be had the old stays.
    pub fn renew(&mut self, what: Renewed) -> Result<(), CallError> {
        if what == Renewed::Algorithm {
            self.cipher = fetch(self.libcrypto, self.name)?;
        }
        self.context = new_context(self.libcrypto)?;
        self.is_new = true;
        Ok(())
    }

    /// Sets the key zero, so that there is no state without one.
    pub fn set_zero_key(&mut self) -> Result<(), CallError> {
        self.set_key(&vec![0; self.key_bytes])
    }

    pub fn set_key(&mut self, key: &[u8]) -> Result<(), CallError> {
        checks::check_length(key.len(), self.key_bytes)?;
        if !self.is_new {
            return self.init(ptr::null(), Some(key), None, None);
        }
        self.set_first_key(key)?;
        self.is_new = false;
        Ok(())
    }

    /// Gives a new context its cipher, its settings and a key.
    fn set_first_key(&mut self, key: &[u8]) -> Result<(), CallError> {
        let cipher = self.cipher.as_ptr().cast_const();
        match self.settings {
            Settings::Usual => self.init(cipher, Some(key), None, None),
            Settings::Unpadded => {
                let off: c_uint = 0;
                let padding = Parameters::one(Parameter::unsigned(c"padding", &off));
                self.init(cipher, Some(key), None, Some(&padding))
            }
            // The key schedule of CCM depends on both, so they come before the key.
            Settings::Lengths { nonce_bytes, tag_bytes } => {
                let nonce = Parameter::size(c"ivlen", &nonce_bytes);
                let lengths = match tag_bytes {
                    Some(bytes) => Parameters::two(nonce, Parameter::length(c"tag", bytes)),
                    None => Parameters::one(nonce),
                };
                self.init(cipher, None, None, Some(&lengths))?;
                self.init(ptr::null(), Some(key), None, None)
            }
        }
    }

    /// Starts a message under the kept key.
    pub fn start(
        &mut self,
        nonce: &[u8],
        parameters: Option<&Parameters<'_>>,
    ) -> Result<(), CallError> {
        checks::check_length(nonce.len(), self.nonce_bytes)?;
        if self.is_new {
            return Err(CallError::Unsupported);
        }
        self.init(ptr::null(), None, Some(nonce), parameters)
    }

    /// The one initialising call; what is `None` or null stays as it is. Key and nonce must have
    /// the cipher's lengths.
    fn init(
        &mut self,
        cipher: *const EVP_CIPHER,
        key: Option<&[u8]>,
        nonce: Option<&[u8]>,
        parameters: Option<&Parameters<'_>>,
    ) -> Result<(), CallError> {
        // SAFETY: libcrypto reads as many bytes of key and nonce as the cipher has, which is what
        // all callers pass, and the parameters' values are alive.
        let status = unsafe {
            (self.direction.init)(
                self.context.as_ptr(),
                cipher,
                key.map_or(ptr::null(), <[u8]>::as_ptr),
                nonce.map_or(ptr::null(), <[u8]>::as_ptr),
                parameters.map_or(ptr::null(), Parameters::as_ptr),
            )
        };
        self.libcrypto.called(status)
    }

    /// Takes the state of another context of the same cipher.
    pub fn copy_from(&mut self, other: &Self) -> Result<(), CallError> {
        if other.is_new {
            return Err(CallError::Unsupported);
        }
        // SAFETY: both contexts are alive, and are two.
        let status = unsafe {
            (self.libcrypto.EVP_CIPHER_CTX_copy)(self.context.as_ptr(), other.context.as_ptr())
        };
        self.libcrypto.called(status)
    }

    /// Tells how many bytes the message will have, which CCM asks for before associated data.
    pub fn tell_length(&mut self, bytes: usize) -> Result<(), CallError> {
        // SAFETY: without an input there is nothing to read or write.
        unsafe { self.update(ptr::null_mut(), ptr::null(), bytes) }.map(drop)
    }

    /// Takes associated data.
    pub fn authenticate(&mut self, data: &[u8]) -> Result<(), CallError> {
        // SAFETY: without an output nothing is written.
        unsafe { self.update(ptr::null_mut(), data.as_ptr(), data.len()) }.map(drop)
    }

    /// Turns `input`, given in one call even when empty, into as many bytes of `output`.
    pub fn transform_whole(&mut self, input: &[u8], output: &mut [u8]) -> Result<(), CallError> {
        checks::check_length(output.len(), input.len())?;
        // SAFETY: both have this length.
        let written = unsafe { self.update(output.as_mut_ptr(), input.as_ptr(), input.len()) }?;
        checks::check_length(written, output.len())
    }

    /// Turns `input` into `output`, which is as long, up to a part of a block that the context may
    /// keep back: returns what is left of `output`.
    #[inline]
    pub fn transform<'o>(
        &mut self,
        input: &[u8],
        cut: impl Cut,
        output: &'o mut [u8],
    ) -> Result<&'o mut [u8], CallError> {
        checks::check_length(output.len(), input.len())?;
        let mut rest = output;
        for piece in cut.pieces(input.len(), 1) {
            let piece = &input[piece];
            if piece.is_empty() {
                continue;
            }
            // SAFETY: without padding, no more has been written of this message than was given, so
            // that the rest has room for the piece and for what the context has kept back.
            let written = unsafe { self.update(rest.as_mut_ptr(), piece.as_ptr(), piece.len()) };
            // What was kept back would come out with the next message, for which nothing but a new
            // beginning makes OCB forget it.
            let written = written.inspect_err(|_| self.is_new = true)?;
            rest = rest.get_mut(written..).ok_or(CallError::Length)?;
        }
        Ok(rest)
    }

    /// Turns `text` in place.
    pub fn transform_in_place(&mut self, text: &mut [u8], cut: impl Cut) -> Result<(), CallError> {
        for piece in cut.pieces(text.len(), 1) {
            let piece = &mut text[piece];
            // SAFETY: input and output may be the same, and keystreams keep nothing back.
            let written = unsafe { self.update(piece.as_mut_ptr(), piece.as_ptr(), piece.len()) }?;
            checks::check_length(written, piece.len())?;
        }
        Ok(())
    }

    /// The one updating call; returns how many bytes it wrote.
    ///
    /// # Safety
    ///
    /// `input` has so many bytes or is null, and `output` has room for them and for what the
    /// context has kept back or is null.
    unsafe fn update(
        &mut self,
        output: *mut u8,
        input: *const u8,
        bytes: usize,
    ) -> Result<usize, CallError> {
        let bytes = c_int::try_from(bytes).map_err(|_| CallError::Length)?;
        let mut written = 0;
        let context = self.context.as_ptr();
        // SAFETY: the context is alive, and the caller vouches for the rest.
        let status =
            unsafe { (self.direction.update)(context, output, &mut written, input, bytes) };
        self.libcrypto.called(status)?;
        Ok(written as usize)
    }

    /// Ends the message with what was kept back of it, whose length is that of `rest`; false when
    /// an opened tag is wrong.
    #[inline]
    pub fn finish(&mut self, rest: &mut [u8]) -> Result<bool, CallError> {
        // Not cleared, as that would be done by vector instructions.
        let mut block = [const { MaybeUninit::<u8>::uninit() }; MAX_BLOCK_BYTES];
        let mut written = 0;
        let context = self.context.as_ptr();
        // SAFETY: the context is alive, and a final call writes at most one block.
        let status =
            unsafe { (self.direction.finish)(context, block.as_mut_ptr().cast(), &mut written) };
        if status <= 0 {
            return Ok(false);
        }
        checks::check_length(written as usize, rest.len())?;
        // To copy nothing is a call all the same.
        if !rest.is_empty() {
            // SAFETY: the final call says that it has written so many bytes, as many as the rest has.
            unsafe {
                ptr::copy_nonoverlapping(block.as_ptr().cast(), rest.as_mut_ptr(), rest.len())
            };
        }
        Ok(true)
    }

    /// Ends a message that has no tag to check.
    pub fn finish_unchecked(&mut self, rest: &mut [u8]) -> Result<(), CallError> {
        match self.finish(rest)? {
            true => Ok(()),
            false => self.libcrypto.called(0),
        }
    }

    /// Asks for a value.
    pub fn ask(&mut self, answer: &mut Answer, value: &mut [u8]) -> Result<(), CallError> {
        let context = self.context.as_ptr();
        // SAFETY: the context is alive; so is the value, and the list says how long it is.
        let status =
            unsafe { (self.libcrypto.EVP_CIPHER_CTX_get_params)(context, answer.into(value)) };
        self.libcrypto.called(status)
    }
}

fn fetch(libcrypto: &Libcrypto, name: &CStr) -> Result<Owned<EVP_CIPHER>, CallError> {
    // SAFETY: the two functions belong to this type.
    unsafe { libcrypto.fetch(libcrypto.EVP_CIPHER_fetch, libcrypto.EVP_CIPHER_free, name) }
}

fn new_context(libcrypto: &Libcrypto) -> Result<Owned<EVP_CIPHER_CTX>, CallError> {
    // SAFETY: the new context is ours.
    unsafe { libcrypto.own((libcrypto.EVP_CIPHER_CTX_new)(), libcrypto.EVP_CIPHER_CTX_free) }
}
