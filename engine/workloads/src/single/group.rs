//! Slices of a case, every answer of which is looked at.
//!
//! All that the slices of a group need is made before the first: texts, what a sender has sent,
//! places for answers. Between two slices only the next one's list of calls is written, in an order of
//! its own, and what it needs is brought into the caches. The answers are looked at after the last
//! slice. Only where they would take too much memory, or more than the ring of the case has, is this
//! done for each slice by itself.

use std::ops::Range;

use ciphermark_providers::api::CallError;
use ciphermark_record::plan::Buffers;

use super::calls::Calls;
use super::company::alternately;
use super::nothing::LoopKind;
use super::ring::{Ready, Ring, bytes_of};
use super::series::{Series, whole_calls};
use super::text::mixed;
use super::{FEWEST_TO_PART, Single};
use crate::stack;

/// What the calls of a slice take of a first-level cache at most, unless one call takes more.
const SLICE_BYTES: usize = 32 << 10;

/// A group that would take more is made slice by slice.
const GROUP_BYTES: usize = 2 << 20;

/// A slice that takes more is not brought into the caches: they would not hold it.
const CACHED_BYTES: usize = 256 << 10;

impl Single {
    /// Whether its messages lie in a ring that was made once for all.
    fn comes_again(&self) -> bool {
        self.series.distinct.is_some()
    }

    /// Messages of a slice at most, a multiple of its unit: what they need stays in the nearest cache.
    pub fn most_in_slice(&self) -> u64 {
        let unit = self.series.unit();
        if self.is_cold() {
            return unit as u64;
        }
        let one = bytes_of(&self.series, 0);
        let each = bytes_of(&self.series, 1) - one;
        let fitting = match self.buffers {
            Buffers::Hot | Buffers::Repeated => SLICE_BYTES.saturating_sub(one) / each,
            _ => usize::MAX >> 16, // they are not in the nearest cache anyhow
        };
        // The ring of what does not come again grows as it has to.
        let fixed = self.ring.as_ref().filter(|ring| self.comes_again() || ring.is_shared());
        let slots = fixed.map_or(usize::MAX, |ring| ring.slots);
        let most = whole_calls(fitting.min(slots), unit) as u64;
        self.company.as_ref().map_or(most, |company| most.min(company.most_in_slice()))
    }
}

/// Which calls are made for a slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Its own.
    All,
    /// Those that lead in to it: see [`Group::lead_in`].
    LeadIn,
}

/// A group of slices that is under way.
pub struct Group<'s> {
    single: &'s mut Single,
    first: u64,
    /// In each slice.
    messages: u64,
    /// Slices that were begun.
    begun: u64,
    /// Whether all slices were made ready before the first.
    is_ahead: bool,
    /// Messages that lead in to the next slices.
    lead_in: Option<(Ring, Range<u64>)>,
    /// Of the slices that were looked at.
    answers: u64,
}

impl<'s> Group<'s> {
    /// Gets ready for slices of so many messages, of which the first is message `first`.
    pub fn begin(
        single: &'s mut Single,
        first: u64,
        slices: u64,
        messages: u64,
    ) -> Result<Self, CallError> {
        let all = slices * messages;
        let needed = bytes_of(&single.series, all as usize);
        let is_ahead = match &single.ring {
            Some(ring) if single.comes_again() || ring.is_shared() => all <= ring.slots as u64,
            _ => {
                let is_ahead = needed <= GROUP_BYTES;
                let slots = if is_ahead { all } else { messages } as usize;
                if single.ring.as_ref().is_none_or(|ring| ring.slots < slots) {
                    single.ring = Some(Ring::own(&single.series, slots));
                }
                is_ahead
            }
        };
        let mut group =
            Self { single, first, messages, begun: 0, is_ahead, lead_in: None, answers: 0 };
        if is_ahead {
            group.lay(first..first + all)?;
        }
        if let Buffers::L2 = group.single.buffers
            && let Some(ring) = &group.single.ring
        {
            ring.touch_all(first);
        }
        Ok(group)
    }

    pub fn loop_kind(&self) -> LoopKind {
        self.single.loop_kind()
    }

    /// Has a share of the calls of a slice ready before each of the next ones, all at most. Their messages are
    /// those of the first slice in another place, so that no timed call is given one that has been processed
    /// before, and nobody looks at their answers. Where these would make messages nearer than they are to be,
    /// and in company, there are none.
    pub fn lead_in(&mut self, share: f64) -> Result<(), CallError> {
        if !self.is_hot() || self.single.company.is_some() {
            return Ok(());
        }
        let Single { series, sender, .. } = &mut *self.single;
        let count = ((share * self.messages as f64).ceil() as u64).min(self.messages);
        let count = count.next_multiple_of(series.lanes as u64);
        let messages = self.first..self.first + count;
        let mut ring = Ring::own(series, count as usize);
        ring.lay(series, sender.as_deref_mut(), messages.clone())?;
        self.lead_in = Some((ring, messages));
        Ok(())
    }

    /// Whether its messages lie in the nearest cache.
    fn is_hot(&self) -> bool {
        matches!(self.single.buffers, Buffers::Hot | Buffers::Repeated)
    }

