//! What was delivered, in its order.

use std::sync::atomic::{AtomicU32, Ordering};

use crossbeam_utils::CachePadded;

/// Deliveries of one worker or, where order is kept, of one sequence. One thread at a time adds to it.
pub struct Log {
    packets: Vec<AtomicU32>,
    length: CachePadded<AtomicU32>,
}

impl Log {
    /// For so many deliveries; of what comes beyond only the number is kept.
    pub fn new(most: usize) -> Self {
        // Written to, so that the pages are there when the clock runs.
        let packets = (0..most).map(|_| AtomicU32::new(u32::MAX)).collect();
        Self { packets, length: CachePadded::new(AtomicU32::new(0)) }
    }

    /// Bytes that a log of so many deliveries takes.
    pub fn bytes(most: usize) -> usize {
        most * size_of::<AtomicU32>() + size_of::<Self>()
    }

    #[inline]
    pub fn add(&self, packets: &[AtomicU32]) {
        let length = self.length.load(Ordering::Relaxed);
        for (slot, packet) in self.packets.iter().skip(length as usize).zip(packets) {
            slot.store(packet.load(Ordering::Relaxed), Ordering::Relaxed);
        }
        self.length.store(length + packets.len() as u32, Ordering::Relaxed);
    }

    /// The packets in the order of their delivery.
    pub fn packets(&self) -> impl Iterator<Item = u32> {
        let length = self.length.load(Ordering::Relaxed) as usize;
        self.packets.iter().take(length).map(|it| it.load(Ordering::Relaxed))
    }

    /// Deliveries that there was no room for.
    pub fn beyond(&self) -> u64 {
        u64::from(self.length.load(Ordering::Relaxed)).saturating_sub(self.packets.len() as u64)
    }

    pub fn reset(&mut self) {
        *self.length.get_mut() = 0;
    }
}
