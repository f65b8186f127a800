//! Where the timed loop leaves its answers.

use std::ops::Range;

use sha2::{Digest, Sha256};

use super::stream::{Rings, SharedRings};
use crate::buffer::{Shape, Slots, View};

/// A ring of answers, some of which are digested after a run.
pub enum Answers {
    /// A few slots of the case's own.
    Hot(Slots),
    /// Slots in a ring that all cases of the worker share.
    Stream(Streamed),
}

/// A case's slots in the rings that all cases of the worker share.
pub struct Streamed {
    pub rings: SharedRings,
    pub messages: Shape,
    pub answers: Shape,
}

impl Streamed {
    /// Does something with the ring of messages, its slots, and those of the answers.
    pub fn with<T>(&mut self, action: impl FnOnce(&[u8], Shape, View<'_>) -> T) -> T {
        let Rings { messages, answers } = &mut *self.rings.borrow_mut();
        action(messages, self.messages, View::new(answers, self.answers))
    }
}

impl Answers {
    fn with<T>(&mut self, action: impl FnOnce(View<'_>) -> T) -> T {
        match self {
            Answers::Hot(slots) => action(slots.view()),
            Answers::Stream(streamed) => streamed.with(|_, _, view| action(view)),
        }
    }

    /// Makes sure that none of the answers to these messages stands in its slot. Of answers that
    /// stream through memory little more is touched than must be: what lies in a cache before a
    /// slice would make it faster.
    pub fn forget(&mut self, messages: Range<u64>) {
        match self {
            Answers::Hot(slots) => slots.view().poison(),
            Answers::Stream(_) => self.with(|mut view| {
                messages.for_each(|index| view.spoil(slot(&view, index)));
            }),
        }
    }

    /// Brings the rings of answers and of messages into the caches, from the slot of this message on.
    pub fn touch(&mut self, index: u64) {
        if let Answers::Stream(streamed) = self {
            streamed.with(|messages, shape, view| {
                let slot = slot(&view, index);
                view.touch(slot);
                shape.touch(messages, slot);
            });
        }
    }

    /// Digest of the answers to these messages, in their order; of each its first bytes, so many.
    pub fn digest(&mut self, messages: Range<u64>, bytes: impl Fn(u64) -> usize) -> [u8; 32] {
        self.with(|view| {
            let mut digest = Sha256::new();
            messages.for_each(|index| {
                digest.update(&view.get(slot(&view, index))[..bytes(index)]);
            });
            digest.finalize().into()
        })
    }

    /// Does something with the first slot.
    pub fn first<T>(&mut self, action: impl FnOnce(&mut [u8]) -> T) -> T {
        self.with(|mut view| action(view.get_mut(0)))
    }

    /// Bytes that the case alone holds.
    pub fn bytes_held(&self) -> usize {
        match self {
            Answers::Hot(slots) => slots.bytes(),
            Answers::Stream(_) => 0,
        }
    }
}

fn slot(view: &View<'_>, index: u64) -> usize {
    (index % view.count() as u64) as usize
}
