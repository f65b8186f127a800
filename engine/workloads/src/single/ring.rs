//! Memory of a case's calls: messages, nonces and answers, made ready before they are timed.

use std::ops::Range;

use ciphermark_providers::api::{CallError, Function, Message, Operation, Prepared, PreparedLanes};
use rapidhash::v3::rapidhash_v3;

use super::series::Series;
use super::stream::{Rings, SharedRings};
use super::text::{mixed, step};
use crate::buffer::{Aligned, POISON, Shape, touch};
use crate::inputs::{advance, counter};

/// Calls that are ready: what the timed loop goes through.
pub struct Ready<'a> {
    pub messages: Vec<Message<'a>>,
    pub outputs: Vec<&'a mut [u8]>,
    /// For each message, which of the keys or contexts that take turns has its turn.
    pub turns: Vec<usize>,
    /// The messages with their outputs, which are here instead of there, as functions have prepared them;
    /// none where those cannot.
    pub prepared: Vec<Prepared<'a>>,
    /// The same for functions that take several messages in a call.
    pub prepared_lanes: PreparedLanes<'a>,
}

impl Ready<'_> {
    /// Puts the calls, of so many messages each, into another order.
    fn shuffle(&mut self, lanes: usize, seed: u64) {
        let calls = self.messages.len() / lanes;
        for last in (1..calls).rev() {
            let other = (mixed(seed.wrapping_add(last as u64)) % (last as u64 + 1)) as usize;
            for lane in 0..lanes {
                let (a, b) = (last * lanes + lane, other * lanes + lane);
                self.messages.swap(a, b);
                self.outputs.swap(a, b);
                self.turns.swap(a, b);
            }
        }
    }
}

/// The lists of [`Ready`], kept for their memory.
#[derive(Default)]
struct Lists {
    messages: Vec<Message<'static>>,
    outputs: Vec<&'static mut [u8]>,
    turns: Vec<usize>,
    prepared: Vec<Prepared<'static>>,
    prepared_lanes: PreparedLanes<'static>,
}

/// Slots for messages and answers. What follows each other lies in slots that do.
pub struct Ring {
    /// Messages of the case's own; absent where they lie in a ring that cases share.
    inputs: Option<Aligned>,
    input_step: usize,
    /// Answers of the case's own.
    outputs: Option<Aligned>,
    output_step: usize,
    shared: Option<Shared>,
    pub slots: usize,
    /// The message in the first slot.
    origin: u64,
    /// Nonces, or keys where those are set, of the calls that are ready.
    nonces: Aligned,
    lists: Lists,
}

/// Slots in the rings that all cases of a worker share.
struct Shared {
    rings: SharedRings,
    messages: Shape,
    answers: Shape,
}

impl Ring {
    /// Slots of the case's own.
    pub fn own(series: &Series, slots: usize) -> Self {
        let input_step = input_step(series);
        let output_step = output_step(series);
        let inputs = Aligned::new(slots.saturating_sub(1) * input_step + series.slot_bytes());
        Self {
            inputs: Some(inputs),
            input_step,
            outputs: Some(Aligned::new(slots * output_step)),
            output_step,
            shared: None,
            slots,
            origin: 0,
            nonces: Aligned::default(),
            lists: Lists::default(),
        }
    }

    /// Slots in the rings that all cases of a worker share. What is received lies in a ring of the
    /// case's own.
    pub fn shared(
        series: &Series,
        rings: SharedRings,
        slots: usize,
        seed: u64,
    ) -> Result<Self, String> {
        let answers = Shape::new(series.answer_bytes(), slots);
        let messages = Shape::new(if series.receives() { 0 } else { series.input_bytes() }, slots);
        rings.borrow_mut().grow(seed, messages.bytes(), answers.bytes())?;
        let received = Shape::new(series.slot_bytes(), slots);
        Ok(Self {
            inputs: series.receives().then(|| Aligned::new(received.bytes())),
            input_step: if series.receives() { received.stride() } else { messages.stride() },
            outputs: None,
            output_step: answers.stride(),
            shared: Some(Shared { rings, messages, answers }),
            slots,
            origin: 0,
            nonces: Aligned::default(),
            lists: Lists::default(),
        })
    }

