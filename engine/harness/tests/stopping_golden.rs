//! The stopping rule of the engine is the rule that the workbench shows rows by: both are held to
//! `tests/golden/stopping.json`, which was computed independently of either.

use ciphermark_harness::stopping::{Missing, Observations, Rule, is_look};
use serde::Deserialize;

const GOLDEN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/golden/stopping.json");

#[derive(Deserialize)]
struct Golden {
    looks: Vec<u32>,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    name: String,
    processes: u32,
    min_groups: u32,
    precision: f64,
    reproducibility: f64,
    min_span_ms: f64,
    samples: Vec<Sample>,
    expect: Expected,
}

#[derive(Deserialize)]
struct Sample {
    process: u32,
    round: u32,
    at_ns: u64,
    x: f64,
    disturbed: bool,
}

#[derive(Deserialize)]
struct Expected {
    estimate: Option<f64>,
    low: Option<f64>,
    high: Option<f64>,
    converged: bool,
    reason_kind: String,
}

fn observations(samples: &[Sample]) -> Observations {
    let mut observations = Observations::default();
    for group in samples.chunk_by(|a, b| a.round == b.round) {
        let slices: Vec<(f64, bool)> = group.iter().map(|it| (it.x, it.disturbed)).collect();
        observations.add_group(group[0].process, group[0].at_ns, &slices);
    }
    observations
}

fn name(missing: Option<Missing>) -> &'static str {
    match missing {
        None => "none",
        Some(Missing::Disturbed) => "disturbed",
        Some(Missing::Processes) => "processes",
        Some(Missing::Groups) => "groups",
        Some(Missing::States) => "states",
        Some(Missing::Interval) => "interval",
        Some(Missing::Halves) => "halves",
        Some(Missing::Span) => "span",
    }
}

fn close(found: Option<f64>, expected: Option<f64>) -> bool {
    match (found, expected) {
        (Some(found), Some(expected)) => (found - expected).abs() <= 1e-9 * expected.abs().max(1.0),
        (found, expected) => found.is_none() && expected.is_none(),
    }
}

#[test]
fn the_rule_gives_what_the_golden_file_says() {
    let golden: Golden =
        serde_json::from_str(&std::fs::read_to_string(GOLDEN).expect("the golden file is there"))
            .expect("the golden file is valid");
    assert!(golden.cases.len() >= 15);
    let looks: Vec<u32> = (0..400).filter(|&processes| is_look(processes)).collect();
    assert_eq!(looks, golden.looks);
    for case in golden.cases {
        let observations = observations(&case.samples);
        let rule = Rule {
            precision: case.precision,
            reproducibility: case.reproducibility,
            min_processes: case.processes,
            min_groups: case.min_groups,
            min_span_ns: (case.min_span_ms * 1e6) as u64,
        };
        let estimate = observations.estimate(case.reproducibility);
        let interval = estimate.and_then(|estimate| estimate.interval);
        let missing = observations.missing(&rule);
        let found = (estimate.map(|it| it.value), interval.map(|it| it.0), interval.map(|it| it.1));
        let expect = &case.expect;
        assert!(
            close(found.0, expect.estimate)
                && close(found.1, expect.low)
                && close(found.2, expect.high),
            "{}: {found:?}",
            case.name
        );
        assert_eq!(name(missing), expect.reason_kind, "{}", case.name);
        assert_eq!(missing.is_none(), expect.converged, "{}", case.name);
    }
}
