//! Another function that is called before each call of a case, by the same library.

use std::ops::Range;

use ciphermark_providers::api::{CallError, CreateError, Provider};
use ciphermark_record::description::Algorithm;
use ciphermark_record::plan::{Buffers, Case, Load, Messages, Pattern};

use super::Single;
use super::calls::Calls;
use super::ring::{Ready, Ring};
use super::stream::SharedRings;

/// Calls of a function that nothing is asked of but to be there. Its messages are as long as those of
/// the case, or the next length that it takes; its answers are not looked at.
pub struct Company {
    single: Box<Single>,
    /// Message with which the next slice begins.
    next: u64,
}

impl Company {
    /// Of the algorithm that a case is measured after.
    pub fn prepare(
        provider: &dyn Provider,
        algorithm: &'static Algorithm,
        case: &Case,
        seed: u64,
        rings: &SharedRings,
    ) -> Result<Self, CreateError> {
        let own_bytes = case.messages.lengths().first().copied().unwrap_or(0);
        let message_bytes = own_bytes.max(algorithm.min_message_bytes);
        let own = Case {
            algorithm: algorithm.name.clone(),
            operation: algorithm.kind.sending(),
            backend: "default".into(),
            messages: Messages::Equal(
                message_bytes.next_multiple_of(u64::from(algorithm.block_bytes)),
            ),
            load: Load::Single { after: None },
            ..case.clone()
        };
        let single = Single::prepare(provider, algorithm, &own, seed, rings)?;
        Ok(Self { single: Box::new(single), next: 0 })
    }

    pub fn bytes_held(&self) -> usize {
        self.single.bytes_held()
    }

    /// Messages of a slice at most, by its own messages.
    pub fn most_in_slice(&self) -> u64 {
        self.single.most_in_slice()
    }

    /// Gets so many calls ready and does something with them.
    pub fn with<T>(
        &mut self,
        messages: u64,
        action: impl FnOnce(&mut Calls, &mut Ready<'_>) -> Result<T, CallError>,
    ) -> Result<T, CallError> {
        let Single { calls, series, ring, sender, .. } = &mut *self.single;
        let ring = match ring {
            Some(ring) if ring.slots as u64 >= messages => ring,
            _ => ring.insert(Ring::own(series, messages as usize)),
        };
        let of_slice = self.next..self.next + messages;
        self.next = of_slice.end;
        ring.lay(series, sender.as_deref_mut(), of_slice.clone())?;
        ring.touch(&of_slice, series.slot_bytes());
        ring.with(series, of_slice, calls.turns(), None, |ready| action(calls, ready))
    }
}

/// The timed loop: a call of the company, then one of the case, and so on.
pub fn alternately(
    company: (&mut Calls, &mut Ready<'_>),
    own: (&mut Calls, &mut Ready<'_>),
) -> Result<(), CallError> {
    let all: Range<usize> = 0..own.1.messages.len();
    for index in all {
        company.0.run(company.1, index..index + 1)?;
        own.0.run(own.1, index..index + 1)?;
    }
    Ok(())
}

/// Whether a case can have company. The error is a sentence.
pub fn combination(case: &Case) -> Result<(), String> {
    let Load::Single { after: Some(after) } = &case.load else { return Ok(()) };
    if ciphermark_algorithms::find(after).is_none() {
        return Err(format!("there is no algorithm {after}, after which it is measured"));
    }
    let usual = case.lanes == 1 && case.keys == 1 && case.pattern == Pattern::ReusedKey;
    let usual = usual && case.buffers == Buffers::Hot;
    if usual && matches!(case.messages, Messages::Equal(_)) {
        return Ok(());
    }
    Err(format!(
        "a case after {after} has one message a call, of one size and in hot buffers, under a key that \
         stays: leave out --pattern, --lanes, --keys, --buffers and --profile"
    ))
}
