use ciphermark_record::sessions::{
    CoreClock, CpuShares, Life, Moment, SessionFigures, SessionLoad, Stretch, Stretches,
};
use serde_json::json;

use super::*;

const MS: u64 = 1_000_000;

/// Ten sessions on two CPUs, which do as they should.
fn valid() -> SessionsRun {
    let moment = |look: u64| Moment {
        at_ns: look * 10 * MS,
        messages: look * 200,
        core_hz: None,
        temperature_c: None,
        throttles: None,
    };
    SessionsRun {
        case: 0,
        attempt: 0,
        load: load(),
        at_ns: 0,
        opened_ns: 500 * MS,
        closed_ns: 1000 * MS,
        threads: 10,
        threads_late: 0,
        session_bytes: 0,
        core_clocks: Vec::new(),
        shares: CpuShares { busy: 0.99, workload: 0.98, steal: 0.0, idle: 0.01 },
        device: None,
        device_cpu_ns: None,
        stretches: None,
        timed_every: 1,
        latencies: Vec::new(),
        moments: (0..=100).map(moment).collect(),
        energy: None,
        figures: SessionFigures {
            messages: vec![1000; 10],
            cpu_ns: vec![98 * MS; 10],
            ..SessionFigures::default()
        },
        objections: Vec::new(),
    }
}

fn load() -> SessionLoad {
    let load = json!({
        "sessions": 10, "cpus": [4, 6], "execution_ms": 1100.0, "opens_ms": 500.0,
        "closes_ms": 1000.0, "look_ms": 10.0, "most_attempts": 3,
    });
    serde_json::from_value(load).expect("the load is understood")
}

/// Objections to the valid run when this is changed.
fn objections(change: impl FnOnce(&mut SessionsRun)) -> Vec<Objection> {
    let mut run = valid();
    change(&mut run);
    judge(&run, &[], &Limits::default())
}

/// The only objection is of this kind, and says this.
fn objects(change: impl FnOnce(&mut SessionsRun), kind: ObjectionKind, words: &[&str]) {
    let found = objections(change);
    assert_eq!(found.iter().map(|it| it.kind).collect::<Vec<_>>(), [kind], "{found:?}");
    for word in words {
        assert!(found[0].message.contains(word), "{}", found[0].message);
    }
}

fn passes(change: impl FnOnce(&mut SessionsRun)) {
    assert_eq!(objections(change), []);
}

fn busy_others(run: &mut SessionsRun) {
    run.shares = CpuShares { busy: 0.95, workload: 0.78, steal: 0.05, idle: 0.0 };
}

#[test]
fn a_valid_run_has_no_objections() {
    passes(|_| ());
}

#[test]
fn others_are_noticed_with_what_the_hypervisor_took() {
    objects(busy_others, ObjectionKind::Overcommitted, &["had 22 %", "10 % at most"]);
}

#[test]
fn others_may_have_what_the_sessions_do_not_want() {
    passes(|run| {
        run.shares = CpuShares { busy: 0.80, workload: 0.50, steal: 0.0, idle: 0.20 };
        run.load.offered_per_s = Some(20_000.0);
    });
    passes(|run| {
        run.shares = CpuShares { busy: 0.80, workload: 0.49, steal: 0.0, idle: 0.20 };
        run.load.quota_cpus = Some(1.0);
    });
    passes(|run| {
        run.shares = CpuShares { busy: 1.0, workload: 0.49, steal: 0.0, idle: 0.0 };
        run.threads = 1;
    });
}

#[test]
fn an_offered_load_wants_cpus_that_are_never_idle() {
    let change = |run: &mut SessionsRun| {
        busy_others(run);
        run.load.offered_per_s = Some(20_000.0);
    };
    objects(change, ObjectionKind::Overcommitted, &["22 %"]);
}

