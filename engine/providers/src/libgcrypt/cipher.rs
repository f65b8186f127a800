//! Ciphers without authentication: block modes and stream ciphers, and the handle that
//! authenticated encryption shares with them.

use std::ffi::{c_int, c_uint, c_void};
use std::ptr;

use ciphermark_algorithms::Algorithm;
use ciphermark_record::description::Kind;

use super::functions::{
    Give, Libgcrypt, RESET, Status, Transform, called, gcry_cipher_handle as Handle, reopen,
};
use crate::api::*;
use crate::checks;
use crate::pieces::{Chunks, Cut, FunctionInPieces};
use crate::shared_library::Owned;

/// A mode without authentication, with its number in `enum gcry_cipher_modes`.
#[derive(Clone, Copy)]
pub enum Mode {
    Ecb = 1,
    Cbc = 3,
    Stream = 4,
    Ctr = 6,
}

/// `enum gcry_cipher_flags`
#[derive(Clone, Copy)]
pub enum Flags {
    /// Keys need no memory that is locked.
    None = 0,
    /// Of CBC, only the last block is written.
    CbcMac = 8,
}

/// A cipher's handle, for one direction.
pub struct CipherHandle {
    pub libgcrypt: &'static Libgcrypt,
    handle: Owned<Handle>,
    numbers: Numbers,
    /// A handle that was opened anew has none, and some modes would then jump to nowhere.
    has_key: bool,
    transform: Transform,
    key_bytes: usize,
    pub nonce_bytes: usize,
}

/// What a handle is opened by: algorithm, mode and flags.
type Numbers = (c_int, c_int, Flags);

fn open(libgcrypt: &Libgcrypt, (algorithm, mode, flags): Numbers) -> Result<Owned<Handle>, Status> {
    let open = |handle: *mut _| {
        // SAFETY: there is room for the handle.
        unsafe { (libgcrypt.gcry_cipher_open)(handle, algorithm, mode, flags as c_uint) }
    };
    // SAFETY: these two make and close ciphers' handles.
    unsafe { Libgcrypt::open(open, libgcrypt.gcry_cipher_close) }
}

impl CipherHandle {
    /// A handle with the key zero, so that there is no state without one.
    pub fn new(
        libgcrypt: &'static Libgcrypt,
        algorithm: c_int,
        mode: c_int,
        flags: Flags,
        facts: &Algorithm,
        request: &Request<'_>,
    ) -> Result<Self, CreateError> {
        let numbers = (algorithm, mode, flags);
        let handle = libgcrypt.opened(open(libgcrypt, numbers))?;
        let transform = match request.operation {
            Operation::Open | Operation::Decrypt => libgcrypt.gcry_cipher_decrypt,
            _ => libgcrypt.gcry_cipher_encrypt,
        };
        let (key_bytes, nonce_bytes) = (facts.key_bytes as usize, facts.nonce_bytes as usize);
        let has_key = true;
        let new = Self { libgcrypt, handle, numbers, has_key, transform, key_bytes, nonce_bytes };
        libgcrypt.created(new.give(libgcrypt.gcry_cipher_setkey, &vec![0; key_bytes]))?;
        Ok(new)
    }

    pub fn set_key(&mut self, key: &[u8]) -> Result<(), CallError> {
        checks::check_length(key.len(), self.key_bytes)?;
        called(self.give(self.libgcrypt.gcry_cipher_setkey, key))?;
        self.has_key = true;
        Ok(())
    }

    pub fn renew(&mut self, what: Renewed) -> Result<(), CallError> {
        reopen(what, &mut self.handle, || open(self.libgcrypt, self.numbers))?;
        self.has_key = false;
        Ok(())
    }

    /// Refuses messages before the key.
    pub fn check_key(&self) -> Result<(), CallError> {
        if self.has_key { Ok(()) } else { Err(CallError::Unsupported) }
    }

    /// Calls one of the functions that read bytes.
    pub fn give(&self, function: Give<Handle>, bytes: &[u8]) -> Status {
        // SAFETY: the handle is alive, and the function reads so many bytes.
        unsafe { function(self.handle.as_ptr(), bytes.as_ptr().cast(), bytes.len()) }
    }

    /// A command without data.
    pub fn control(&self, command: c_int) -> Status {
        // SAFETY: the commands that are given take no data.
        unsafe {
            (self.libgcrypt.gcry_cipher_ctl)(self.handle.as_ptr(), command, ptr::null_mut(), 0)
        }
    }

    /// A command that reads an array.
    pub fn control_with<T>(&self, command: c_int, data: &[T]) -> Status {
        let data_pointer = data.as_ptr().cast_mut().cast();
        // SAFETY: the commands that are given only read, and the array has so many bytes.
        unsafe {
            (self.libgcrypt.gcry_cipher_ctl)(
                self.handle.as_ptr(),
                command,
                data_pointer,
                size_of_val(data),
            )
        }
    }

