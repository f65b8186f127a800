//! Packets through the queue by one thread, for whoever counts its instructions.

use ciphermark_harness::{Calibration, HostClock};
use ciphermark_record::packets::PacketLoad;

use super::faults::NoFaults;
use super::scheduler::Scheduler;
use super::submitter::Submitter;
use super::worker::{Duty, Post, Worker};
use crate::failure::Failure;

/// Calls `count` with what submits so many packets, takes their batches and delivers them; nothing is
/// done to the packets. The thread processes whenever the queue is full.
pub fn counted<T>(
    packets: u64,
    batch: u32,
    count: impl FnOnce(&mut dyn FnMut()) -> T,
) -> Result<T, Failure> {
    let load = load(packets, batch);
    let calibration = Calibration::measure(&mut HostClock::open(), 1e9);
    let mut scheduler = Scheduler::new(&load, 1);
    scheduler.reset();
    let post = Post {
        number: 0,
        scheduler: &scheduler,
        faults: &NoFaults,
        calibration: &calibration,
        lanes: 1,
        batch: batch as usize,
    };
    let worker = Worker::new(post, Duty::Nothing);
    let mut submitter = Submitter::new(&scheduler, &load, &calibration, Some(worker));
    let mut outcome = Ok(true);
    let found = count(&mut || {
        outcome = submitter.run();
        if let (Ok(true), Some(worker)) = (&outcome, &mut submitter.worker) {
            outcome = worker.run();
        }
    });
    outcome.map(|_| found)
}

fn load(packets: u64, batch: u32) -> PacketLoad {
    PacketLoad {
        packets,
        cpus: vec![0],
        submit_cpu: 0,
        then: None,
        batch,
        flush_us: None,
        queue_batches: 4,
        delivery: Default::default(),
        architecture: Default::default(),
        waiting: Default::default(),
        key_setup: Default::default(),
        priorities: 1,
        groups: Vec::new(),
        policy: Default::default(),
        offered_per_s: None,
        in_flight: 1,
        least_pairs: 1,
        measure_ms: 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_packets_pass_in_one_call() {
        for (packets, batch) in [(256, 32), (100, 8), (5, 1)] {
            let mut calls = 0;
            let counted = counted(packets, batch, |call| {
                call();
                calls += 1;
            });
            assert!(counted.is_ok() && calls == 1, "{packets} in batches of {batch}");
        }
    }
}
