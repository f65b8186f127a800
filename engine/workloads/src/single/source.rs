//! Where a loop takes its messages from.

use std::ops::Range;

use ciphermark_providers::api::Message;

use crate::buffer::{Shape, Slots};
use crate::inputs::{advance, counter};

/// Nonces are written this many messages before they are read, or a call's messages where these
/// are more: a store that is read at once by a wider load would stall, which is no cost of the
/// function.
const AHEAD: usize = 16;

/// A message's place in a loop.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// Which message of the case it is.
    pub index: u64,
    /// The same, begun anew after [`Source::period`].
    pub number: usize,
    /// Slot of its answer.
    pub slot: usize,
    /// Which message of the call it is.
    pub lane: usize,
}

/// What a loop asks for each message.
pub trait Source {
    /// Gets ready for these messages, the first or those behind the last.
    fn begin(&mut self, _: &Range<u64>) {}

    /// Writes what messages some time after this one read.
    fn look_ahead(&mut self, _: u64) {}

    /// Messages after which they begin anew.
    fn period(&self) -> u64 {
        u64::MAX
    }

    fn message(&self, place: Place) -> Message<'_>;
}

/// Nonces or keys that grow by one.
pub struct Growing {
    ring: Slots,
    start: Option<u64>,
    ahead: u64,
    mask: u64,
}

impl Growing {
    pub fn new(base: &[u8], lanes: usize) -> Self {
        let ahead = lanes.next_power_of_two().max(AHEAD);
        let mut ring = Slots::new(base.len(), 2 * ahead);
        // All bytes but the counter stay as they are.
        (0..ring.count()).for_each(|slot| ring.get_mut(slot).copy_from_slice(base));
        let mask = ring.count() as u64 - 1;
        Self { ring, start: counter(base), ahead: ahead as u64, mask }
    }

    /// Writes what the first messages read; later ones go on from those before.
    pub fn begin(&mut self, messages: &Range<u64>) {
        if messages.start == 0 {
            (0..self.ahead).for_each(|index| self.write(index));
        }
    }

    #[inline]
    pub fn look_ahead(&mut self, index: u64) {
        self.write(index + self.ahead);
    }

    #[inline]
    fn write(&mut self, index: u64) {
        advance(self.ring.get_mut((index & self.mask) as usize), self.start, index);
    }

    #[inline]
    pub fn get(&self, index: u64) -> &[u8] {
        self.ring.get((index & self.mask) as usize)
    }
}

/// The same message under nonces that grow; a buffer for each lane.
pub struct Fresh {
    pub nonces: Growing,
    pub messages: Vec<Vec<u8>>,
}

impl Source for Fresh {
    fn begin(&mut self, messages: &Range<u64>) {
        self.nonces.begin(messages);
    }

    #[inline]
    fn look_ahead(&mut self, index: u64) {
        self.nonces.look_ahead(index);
    }

    #[inline]
    fn message(&self, place: Place) -> Message<'_> {
        let input = &self.messages[place.lane];
        Message::new(self.nonces.get(place.index), input)
    }
}

/// Messages prepared before, each with its nonce.
pub struct Replay {
    pub nonces: Slots,
    pub messages: Slots,
}

impl Source for Replay {
    #[inline]
    fn period(&self) -> u64 {
        self.nonces.count() as u64
    }

    #[inline]
    fn message(&self, place: Place) -> Message<'_> {
        let (nonce, input) = (self.nonces.get(place.number), self.messages.get(place.number));
        Message::new(nonce, input)
    }
}

/// As [`Fresh`], with messages that stream through memory: each lies where its answer does.
pub struct FreshStream<'a> {
    pub nonces: &'a mut Growing,
    pub memory: &'a [u8],
    pub messages: Shape,
}

impl Source for FreshStream<'_> {
    fn begin(&mut self, messages: &Range<u64>) {
        self.nonces.begin(messages);
    }

    #[inline]
    fn look_ahead(&mut self, index: u64) {
        self.nonces.look_ahead(index);
    }

    #[inline]
    fn message(&self, place: Place) -> Message<'_> {
        let input = self.messages.get(self.memory, place.slot);
        Message::new(self.nonces.get(place.index), input)
    }
}

/// As [`Replay`], with copies of the prepared messages all over a ring: each lies where its answer
/// does.
pub struct ReplayStream<'a>(pub &'a Replay);

impl Source for ReplayStream<'_> {
    #[inline]
    fn period(&self) -> u64 {
        self.0.period()
    }

    #[inline]
    fn message(&self, place: Place) -> Message<'_> {
        let nonce = self.0.nonces.get(place.number);
        Message::new(nonce, self.0.messages.get(place.slot))
    }
}
