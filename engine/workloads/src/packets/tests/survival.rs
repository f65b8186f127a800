//! Nothing is lost, duplicated or out of order, whatever befalls the workers.

use std::collections::HashSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use ciphermark_record::packets::{Architecture, Delivery};
use proptest::prelude::*;

use super::bench::somewhere;
use super::*;
use crate::packets::check::{self, Deliveries};
use crate::packets::faults::Moment;

/// What befalls a worker, the n-th time that any worker is at a moment.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    Stopped,
    /// From then on at every moment.
    Slowed,
    Killed,
}

struct Mishap {
    fault: Fault,
    moment: Moment,
    countdown: AtomicU32,
    slowed: Mutex<HashSet<usize>>,
    /// Workers that may be killed: one is left to the packets.
    mortal: std::ops::Range<usize>,
}

impl Mishap {
    fn new(fault: Fault, moment: Moment, after: u32, mortal: std::ops::Range<usize>) -> Self {
        let countdown = AtomicU32::new(after);
        Self { fault, moment, countdown, slowed: Mutex::default(), mortal }
    }
}

impl Faults for Mishap {
    fn spare(&self, worker: usize, moment: Moment) -> bool {
        if self.slowed.lock().expect("nobody panics").contains(&worker) {
            std::thread::sleep(Duration::from_micros(50));
        }
        if moment != self.moment || !self.mortal.contains(&worker) {
            return true;
        }
        if self.countdown.fetch_sub(1, Ordering::Relaxed) != 0 {
            return true;
        }
        match self.fault {
            Fault::Stopped => std::thread::sleep(Duration::from_millis(5)),
            Fault::Slowed => drop(self.slowed.lock().expect("nobody panics").insert(worker)),
            Fault::Killed => return false,
        }
        true
    }

    fn place(&self, cpu: u32) -> std::io::Result<()> {
        somewhere(cpu)
    }
}

fn faults() -> impl Strategy<Value = (Fault, Moment, u32)> {
    let fault = prop_oneof![Just(Fault::Stopped), Just(Fault::Slowed), Just(Fault::Killed)];
    let moment = prop_oneof![
        Just(Moment::Taken),
        Just(Moment::Amid),
        Just(Moment::BeforeDone),
        Just(Moment::BeforeDelivery)
    ];
    (fault, moment, 0_u32..20)
}

fn deliveries() -> impl Strategy<Value = Delivery> {
    prop_oneof![Just(Delivery::Unordered), Just(Delivery::Ordered), Just(Delivery::PerFlow)]
}

fn architectures() -> impl Strategy<Value = Architecture> {
    prop_oneof![
        Just(Architecture::RunToCompletion),
        Just(Architecture::PinnedPipeline),
        Just(Architecture::FreePipeline)
    ]
}

fn waitings() -> impl Strategy<Value = Waiting> {
    prop_oneof![Just(Waiting::Poll), Just(Waiting::Block)]
}

/// A queue of every kind, small enough to be full at times.
#[derive(Clone, Debug)]
struct Kind {
    delivery: Delivery,
    architecture: Architecture,
    waiting: Waiting,
    groups: u32,
    priorities: u32,
    batch: u32,
    queue_batches: u32,
    flows: u32,
}

fn kinds() -> impl Strategy<Value = Kind> {
    let shape = (deliveries(), architectures(), waitings());
    let sizes = (0_u32..3, 1_u32..4, 1_u32..9, 0_u32..3, 1_u32..9);
    (shape, sizes).prop_map(|(shape, (groups, priorities, batch, queue, flows))| Kind {
        delivery: shape.0,
        architecture: shape.1,
        waiting: shape.2,
        groups,
        priorities,
        batch,
        queue_batches: 1 << queue,
        flows: flows.max(groups),
    })
}

/// The last of them is never killed.
const WORKERS: u32 = 4;

fn fixture(kind: &Kind) -> Fixture {
    let mut fixture = Fixture::of_kernels("uea1", "encrypt");
    fixture.case.backend = "table".into();
    fixture.case.messages = Messages::Equal(8);
    fixture.case.keys = kind.flows;
    fixture.load.packets = 300;
    fixture.load.cpus = (0..WORKERS).collect();
    fixture.load.submit_cpu = WORKERS;
    let workers_of = |group| (0..WORKERS).filter(|it| it % kind.groups == group).collect();
    fixture.load.groups = (0..kind.groups).map(workers_of).collect();
    fixture.load.then = Some(ciphermark_record::plan::Operation::Decrypt);
    fixture.load.delivery = kind.delivery;
    fixture.load.architecture = kind.architecture;
    fixture.load.waiting = kind.waiting;
    fixture.load.priorities = kind.priorities;
    fixture.load.batch = kind.batch;
    fixture.load.queue_batches = kind.queue_batches;
    fixture
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn nothing_is_lost_duplicated_or_out_of_order(
        kind in kinds(),
        (fault, moment, after) in faults(),
    ) {
        let fixture = fixture(&kind);
        let mishap = Mishap::new(fault, moment, after, 0..WORKERS as usize - 1);
        prop_assert_eq!(fixture.passed(&mishap).len(), 300);
    }
}

#[test]
fn several_deaths_are_survived() {
    struct Deaths(AtomicU32);
    impl Faults for Deaths {
        fn spare(&self, worker: usize, _: Moment) -> bool {
            worker == 0 || self.0.fetch_add(1, Ordering::Relaxed) % 17 != 16
        }

        fn place(&self, cpu: u32) -> std::io::Result<()> {
            somewhere(cpu)
        }
    }
    for delivery in [Delivery::Unordered, Delivery::Ordered, Delivery::PerFlow] {
        let kind = Kind {
            delivery,
            architecture: Architecture::PinnedPipeline,
            waiting: Waiting::Block,
            groups: 0,
            priorities: 2,
            batch: 3,
            queue_batches: 2,
            flows: 5,
        };
        fixture(&kind).passed(&Deaths(AtomicU32::new(0)));
    }
}

#[test]
fn a_pass_without_workers_is_over_and_says_so() {
    struct Plague;
    impl Faults for Plague {
        fn spare(&self, _: usize, moment: Moment) -> bool {
            moment != Moment::Amid
        }
    }
    let fixture = Fixture::of("hmac-sha256", "mac");
    let outcome = fixture.run_with(&Plague);
    let Err(Failure::Machine(sentence)) = outcome else { panic!("{outcome:?}") };
    assert_eq!(sentence, "all workers have ended when 0 of 500 packets were delivered");
}

#[test]
fn what_is_lost_duplicated_or_late_is_counted() {
    let load = Fixture::of("hmac-sha256", "mac").load;
    let load = PacketLoad { packets: 6, delivery: Delivery::Ordered, ..load };
    let mut scheduler = Scheduler::new(&load, 1);
    scheduler.reset();
    let deliver = |packets: &[u32]| {
        let packets: Vec<AtomicU32> = packets.iter().map(|&it| AtomicU32::new(it)).collect();
        scheduler.logs[0].add(&packets);
    };
    deliver(&[0, 2, 1, 2]);
    let found = check::deliveries(&scheduler);
    assert_eq!(found, Deliveries { lost: 3, duplicated: 1, out_of_order: 1 });
    deliver(&[3, 4, 5, 5]);
    let found = check::deliveries(&scheduler);
    assert_eq!(found, Deliveries { lost: 1, duplicated: 3, out_of_order: 1 });
}
