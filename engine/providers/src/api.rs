//! The interface between the engine and a library.

use std::ffi::{c_int, c_void};
use std::fmt;
use std::marker::PhantomData;
use std::path::Path;

pub use ciphermark_record::description::{BackendEvidence, Implementation};
pub use ciphermark_record::plan::{Operation, Pattern};

use ciphermark_kernels::abi;
use ciphermark_record::description::Algorithm;
use ciphermark_record::suite::Framing;

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
    /// How features of the processor are hidden from it; absent where it cannot be told.
    pub switches: Option<Switches>,
}

/// How features of the processor are hidden from a library, which reads its switch when it is
/// opened.
pub struct Switches {
    /// The environment variable that the library reads or, where the library is told by a call,
    /// its provider: `CIPHERMARK_<PROVIDER>_OFF`.
    pub variable: &'static str,
    /// What it can be told to leave alone, by the names of [`crate::features`].
    pub features: &'static [&'static str],
    /// The variable's value that hides these.
    pub hiding: fn(&[&str]) -> String,
}

pub type Opened = Result<Box<dyn Provider>, Unusable>;

/// A library that was opened and can be called, from several threads at once: what they share is the
/// library's own, and each function is one thread's.
pub trait Provider: Send + Sync {
    /// Which library was opened, as it tells itself.
    fn library(&self) -> Library;

    /// All that this library can do here.
    fn implementations(&self) -> Vec<Implementation>;

    /// Makes a function ready for [`Function::set_key`] or, for a hash, for the first message.
    ///
    /// All that a good caller does once is done here: algorithms fetched, contexts allocated.
    fn create(&self, request: &Request<'_>) -> Result<Box<dyn Function>, CreateError>;

    /// Makes a function that takes `lanes` messages in one call, under `keys` keys: message n is under
    /// key n modulo so many, unless [`Lanes::process_under`] says otherwise.
    fn create_lanes(
        &self,
        _request: &Request<'_>,
        lanes: usize,
        _keys: usize,
    ) -> Result<Box<dyn Lanes>, CreateError> {
        Err(CreateError::Unsupported(format!("{lanes} messages per call")))
    }

    /// Makes a way to a device that works beside the calling core, with `keys` keys.
    fn create_device(
        &self,
        _request: &Request<'_>,
        _keys: usize,
    ) -> Result<Box<dyn Device>, CreateError> {
        Err(CreateError::Unsupported("work beside the calling core".into()))
    }
}

/// What is asked of [`Provider::create`].
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    pub algorithm: &'a str,
    pub backend: &'a str,
    /// The operation that [`Function::process`] shall do. For [`Operation::Setup`] it is the
    /// algorithm's sending side (seal, encrypt, mac), whose key schedule is what is timed.
    pub operation: Operation,
    /// Bytes of nonce or IV that messages will bring, when not the algorithm's usual number.
    pub nonce_bytes: Option<usize>,
    /// The parameters that make it another function than the one its name usually means, as test
    /// vectors have them: `sbox identity`.
    pub variant: Option<&'a str>,
    /// Whether messages will end within a byte.
    pub counts_bits: bool,
    /// Security associations that a suite holds; all other functions hold one key whatever this is.
    pub associations: usize,
}

impl<'a> Request<'a> {
    /// The function that is usually meant by the algorithm's name.
    pub fn usual(algorithm: &'a str, backend: &'a str, operation: Operation) -> Self {
        let (nonce_bytes, variant, counts_bits, associations) = (None, None, false, 1);
        Self { algorithm, backend, operation, nonce_bytes, variant, counts_bits, associations }
    }
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

    /// Checks a message that is processed later, and puts it into the form of the function's row.
    /// [`CallError::Unsupported`] where there is none between it and the library ([`Adapter::Direct`]).
    fn prepare<'a>(
        &mut self,
        _message: &Message<'a>,
        _output: &'a mut [u8],
    ) -> Result<Prepared<'a>, CallError> {
        Err(CallError::Unsupported)
    }

    /// As [`Function::process`], of a message that this function has prepared.
    fn process_prepared(&mut self, _prepared: &Prepared<'_>) -> Result<(), CallError> {
        Err(CallError::Unsupported)
    }

    /// The call that [`Function::process_prepared`] makes; absent where it does more than that call, and
    /// without a key.
    fn call(&mut self) -> Option<RowCall<'_>> {
        None
    }

    /// As [`Function::process`], with the input given to the library in several calls.
    fn process_parts(
        &mut self,
        _message: &Message<'_>,
        _parts: Parts,
        _output: &mut [u8],
    ) -> Result<(), CallError> {
        Err(CallError::Unsupported)
    }

    /// Gives back what is kept between messages and gets it anew, as a caller does who keeps
    /// nothing. The key has to be set afterwards.
    fn renew(&mut self, _what: Renewed) -> Result<(), CallError> {
        Err(CallError::Unsupported)
    }

    /// What lies between this and the library.
    fn adapter(&self) -> Adapter {
        Adapter::Direct
    }
}

