//! Whether all packets have arrived, once and in their order.

use ciphermark_record::packets::Delivery;

use super::scheduler::Scheduler;

/// What is wrong with the deliveries of a pass.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Deliveries {
    pub lost: u64,
    pub duplicated: u64,
    pub out_of_order: u64,
}

/// Counts the deliveries of each packet. Where order is kept a log is that of one sequence, whose packets
/// were submitted in the order of their numbers.
pub fn deliveries(scheduler: &Scheduler) -> Deliveries {
    let mut counts = vec![0_u32; scheduler.packets as usize];
    let mut found = Deliveries::default();
    for log in &scheduler.logs {
        let mut latest = 0;
        for packet in log.packets() {
            counts[packet as usize] += 1;
            found.out_of_order += u64::from(packet < latest);
            latest = latest.max(packet);
        }
        found.duplicated += log.beyond();
    }
    if scheduler.layout.delivery == Delivery::Unordered {
        found.out_of_order = 0;
    }
    found.lost = counts.iter().filter(|&&count| count == 0).count() as u64;
    found.duplicated += counts.iter().map(|&it| u64::from(it.saturating_sub(1))).sum::<u64>();
    found
}
