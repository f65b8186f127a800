//! A kernel that is safe to call.

use alloc::vec;
use alloc::vec::Vec;
use core::ffi::{c_int, c_void};
use core::fmt;

use zeroize::Zeroize;

use crate::abi::{self, Function};
use crate::table::listed;

unsafe extern "C" {
    fn ciphermark_set_key(
        kernel: *const Function,
        context: *mut c_void,
        key: *const u8,
        key_bytes: usize,
    ) -> c_int;
    fn ciphermark_process(
        kernel: *const Function,
        context: *mut c_void,
        message: *const abi::Message,
    ) -> c_int;
    fn ciphermark_process_chunks(
        kernel: *const Function,
        context: *mut c_void,
        message: *const abi::Message,
        chunk_bytes: usize,
    ) -> c_int;
}

/// What a kernel does with a message, see [`Kernel::process`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Operation {
    Seal = abi::SEAL,
    Open = abi::OPEN,
    Encrypt = abi::ENCRYPT,
    Decrypt = abi::DECRYPT,
    Mac = abi::MAC,
    Digest = abi::DIGEST,
    Keystream = abi::KEYSTREAM,
}

/// One message.
#[derive(Clone, Copy, Debug, Default)]
pub struct Message<'a> {
    /// Nonce or IV; empty for functions without one.
    pub nonce: &'a [u8],
    /// Associated data of an AEAD.
    pub aad: &'a [u8],
    pub input: &'a [u8],
    /// Low bits of the last byte of input that are no part of the message, 0 to 7.
    pub unused_bits: u8,
}

impl Message<'_> {
    /// As the C is given it, with an input that is where the output is if there is none.
    pub(crate) fn raw(&self, input: Option<&[u8]>, output: &mut [u8]) -> abi::Message {
        let (output, output_bytes) = (output.as_mut_ptr(), output.len());
        let in_place = (output.cast_const(), output_bytes);
        let (input, input_bytes) = input.map_or(in_place, |it| (it.as_ptr(), it.len()));
        abi::Message {
            nonce: self.nonce.as_ptr(),
            nonce_bytes: self.nonce.len(),
            aad: self.aad.as_ptr(),
            aad_bytes: self.aad.len(),
            input,
            input_bytes,
            output,
            output_bytes,
            unused_bits: self.unused_bits.into(),
            repeats: 0,
        }
    }
}

/// Why a call did nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The tag is wrong; the output is zeros.
    Tag,
    /// The function has no such key, or none was set.
    Key,
    /// The function has no nonces of that length, or a number in it is out of range.
    Nonce,
    /// The message is too short, too long, or not of whole blocks.
    Input,
    /// The answer has another length.
    Output,
    /// The output is where the input is, which only that of a cipher can be.
    Buffer,
}

/// One operation of one algorithm by one backend, with its context.
#[derive(Clone)]
pub struct Kernel {
    function: Function,
    context: Vec<Unit>,
    has_key: bool,
}

/// Contexts are made of these, so that they are aligned as all kernels want it.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct Unit([u8; Unit::BYTES]);

impl Unit {
    pub(crate) const BYTES: usize = 64;
}

impl Default for Unit {
    fn default() -> Self {
        Self([0; Self::BYTES])
    }
}

impl Zeroize for Unit {
    fn zeroize(&mut self) {
        self.0.zeroize();
    }
}

impl Kernel {
    /// The kernel of an algorithm by its canonical name, by a backend or by the default one.
    ///
    /// Absent where there is none, or where this processor cannot run it.
    pub fn new(algorithm: &str, operation: Operation, backend: Option<&str>) -> Option<Self> {
        let wanted = |row: &Function| backend.is_none_or(|backend| row.backend() == Some(backend));
        rows_of(algorithm, operation).find(wanted).map(Self::from_row)
    }

    /// The kernel for [`process_lanes`](crate::process_lanes): the first backend that takes many
    /// messages in one call, or else the default one.
    pub fn for_lanes(algorithm: &str, operation: Operation) -> Option<Self> {
        let takes_many = |row: &Function| row.process_lanes.is_some();
        let row = rows_of(algorithm, operation).find(takes_many);
        row.or_else(|| rows_of(algorithm, operation).next()).map(Self::from_row)
    }

    /// The kernel of a row of [`rows`](crate::rows).
    pub fn from_row(function: Function) -> Self {
        assert!(function.context_alignment <= align_of::<Unit>(), "{}", function.algorithm());
        let context = vec![Unit::default(); function.context_bytes.div_ceil(size_of::<Unit>())];
        let has_key = function.set_key.is_none();
        Self { function, context, has_key }
    }

    /// The table's row: sizes, and what is stated of its time.
    pub fn function(&self) -> &Function {
        &self.function
    }