#[test]
fn sessions_that_wait_for_a_device_want_no_cpu_that_is_idle() {
    let waiting = |idle: f64| {
        move |run: &mut SessionsRun| {
            run.shares = CpuShares { busy: 1.0 - idle, workload: 0.1, steal: 0.0, idle };
            run.device = Some("CPU 3 of this machine".into());
        }
    };
    passes(waiting(0.6));
    objects(waiting(0.05), ObjectionKind::Overcommitted, &["85 %"]);
}

#[test]
fn a_window_that_opened_too_early_is_noticed() {
    let change = |run: &mut SessionsRun| {
        run.opened_ns = 100 * MS;
        run.moments.iter_mut().take(31).for_each(|it| it.messages /= 2);
        let missing = run.moments[30].messages;
        run.moments.iter_mut().skip(31).for_each(|it| it.messages -= missing);
    };
    let words = ["from 10000 to 20000", "200 ms after the window opened", "2 % at most"];
    objects(change, ObjectionKind::NotSteady, &words);
    objects(|run| run.threads_late = 2, ObjectionKind::NotSteady, &["2 of 10 threads", "all"]);
}

#[test]
fn sessions_without_a_message_are_counted() {
    let change = |run: &mut SessionsRun| run.figures.messages[3..6].fill(0);
    objects(change, ObjectionKind::NeverRan, &["3 of 10 sessions", "500 ms", "one"]);
}

#[test]
fn an_offered_load_must_bring_a_message_before_it_is_missed() {
    let offered = |per_s: f64| {
        move |run: &mut SessionsRun| {
            run.figures.messages[3] = 0;
            run.load.offered_per_s = Some(per_s);
        }
    };
    passes(offered(240.0)); // 12 in a window, and 12.3 would have to be
    objects(offered(250.0), ObjectionKind::NeverRan, &["1 of 10 sessions"]);
}

#[test]
fn few_messages_are_noticed_in_all_and_of_a_session() {
    let done = |run: &mut SessionsRun, count: u64| run.figures.messages = vec![count; 10];
    objects(|run| done(run, 99), ObjectionKind::FewMessages, &["990 messages", "1000 at least"]);
    passes(|run| done(run, 100));
    let many = |count: u64| {
        move |run: &mut SessionsRun| run.figures.messages = vec![1000, count, count, count]
    };
    objects(many(19), ObjectionKind::FewMessages, &["did 19 messages", "20 at least"]);
    passes(many(20));
    passes(|run| {
        many(1)(run);
        run.load.offered_per_s = Some(20_000.0);
    });
}

fn clocks(early_hz: f64, late_hz: f64) -> [ClockPair; 2] {
    let steady = ClockPair { cpu: 4, early_hz: 3e9, late_hz: 3e9 };
    [steady, ClockPair { cpu: 6, early_hz, late_hz }]
}

#[test]
fn clocks_that_move_are_noticed_and_clocks_that_differ_are_not() {
    let judged = |edges: &[ClockPair]| judge(&valid(), edges, &Limits::default());
    let found = judged(&clocks(3e9, 2.7e9));
    assert_eq!(found[0].kind, ObjectionKind::ClockMoved);
    for words in ["by 5 %", "CPU 6 from 3.00 to 2.70 GHz", "3 % at most"] {
        assert!(found[0].message.contains(words), "{}", found[0].message);
    }
    assert_eq!(judged(&clocks(2e9, 2e9)), []);
    assert_eq!(judged(&clocks(3e9, 2.85e9)), []);
}

#[test]
fn looks_at_the_clocks_while_it_runs_count_more_than_the_edges() {
    let mut run = valid();
    // CPUs of 3 and 2 GHz in turn, of which the first is slowed down in the middle of the window.
    for (look, moment) in run.moments.iter_mut().enumerate() {
        let slowed = look > 75;
        let fast = if slowed { 2.7e9 } else { 3e9 };
        moment.core_hz = Some(if look % 2 == 0 { fast } else { 2e9 });
    }
    let found = judge(&run, &clocks(3e9, 3e9), &Limits::default());
    assert_eq!(found.len(), 1);
    assert!(found[0].message.contains("CPU 4 from 3.00 to 2.70 GHz"), "{}", found[0].message);
}

