//! The interface between the engine and a library.

use std::fmt;
use std::path::Path;

pub use ciphermark_record::description::{BackendEvidence, Implementation};
pub use ciphermark_record::plan::{Operation, Pattern};

/// One line of the registry.
pub struct Registration {
    /// Name in plans, rows and options: `openssl`.
    pub name: &'static str,
    /// Name as people write it: `OpenSSL`.
    pub title: &'static str,
    /// Opens the library: the installed one, or the one at the path given.
    pub open: fn(Option<&Path>) -> Opened,
    /// Whether `list` and default plans show it; the empty provider is for checks of the harness.
    pub listed: bool,
}

pub type Opened = Result<Box<dyn Provider>, Unusable>;

/// A library that was opened and can be called.
pub trait Provider {
    /// Which library was opened, as it tells itself.
    fn library(&self) -> Library;

    /// All that this library can do here.
    fn implementations(&self) -> Vec<Implementation>;

    /// Makes a function ready for [`Function::set_key`] or, for a hash, for the first message.
    ///
    /// All that a good caller does once is done here: algorithms fetched, contexts allocated.
    fn create(&self, request: &Request<'_>) -> Result<Box<dyn Function>, CreateError>;
}

/// What is asked of [`Provider::create`].
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    pub algorithm: &'a str,
    pub backend: &'a str,
    /// The operation that [`Function::process`] shall do. For [`Operation::Setup`] it is the
    /// algorithm's sending side (seal, encrypt, mac), whose key schedule is what is timed.
    pub operation: Operation,
    pub pattern: Pattern,
    /// Bytes of nonce or IV that messages will bring, when not the algorithm's usual number.
    pub nonce_bytes: Option<usize>,
}

/// One operation of one implementation, with its contexts.
pub trait Function: Send {
    /// Sets the key: from its bytes to a context ready for the first message. Hashes take an
    /// empty key.
    fn set_key(&mut self, key: &[u8]) -> Result<(), CallError>;

    /// Processes one message.
    ///
    /// | operation | `message.input` | `output` |
    /// |---|---|---|
    /// | seal | plaintext | ciphertext, then tag |
    /// | open | ciphertext, then tag | plaintext; [`CallError::Refused`] when the tag is wrong |
    /// | encrypt, decrypt | whole blocks for CBC, any length for CTR | as many bytes |
    /// | mac | message | tag |
    /// | verify | message, then tag | nothing; [`CallError::Refused`] when the tag is wrong |
    /// | digest | message | digest |
    /// | keystream | nothing | as many bytes of keystream as `output` has |
    ///
    /// `output` has exactly the length of the answer, see [`output_bytes`].
    fn process(&mut self, message: &Message<'_>, output: &mut [u8]) -> Result<(), CallError>;
}

/// One message as it is given to [`Function::process`].
#[derive(Clone, Copy, Debug, Default)]
pub struct Message<'a> {
    /// Nonce or IV; empty for functions without one.
    pub nonce: &'a [u8],
    /// Associated data of an AEAD.
    pub aad: &'a [u8],
    pub input: &'a [u8],
}

/// Length of the answer to a message of `message_bytes`.
pub fn output_bytes(operation: Operation, message_bytes: usize, tag_bytes: usize) -> usize {
    match operation {
        Operation::Seal => message_bytes + tag_bytes,
        Operation::Mac | Operation::Digest => tag_bytes,
        Operation::Verify => 0,
        Operation::Open | Operation::Encrypt | Operation::Decrypt | Operation::Keystream => {
            message_bytes
        }
        // What a key setup leaves behind is checked with one message of the sending side.
        Operation::Setup => message_bytes + tag_bytes,
    }
}

/// Length of the input that carries a message of `message_bytes`.
pub fn input_bytes(operation: Operation, message_bytes: usize, tag_bytes: usize) -> usize {
    match operation {
        Operation::Open | Operation::Verify => message_bytes + tag_bytes,
        Operation::Keystream => 0,
        _ => message_bytes,
    }
}

/// What was opened.
#[derive(Clone, Debug)]
pub struct Library {
    pub version: String,
    /// Path of the file, or `compiled into the engine`.
    pub location: String,
    /// Build options and CPU settings as the library reports them.
    pub build: String,
}

/// The library cannot be used; a sentence that says why and what to type.
#[derive(Clone, Debug)]
pub struct Unusable(pub String);

impl fmt::Display for Unusable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The function cannot be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CreateError {
    /// The library does not have this; names the parameter: `a nonce of 8 bytes`.
    Unsupported(String),
    /// The library has it and failed; its own words.
    Failed(String),
}

/// A call failed. Small on purpose: it is returned from timed code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallError {
    /// The tag is wrong.
    Refused,
    /// The library returned this error code.
    Library(i64),
    /// A length that the function does not have.
    Length,
}

impl fmt::Display for CallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CallError::Refused => f.write_str("the tag was refused"),
            CallError::Library(code) => write!(f, "the library returned error {code}"),
            CallError::Length => f.write_str("a length that the function does not have"),
        }
    }
}

impl fmt::Display for CreateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CreateError::Unsupported(what) => write!(f, "not supported: {what}"),
            CreateError::Failed(what) => f.write_str(what),
        }
    }
}
