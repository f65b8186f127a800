//! A message on its way to its tag.

use core::fmt;
use core::marker::PhantomData;

use ciphermark_kernels::Pieces;
use digest::common::{AlgorithmName, InnerIvInit, InnerUser, Iv, IvSizeUser};
use digest::consts::U8;
use digest::{FixedOutput, InvalidLength, MacMarker, Output, OutputSizeUser, Update};
use zeroize::ZeroizeOnDrop;

use crate::algorithms::Algorithm;
use crate::key::NonceMacKey;

/// A message under a key and a nonce, for [`Mac`](digest::Mac); cleared when it is dropped.
///
/// Made by [`NonceMacKey::start`], or of key and nonce by [`KeyIvInit`](digest::common::KeyIvInit),
/// whose `new` takes nonces of 8 bytes and whose `new_from_slices` takes all that the algorithm has.
pub struct NonceMac<A> {
    pieces: Pieces,
    algorithm: PhantomData<A>,
}

impl<A> NonceMac<A> {
    pub(crate) fn new(pieces: Pieces) -> Self {
        Self { pieces, algorithm: PhantomData }
    }
}

impl<A> InnerUser for NonceMac<A> {
    type Inner = NonceMacKey<A>;
}

impl<A> IvSizeUser for NonceMac<A> {
    type IvSize = U8;
}

impl<A: Algorithm> InnerIvInit for NonceMac<A> {
    fn inner_iv_init(key: NonceMacKey<A>, nonce: &Iv<Self>) -> Self {
        key.start(nonce).expect("every algorithm has nonces of 8 bytes")
    }

    fn inner_iv_slice_init(key: NonceMacKey<A>, nonce: &[u8]) -> Result<Self, InvalidLength> {
        key.start(nonce).map_err(|_| InvalidLength)
    }
}

impl<A: Algorithm> OutputSizeUser for NonceMac<A> {
    type OutputSize = A::TagSize;
}

impl<A> Update for NonceMac<A> {
    fn update(&mut self, data: &[u8]) {
        self.pieces.update(data);
    }
}

impl<A: Algorithm> FixedOutput for NonceMac<A> {
    fn finalize_into(self, tag: &mut Output<Self>) {
        self.pieces.finish(tag).expect("the kernel's tags have this length");
    }
}

impl<A> MacMarker for NonceMac<A> {}

/// Kernels clear their contexts.
impl<A> ZeroizeOnDrop for NonceMac<A> {}

impl<A> Clone for NonceMac<A> {
    fn clone(&self) -> Self {
        Self::new(self.pieces.clone())
    }
}

impl<A: Algorithm> AlgorithmName for NonceMac<A> {
    fn write_alg_name(f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(A::NAME)
    }
}

impl<A: Algorithm> fmt::Debug for NonceMac<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {{ ... }}", A::NAME)
    }
}
