//! A keyed object of the crates as a [`Function`].

use std::marker::PhantomData;
use std::ops::RangeInclusive;

use aes::cipher::{Key, KeyInit};

use crate::api::*;

/// Lengths of key that a function takes, bytes. Some crates take more of them than the algorithm
/// that is named has.
pub type KeyLengths = RangeInclusive<usize>;

/// What is done with one message; a type rather than a function pointer, so that the timed call
/// goes straight to it.
pub trait Process<T> {
    fn process(keyed: &mut T, message: &Message<'_>, output: &mut [u8]) -> Result<(), CallError>;
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
}
