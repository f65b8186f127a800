//! Schedules batches on workers, synchronises those that have a flow, and keeps their order.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use ciphermark_harness::crew::{Parker, pause};
use ciphermark_record::packets::{Delivery, PacketLoad, Waiting};
use crossbeam_utils::CachePadded;

use super::batch::{Batch, NONE, State};
use super::buffers::Stage;
use super::delivery::Log;
use super::layout::Layout;
use super::queue::Ring;

/// Batches that follow each other, and where they have got to.
#[derive(Default)]
struct Sequence {
    first: AtomicU32,
    /// Of a flow the batch that somebody has or had last; where all is ordered the one that was
    /// delivered last.
    current: AtomicU32,
    /// Batches of a flow that were submitted and not delivered. The flow is in its ring, or in
    /// somebody's hands, when there are any.
    pending: AtomicU32,
    /// Whether somebody delivers.
    delivering: AtomicBool,
}

/// All that the threads of a pass share, besides the packets.
pub struct Scheduler {
    pub layout: Layout,
    pub waiting: Waiting,
    pub packets: u32,
    /// Batches that a ring holds.
    most: u32,
    rings: Vec<Ring>,
    sequences: Vec<CachePadded<Sequence>>,
    pub batches: Vec<Batch>,
    /// The packets of each sequence as they were submitted.
    pub order: Vec<AtomicU32>,
    pub logs: Vec<Log>,
    /// Of the workers; the last is the submitter's.
    parkers: Vec<Parker>,
    delivered: CachePadded<AtomicU32>,
    over: CachePadded<AtomicBool>,
    /// Workers that have ended before the packets.
    deaths: CachePadded<AtomicU32>,
    dead: Vec<AtomicBool>,
}

impl Scheduler {
    pub fn new(load: &PacketLoad, flows: u32) -> Self {
        let layout = Layout::of(load, flows);
        let (packets, workers) = (load.packets as u32, load.cpus.len());
        let entries = |ring| match (layout.delivery, layout.stage(ring)) {
            (Delivery::PerFlow, Stage::First) => layout.sequences().max(1),
            _ => load.queue_batches as usize,
        };
        Self {
            waiting: load.waiting,
            packets,
            most: load.queue_batches,
            rings: (0..layout.members.len()).map(|ring| Ring::new(entries(ring))).collect(),
            sequences: (0..layout.sequences()).map(|_| CachePadded::default()).collect(),
            batches: (0..layout.batches).map(|_| Batch::default()).collect(),
            order: (0..packets).map(|_| AtomicU32::new(NONE)).collect(),
            logs: log_lengths(&layout, workers, packets).map(Log::new).collect(),
            parkers: (0..=workers).map(|_| Parker::default()).collect(),
            delivered: CachePadded::default(),
            over: CachePadded::default(),
            deaths: CachePadded::default(),
            dead: (0..workers).map(|_| AtomicBool::default()).collect(),
            layout,
        }
    }

    /// Bytes that the queue of a load takes.
    pub fn bytes(load: &PacketLoad, flows: u32) -> usize {
        let layout = Layout::of(load, flows);
        let packets = load.packets as u32;
        let logs = log_lengths(&layout, load.cpus.len(), packets).map(Log::bytes);
        let entry = 2 * size_of::<u64>(); // with its stamp
        logs.sum::<usize>()
            + layout.batches * size_of::<Batch>()
            + layout.sequences() * (size_of::<CachePadded<Sequence>>() + entry)
            + packets as usize * size_of::<AtomicU32>()
            + layout.members.len() * load.queue_batches as usize * entry
    }

    /// As before the first pass.
    pub fn reset(&mut self) {
        self.rings.iter_mut().for_each(Ring::reset);
        self.batches.iter_mut().for_each(Batch::reset);
        self.order.iter_mut().for_each(|it| *it.get_mut() = NONE);
        self.logs.iter_mut().for_each(Log::reset);
        self.parkers.iter_mut().for_each(Parker::reset);
        self.dead.iter_mut().for_each(|it| *it.get_mut() = false);
        for sequence in &mut self.sequences {
            **sequence = Sequence {
                first: AtomicU32::new(NONE),
                current: AtomicU32::new(NONE),
                ..Sequence::default()
            };
        }
        *self.delivered = AtomicU32::new(0);
        *self.over = AtomicBool::new(false);
        *self.deaths = AtomicU32::new(0);
    }

    pub fn ring(&self, number: usize) -> &Ring {
        &self.rings[number]
    }

    /// Lets a thread wait a moment, or until woken; not where `ready` says that there is no need to. Whoever
    /// polls has looked in vain `looks` times.
    pub fn wait(&self, parker: &Parker, looks: &mut u32, ready: impl Fn() -> bool) {
        match self.waiting {
            Waiting::Poll => pause(looks),
            Waiting::Block => parker.park_unless(ready),
        }
    }

    pub fn parker(&self, worker: usize) -> &Parker {
        &self.parkers[worker]
    }

