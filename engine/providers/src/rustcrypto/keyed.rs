//! A keyed object of the crates as a [`Function`].

use std::marker::PhantomData;
use std::ops::RangeInclusive;

use aes::cipher::{Key, KeyInit};

use crate::api::*;
use crate::checks;
use crate::pieces::{Chunks, Cut, Repeated, Whole};

/// Lengths of key that a function takes, bytes. Some crates take more of them than the algorithm
/// that is named has.
pub type KeyLengths = RangeInclusive<usize>;

/// What is done with one message; a type rather than a function pointer, so that the timed call
/// goes straight to it.
pub trait Process<T> {
    fn process(keyed: &mut T, message: &Message<'_>, output: &mut [u8]) -> Result<(), CallError>;

    /// As [`Function::process_parts`].
    fn process_parts(
        _keyed: &mut T,
        _message: &Message<'_>,
        _parts: Parts,
        _output: &mut [u8],
    ) -> Result<(), CallError> {
        Err(CallError::Unsupported)
    }
}

/// What is done with one message by an object that can be given it in pieces.
pub trait ProcessPieces<T> {
    /// Chunks of a message are multiples of so many bytes.
    const BLOCK_BYTES: usize = 1;

    /// Whether the pieces of a message may come again: not where the output has as many bytes.
    const REPEATS: bool = false;

    fn process(
        keyed: &mut T,
        message: &Message<'_>,
        cut: impl Cut,
        output: &mut [u8],
    ) -> Result<(), CallError>;
}

/// `P`, in one piece or in chunks.
pub struct Pieces<P>(P);

impl<T, P: ProcessPieces<T>> Process<T> for Pieces<P> {
    fn process(keyed: &mut T, message: &Message<'_>, output: &mut [u8]) -> Result<(), CallError> {
        P::process(keyed, message, Whole, output)
    }

    fn process_parts(
        keyed: &mut T,
        message: &Message<'_>,
        parts: Parts,
        output: &mut [u8],
    ) -> Result<(), CallError> {
        match parts {
            Parts::Chunks(bytes) => {
                P::process(keyed, message, Chunks::of(bytes, P::BLOCK_BYTES)?, output)
            }
            Parts::Repeated(bytes) if P::REPEATS => {
                P::process(keyed, message, Repeated(bytes), output)
            }
            Parts::Repeated(_) => Err(CallError::Unsupported),
        }
    }
}

struct Keyed<T, P> {
    object: T,
    key_lengths: KeyLengths,
    process: PhantomData<P>,
}

/// `P` on an object `T`, whose key is zero until one is set: there is no state without a key.
pub fn function<T, P>(key_lengths: KeyLengths) -> Box<dyn Function>
where
    T: KeyInit + Send + 'static,
    P: Process<T> + Send + 'static,
{
    let object = T::new(&Key::<T>::default());
    Box::new(Keyed::<T, P> { object, key_lengths, process: PhantomData })
}

impl<T: KeyInit + Send, P: Process<T> + Send> Function for Keyed<T, P> {
    fn set_key(&mut self, key: &[u8]) -> Result<(), CallError> {
        if !self.key_lengths.contains(&key.len()) {
            return Err(CallError::Length);
        }
        self.object = T::new_from_slice(key).map_err(|_| CallError::Length)?;
        Ok(())
    }

    fn process(&mut self, message: &Message<'_>, output: &mut [u8]) -> Result<(), CallError> {
        P::process(&mut self.object, message, output)
    }

    fn process_parts(
        &mut self,
        message: &Message<'_>,
        parts: Parts,
        output: &mut [u8],
    ) -> Result<(), CallError> {
        P::process_parts(&mut self.object, message, parts, output)
    }

    fn renew(&mut self, what: Renewed) -> Result<(), CallError> {
        checks::renew_plain_value(what)
    }
}
