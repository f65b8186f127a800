//! Many messages at once.

use alloc::vec::Vec;
use core::fmt;

use ciphermark_kernels::{self as kernels, Message, Packet, Refusal};
use digest::{CtOutput, Output};

use crate::algorithms::Algorithm;
use crate::error::Error;
use crate::key::NonceMacKey;
use crate::mac::NonceMac;

/// A message to compute the tag of, see [`tag_batch`].
pub struct BatchMessage<'a, A> {
    /// The key, which other messages may have as well.
    pub key: &'a NonceMacKey<A>,
    /// The nonce, another one for every message under one key.
    pub nonce: &'a [u8],
    /// The message.
    pub message: &'a [u8],
}

/// Why there are no tags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BatchError {
    /// There are no messages.
    Empty,
    /// This message is the first that has no tag.
    Message {
        /// Which message, from 0.
        message: usize,
        /// Why it has none.
        error: Error,
    },
    /// There are not as many tags as messages.
    Tags {
        /// How many messages there are.
        messages: usize,
        /// How many tags there are.
        tags: usize,
    },
    /// There is no memory for lists of the messages.
    Memory,
}

/// The tags of messages, any number of them, each as [`NonceMacKey::tag`] computes it.
///
/// Where the kernel of this processor takes many messages in one call, they are processed side by
/// side, which is faster for short ones; else one after the other.
///
/// ```
/// use ciphermark_umac::digest::KeyInit;
/// use ciphermark_umac::{BatchError, BatchMessage, Umac64Key, tag_batch, verify_batch};
///
/// let key = Umac64Key::new(b"abcdefghijklmnop".into());
/// let messages = [(b"nonce 1", b"one message".as_slice()), (b"nonce 2", b"and another")]
///     .map(|(nonce, message)| BatchMessage { key: &key, nonce, message });
/// let mut tags = tag_batch(&messages)?;
/// tags[0][3] ^= 1;
/// assert_eq!(verify_batch(&messages, &tags)?, [false, true]);
/// # Ok::<(), BatchError>(())
/// ```
pub fn tag_batch<A: Algorithm>(
    messages: &[BatchMessage<'_, A>],
) -> Result<Vec<Output<NonceMac<A>>>, BatchError> {
    let mut tags = listed(messages.iter().map(|_| Output::<NonceMac<A>>::default()))?;
    let packets = messages.iter().zip(&mut tags).map(|(it, tag)| it.packet(tag));
    kernels::process_lanes(&mut listed(packets)?).map_err(BatchError::of)?;
    Ok(tags)
}

/// Says of each message whether the tag is its own, in a time that does not depend on where they
/// differ.
pub fn verify_batch<A: Algorithm>(
    messages: &[BatchMessage<'_, A>],
    tags: &[Output<NonceMac<A>>],
) -> Result<Vec<bool>, BatchError> {
    if messages.len() != tags.len() {
        return Err(BatchError::Tags { messages: messages.len(), tags: tags.len() });
    }
    let right = tag_batch(messages)?;
    listed(right.into_iter().zip(tags).map(|(right, tag)| {
        CtOutput::<NonceMac<A>>::new(right) == CtOutput::<NonceMac<A>>::from(tag)
    }))
}

impl<A: Algorithm> BatchMessage<'_, A> {
    fn packet<'b>(&'b self, tag: &'b mut [u8]) -> Packet<'b> {
        let message = Message { nonce: self.nonce, input: self.message, ..Message::default() };
        Packet::new(self.key.kernel(), message, tag)
    }
}

fn listed<T>(items: impl ExactSizeIterator<Item = T>) -> Result<Vec<T>, BatchError> {
    let mut list = Vec::new();
    list.try_reserve_exact(items.len()).map_err(|_| BatchError::Memory)?;
    list.extend(items);
    Ok(list)
}

impl BatchError {
    /// Of a call whose keys are of one kernel and whose tags have its length.
    fn of(error: kernels::BatchError) -> Self {
        match error {
            kernels::BatchError::Empty => BatchError::Empty,
            kernels::BatchError::Memory => BatchError::Memory,
            kernels::BatchError::Packet { packet, refusal: Refusal::Nonce } => {
                BatchError::Message { message: packet, error: Error::Nonce }
            }
            other => unreachable!("all but nonces is as the kernel wants it: {other}"),
        }
    }
}

// What is copied is a reference, whatever the algorithm is.
impl<A> Copy for BatchMessage<'_, A> {}

impl<A> Clone for BatchMessage<'_, A> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<A: Algorithm> fmt::Debug for BatchMessage<'_, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { key, nonce, message } = self;
        f.debug_struct("BatchMessage")
            .field("key", key)
            .field("nonce", nonce)
            .field("message", message)
            .finish()
    }
}

impl fmt::Display for BatchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BatchError::Empty => f.write_str("there are no messages"),
            BatchError::Message { message, error } => write!(f, "message {message}: {error}"),
            BatchError::Tags { messages, tags } => {
                write!(f, "there are {messages} messages and {tags} tags")
            }
            BatchError::Memory => f.write_str("there is no memory for lists of the messages"),
        }
    }
}

impl core::error::Error for BatchError {}
