//! Keys, ready for messages.

use core::fmt;
use core::marker::PhantomData;

use ciphermark_kernels::{Kernel, Message, Operation, Pieces};
use digest::common::KeySizeUser;
use digest::consts::U16;
use digest::{CtOutput, InvalidLength, Key, KeyInit, Output};
use zeroize::ZeroizeOnDrop;

use crate::algorithms::Algorithm;
use crate::error::Error;
use crate::mac::NonceMac;

/// A key of an algorithm, with all that is derived from it; cleared when it is dropped.
///
/// Setting a key takes as long as dozens of short messages, so keep it.
pub struct NonceMacKey<A> {
    kernel: Kernel,
    algorithm: PhantomData<A>,
}

impl<A: Algorithm> NonceMacKey<A> {
    /// The tag of a message. The nonce must be another one for every message.
    pub fn tag(&mut self, nonce: &[u8], message: &[u8]) -> Result<Output<NonceMac<A>>, Error> {
        let mut tag = Output::<NonceMac<A>>::default();
        let message = Message { nonce, input: message, ..Message::default() };
        self.kernel.process(&message, &mut tag).map_err(|_| Error::Nonce)?;
        Ok(tag)
    }

    /// Whether a tag is that of a message, in a time that does not depend on where they differ.
    pub fn verify(&mut self, nonce: &[u8], message: &[u8], tag: &[u8]) -> Result<(), Error> {
        let right = CtOutput::<NonceMac<A>>::new(self.tag(nonce, message)?);
        let given = <&Output<NonceMac<A>>>::try_from(tag).map_err(|_| Error::Tag)?;
        if right == given.into() { Ok(()) } else { Err(Error::Tag) }
    }

    /// Whether the time of a tag is independent of key and message, which depends on the instructions
    /// of this processor. That of a wrong tag does not depend on where it differs in any case.
    pub fn is_constant_time(&self) -> bool {
        self.kernel.function().constant_time() == Some(true)
    }

    pub(crate) fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    /// Starts a message that comes in pieces. The nonce must be another one for every message.
    pub fn start(&self, nonce: &[u8]) -> Result<NonceMac<A>, Error> {
        let pieces = Pieces::start(self.kernel.clone(), nonce).map_err(|_| Error::Nonce)?;
        Ok(NonceMac::new(pieces))
    }
}

impl<A> KeySizeUser for NonceMacKey<A> {
    type KeySize = U16;
}

impl<A: Algorithm> KeyInit for NonceMacKey<A> {
    fn new(key: &Key<Self>) -> Self {
        Self::new_from_slice(key).expect("every algorithm has keys of 16 bytes")
    }

    /// UMAC has keys of 16, 24 and 32 bytes, VMAC of 16.
    fn new_from_slice(key: &[u8]) -> Result<Self, InvalidLength> {
        let kernel = Kernel::new(A::KERNEL, Operation::Mac, None);
        let mut kernel = kernel.expect("its kernel runs on every processor");
        kernel.set_key(key).map_err(|_| InvalidLength)?;
        Ok(Self { kernel, algorithm: PhantomData })
    }
}

/// Kernels clear their contexts.
impl<A> ZeroizeOnDrop for NonceMacKey<A> {}

impl<A> Clone for NonceMacKey<A> {
    fn clone(&self) -> Self {
        Self { kernel: self.kernel.clone(), algorithm: PhantomData }
    }
}

impl<A: Algorithm> fmt::Debug for NonceMacKey<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}Key {{ ... }}", A::NAME)
    }
}