/// What lies between a [`Function`] and the code that is measured. It costs some cycles a call, which
/// are measured with an empty function behind it and subtracted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Adapter {
    /// Nothing but the function: Rust that calls the library.
    Direct,
    /// A row of `kernels/include/kernel.h`: lengths are checked and a message in the form of C is
    /// written, for each call or before all. Where messages were prepared, the loop itself calls it.
    Row,
    /// Such a row, called by Rust that compares the tag.
    Compared,
}

/// How [`Function::process_parts`] gives a message to the library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parts {
    /// So many bytes at a time, the last chunk being shorter; whole blocks where messages are.
    Chunks(usize),
    /// A message of so many bytes that is one chunk again and again, the last time cut to what is
    /// left: [`Message::input`] is that chunk, of at least one byte unless the message is empty, for
    /// `verify` with the message's tag behind it. Only for operations that answer with a tag or a
    /// digest.
    Repeated(usize),
}

/// What [`Function::renew`] gets anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Renewed {
    /// The context, of an algorithm that is at hand. Libraries whose contexts are plain values of
    /// the caller do nothing.
    Context,
    /// The context, and the algorithm, which is looked up by its name. Only for libraries that
    /// have such a look-up.
    Algorithm,
}

/// One operation of one implementation that takes several messages in one call, under as many keys
/// or fewer.
pub trait Lanes: Send {
    /// Sets one of the keys, counted from 0, as [`Function::set_key`].
    fn set_key(&mut self, number: usize, key: &[u8]) -> Result<(), CallError>;

    /// Processes a message in each lane, as [`Function::process`]. There are as many messages and
    /// outputs as lanes; lengths may differ. [`CallError::Refused`] when any of the tags is wrong.
    fn process(
        &mut self,
        messages: &[Message<'_>],
        outputs: &mut [&mut [u8]],
    ) -> Result<(), CallError>;

    /// Checks messages that are processed later, as [`Function::prepare`], and puts them where they are
    /// called from. What was there before goes.
    fn prepare<'a>(
        &mut self,
        _messages: &mut dyn Iterator<Item = (Message<'a>, &'a mut [u8])>,
        _prepared: &mut PreparedLanes<'a>,
    ) -> Result<(), CallError> {
        Err(CallError::Unsupported)
    }

    /// As [`Lanes::process`], of as many messages as lanes that were prepared here: those from the one of
    /// this number on.
    fn process_prepared(
        &mut self,
        _prepared: &PreparedLanes<'_>,
        _first: usize,
    ) -> Result<(), CallError> {
        Err(CallError::Unsupported)
    }

    /// As [`Lanes::process`], with at most as many messages as lanes, each under the key of the number
    /// that `keys` has for it.
    fn process_under(
        &mut self,
        keys: &[u32],
        messages: &[Message<'_>],
        outputs: &mut [&mut [u8]],
    ) -> Result<(), CallError>;

    /// As [`Function::adapter`].
    fn adapter(&self) -> Adapter {
        Adapter::Direct
    }
}

/// One operation of one implementation on a device that works beside the calling core: messages are
/// submitted, and their answers collected later.
pub trait Device: Send {
    /// Where the work is done, as people read it: `CPU of pocl, cpu-znver3`.
    fn place(&self) -> String;

    fn capacities(&self) -> Capacities;

    /// Sets one of the keys, counted from 0, as [`Function::set_key`]. Nothing is under way then.
    fn set_key(&mut self, number: usize, key: &[u8]) -> Result<(), CallError>;

    /// Hands messages over, each under the key of the number that `keys` has for it, and goes on. The
    /// device has copied the messages, or has read them, when this returns. `output_bytes` are the
    /// lengths of the answers.
    fn submit(
        &mut self,
        keys: &[u32],
        messages: &[Message<'_>],
        output_bytes: &[usize],
    ) -> Result<Ticket, CallError>;

    /// Whether the answers to a submission are there; does not wait.
    fn poll(&mut self, ticket: Ticket) -> Result<bool, CallError>;

    /// Waits for the answers to a submission, asleep where the device can wake the caller, and copies
    /// them. [`CallError::Refused`] when any of the tags is wrong. The ticket is spent, whatever is
    /// returned.
    fn collect(
        &mut self,
        ticket: Ticket,
        outputs: &mut [&mut [u8]],
    ) -> Result<DeviceTimes, CallError>;
}

/// What a device takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capacities {
    /// Messages of one submission.
    pub messages: usize,
    /// Submissions that may be under way at once.
    pub in_flight: usize,
    /// Bytes of all messages of one submission, and of all answers.
    pub bytes: usize,
}

/// A submission that is under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Ticket(pub u64);

/// What a device tells of one submission, nanoseconds; absent what it does not tell.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DeviceTimes {
    /// Messages to the device.
    pub in_ns: Option<f64>,
    pub compute_ns: Option<f64>,
    /// Answers back.
    pub out_ns: Option<f64>,
}

/// One message as it is given to [`Function::process`].
#[derive(Clone, Copy, Debug, Default)]
pub struct Message<'a> {
    /// Nonce or IV; empty for functions without one.
    pub nonce: &'a [u8],
    /// Associated data of an AEAD.
    pub aad: &'a [u8],
    pub input: &'a [u8],
    /// Low bits of the last byte of input that are no part of the message: 0 where not asked for
    /// with [`Request::counts_bits`].
    pub unused_bits: u8,
}

