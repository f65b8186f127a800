//! The algorithms, which types tell apart.

use digest::array::ArraySize;
use digest::consts::{U4, U8, U12, U16};

/// An algorithm of this crate.
pub trait Algorithm: sealed::Sealed {
    /// The name that [`Debug`](core::fmt::Debug) prints: `Umac64`.
    const NAME: &'static str;
    /// Bytes of a tag.
    type TagSize: ArraySize;
}

pub(crate) mod sealed {
    pub trait Sealed {
        /// The name of the kernel.
        const KERNEL: &'static str;
    }
}

macro_rules! algorithms {
    ($($type:ident, $name:literal, $kernel:literal, $tag:ty;)*) => {$(
        #[doc = concat!("What makes [`", $name, "`](crate::", $name, ") of a [`NonceMac`](crate::NonceMac).")]
        #[derive(Clone, Copy, Debug)]
        pub enum $type {}

        impl sealed::Sealed for $type {
            const KERNEL: &'static str = $kernel;
        }

        impl Algorithm for $type {
            const NAME: &'static str = $name;
            type TagSize = $tag;
        }
    )*};
}

algorithms! {
    Umac32Algorithm, "Umac32", "umac-32", U4;
    Umac64Algorithm, "Umac64", "umac-64", U8;
    Umac96Algorithm, "Umac96", "umac-96", U12;
    Umac128Algorithm, "Umac128", "umac-128", U16;
    Vmac64Algorithm, "Vmac64", "vmac-64", U8;
    Vmac128Algorithm, "Vmac128", "vmac-128", U16;
}