    /// The next slice: `time` is given what is to be timed, and what may lead in to it.
    pub fn slice(
        &mut self,
        time: impl FnOnce(&mut dyn FnMut(Part) -> Result<(), CallError>) -> Result<(), CallError>,
    ) -> Result<(), CallError> {
        let first = self.first + self.begun * self.messages;
        let messages = first..first + self.messages;
        if !self.is_ahead {
            self.look()?;
            self.lay(messages.clone())?;
        }
        self.begun += 1;
        let is_hot = self.is_hot();
        let Single { calls, series, ring, company, .. } = &mut *self.single;
        let Some(ring) = ring else { return Ok(()) };
        if is_hot && bytes_of(series, self.messages as usize) <= CACHED_BYTES {
            ring.touch(&messages, series.slot_bytes());
        }
        let order = order_of(series, first);
        if let Some(company) = company {
            return company.with(self.messages, |its_calls, its_ready| {
                its_calls.prepare(its_ready)?;
                ring.with(series, messages, calls.turns(), order, |ready| {
                    calls.prepare(ready)?;
                    time(&mut |part| match part {
                        Part::All => alternately((its_calls, its_ready), (calls, ready)),
                        Part::LeadIn => Ok(()),
                    })
                })
            });
        }
        let slice = (ring, messages, order);
        let Some((lead_ring, lead_in)) = &mut self.lead_in else {
            return timed(calls, series, slice, None, time);
        };
        lead_ring.with(series, lead_in.clone(), calls.turns(), None, |leading| {
            calls.prepare(leading)?;
            timed(calls, series, slice, Some(leading), time)
        })
    }

    /// Looks at what was not looked at yet, and returns a number for all answers: see
    /// [`expected_answers`](super::expected_answers).
    pub fn finish(&mut self) -> Result<u64, CallError> {
        self.look()?;
        Ok(self.answers)
    }

    /// Whether a message of the last slice is not refused with a flipped bit. Which message and which
    /// bit follow from `seed`. Answers are looked at before: this writes over them.
    pub fn accepts_forgery(&mut self, seed: u64) -> Result<bool, CallError> {
        let Single { calls, series, ring, checks_tags, .. } = &mut *self.single;
        let (Some(ring), true) = (ring, *checks_tags) else { return Ok(false) };
        let lanes = series.lanes as u64;
        let slice = self.first + self.begun.saturating_sub(1) * self.messages;
        let call = slice + mixed(seed) % (self.messages / lanes) * lanes;
        let bit = mixed(seed.wrapping_add(1)) as usize % (8 * series.slot_extent(call));
        ring.flip(call, bit);
        let outcome = ring.with(series, call..call + lanes, calls.turns(), None, |ready| {
            calls.run(ready, 0..lanes as usize)
        });
        ring.flip(call, bit);
        match outcome {
            Err(CallError::Refused) => Ok(false),
            Ok(()) => Ok(true),
            Err(other) => Err(other),
        }
    }

    fn lay(&mut self, messages: Range<u64>) -> Result<(), CallError> {
        let Single { series, ring, sender, .. } = &mut *self.single;
        let Some(ring) = ring else { return Ok(()) };
        if series.distinct.is_none() && !ring.is_shared() {
            ring.lay(series, sender.as_deref_mut(), messages.clone())?;
        }
        ring.forget(messages);
        Ok(())
    }

    /// Looks at the answers of the slices that have been, all or the last one.
    fn look(&mut self) -> Result<(), CallError> {
        let end = self.first + self.begun * self.messages;
        let first = if self.is_ahead { self.first } else { end - self.messages.min(end) };
        if self.begun > 0 {
            self.answers = self.answers.wrapping_add(self.single.answers(first..end)?);
        }
        Ok(())
    }
}

/// Gets a slice ready, which is messages in a ring in an order of theirs, and times it.
fn timed(
    calls: &mut Calls,
    series: &Series,
    (ring, messages, order): (&mut Ring, Range<u64>, Option<u64>),
    mut leading: Option<&mut Ready<'_>>,
    time: impl FnOnce(&mut dyn FnMut(Part) -> Result<(), CallError>) -> Result<(), CallError>,
) -> Result<(), CallError> {
    ring.with(series, messages, calls.turns(), order, |ready| {
        calls.prepare(ready)?;
        time(&mut |part| match (part, &mut leading) {
            (Part::All, _) => in_parts(calls, ready, series.lanes),
            (Part::LeadIn, Some(leading)) => calls.run(leading, 0..leading.messages.len()),
            (Part::LeadIn, None) => Ok(()),
        })
    })
}

/// The seed of the order of a slice's calls.
fn order_of(series: &Series, first: u64) -> Option<u64> {
    (!series.is_ordered()).then(|| mixed(first))
}

/// A part of the calls at each position of the stack. Few stay together: two that follow each other
/// overlap, and parts do not.
fn in_parts(calls: &mut Calls, ready: &mut Ready<'_>, lanes: usize) -> Result<(), CallError> {
    let messages = ready.messages.len();
    let positions = if messages < FEWEST_TO_PART { 1 } else { stack::POSITIONS as usize };
    let until = |position: usize| messages / lanes * position / positions * lanes;
    for position in 0..positions {
        let part = until(position)..until(position + 1);
        if !part.is_empty() {
            stack::at(position as u64, || calls.run(ready, part))?;
        }
    }
    Ok(())
}
