//! Packets and their answers in memory, all of it there before the clock starts.

use std::cell::UnsafeCell;

use ciphermark_algorithms::nonce;
use ciphermark_providers::api::{Expansion, Message, Operation, input_bytes, output_bytes};
use rand_chacha::rand_core::Rng;

use super::Execution;
use crate::buffer::{ALIGNMENT, POISON};
use crate::inputs::{Inputs, advance, counter, generator};
use crate::memory::check_room;

/// A cache line that several threads may write to, one after the other.
#[repr(C, align(64))]
struct CacheLine(UnsafeCell<[u8; ALIGNMENT]>);

/// Slots whose lengths come in turn, each at a cache line.
struct Area {
    lines: Vec<CacheLine>,
    /// Bytes of the slots of one turn.
    lengths: Vec<usize>,
    /// Where each of them begins within the turn.
    starts: Vec<usize>,
    turn_bytes: usize,
}

// SAFETY: bytes are reached through `slot` alone, whose callers see to it that no two of them have
// the same slot at once unless all only read it.
unsafe impl Sync for Area {}

impl Area {
    fn bytes(lengths: &[usize], slots: usize) -> usize {
        let strides = || lengths.iter().map(|it| it.next_multiple_of(ALIGNMENT));
        let rest: usize = strides().take(slots % lengths.len()).sum();
        slots / lengths.len() * strides().sum::<usize>() + rest
    }

    fn new(lengths: Vec<usize>, slots: usize) -> Self {
        let mut turn_bytes = 0;
        let starts = lengths
            .iter()
            .map(|it| {
                let start = turn_bytes;
                turn_bytes += it.next_multiple_of(ALIGNMENT);
                start
            })
            .collect();
        let lines = Self::bytes(&lengths, slots) / ALIGNMENT;
        // Written to, so that the pages are there when the clock runs.
        let lines = (0..lines).map(|_| CacheLine(UnsafeCell::new([POISON; ALIGNMENT]))).collect();
        Self { lines, lengths, starts, turn_bytes }
    }

    /// # Safety
    ///
    /// While the slice lives nobody else has one of this slot.
    #[inline]
    #[allow(clippy::mut_from_ref)] // which is what the cells are for
    unsafe fn slot(&self, number: u32) -> &mut [u8] {
        let turn = self.lengths.len() as u32;
        let (turns, place) = ((number / turn) as usize, (number % turn) as usize);
        let start = turns * self.turn_bytes + self.starts[place];
        let length = self.lengths[place];
        assert!(start + length <= self.lines.len() * ALIGNMENT);
        let memory = self.lines.as_ptr().cast::<UnsafeCell<u8>>();
        // SAFETY: the slot lies within the lines, as was asserted; lines are cells without anything
        // between them; that nobody else has it is the caller's promise.
        unsafe { std::slice::from_raw_parts_mut(UnsafeCell::raw_get(memory.add(start)), length) }
    }

    fn fill(&mut self, byte: u8) {
        self.lines.iter_mut().for_each(|line| line.0.get_mut().fill(byte));
    }
}

/// Which of the operations on a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    First,
    /// What is done to the answer of the first.
    Second,
}

/// All packets of a case.
pub struct Packets {
    pub count: u32,
    pub flows: u32,
    /// A key for each flow.
    pub keys: Vec<Vec<u8>>,
    nonces: Vec<u8>,
    nonce_bytes: usize,
    inputs: Area,
    /// What the first operation leaves to the second.
    middles: Option<Area>,
    answers: Area,
}

impl Packets {
    /// Packets with random bytes, of which those that were sent by somebody are not what the
    /// operation expects yet. Refuses what there is no memory for, of which the queue takes
    /// `besides`.
    pub fn new(execution: &Execution<'_>, besides: usize) -> Result<Self, String> {
        let count = execution.load.packets as u32;
        let shape = Shape::of(execution);
        let nonce_bytes = execution.algorithm.nonce_bytes as usize;
        check_room(
            &format!("{count} packets with their answers and queues"),
            shape.bytes(count as usize) + nonce_bytes * count as usize + besides,
        )
        .map_err(|why| format!("{why}: write fewer --packets or smaller --sizes"))?;
        let inputs = Inputs::new(execution.seed, execution.algorithm, 0);
        let mut packets = Self {
            count,
            flows: execution.case.keys.max(1),
            keys: keys(&inputs, execution.case.keys.max(1)),
            nonces: nonces(execution, &inputs, count),
            nonce_bytes,
            inputs: Area::new(shape.inputs, count as usize),
            middles: shape.middles.map(|it| Area::new(it, count as usize)),
            answers: Area::new(shape.answers, count as usize),
        };
        packets.fill(execution);
        Ok(packets)
    }

    fn fill(&mut self, execution: &Execution<'_>) {
        let mut random = generator(execution.seed, "packets", self.count as usize);
        let copied = execution.load.then == Some(Operation::Verify);
        for packet in 0..self.count {
            // SAFETY: nobody else has anything of the packets yet.
            unsafe {
                let input = self.inputs.slot(packet);
                random.fill_bytes(input);
                if let Some(middles) = self.middles.as_ref().filter(|_| copied) {
                    middles.slot(packet)[..input.len()].copy_from_slice(input);
                }
            }
        }
    }

    /// Bytes of all of it.
    pub fn bytes(&self) -> usize {
        let areas = [Some(&self.inputs), self.middles.as_ref(), Some(&self.answers)];
        areas.into_iter().flatten().map(|it| it.lines.len() * ALIGNMENT).sum::<usize>()
            + self.nonces.len()
    }