    /// Turns `input` into as many bytes of `output`.
    pub fn transform(&mut self, input: &[u8], output: &mut [u8]) -> Result<(), CallError> {
        checks::check_length(output.len(), input.len())?;
        self.transform_from(input.as_ptr().cast(), input.len(), output)
    }

    /// Turns `input` into its last block alone, see [`Flags::CbcMac`].
    pub fn last_block(&mut self, input: &[u8], block: &mut [u8]) -> Result<(), CallError> {
        self.transform_from(input.as_ptr().cast(), input.len(), block)
    }

    /// Turns what `output` holds.
    fn transform_in_place(&mut self, output: &mut [u8]) -> Result<(), CallError> {
        self.transform_from(ptr::null(), 0, output)
    }

    fn transform_from(
        &mut self,
        input: *const c_void,
        input_bytes: usize,
        output: &mut [u8],
    ) -> Result<(), CallError> {
        let (room, bytes) = (output.as_mut_ptr().cast(), output.len());
        // SAFETY: the handle is alive; input is null, which means in place, or has so many bytes,
        // and libgcrypt writes no more than the output has.
        called(unsafe { (self.transform)(self.handle.as_ptr(), room, bytes, input, input_bytes) })
    }

    /// Writes the tag.
    pub fn tag(&mut self, tag: &mut [u8]) -> Result<(), CallError> {
        let function = self.libgcrypt.gcry_cipher_gettag;
        // SAFETY: the handle is alive, and the tag has so many bytes.
        called(unsafe { function(self.handle.as_ptr(), tag.as_mut_ptr().cast(), tag.len()) })
    }
}

/// Makes the function of `request.operation`.
pub fn create(
    libgcrypt: &'static Libgcrypt,
    algorithm: c_int,
    mode: Mode,
    facts: &Algorithm,
    request: &Request<'_>,
) -> Result<Box<dyn Function>, CreateError> {
    checks::check_nonce(request, facts.nonce_bytes as usize)?;
    let mode_number = mode as c_int;
    let handle = CipherHandle::new(libgcrypt, algorithm, mode_number, Flags::None, facts, request)?;
    let start = match mode {
        Mode::Ecb => Start::AtOnce,
        Mode::Ctr => Start::With(libgcrypt.gcry_cipher_setctr),
        Mode::Stream if facts.nonce_bytes == 0 => Start::Reset,
        Mode::Cbc | Mode::Stream => Start::With(libgcrypt.gcry_cipher_setiv),
    };
    let cipher = Cipher { handle, start, block_bytes: facts.block_bytes as usize };
    Ok(match facts.kind {
        Kind::Stream => Box::new(Keystream(cipher)),
        _ => Box::new(cipher),
    })
}

/// How a message is started under the kept key.
#[derive(Clone, Copy)]
enum Start {
    AtOnce,
    /// The state changes with every byte: back to that of the key.
    Reset,
    /// The function that takes the nonce.
    With(Give<Handle>),
}

struct Cipher {
    handle: CipherHandle,
    start: Start,
    block_bytes: usize,
}

impl Cipher {
    fn start(&mut self, nonce: &[u8]) -> Result<(), CallError> {
        checks::check_length(nonce.len(), self.handle.nonce_bytes)?;
        self.handle.check_key()?;
        match self.start {
            Start::AtOnce => Ok(()),
            Start::Reset => called(self.handle.control(RESET)),
            Start::With(function) => called(self.handle.give(function, nonce)),
        }
    }
}

impl FunctionInPieces for Cipher {
    fn set_key(&mut self, key: &[u8]) -> Result<(), CallError> {
        self.handle.set_key(key)
    }

    fn chunks(&self, chunk_bytes: usize) -> Result<Chunks, CallError> {
        Chunks::of(chunk_bytes, self.block_bytes)
    }

    fn process_pieces(
        &mut self,
        message: &Message<'_>,
        cut: impl Cut,
        output: &mut [u8],
    ) -> Result<(), CallError> {
        checks::check_blocks(message.input.len(), self.block_bytes)?;
        checks::check_length(output.len(), message.input.len())?;
        self.start(message.nonce)?;
        for piece in cut.pieces(output.len(), 1) {
            self.handle.transform(&message.input[piece.clone()], &mut output[piece])?;
        }
        Ok(())
    }

    fn renew(&mut self, what: Renewed) -> Result<(), CallError> {
        self.handle.renew(what)
    }
}

struct Keystream(Cipher);

impl FunctionInPieces for Keystream {
    fn set_key(&mut self, key: &[u8]) -> Result<(), CallError> {
        self.0.handle.set_key(key)
    }

    fn process_pieces(
        &mut self,
        message: &Message<'_>,
        cut: impl Cut,
        output: &mut [u8],
    ) -> Result<(), CallError> {
        checks::check_length(message.input.len(), 0)?;
        self.0.start(message.nonce)?;
        output.fill(0);
        for piece in cut.pieces(output.len(), 1) {
            self.0.handle.transform_in_place(&mut output[piece])?;
        }
        Ok(())
    }

    fn renew(&mut self, what: Renewed) -> Result<(), CallError> {
        self.0.handle.renew(what)
    }
}
