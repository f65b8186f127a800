//! Small passes: what they say has to fit together, and nothing may get lost, whatever befalls the
//! workers.

mod bench;
mod devices;
mod statements;
mod survival;

use ciphermark_harness::Calibration;
use ciphermark_providers::api::{CreateError, Provider};
use ciphermark_record::packets::{KeySetup, Waiting};
use ciphermark_record::plan::{Case, Messages, Profile};
use ciphermark_record::sessions::{LatencyCount, Policy};
use serde_json::json;

use super::*;
use bench::{Fixture, Spoiled};

#[test]
fn all_packets_arrive_and_every_figure_is_there() {
    let run = Fixture::of("aes-128-gcm", "seal").ran();
    assert_eq!((run.case, run.checked_against.as_str()), (3, "rustcrypto/default"));
    assert!(run.passes.len() >= 4 && run.passes.len().is_multiple_of(2), "{run:?}");
    let kinds = [0, 1].map(|pass| run.passes[pass].kind);
    assert_eq!(kinds, [PassKind::Transfer, PassKind::Processing]);
    for pass in &run.passes {
        assert_eq!((pass.lost, pass.duplicated, pass.out_of_order), (0, 0, 0));
        assert_eq!(pass.cores.len(), 1 + run.load.cpus.len());
        assert_eq!(pass.cores[0].packets, run.load.packets);
        let worked: u64 = pass.cores[1..].iter().map(|core| core.packets).sum();
        assert_eq!(worked, run.load.packets);
        let batches = run.load.packets.div_ceil(run.load.batch.into());
        assert_eq!(pass.latencies.iter().map(|it| it.count).sum::<u64>(), 2 * batches);
        assert!(pass.wall_ns > 0.0 && pass.core_hz > 0.0, "{pass:?}");
        assert!(pass.cores.iter().any(|core| core.cpu_ns > 0));
    }
    assert!(run.buffer_bytes > 500 * (256 + 272), "{}", run.buffer_bytes);
    assert!(run.alone.is_some_and(|it| it.hot_cycles > 0.0 && it.cold_cycles > 0.0));
    assert!(run.core_clocks.iter().all(|it| it.loaded_hz.is_some()));
    assert!(run.device.is_none());
}

#[test]
fn every_way_to_process_gives_right_answers() {
    for (algorithm, operation, then) in [
        ("aes-128-gcm", "open", None),
        ("aes-128-gcm", "seal", Some("open")),
        ("aes-128-cbc", "encrypt", Some("decrypt")),
        ("aes-128-cbc", "decrypt", None),
        ("hmac-sha256", "mac", Some("verify")),
        ("hmac-sha256", "verify", None),
        ("sha256", "digest", None),
        ("chacha20", "keystream", None),
    ] {
        let mut fixture = Fixture::of(algorithm, operation);
        fixture.load.then = then.map(|it| serde_json::from_value(json!(it)).expect("it is one"));
        fixture.ran();
    }
}

#[test]
fn keys_and_lanes_are_each_flows_own() {
    for key_setup in [KeySetup::Cached, KeySetup::PerBatch, KeySetup::PerPacket] {
        for backend in ["table", "many"] {
            let mut fixture = Fixture::of_kernels("uea1", "encrypt");
            fixture.case.backend = backend.into();
            if backend == "many" && !fixture.take_many() {
                println!("skipped: no implementation of uea1 takes several messages here");
                continue;
            }
            fixture.load.key_setup = key_setup;
            let by = fixture.ran().checked_against;
            assert_eq!(by == "kernels/reference", backend == "table", "{by}");
        }
    }
}