    pub fn submitters_parker(&self) -> &Parker {
        &self.parkers[self.dead.len()]
    }

    pub fn delivered(&self) -> u32 {
        self.delivered.load(Ordering::Relaxed)
    }

    /// Whether all packets are delivered, or will never be.
    #[inline]
    pub fn is_over(&self) -> bool {
        self.over.load(Ordering::Relaxed)
    }

    /// Ends the pass for all.
    pub fn stop(&self) {
        self.over.store(true, Ordering::SeqCst);
        self.wake_all();
    }

    fn wake_all(&self) {
        self.parkers.iter().for_each(|parker| {
            parker.wake();
        });
    }

    /// Wakes somebody who takes from a ring.
    #[inline]
    fn wake_for(&self, ring: usize) {
        if self.waiting == Waiting::Poll {
            return;
        }
        let woken = self.layout.members[ring].iter().any(|&worker| self.parkers[worker].wake());
        if !woken && self.deaths() > 0 {
            self.wake_all();
        }
    }

    /// The ring of the first stage that a sequence is in.
    fn ring_of(&self, sequence: u32) -> usize {
        self.layout.ring_of[sequence as usize] as usize
    }

    #[inline]
    fn is_per_flow(&self) -> bool {
        self.layout.delivery == Delivery::PerFlow
    }

    /// Makes a batch known that follows another in its sequence.
    pub fn announce(&self, number: u32, after: u32) {
        let batch = &self.batches[number as usize];
        batch.moves(State::Absent, State::Waiting(Stage::First));
        match self.batches.get(after as usize) {
            Some(last) => last.set_next(number),
            None => self.sequence_of(batch).first.store(number, Ordering::Release),
        }
    }

    fn sequence_of(&self, batch: &Batch) -> &Sequence {
        &self.sequences[batch.sequence.load(Ordering::Relaxed) as usize]
    }

    /// Puts a batch that was announced into its ring; false where that has no room.
    #[inline]
    pub fn submit(&self, number: u32) -> bool {
        let sequence = self.batches[number as usize].sequence.load(Ordering::Relaxed);
        let ring = self.ring_of(sequence);
        if !self.is_per_flow() {
            let pushed = self.rings[ring].push(number);
            if pushed {
                self.wake_for(ring);
            }
            return pushed;
        }
        if !self.has_room(sequence) {
            return false;
        }
        self.rings[ring].held().fetch_add(1, Ordering::Relaxed);
        if self.sequences[sequence as usize].pending.fetch_add(1, Ordering::AcqRel) == 0 {
            self.enter(sequence);
        }
        true
    }

    /// Whether a batch of this sequence can be submitted.
    pub fn has_room(&self, sequence: u32) -> bool {
        let ring = &self.rings[self.ring_of(sequence)];
        match self.is_per_flow() {
            true => ring.held().load(Ordering::Relaxed) < self.most,
            false => !ring.is_full(),
        }
    }

    /// Puts a flow into its ring, which has room for all.
    fn enter(&self, sequence: u32) {
        let ring = self.ring_of(sequence);
        let entered = self.rings[ring].push(sequence);
        debug_assert!(entered, "a flow was in its ring twice");
        self.wake_for(ring);
    }

    /// Takes a batch from a ring.
    #[inline]
    pub fn take(&self, ring: usize, worker: usize) -> Option<u32> {
        let entry = self.rings[ring].pop()?;
        let stage = self.layout.stage(ring);
        let number = match stage {
            Stage::First if self.is_per_flow() => self.next_of_flow(ring, entry),
            _ => entry,
        };
        if self.waiting == Waiting::Block {
            self.submitters_parker().wake();
        }
        let batch = &self.batches[number as usize];
        batch.moves(State::Waiting(stage), State::Taken(stage, worker)).then_some(number)
    }

    /// The batch of a flow whose turn it is; the flow is in the caller's hands until
    /// [`Self::release`].
    fn next_of_flow(&self, ring: usize, sequence: u32) -> u32 {
        self.rings[ring].held().fetch_sub(1, Ordering::Relaxed);
        let state = &self.sequences[sequence as usize];
        let number = self.following(state, state.current.load(Ordering::Relaxed));
        state.current.store(number, Ordering::Relaxed);
        number
    }

    fn following(&self, sequence: &Sequence, number: u32) -> u32 {
        match self.batches.get(number as usize) {
            Some(batch) => batch.next(),
            None => sequence.first.load(Ordering::Acquire),
        }
    }

    /// Lets others have a flow.
    fn release(&self, sequence: u32) {
        if self.sequences[sequence as usize].pending.fetch_sub(1, Ordering::AcqRel) > 1 {
            self.enter(sequence);
        }
    }

    /// The ring of the second stage that a batch goes to.
    pub fn second_ring(&self, number: u32) -> usize {
        let sequence = self.batches[number as usize].sequence.load(Ordering::Relaxed);
        self.ring_of(sequence) + self.layout.rings_of_a_stage()
    }

