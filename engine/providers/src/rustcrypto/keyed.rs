//! A keyed object of the crates as a [`Function`].

use std::marker::PhantomData;

use aes::cipher::{Key, KeyInit};

use crate::api::*;

/// What is done with one message; a type rather than a function pointer, so that the timed call
/// goes straight to it.
pub trait Process<T> {
    fn process(keyed: &mut T, message: &Message<'_>, output: &mut [u8]) -> Result<(), CallError>;
}

struct Keyed<T, P> {
    object: T,
    process: PhantomData<P>,
}

/// `P` on an object `T`, whose key is zero until one is set: there is no state without a key.
pub fn function<T, P>() -> Box<dyn Function>
where
    T: KeyInit + Send + 'static,
    P: Process<T> + Send + 'static,
{
    Box::new(Keyed::<T, P> { object: T::new(&Key::<T>::default()), process: PhantomData })
}

impl<T: KeyInit + Send, P: Process<T> + Send> Function for Keyed<T, P> {
    fn set_key(&mut self, key: &[u8]) -> Result<(), CallError> {
        self.object = T::new_from_slice(key).map_err(|_| CallError::Length)?;
        Ok(())
    }

    fn process(&mut self, message: &Message<'_>, output: &mut [u8]) -> Result<(), CallError> {
        P::process(&mut self.object, message, output)
    }
}
