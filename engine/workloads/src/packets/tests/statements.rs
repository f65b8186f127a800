//! What the study of KASUMI on OCTEON says in its chapter 4.2.4 of how packets are scheduled.

use std::sync::{Condvar, Mutex};
use std::time::Duration;

use ciphermark_record::packets::{Architecture, Delivery};

use super::bench::two_cpus;
use super::*;
use crate::packets::faults::Moment;

/// Notes who is where, in order of time.
#[derive(Default)]
struct Notes {
    moments: Mutex<Vec<(usize, Moment)>>,
    /// How long each moment takes.
    pause: Duration,
}

impl Faults for Notes {
    fn spare(&self, worker: usize, moment: Moment) -> bool {
        self.moments.lock().expect("nobody panics").push((worker, moment));
        if moment == Moment::Amid {
            std::thread::sleep(self.pause);
        }
        true
    }
}

impl Notes {
    fn slow() -> Self {
        Self { pause: Duration::from_micros(200), ..Self::default() }
    }

    /// Most workers that had a batch at once.
    fn most_at_once(&self) -> usize {
        let (mut now, mut most) = (0_usize, 0);
        for (_, moment) in self.moments.lock().expect("nobody panics").iter() {
            match moment {
                Moment::Taken => now += 1,
                Moment::BeforeDone => now -= 1,
                _ => {}
            }
            most = most.max(now);
        }
        most
    }
}

/// Has whoever comes to a moment first wait there for another worker, which may be off its CPU for
/// long on a busy machine.
struct Meeting {
    notes: Notes,
    at: Moment,
    come: Mutex<Vec<usize>>,
    met: Condvar,
}

impl Meeting {
    /// Longer than any neighbour keeps a worker away.
    const LONGEST: Duration = Duration::from_secs(60);

    fn at(at: Moment) -> Self {
        Self { notes: Notes::default(), at, come: Mutex::default(), met: Condvar::new() }
    }
}

impl Faults for Meeting {
    fn spare(&self, worker: usize, moment: Moment) -> bool {
        self.notes.spare(worker, moment);
        if moment == self.at {
            let mut come = self.come.lock().expect("nobody panics");
            if !come.contains(&worker) {
                come.push(worker);
                self.met.notify_all();
            }
            let alone = |come: &mut Vec<usize>| come.len() < 2;
            drop(self.met.wait_timeout_while(come, Self::LONGEST, alone));
        }
        true
    }
}

/// Two workers on the two CPUs, of which the first one submits too unless there are more.
fn two_workers() -> Fixture {
    let mut fixture = Fixture::by("empty", "empty", "seal");
    let (first, last) = two_cpus();
    fixture.load.cpus = vec![first, last];
    fixture.load.batch = 4;
    fixture
}

fn both(run: &PacketsRun) -> [u64; 2] {
    [1, 2].map(|core| run.passes.iter().map(|pass| pass.cores[core].packets).sum())
}

/// "It works only with a group number corresponding to a bit set in the core's group mask."
#[test]
fn a_core_works_only_on_groups_in_its_mask() {
    let mut fixture = two_workers();
    let (first, last) = two_cpus();
    fixture.case.keys = 2;
    fixture.load.groups = vec![vec![last], vec![first]];
    let run = fixture.ran();
    for pass in &run.passes {
        let packets = [pass.cores[1].packets, pass.cores[2].packets];
        assert_eq!(packets, [250, 250]);
    }
    fixture.load.groups = vec![vec![last]];
    assert_eq!(both(&fixture.ran())[0], 0);
    fixture.load.groups = vec![vec![first, last]];
    assert_eq!(both(&fixture.ran()).iter().sum::<u64>(), 500 * 4);
}

/// "It will schedule the highest priority WQE which is based on its group that schedulable to the
/// core."
#[test]
fn the_most_urgent_goes_first() {
    let (_, last) = two_cpus();
    let mut fixture = two_workers();
    fixture.case.keys = 2;
    fixture.load.priorities = 2;
    fixture.load.queue_batches = 1024;
    // One thread, so that all is in the rings before any of it is taken.
    fixture.load.cpus = vec![last];
    fixture.load.submit_cpu = last;
    let delivered = fixture.passed(&NoFaults);
    let (urgent, rest) = delivered.split_at(250);
    assert!(urgent.iter().all(|it| it % 2 == 0) && rest.iter().all(|it| it % 2 == 1));
}

/// "Multiple packet form the same flow with an ORDERED tag type can be processed in parallel by
/// multiple cores", and their order is kept.
#[test]
fn several_cores_work_on_one_ordered_flow() {
    let mut fixture = two_workers();
    fixture.case.keys = 1;
    fixture.load.delivery = Delivery::Ordered;
    let meeting = Meeting::at(Moment::Amid);
    let delivered = fixture.passed(&meeting);
    assert_eq!(delivered, (0..500).collect::<Vec<_>>());
    assert_eq!(meeting.notes.most_at_once(), 2);
}