    /// Puts a batch whose first stage is done into a ring of the second; false where there is no
    /// room.
    pub fn pass_on(&self, number: u32, ring: usize) -> bool {
        let pushed = self.rings[ring].push(number);
        if pushed {
            self.wake_for(ring);
        }
        pushed
    }

    /// Delivers a batch that this worker has done, or what is ready of its sequence. `noted` is called
    /// for each batch at the time of its delivery.
    #[inline]
    pub fn deliver(&self, number: u32, worker: usize, noted: &mut impl FnMut(&Batch)) {
        let sequence = self.batches[number as usize].sequence.load(Ordering::Relaxed);
        match self.layout.delivery {
            Delivery::Unordered => {
                self.hand_over(number, worker, &self.logs[worker], noted);
            }
            Delivery::PerFlow => {
                if self.hand_over(number, worker, &self.logs[sequence as usize], noted) {
                    self.release(sequence);
                }
            }
            Delivery::Ordered => self.deliver_sequence(sequence, noted),
        }
    }

    /// Delivers all batches of a sequence that are done and whose turn it is, unless somebody else does.
    fn deliver_sequence(&self, number: u32, noted: &mut impl FnMut(&Batch)) {
        let (sequence, log) = (&self.sequences[number as usize], &self.logs[number as usize]);
        while !sequence.delivering.swap(true, Ordering::SeqCst) {
            let mut last = sequence.current.load(Ordering::Relaxed);
            while let Some((next, worker)) = self.done_after(sequence, last) {
                self.hand_over(next, worker, log, noted);
                last = next;
            }
            sequence.current.store(last, Ordering::Relaxed);
            sequence.delivering.store(false, Ordering::SeqCst);
            // Whoever has done the next one since it was looked at found somebody delivering.
            if self.done_after(sequence, last).is_none() {
                return;
            }
        }
    }

    fn done_after(&self, sequence: &Sequence, last: u32) -> Option<(u32, usize)> {
        let next = self.following(sequence, last);
        match self.batches.get(next as usize)?.state() {
            State::Done(worker) => Some((next, worker)),
            _ => None,
        }
    }

    /// Whether it was this call that delivered it.
    fn hand_over(
        &self,
        number: u32,
        worker: usize,
        log: &Log,
        noted: &mut impl FnMut(&Batch),
    ) -> bool {
        let batch = &self.batches[number as usize];
        if !batch.moves(State::Done(worker), State::Delivered) {
            return false;
        }
        let packets = self.packets_of(batch);
        log.add(packets);
        noted(batch);
        let length = packets.len() as u32;
        if self.delivered.fetch_add(length, Ordering::AcqRel) + length == self.packets {
            self.stop();
        }
        true
    }

    #[inline]
    pub fn packets_of(&self, batch: &Batch) -> &[AtomicU32] {
        let start = batch.start.load(Ordering::Relaxed) as usize;
        &self.order[start..start + batch.length.load(Ordering::Relaxed) as usize]
    }

    /// Workers that have ended so far.
    #[inline]
    pub fn deaths(&self) -> u32 {
        self.deaths.load(Ordering::Acquire)
    }

    /// A worker ends. Where the packets are not all delivered others take over what it has, unless
    /// there is nobody left.
    pub fn leave(&self, worker: usize) {
        if self.is_over() {
            return;
        }
        self.dead[worker].store(true, Ordering::SeqCst);
        let deaths = self.deaths.fetch_add(1, Ordering::SeqCst) + 1;
        if deaths as usize == self.dead.len() {
            self.stop();
        }
        self.wake_all();
    }

    fn is_dead(&self, worker: usize) -> bool {
        self.dead[worker].load(Ordering::SeqCst)
    }

    /// Whether anybody who takes from a ring is left.
    pub fn has_living(&self, ring: usize) -> bool {
        self.layout.members[ring].iter().any(|&worker| !self.is_dead(worker))
    }

    /// Rings that nobody takes from any more.
    pub fn orphans(&self) -> impl Iterator<Item = usize> {
        (0..self.rings.len()).filter(|&ring| !self.has_living(ring))
    }

    /// Batches in the hands of those that have ended.
    pub fn abandoned(&self) -> impl Iterator<Item = (u32, State)> {
        (0..)
            .zip(&self.batches)
            .map(|(number, batch)| (number, batch.state()))
            .filter(|(_, state)| state.worker().is_some_and(|worker| self.is_dead(worker)))
    }
}

/// Where order is kept each sequence has a log, else each worker.
fn log_lengths(layout: &Layout, workers: usize, packets: u32) -> impl Iterator<Item = usize> {
    let sequences = layout.starts.windows(2).map(|it| (it[1] - it[0]) as usize);
    let ordered = layout.delivery != Delivery::Unordered;
    let of_lines: Vec<usize> = if ordered { sequences.collect() } else { Vec::new() };
    let of_workers = std::iter::repeat_n(packets as usize, if ordered { 0 } else { workers });
    of_lines.into_iter().chain(of_workers)
}
