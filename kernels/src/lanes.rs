//! Many packets at once.

use alloc::vec::Vec;
use core::ffi::c_int;
use core::{fmt, ptr};

use crate::abi::{self, Function};
use crate::kernel::{Kernel, Message, Refusal, called};

unsafe extern "C" {
    fn ciphermark_check(kernel: *const Function, message: *const abi::Message) -> c_int;
}

/// A message with its key, and with the place of its answer.
pub struct Packet<'a> {
    key: &'a Kernel,
    message: Message<'a>,
    output: &'a mut [u8],
    is_in_place: bool,
}

/// Why no packet was processed; for a wrong tag see [`process_lanes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BatchError {
    /// There are no packets.
    Empty,
    /// The key of this packet is one of another function or backend than the first packet's.
    Function {
        /// Which packet, from 0.
        packet: usize,
    },
    /// This packet is the first that is refused.
    Packet {
        /// Which packet, from 0.
        packet: usize,
        /// Why it is.
        refusal: Refusal,
    },
    /// There is no memory for a list of the packets.
    Memory,
}

/// Processes packets, any number, in as few calls of the kernel as can be.
///
/// A kernel with a key is the prepared key of all packets that name it; several threads may use it
/// at once. All keys are of one function by one backend, which [`Kernel::for_lanes`] chooses. Where
/// that backend takes one message a time, the packets are processed one after the other.
///
/// Packets are checked before any is processed: with an error nothing is written. A tag alone can
/// be found to be wrong only later: then the error names the first packet with such a tag, the
/// outputs of all packets with one are zeros, and the others are as usual.
///
/// ```
/// use ciphermark_kernels::{Kernel, Message, Operation, Packet, process_lanes};
///
/// let mut key = Kernel::for_lanes("eea3", Operation::Encrypt).expect("it is there");
/// key.set_key(b"sixteen byte key").expect("of the right length");
/// // COUNT, BEARER and DIRECTION.
/// let nonces = [[0, 0, 0, 1, 12, 0], [0, 0, 0, 2, 12, 0]];
/// let nonce = |of: usize| Message { nonce: &nonces[of], ..Message::default() };
/// let (mut text, mut output) = (*b"in place", [0; 5]);
/// process_lanes(&mut [
///     Packet::in_place(&key, nonce(0), &mut text),
///     Packet::new(&key, Message { input: b"apart", ..nonce(1) }, &mut output),
/// ])?;
/// process_lanes(&mut [Packet::in_place(&key, nonce(0), &mut text)])?;
/// assert_eq!(text, *b"in place");
/// # Ok::<(), ciphermark_kernels::BatchError>(())
/// ```
pub fn process_lanes(packets: &mut [Packet<'_>]) -> Result<(), BatchError> {
    let first = packets.first().ok_or(BatchError::Empty)?.key;
    for (index, packet) in packets.iter_mut().enumerate() {
        packet.check(index, first.function())?;
    }
    // A call for many does not say which tag it is that is wrong.
    let opens = first.function().operation == abi::OPEN;
    match first.function().process_lanes {
        Some(process) if !opens => at_once(packets, first.function(), process),
        _ => one_by_one(packets, first.clone()),
    }
}

impl<'a> Packet<'a> {
    /// A message and the place of its answer, see [`Kernel::process`].
    pub fn new(key: &'a Kernel, message: Message<'a>, output: &'a mut [u8]) -> Self {
        Self { key, message, output, is_in_place: false }
    }

    /// A text that is encrypted or decrypted where it is, see [`Kernel::process_in_place`].
    pub fn in_place(key: &'a Kernel, message: Message<'a>, text: &'a mut [u8]) -> Self {
        Self { key, message, output: text, is_in_place: true }
    }

    fn check(&mut self, packet: usize, function: &Function) -> Result<(), BatchError> {
        if !is_same(self.key.function(), function) {
            return Err(BatchError::Function { packet });
        }
        let checked = match self.key.has_key() {
            // SAFETY: the borrows keep the message's bytes alive.
            true => called(unsafe { ciphermark_check(function, &self.raw()) }),
            false => Err(Refusal::Key),
        };
        checked.map_err(|refusal| BatchError::Packet { packet, refusal })
    }

    fn input(&self) -> Option<&'a [u8]> {
        (!self.is_in_place).then_some(self.message.input)
    }

    /// Its pointers are good while the packet is borrowed.
    fn raw(&mut self) -> abi::Message {
        self.message.raw(self.input(), self.output)
    }
}

/// Whether both are copies of one row, whose strings are in the same places.
fn is_same(one: &Function, other: &Function) -> bool {
    one.algorithm == other.algorithm
        && one.operation == other.operation
        && one.backend == other.backend
        && one.variant == other.variant
}

/// All packets were checked.
fn at_once(
    packets: &mut [Packet<'_>],
    function: &Function,
    process: abi::ProcessLanes,
) -> Result<(), BatchError> {
    let most = packets.len().min(abi::MOST_LANES);
    let (mut contexts, mut messages) = (room(most)?, room(most)?);
    for packets in packets.chunks_mut(most) {
        contexts.clear();
        messages.clear();
        for packet in packets {
            contexts.push(packet.key.context().cast_mut());
            messages.push(packet.raw());
        }
        // SAFETY: the contexts are the row's own, have keys, and are only read, as kernels.h says
        // of kernels with this call; the messages were checked, and the borrows keep them alive and
        // every output apart from all else.
        called(unsafe { process(function, contexts.as_ptr(), messages.as_ptr(), messages.len()) })
            .expect("messages that were checked are taken");
    }
    Ok(())
}

fn room<T>(most: usize) -> Result<Vec<T>, BatchError> {
    let mut room = Vec::new();
    room.try_reserve_exact(most).map_err(|_| BatchError::Memory)?;
    Ok(room)
}

/// All packets were checked. Each key is copied into `own`, since the C may write to contexts.
fn one_by_one(packets: &mut [Packet<'_>], mut own: Kernel) -> Result<(), BatchError> {
    let mut known = ptr::null();
    let mut answer = Ok(());
    for (index, packet) in packets.iter_mut().enumerate() {
        if !ptr::eq(known, packet.key) {
            own.assume(packet.key);
            known = packet.key;
        }
        let done = own.run(&packet.message, packet.input(), packet.output, None);
        answer = answer.and(done.map_err(|refusal| BatchError::Packet { packet: index, refusal }));
    }
    answer
}

impl fmt::Display for BatchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BatchError::Empty => f.write_str("there are no packets"),
            BatchError::Function { packet } => {
                write!(f, "the key of packet {packet} is of another function than the first's")
            }
            BatchError::Packet { packet, refusal } => write!(f, "packet {packet}: {refusal}"),
            BatchError::Memory => f.write_str("there is no memory for a list of the packets"),
        }
    }
}

impl core::error::Error for BatchError {}