    #[inline]
    pub fn flow(&self, packet: u32) -> u32 {
        packet % self.flows
    }

    #[inline]
    pub fn nonce(&self, packet: u32) -> &[u8] {
        let start = packet as usize * self.nonce_bytes;
        &self.nonces[start..start + self.nonce_bytes]
    }

    /// What the first operation is given.
    pub fn input_mut(&mut self, packet: u32) -> &mut [u8] {
        // SAFETY: nobody else has anything of packets that are borrowed mutably.
        unsafe { self.inputs.slot(packet) }
    }

    /// What an operation is given of a packet, and where its answer goes.
    ///
    /// # Safety
    ///
    /// While either lives nobody else has anything of this packet.
    #[inline]
    #[allow(clippy::mut_from_ref)] // as of the areas' slots
    pub unsafe fn parts(&self, packet: u32, stage: Stage) -> (Message<'_>, &mut [u8]) {
        // SAFETY: as the caller promises; the slots of a packet in different areas are apart.
        let (input, answer) = unsafe {
            match (stage, &self.middles) {
                (Stage::First, None) => (self.inputs.slot(packet), self.answers.slot(packet)),
                (Stage::First, Some(middles)) => {
                    let (input, middle) = (self.inputs.slot(packet), middles.slot(packet));
                    let kept = middle.len() - self.made_bytes(packet);
                    (input, &mut middle[kept..])
                }
                (Stage::Second, Some(middles)) => (middles.slot(packet), self.answers.slot(packet)),
                (Stage::Second, None) => unreachable!("there is no second operation"),
            }
        };
        (Message::new(self.nonce(packet), input), answer)
    }

    /// Bytes that the first operation writes into a middle: all of it or, before `verify`, what
    /// follows the message, which is there already.
    fn made_bytes(&self, packet: u32) -> usize {
        let Some(middles) = &self.middles else { return 0 };
        let turn = packet as usize % middles.lengths.len();
        middles.lengths[turn] - if self.copies() { self.inputs.lengths[turn] } else { 0 }
    }

    /// Whether the message lies in the middle as well: where the answer is nothing, as of `verify`.
    fn copies(&self) -> bool {
        self.middles.is_some() && self.answers.lengths.iter().all(|&it| it == 0)
    }

    /// What the operations have written for a packet: of the first, where there are two, and of the
    /// last.
    pub fn written(&mut self, packet: u32) -> (&[u8], &[u8]) {
        let made = self.made_bytes(packet);
        // SAFETY: nobody else has anything of packets that are borrowed mutably.
        unsafe {
            let middle = self.middles.as_ref().map_or(&mut [][..], |it| it.slot(packet));
            (&middle[middle.len() - made..], self.answers.slot(packet))
        }
    }

    /// Overwrites what was written, so that no earlier answer can pass for a new one.
    pub fn poison(&mut self) {
        self.answers.fill(POISON);
        for packet in 0..self.count {
            let made = self.made_bytes(packet);
            if let Some(middles) = &self.middles {
                // SAFETY: nobody else has anything of packets that are borrowed mutably.
                let middle = unsafe { middles.slot(packet) };
                let kept = middle.len() - made;
                middle[kept..].fill(POISON);
            }
        }
    }
}

/// Lengths of what belongs to a packet, in turn.
struct Shape {
    inputs: Vec<usize>,
    middles: Option<Vec<usize>>,
    answers: Vec<usize>,
}

impl Shape {
    fn of(execution: &Execution<'_>) -> Self {
        let (first, then) = (execution.case.operation, execution.load.then);
        let expansion = Expansion::of(execution.algorithm);
        let messages = message_lengths(execution);
        let all = |bytes: &dyn Fn(usize) -> usize| messages.iter().map(|&it| bytes(it)).collect();
        Self {
            inputs: all(&|it| input_bytes(first, it, expansion)),
            middles: then.map(|then| all(&|it| input_bytes(then, it, expansion))),
            answers: all(&|it| output_bytes(then.unwrap_or(first), it, expansion)),
        }
    }

    fn bytes(&self, slots: usize) -> usize {
        let areas = [Some(&self.inputs), self.middles.as_ref(), Some(&self.answers)];
        areas.into_iter().flatten().map(|lengths| Area::bytes(lengths, slots)).sum()
    }
}

/// Bytes of the messages in turn.
pub fn message_lengths(execution: &Execution<'_>) -> Vec<usize> {
    execution.case.messages.lengths().iter().map(|&bytes| bytes as usize).collect()
}

/// The first key is random, and each of the others one more.
fn keys(inputs: &Inputs, count: u32) -> Vec<Vec<u8>> {
    let start = counter(&inputs.key);
    let key = |number: u32| {
        let mut key = inputs.key.clone();
        advance(&mut key, start, number.into());
        key
    };
    (0..count).map(key).collect()
}

fn nonces(execution: &Execution<'_>, inputs: &Inputs, count: u32) -> Vec<u8> {
    let start = counter(&inputs.nonce);
    let mut nonces = Vec::with_capacity(inputs.nonce.len() * count as usize);
    let mut nonce = inputs.nonce.clone();
    for packet in 0..count {
        advance(&mut nonce, start, packet.into());
        nonce::confine(execution.algorithm, &mut nonce);
        nonces.extend_from_slice(&nonce);
    }
    nonces
}