    /// Whether it has memory that other cases use as well.
    pub fn is_shared(&self) -> bool {
        self.shared.is_some()
    }

    /// Bytes that the case alone holds.
    pub fn bytes_held(&self) -> usize {
        self.inputs.as_ref().map_or(0, |it| it.len())
            + self.outputs.as_ref().map_or(0, |it| it.len())
    }

    /// Makes these messages the ones that lie in its slots, from the first slot on: writes the texts,
    /// or has the sender make what is received. There are no more of them than slots.
    pub fn lay(
        &mut self,
        series: &Series,
        sender: Option<&mut (dyn Function + 'static)>,
        messages: Range<u64>,
    ) -> Result<(), CallError> {
        self.origin = messages.start;
        let Some(inputs) = &mut self.inputs else { return Ok(()) };
        let step = self.input_step;
        let mut slots = inputs.chunks_mut(step);
        if let Some(sender) = sender {
            let mut set = None;
            for (index, slot) in messages.zip(slots) {
                let number = series.number(index);
                series.set_key(sender, number, &mut set)?;
                series.send_to_slot(sender, index, slot)?;
            }
        } else if series.input_bytes() > 0 && !messages.is_empty() {
            if step == series.texts_step() {
                let count = (messages.end - messages.start) as usize;
                let bytes = (count - 1) * step + series.slot_bytes();
                series.fill(messages.start, &mut inputs[..bytes]);
            } else {
                messages.for_each(|index| {
                    if let Some(slot) = slots.next() {
                        let bytes = series.slot_bytes().min(slot.len());
                        series.fill(index, &mut slot[..bytes]);
                    }
                });
            }
        }
        Ok(())
    }

    /// Copies the messages in the first slots, so many, all over the ring.
    pub fn repeat(&mut self, distinct: usize) {
        let Some(inputs) = &mut self.inputs else { return };
        if self.slots <= distinct {
            return;
        }
        let (first, others) = inputs.split_at_mut(distinct * self.input_step);
        for copy in others.chunks_mut(first.len()) {
            copy.copy_from_slice(&first[..copy.len()]);
        }
    }

    /// Overwrites the answers to these messages. Of answers in shared memory little more is touched
    /// than must be: what lies in a cache before a slice would make it faster.
    pub fn forget(&mut self, messages: Range<u64>) {
        const TELLING_BYTES: usize = 8;
        let telling = if self.is_shared() { TELLING_BYTES } else { usize::MAX };
        self.each_output(messages, |_, slot| {
            let telling = slot.len().min(telling);
            slot[..telling].fill(POISON);
        });
    }

    /// A number for the answers to these messages, whatever their order: the sum of what [`of_answer`]
    /// makes of each.
    pub fn answers(&mut self, series: &Series, messages: Range<u64>) -> u64 {
        let mut sum = 0_u64;
        self.each_output(messages, |index, slot| {
            let answer = &slot[..series.extent(index).answer_bytes];
            sum = sum.wrapping_add(of_answer(index, answer));
        });
        sum
    }

    fn each_output(&mut self, messages: Range<u64>, mut action: impl FnMut(u64, &mut [u8])) {
        let first = self.slot(messages.start);
        let (slots, step) = (self.slots, self.output_step);
        let each = |memory: &mut [u8]| {
            messages.zip(round(memory, step, slots, first)).for_each(|(index, slot)| {
                action(index, slot);
            });
        };
        match (&mut self.outputs, &self.shared) {
            (Some(outputs), _) => each(outputs),
            (None, Some(shared)) => each(&mut shared.rings.borrow_mut().answers),
            (None, None) => {}
        }
    }

    /// Brings all that lies in the shared rings of the case into the caches, what comes next before
    /// what comes later.
    pub fn touch_all(&self, next: u64) {
        let Some(Shared { rings, messages, answers }) = &self.shared else { return };
        let (rings, slot) = (rings.borrow(), self.slot(next));
        answers.touch(&rings.answers, slot);
        match &self.inputs {
            Some(inputs) => touch(inputs, slot * self.input_step),
            None => messages.touch(&rings.messages, slot),
        }
    }

    /// Brings these messages and the places of their answers into the caches.
    pub fn touch(&self, messages: &Range<u64>, slot_bytes: usize) {
        let (Some(inputs), Some(outputs)) = (&self.inputs, &self.outputs) else { return };
        let (first, count) = (self.slot(messages.start), (messages.end - messages.start) as usize);
        let touch = |memory: &[u8], step: usize, bytes: usize| {
            let end = ((first + count) * step + bytes).min(memory.len());
            touch(&memory[(first * step).min(end)..end], 0);
        };
        touch(outputs, self.output_step, 0);
        touch(inputs, self.input_step, slot_bytes);
    }

    /// Gets these calls ready and does something with them. So many keys or contexts take turns;
    /// `shuffled` is the seed of another order.
    pub fn with<T>(
        &mut self,
        series: &Series,
        messages: Range<u64>,
        turns: usize,
        shuffled: Option<u64>,
        action: impl FnOnce(&mut Ready<'_>) -> T,
    ) -> T {
        let first = self.slot(messages.start);
        self.write_nonces(series, &messages);
        let lists = std::mem::take(&mut self.lists);
        let mut ready = Ready {
            messages: emptied(lists.messages),
            outputs: emptied(lists.outputs),
            turns: lists.turns,
            prepared: emptied(lists.prepared),
            prepared_lanes: lists.prepared_lanes.emptied(),
        };
        ready.turns.clear();
        ready.turns.extend(messages.clone().map(|index| series.turn(index, turns)));
        let mut borrowed = self.shared.as_ref().map(|shared| shared.rings.borrow_mut());
        let (shared_messages, shared_answers): (&[u8], &mut [u8]) = match borrowed.as_deref_mut() {
            Some(Rings { messages, answers }) => (messages, answers),
            None => (&[], &mut []),
        };
        let inputs: &[u8] = self.inputs.as_deref().unwrap_or(shared_messages);
        let outputs: &mut [u8] = self.outputs.as_deref_mut().unwrap_or(shared_answers);
        let sets_keys = series.operation == Operation::Setup;
        let growing = series.growing();
        let nonces = self.nonces.chunks_exact(step(growing.len()));
        let (input_step, output_step, slots) = (self.input_step, self.output_step, self.slots);
        let mut slot = first;
        ready.messages.extend(messages.clone().zip(nonces).map(|(index, nonce)| {
            let nonce = &nonce[..growing.len()];
            if sets_keys {
                return Message::new(&[], nonce);
            }
            let input = &inputs[slot * input_step..][..series.slot_extent(index)];
            slot = if slot + 1 == slots { 0 } else { slot + 1 };
            Message::new(nonce, input)
        }));
        let places = messages.zip(round(outputs, output_step, slots, first));
        ready.outputs.extend(places.map(|(index, place)| {
            &mut place[..if sets_keys { 0 } else { series.extent(index).answer_bytes }]
        }));
        if let Some(seed) = shuffled {
            ready.shuffle(series.lanes, seed);
        }
        let result = action(&mut ready);
        self.lists = Lists {
            messages: emptied(ready.messages),
            outputs: emptied(ready.outputs),
            turns: ready.turns,
            prepared: emptied(ready.prepared),
            prepared_lanes: ready.prepared_lanes.emptied(),
        };
        result
    }

    /// Writes the nonces of these messages or, for a key setup, their keys.
    fn write_nonces(&mut self, series: &Series, messages: &Range<u64>) {
        let growing = series.growing();
        let step = step(growing.len());
        let bytes = (messages.end - messages.start) as usize * step;
        if self.nonces.len() < bytes {
            self.nonces = Aligned::new(bytes);
            // All bytes but the counter stay as they are.
            for nonce in self.nonces.chunks_exact_mut(step) {
                nonce[..growing.len()].copy_from_slice(growing);
            }
        }
        let start = counter(growing);
        for (index, nonce) in messages.clone().zip(self.nonces.chunks_exact_mut(step)) {
            advance(&mut nonce[..growing.len()], start, series.number(index));
        }
    }

    /// Flips a bit of a message.
    pub fn flip(&mut self, index: u64, bit: usize) {
        let byte = self.slot(index) * self.input_step + bit / 8;
        if let Some(byte) = self.inputs.as_mut().and_then(|inputs| inputs.get_mut(byte)) {
            *byte ^= 1 << (bit % 8);
        }
    }

    fn slot(&self, index: u64) -> usize {
        (index.wrapping_sub(self.origin) % self.slots as u64) as usize
    }
}

/// The slots of a ring, each once, from this one on.
fn round(
    memory: &mut [u8],
    step: usize,
    slots: usize,
    first: usize,
) -> impl Iterator<Item = &mut [u8]> {
    let (before, from) = memory[..slots * step].split_at_mut(first * step);
    from.chunks_exact_mut(step).chain(before.chunks_exact_mut(step))
}

/// The same memory for a list of things that live for another time: the standard library collects
/// in place where sizes are equal.
#[inline]
fn emptied<T, U>(mut list: Vec<T>) -> Vec<U> {
    list.clear();
    list.into_iter().map(|_| unreachable!("the list is empty")).collect()
}

/// A number for the answer to a message.
pub fn of_answer(index: u64, answer: &[u8]) -> u64 {
    mixed(rapidhash_v3(answer).wrapping_add(index.rotate_left(32)))
}

/// Texts that follow each other share their bytes; what is received, and what several lanes are given
/// at once, lies apart.
fn input_step(series: &Series) -> usize {
    match series.receives() || series.lanes > 1 {
        true => apart(series.slot_bytes()),
        false => series.texts_step(),
    }
}

fn output_step(series: &Series) -> usize {
    apart(series.answer_bytes())
}

/// As [`step`], for things that share no byte.
fn apart(bytes: usize) -> usize {
    bytes.next_multiple_of(step(bytes)).max(step(bytes))
}

/// Bytes of so many calls in slots of their own: what they take of the nearest cache.
pub fn bytes_of(series: &Series, messages: usize) -> usize {
    let lists = size_of::<Message<'_>>() + size_of::<&mut [u8]>();
    // What was prepared is read instead.
    let lists = lists.max(size_of::<Prepared<'_>>()) + size_of::<usize>();
    let each = input_step(series) + output_step(series) + step(series.growing().len()) + lists;
    let input_step = input_step(series);
    messages * each + series.slot_bytes().saturating_sub(input_step)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_emptied_list_keeps_its_memory() {
        let text = vec![1_u8];
        let list = vec![Message { input: &text, ..Message::default() }; 8];
        let memory = list.as_ptr() as usize;
        let list: Vec<Message<'static>> = emptied(list);
        assert_eq!((list.len(), list.capacity(), list.as_ptr() as usize), (0, 8, memory));
    }

    #[test]
    fn another_order_has_the_same_calls() {
        let mut outputs = [0_u8; 60];
        let mut ready = Ready {
            messages: vec![Message::default(); 60],
            outputs: outputs.chunks_mut(1).collect(),
            turns: (0..60).collect(),
            prepared: Vec::new(),
            prepared_lanes: PreparedLanes::default(),
        };
        ready.shuffle(3, 5);
        assert_ne!(ready.turns, (0..60).collect::<Vec<usize>>());
        let mut calls: Vec<&[usize]> = ready.turns.chunks(3).collect();
        calls.sort();
        assert_eq!(calls.concat(), (0..60).collect::<Vec<usize>>());
    }

    #[test]
    fn answers_count_with_their_messages() {
        assert_ne!(of_answer(1, &[7]), of_answer(2, &[7]));
        assert_ne!(of_answer(1, &[7]), of_answer(1, &[8]));
        let swapped = of_answer(1, &[8]).wrapping_add(of_answer(2, &[7]));
        assert_ne!(of_answer(1, &[7]).wrapping_add(of_answer(2, &[8])), swapped);
    }
}