#[test]
fn latencies_of_each_priority_are_told_apart() {
    let mut fixture = Fixture::of("aes-128-gcm", "seal");
    fixture.load.priorities = 3;
    for pass in fixture.ran().passes {
        let counts = |counted: &[LatencyCount]| counted.iter().map(|it| it.count).sum::<u64>();
        let of_each: Vec<u64> = pass.latencies_by_priority.iter().map(|it| counts(it)).collect();
        // Seven flows have the priorities in turn: three, two and two sevenths of the packets, the
        // first and the last of each batch of 32.
        assert_eq!(of_each.len(), 3);
        assert_eq!(of_each.iter().sum::<u64>(), counts(&pass.latencies));
        let packets = |flows: std::ops::Range<u64>, step: usize| {
            flows.step_by(step).map(|flow| 500 / 7 + u64::from(flow < 500 % 7)).sum::<u64>()
        };
        let expected = [0, 1, 2].map(|first| 2 * packets(first..7, 3).div_ceil(32));
        assert_eq!(of_each, expected);
    }
    fixture.load.priorities = 1;
    assert!(fixture.ran().passes.iter().all(|pass| pass.latencies_by_priority.is_empty()));
}

#[test]
fn a_policy_is_that_of_the_threads_that_process() {
    let mut fixture = Fixture::of("hmac-sha256", "mac");
    fixture.load.policy = Policy::Batch;
    fixture.ran();
}

#[test]
fn lengths_of_a_profile_come_in_turn() {
    let mut fixture = Fixture::of("aes-128-gcm", "seal");
    let lengths = vec![40, 1500, 576];
    fixture.case.messages = Messages::Mixed(Profile { name: "mix".into(), lengths });
    fixture.ran();
}

#[test]
fn a_cpu_that_submits_may_process_too() {
    let mut fixture = Fixture::of("hmac-sha256", "mac");
    fixture.load.cpus = vec![fixture.load.submit_cpu];
    fixture.load.queue_batches = 2;
    let run = fixture.ran();
    assert!(run.passes.iter().all(|it| it.queue_full > 0 && it.cores[0].cpu_ns == 0));
}

#[test]
fn batches_that_wait_too_long_are_passed_on() {
    let mut fixture = Fixture::of("hmac-sha256", "mac");
    // Fewer than a batch of 32, each much later than the one before.
    fixture.load.packets = 20;
    fixture.load.offered_per_s = Some(500.0);
    fixture.load.flush_us = Some(100.0);
    let run = fixture.ran();
    assert!(run.passes.iter().all(|it| it.flushed > 0 && it.wall_ns > 2e6), "{run:?}");
    fixture.load.flush_us = None;
    assert!(fixture.ran().passes.iter().all(|it| it.flushed == 0));
}

#[test]
fn waiting_workers_are_woken() {
    let mut fixture = Fixture::of("hmac-sha256", "mac");
    fixture.load.waiting = Waiting::Block;
    fixture.load.queue_batches = 1;
    fixture.ran();
}

#[test]
fn what_has_no_room_is_refused_with_the_arithmetic() {
    let mut fixture = Fixture::of("hmac-sha256", "mac");
    fixture.load.packets = 1_000_000;
    fixture.case.messages = Messages::Equal(1 << 30);
    let outcome = fixture.run();
    let Err(Failure::Machine(sentence)) = outcome else { panic!("{outcome:?}") };
    assert!(
        sentence.starts_with("1000000 packets ") && sentence.contains("--packets"),
        "{sentence}"
    );
}

#[test]
fn a_function_that_is_not_there_passes_nothing() {
    let outcome = Fixture::of("uea1", "encrypt").run();
    assert!(matches!(outcome, Err(Failure::Create(CreateError::Unsupported(_)))), "{outcome:?}");
}

#[test]
fn a_wrong_answer_is_found() {
    let mut fixture = Fixture::of("hmac-sha256", "mac");
    fixture.provider = Box::new(Spoiled::at(700));
    let outcome = fixture.run();
    let Err(Failure::WrongAnswer(sentence)) = outcome else { panic!("{outcome:?}") };
    assert!(sentence.contains("for packet "), "{sentence}");
}