    /// Sets the key, for all messages until the next one.
    pub fn set_key(&mut self, key: &[u8]) -> Result<(), Refusal> {
        let context = self.context.as_mut_ptr().cast();
        // SAFETY: the context is as the row wants it, and the key has so many bytes.
        called(unsafe { ciphermark_set_key(&self.function, context, key.as_ptr(), key.len()) })?;
        self.has_key = true;
        Ok(())
    }

    /// Processes one message.
    ///
    /// | operation | `message.input` | `output` |
    /// |---|---|---|
    /// | seal | plaintext | ciphertext, then tag |
    /// | open | ciphertext, then tag | plaintext |
    /// | encrypt, decrypt | text | as many bytes |
    /// | mac, digest | message | tag, digest |
    /// | keystream | nothing | as many bytes of keystream as it has |
    pub fn process(&mut self, message: &Message<'_>, output: &mut [u8]) -> Result<(), Refusal> {
        self.run(message, Some(message.input), output, None)
    }

    /// As [`Kernel::process`], with the message given to the kernel `chunk_bytes` at a time, the
    /// last chunk being shorter.
    ///
    /// [`Refusal::Input`] also where it takes whole messages only, and for chunks of no bytes or
    /// not of whole blocks.
    pub fn process_chunks(
        &mut self,
        message: &Message<'_>,
        output: &mut [u8],
        chunk_bytes: usize,
    ) -> Result<(), Refusal> {
        self.run(message, Some(message.input), output, Some(chunk_bytes))
    }

    /// Encrypts or decrypts where the text is; `message.input` is not looked at. Other operations
    /// are refused.
    pub fn process_in_place(
        &mut self,
        message: &Message<'_>,
        text: &mut [u8],
    ) -> Result<(), Refusal> {
        self.run(message, None, text, None)
    }

    /// Whether a key was set, or none is needed.
    pub(crate) fn has_key(&self) -> bool {
        self.has_key
    }

    /// The context, which calls of the C may read.
    pub(crate) fn context(&self) -> *const c_void {
        self.context.as_ptr().cast()
    }

    /// Becomes as another kernel of the same row.
    pub(crate) fn assume(&mut self, other: &Kernel) {
        self.context.copy_from_slice(&other.context);
        self.has_key = other.has_key;
    }

    /// The row and the context, for calls of the C that need a key; absent before there is one.
    pub(crate) fn keyed(&mut self) -> Option<(&Function, *mut c_void)> {
        self.has_key.then(|| (&self.function, self.context.as_mut_ptr().cast()))
    }

    /// Without an input, where the output is.
    pub(crate) fn run(
        &mut self,
        message: &Message<'_>,
        input: Option<&[u8]>,
        output: &mut [u8],
        chunk_bytes: Option<usize>,
    ) -> Result<(), Refusal> {
        if !self.has_key {
            return Err(Refusal::Key);
        }
        let message = message.raw(input, output);
        let context = self.context.as_mut_ptr().cast();
        // SAFETY: the context is the row's own and has a key; the borrows keep all bytes alive;
        // lengths are checked by the calls, and that an output where the input is is a cipher's.
        called(unsafe {
            match chunk_bytes {
                None => ciphermark_process(&self.function, context, &message),
                Some(bytes) => ciphermark_process_chunks(&self.function, context, &message, bytes),
            }
        })
    }
}

/// The rows of an algorithm as it is usually meant, the default first.
fn rows_of(algorithm: &str, operation: Operation) -> impl Iterator<Item = Function> {
    listed().filter(move |row| {
        row.algorithm() == algorithm && row.operation == operation as u32 && row.variant().is_none()
    })
}

impl Drop for Kernel {
    fn drop(&mut self) {
        self.context.zeroize();
    }
}

pub(crate) fn called(status: c_int) -> Result<(), Refusal> {
    match status {
        abi::DONE => Ok(()),
        abi::REFUSED => Err(Refusal::Tag),
        abi::BAD_KEY => Err(Refusal::Key),
        abi::BAD_NONCE => Err(Refusal::Nonce),
        abi::BAD_INPUT => Err(Refusal::Input),
        abi::BAD_OUTPUT => Err(Refusal::Output),
        abi::BAD_BUFFER => Err(Refusal::Buffer),
        other => unreachable!("kernels have no error {other}"),
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Refusal::Tag => "the tag is wrong",
            Refusal::Key => "the function has no key, or does not take this one",
            Refusal::Nonce => "the nonce has a length or a number that the function does not have",
            Refusal::Input => "the message has a length that the function does not have",
            Refusal::Output => "the output has another length than the answer",
            Refusal::Buffer => "the output is where the input is, and the function is no cipher",
        })
    }
}

impl core::error::Error for Refusal {}