/// The tag type ATOMIC: one core at a time has packets of a flow.
#[test]
fn one_core_at_a_time_has_an_atomic_flow() {
    let mut fixture = two_workers();
    fixture.case.keys = 1;
    fixture.load.packets = 200;
    fixture.load.delivery = Delivery::PerFlow;
    let notes = Notes::slow();
    let delivered = fixture.passed(&notes);
    assert_eq!(delivered, (0..200).collect::<Vec<_>>());
    assert_eq!(notes.most_at_once(), 1);
    fixture.case.keys = 7;
    let meeting = Meeting::at(Moment::Amid);
    fixture.passed(&meeting);
    assert_eq!(meeting.notes.most_at_once(), 2);
}

/// "The DS-Now-Ready List has a higher priority than the QoS queue, which allows now-ready in-flight
/// work to complete prior to new work."
#[test]
fn work_in_flight_goes_before_new_work() {
    let (_, last) = two_cpus();
    let mut fixture = pipeline(Architecture::FreePipeline);
    fixture.load.cpus = vec![last];
    fixture.load.submit_cpu = last;
    let notes = Notes::default();
    let delivered = fixture.passed(&notes);
    assert_eq!(delivered, (0..500).collect::<Vec<_>>());
    // Of each batch both stages, before the next one's first: delivered after every second taking.
    let moments = notes.moments.lock().expect("nobody panics");
    let taken = |it: &&(usize, Moment)| matches!(it.1, Moment::Taken | Moment::BeforeDelivery);
    let order: Vec<Moment> = moments.iter().filter(taken).map(|it| it.1).collect();
    let of_one = [Moment::Taken, Moment::Taken, Moment::BeforeDelivery];
    assert!(order.chunks(3).all(|it| it == of_one), "{order:?}");
}

fn pipeline(architecture: Architecture) -> Fixture {
    let mut fixture = two_workers();
    fixture.load.then = Some(ciphermark_record::plan::Operation::Open);
    fixture.load.architecture = architecture;
    fixture
}

/// "In run-to-completion architecture each core performs all the functions, and the packet stays on
/// the same core."
#[test]
fn run_to_completion_takes_a_batch_but_once() {
    let notes = Notes::default();
    pipeline(Architecture::RunToCompletion).passed(&notes);
    assert_eq!(takings(&notes).iter().sum::<usize>(), 500 / 4);
}

/// "The stages of the pipeline are bound to specific cores."
#[test]
fn stages_of_a_pinned_pipeline_have_cores_of_their_own() {
    let notes = Notes::default();
    pipeline(Architecture::PinnedPipeline).passed(&notes);
    assert_eq!(takings(&notes), [500 / 4, 500 / 4]);
    let moments = notes.moments.lock().expect("nobody panics");
    assert!(moments.iter().all(|&(worker, it)| it != Moment::BeforeDelivery || worker == 1));
}

/// "Any core can process any stage of the pipeline."
#[test]
fn any_core_does_any_stage_of_a_free_pipeline() {
    let meeting = Meeting::at(Moment::BeforeDelivery);
    pipeline(Architecture::FreePipeline).passed(&meeting);
    let [first, second] = takings(&meeting.notes);
    assert!(first > 0 && second > 0, "{first} {second}");
    let moments = meeting.notes.moments.lock().expect("nobody panics");
    let delivers = |worker| moments.contains(&(worker, Moment::BeforeDelivery));
    assert!(delivers(0) && delivers(1));
}

/// Batches that each of two workers has taken.
fn takings(notes: &Notes) -> [usize; 2] {
    let moments = notes.moments.lock().expect("nobody panics");
    [0, 1].map(|worker| moments.iter().filter(|&&it| it == (worker, Moment::Taken)).count())
}

/// An interrupt-driven loop "results in more context switches".
#[test]
fn polling_makes_fewer_context_switches_than_blocking() {
    let waits = |waiting| {
        let mut fixture = Fixture::by("empty", "empty", "seal");
        fixture.load.batch = 1;
        // Each after the one before is done, though a neighbour has the CPU meanwhile.
        fixture.load.packets = 100;
        fixture.load.offered_per_s = Some(1_000.0);
        fixture.load.waiting = waiting;
        fixture.ran().passes.iter().map(|pass| pass.cores[1].waits).sum::<u32>()
    };
    let (polling, blocking) = (waits(Waiting::Poll), waits(Waiting::Block));
    assert!(polling < blocking / 2, "{polling} and {blocking}");
}