impl<'a> Message<'a> {
    /// A message of whole bytes without associated data.
    #[inline]
    pub fn new(nonce: &'a [u8], input: &'a [u8]) -> Self {
        Self { nonce, aad: &[], input, unused_bits: 0 }
    }
}

/// A message that was checked by the lengths of one function's context, in the form of its row of
/// kernel.h. As long as it lives, its bytes are there and its output is nobody else's.
pub struct Prepared<'a> {
    pub(crate) message: abi::Message,
    /// The number of the context.
    pub(crate) context: u64,
    pub(crate) bytes: PhantomData<&'a mut [u8]>,
}

/// Messages that were checked by one [`Lanes`], as [`Prepared`], one after the other.
#[derive(Default)]
pub struct PreparedLanes<'a> {
    pub(crate) messages: Vec<abi::Message>,
    /// The number of the first context.
    pub(crate) context: u64,
    pub(crate) bytes: PhantomData<&'a mut [u8]>,
}

impl PreparedLanes<'_> {
    pub fn is_empty(&self) -> bool {
        self.messages.is_empty()
    }

    /// The same memory without messages, for others that live for another time.
    pub fn emptied<'b>(mut self) -> PreparedLanes<'b> {
        self.messages.clear();
        PreparedLanes { messages: self.messages, context: 0, bytes: PhantomData }
    }
}

/// A row's call but for the message: all that stays the same from one message to the next. The context has
/// a key.
pub struct RowCall<'c> {
    pub(crate) process: abi::Process,
    pub(crate) row: &'c abi::Function,
    pub(crate) memory: *mut c_void,
    /// The number of the context.
    pub(crate) context: u64,
}

impl RowCall<'_> {
    /// Processes one message. [`CallError::Unsupported`] unless it was prepared for this context.
    #[inline(always)]
    pub fn process(&mut self, prepared: &Prepared<'_>) -> Result<(), CallError> {
        if prepared.context != self.context {
            return Err(CallError::Unsupported);
        }
        // SAFETY: the context has a key, and is borrowed; its lengths were checked when the message was
        // prepared, which keeps the bytes alive and the output apart from the rest.
        done(unsafe { (self.process)(self.row, self.memory, &prepared.message) })
    }
}

/// What a row's call answers.
#[inline]
pub(crate) fn done(status: c_int) -> Result<(), CallError> {
    match status {
        abi::DONE => Ok(()),
        abi::REFUSED => Err(CallError::Refused),
        abi::UNSUPPORTED => Err(CallError::Unsupported),
        abi::BAD_KEY | abi::BAD_NONCE | abi::BAD_INPUT | abi::BAD_OUTPUT => Err(CallError::Length),
        code => Err(CallError::Library(code.into())),
    }
}

/// How much longer a message is when it was sent: by its tag, or by all that a suite's protocol adds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expansion {
    Tag(usize),
    Framing(Framing),
}

impl Expansion {
    pub fn of(algorithm: &Algorithm) -> Self {
        match &algorithm.suite {
            Some(suite) => Self::Framing(suite.framing),
            None => Self::Tag(algorithm.tag_bytes as usize),
        }
    }

    /// Bytes of a message that was sealed.
    #[inline]
    pub fn sealed_bytes(self, message_bytes: usize) -> usize {
        match self {
            Self::Tag(tag_bytes) => message_bytes + tag_bytes,
            Self::Framing(framing) => framing.sealed_bytes(message_bytes),
        }
    }

    /// Bytes of a tag that stands by itself.
    fn tag_bytes(self) -> usize {
        match self {
            Self::Tag(tag_bytes) => tag_bytes,
            Self::Framing(framing) => framing.icv_bytes as usize,
        }
    }
}

/// Length of the answer to a message of `message_bytes`.
pub fn output_bytes(operation: Operation, message_bytes: usize, expansion: Expansion) -> usize {
    match operation {
        // What a key setup leaves behind is checked with one message of the sending side.
        Operation::Seal | Operation::Setup => expansion.sealed_bytes(message_bytes),
        Operation::Mac | Operation::Digest => expansion.tag_bytes(),
        Operation::Verify => 0,
        Operation::Open | Operation::Encrypt | Operation::Decrypt | Operation::Keystream => {
            message_bytes
        }
    }
}

/// Length of the input that carries a message of `message_bytes`.
pub fn input_bytes(operation: Operation, message_bytes: usize, expansion: Expansion) -> usize {
    match operation {
        Operation::Open | Operation::Verify => expansion.sealed_bytes(message_bytes),
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
    /// The function cannot be called in this way.
    Unsupported,
}

impl fmt::Display for CallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CallError::Refused => f.write_str("the tag was refused"),
            CallError::Library(code) => write!(f, "the library returned error {code}"),
            CallError::Length => f.write_str("a length that the function does not have"),
            CallError::Unsupported => f.write_str("the function cannot be called in this way"),
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
