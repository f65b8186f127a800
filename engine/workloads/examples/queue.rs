//! What passing a packet from one core to another costs: `cargo run --release -p
//! ciphermark-workloads --example queue [SUBMITTER WORKER]`.
//!
//! The method is that of DPDK's `ring_perf_autotest`, its part "bulk enqueue/dequeue between two
//! physical cores": one core puts elements into a ring in bulks, as fast as there is room, another
//! takes them out, and the time from the first to the last is divided by the elements. A bulk is a
//! batch here, which is one entry of the ring. Beside it stands the whole transfer path of the
//! workload, in which every packet is put into its batch, taken out and delivered, and the same with
//! calls of a function that does nothing.

use std::thread;

use ciphermark_harness::{Calibration, Clock, HostClock, pinning};
use ciphermark_record::packets::{PacketLoad, PassKind};
use ciphermark_record::plan::Case;
use ciphermark_registry as registry;
use ciphermark_workloads::packets::{Execution, execute};
use crossbeam_queue::ArrayQueue;
use serde_json::json;

const BATCHES: [u32; 4] = [1, 8, 32, 128];
const PACKETS: u32 = 1 << 20;
const QUEUE_BATCHES: usize = 64;
const SEED: u64 = 1;

fn main() {
    let allowed = pinning::allowed_cpus().expect("the kernel tells");
    let named: Vec<u32> = std::env::args().skip(1).flat_map(|it| it.parse()).collect();
    let [submitter, worker] = match named[..] {
        [submitter, worker] => [submitter, worker],
        _ => [allowed[0], allowed[1 % allowed.len()]],
    };
    let calibration = Calibration::measure(&mut HostClock::open(), 1e9);
    println!("ns per packet, from CPU {submitter} to CPU {worker}");
    println!("{:>6} {:>8} {:>10} {:>14}", "batch", "ring", "transfer", "empty function");
    for batch in BATCHES {
        let ring = ring_ns(batch, submitter, worker, &calibration);
        let [transfer, processing] = path_ns(batch, submitter, worker, &calibration);
        println!("{batch:>6} {ring:>8.1} {transfer:>10.1} {processing:>14.1}");
    }
}

/// The ring alone.
fn ring_ns(batch: u32, submitter: u32, worker: u32, calibration: &Calibration) -> f64 {
    let ring = ArrayQueue::new(QUEUE_BATCHES);
    let entries = PACKETS / batch;
    let ticks = thread::scope(|scope| {
        scope.spawn(|| {
            pinning::pin(submitter).expect("the CPU is allowed");
            for entry in 0..entries {
                while ring.push(entry).is_err() {
                    std::hint::spin_loop();
                }
            }
        });
        let taking = scope.spawn(|| {
            pinning::pin(worker).expect("the CPU is allowed");
            let mut clock = HostClock::without_pmu(calibration.ticks_per_ns);
            let next = || loop {
                match ring.pop() {
                    Some(entry) => return entry,
                    None => std::hint::spin_loop(),
                }
            };
            next();
            let began = clock.ticks();
            while next() + 1 < entries {}
            clock.ticks() - began
        });
        taking.join().expect("the thread ends")
    });
    ticks as f64 / calibration.ticks_per_ns / f64::from(PACKETS)
}

/// The way of packets through the workload, without and with calls of the empty function: of each
/// the pass that took the shortest time, which the rest of the machine disturbed least.
fn path_ns(batch: u32, submitter: u32, worker: u32, calibration: &Calibration) -> [f64; 2] {
    let load: PacketLoad = serde_json::from_value(json!({
        "packets": PACKETS.min(1_000_000), "cpus": [worker], "submit_cpu": submitter, "batch": batch,
        "queue_batches": QUEUE_BATCHES, "least_pairs": 5, "measure_ms": 0.0,
    }))
    .expect("the load is understood");
    let case: Case = serde_json::from_value(json!({
        "case": 0, "algorithm": "empty", "operation": "seal", "provider": "empty",
        "backend": "default", "message_bytes": 64,
    }))
    .expect("the case is understood");
    let registration = registry::find("empty").expect("it is registered");
    let provider = (registration.open)(None).expect("it can always be opened");
    let execution = Execution {
        provider: provider.as_ref(),
        algorithm: ciphermark_algorithms::find("empty").expect("it has facts"),
        case: &case,
        load: &load,
        seed: SEED,
        calibration,
    };
    let run = execute(&execution).unwrap_or_else(|why| panic!("{why:?}"));
    [PassKind::Transfer, PassKind::Processing].map(|kind| {
        let passes = run.passes.iter().filter(|pass| pass.kind == kind);
        passes.map(|pass| pass.wall_ns).fold(f64::INFINITY, f64::min) / load.packets as f64
    })
}