/// So many stretches of a millisecond without a neighbour on the core, and with one.
fn beside_a_neighbour(run: &mut SessionsRun, quiet: u64, crowded: u64) {
    let stretch = |count: u64| Stretch { count, cpu_ns: count * MS, ..Stretch::default() };
    run.stretches = Some(Stretches { quiet: stretch(quiet), crowded: stretch(crowded) });
}

#[test]
fn a_neighbour_that_never_leaves_the_core_is_noticed() {
    let words = ["in 98.1 % of their time", "20 milliseconds without", "were 19"];
    objects(|run| beside_a_neighbour(run, 19, 981), ObjectionKind::Crowded, &words);
    passes(|run| beside_a_neighbour(run, 20, 980));
    // So short a window that there are no more of either.
    passes(|run| beside_a_neighbour(run, 19, 2));
    passes(|run| beside_a_neighbour(run, 0, 0));
}

#[test]
fn sessions_that_share_a_core_with_each_other_have_no_neighbour() {
    let clock = |shares_core| CoreClock {
        cpu: 4,
        alone_hz: 3e9,
        loaded_hz: None,
        opened_hz: None,
        closed_hz: None,
        offset_ns: 0.0,
        shares_core,
    };
    passes(|run| {
        beside_a_neighbour(run, 0, 1000);
        run.core_clocks = vec![clock(Some(true)), clock(Some(true))];
    });
    passes(|run| {
        beside_a_neighbour(run, 0, 1000);
        run.device = Some("CPU 5 of this machine".into());
    });
    let alone = |run: &mut SessionsRun| {
        beside_a_neighbour(run, 0, 1000);
        run.core_clocks = vec![clock(Some(false)), clock(Some(false))];
    };
    objects(alone, ObjectionKind::Crowded, &["in 100 %"]);
}

/// Half of the sessions have so much more CPU time than the mean, the others so much less.
fn spread(run: &mut SessionsRun, share: f64) {
    for (session, ns) in run.figures.cpu_ns.iter_mut().enumerate() {
        let sign = if session % 2 == 0 { 1.0 } else { -1.0 };
        *ns = (*ns as f64 * (1.0 + sign * share)) as u64;
    }
}

#[test]
fn uneven_cpu_time_is_noticed_beyond_what_turns_make_of_it() {
    // 25 turns: 12 %, and the deviation of a sample of ten is √(10/9) of its spread.
    let words = ["variation of 15.8 %", "12 % at most", "25 turns"];
    objects(|run| spread(run, 0.15), ObjectionKind::Uneven, &words);
    passes(|run| spread(run, 0.11));
    passes(|run| {
        spread(run, 0.15);
        run.closed_ns = 800 * MS; // 15 turns
    });
    passes(|run| {
        spread(run, 0.9);
        run.load.policy = Policy::RoundRobin; // one turn
    });
}

#[test]
fn loads_whose_sessions_differ_by_design_may_be_uneven() {
    let uneven = |change: fn(&mut SessionsRun)| {
        passes(|run| {
            spread(run, 0.5);
            change(run);
        });
    };
    uneven(|run| run.load.offered_per_s = Some(20_000.0));
    uneven(|run| run.load.life = Some(Life { shortest_ms: 10.0, longest_ms: 20.0 }));
    uneven(|run| run.load.neighbours = 1);
}

#[test]
fn a_cpu_with_one_session_more_makes_them_uneven() {
    let three = |run: &mut SessionsRun, cpu_ms: [u64; 3]| {
        run.load.sessions = 3;
        run.threads = 3;
        run.figures.messages = vec![1000; 3];
        run.figures.cpu_ns = cpu_ms.map(|ms| ms * MS).to_vec();
    };
    passes(|run| three(run, [250, 250, 500]));
    objects(|run| three(run, [20, 480, 500]), ObjectionKind::Uneven, &["45.4 % at most"]);
    assert_eq!(by_placement(&valid()), 0.0);
}
