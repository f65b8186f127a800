//! Whether a plan can be run at all. Each error is one sentence.

use std::collections::BTreeSet;

use ciphermark_record::SCHEMA;
use ciphermark_record::description::Algorithm;
use ciphermark_record::plan::{Case, Load, Offload, Plan, Workload};
use ciphermark_registry as registry;
use ciphermark_workloads::single;

use crate::extent::check_extent;
use crate::sentence::check;
use crate::{packets, sessions};

/// Messages longer than this are refused: two of them would not fit many machines.
const LARGEST_MESSAGE: u64 = 1 << 30;

/// Fewest groups with which the interval of a median exists.
const FEWEST_PROCESSES: u32 = 6;

pub fn validate(plan: &Plan, allowed_cpus: &[u32]) -> Result<(), String> {
    if plan.schema.major != SCHEMA.major {
        return Err(format!(
            "the plan has schema {}.{}, this engine reads {}.x; use the ciphermark that came with it",
            plan.schema.major, plan.schema.minor, SCHEMA.major
        ));
    }
    check_extent(plan)?;
    check(plan.precision > 0.0 && plan.precision <= 0.5, || {
        format!("precision {} is not between 0 and 0.5", plan.precision)
    })?;
    check(plan.budget_s > 0.0 && plan.budget_s <= 86_400.0, || {
        format!("a budget of {} s is not between 0 and 86400 s", plan.budget_s)
    })?;
    check((0.0..=86_400.0).contains(&plan.overtime_s), || {
        format!("an overtime of {} s is not between 0 and 86400 s", plan.overtime_s)
    })?;
    check(!plan.cases.is_empty(), || "the plan has no cases".into())?;
    validate_sampling(plan)?;
    let mut numbers = BTreeSet::new();
    for case in &plan.cases {
        check(numbers.insert(case.case), || {
            format!("case {} stands twice in the plan", case.case)
        })?;
        validate_case(case)
            .and_then(|()| validate_load(plan.workload, case, allowed_cpus))
            .map_err(|what| format!("case {}: {what}", case.case))?;
    }
    for optional in &plan.optional {
        check(numbers.contains(optional), || {
            format!("case {optional} is optional and not in the plan")
        })?;
    }
    Ok(())
}

fn validate_sampling(plan: &Plan) -> Result<(), String> {
    let sampling = &plan.sampling;
    check(sampling.slice_us >= 1.0 && sampling.slice_us <= 1e6, || {
        format!("slices of {} µs are not between 1 µs and 1 s", sampling.slice_us)
    })?;
    check((1..=1000).contains(&sampling.slices_per_group), || {
        format!("{} slices in a group are not between 1 and 1000", sampling.slices_per_group)
    })?;
    check(sampling.min_processes >= FEWEST_PROCESSES, || {
        format!("{} processes are too few: at least {FEWEST_PROCESSES}", sampling.min_processes)
    })?;
    check((1..=1000).contains(&sampling.rounds_per_process), || {
        format!("{} rounds of a process are not between 1 and 1000", sampling.rounds_per_process)
    })?;
    check((0.0..1.0).contains(&sampling.reproducibility), || {
        format!("reproducibility {} is no share from 0 to below 1", sampling.reproducibility)
    })?;
    check((0.0..=1000.0).contains(&sampling.settling_ms), || {
        format!("{} ms are no time from 0 to 1000 ms to settle in", sampling.settling_ms)
    })
}

fn validate_case(case: &Case) -> Result<(), String> {
    let algorithm = ciphermark_algorithms::find(&case.algorithm)
        .ok_or_else(|| format!("there is no algorithm {}", case.algorithm))?;
    check(registry::find(&case.provider).is_some(), || {
        format!("there is no provider {}", case.provider)
    })?;
    check(algorithm.kind.operations().contains(&case.operation), || {
        format!("{} has no operation {}", case.algorithm, case.operation)
    })?;
    single::combination(case, algorithm)?;
    case.messages.lengths().iter().try_for_each(|&bytes| validate_size(bytes, algorithm))
}

fn validate_load(workload: Workload, case: &Case, allowed: &[u32]) -> Result<(), String> {
    let own = case.load.workload();
    check(own == workload, || {
        format!("its load is of the workload {}, the plan's is {}", own.name(), workload.name())
    })?;
    check(own == Workload::Single || case.offload != Offload::Split, || {
        "the offload split is of one message at a time: use the workload single".into()
    })?;
    match &case.load {
        Load::Single { .. } if case.offload == Offload::Split => validate_split(case, allowed),
        Load::Single { .. } => Ok(()),
        Load::Sessions(load) => sessions::validate::validate(case, load, allowed),
        Load::Packets(load) => packets::validate::validate(case, load, allowed),
    }
}

/// One caller shares its messages, one at a time, with CPUs that are there.
fn validate_split(case: &Case, allowed: &[u32]) -> Result<(), String> {
    check(case.lanes == 1, || {
        format!("the offload split takes one message a call, not {}: write --lanes 1", case.lanes)
    })?;
    check(!case.offload_cpus.is_empty(), || "the offload split needs CPUs that share".into())?;
    let missing = case.offload_cpus.iter().find(|cpu| !allowed.contains(cpu));
    missing.map_or(Ok(()), |cpu| {
        Err(format!("CPU {cpu} is not there or not allowed to share; allowed: {allowed:?}"))
    })
}

fn validate_size(bytes: u64, algorithm: &Algorithm) -> Result<(), String> {
    let (least, block) = (algorithm.min_message_bytes, u64::from(algorithm.block_bytes));
    check(bytes >= least, || format!("messages of {bytes} bytes are shorter than {least}"))?;
    check(bytes.is_multiple_of(block), || {
        format!("messages of {bytes} bytes are not whole blocks of {block}")
    })?;
    check(bytes <= LARGEST_MESSAGE, || format!("messages of {bytes} bytes are over 1 GiB"))?;
    let most = algorithm.max_message_bytes.unwrap_or(LARGEST_MESSAGE);
    check(bytes <= most, || format!("messages of {bytes} bytes are longer than {most}"))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn plan() -> Value {
        json!({
            "schema": {"major": SCHEMA.major, "minor": SCHEMA.minor},
            "workload": "single", "seed": 1, "precision": 0.01, "budget_s": 1.0,
            "cases": [case(0, "sha256", "digest", Some(0))],
        })
    }

    fn case(number: u32, algorithm: &str, operation: &str, message_bytes: Option<u64>) -> Value {
        json!({
            "case": number, "algorithm": algorithm, "operation": operation,
            "provider": "openssl", "backend": "default", "message_bytes": message_bytes,
        })
    }

    fn verdict(plan: Value) -> Result<(), String> {
        validate(&serde_json::from_value(plan).map_err(|error| error.to_string())?, &[0])
    }

    #[test]
    fn a_sound_plan_passes() {
        assert_eq!(verdict(plan()), Ok(()));
    }

    #[test]
    fn unsound_settings_are_refused_with_their_value() {
        let settings = [
            ("precision", json!(0.0), "precision 0"),
            ("budget_s", json!(-1.0), "-1 s"),
            ("overtime_s", json!(-1.0), "overtime of -1 s"),
            ("schema", json!({"major": 99, "minor": 0}), "99.0"),
            ("cases", json!([]), "no cases"),
            ("optional", json!([9]), "case 9 is optional and not in the plan"),
            ("sampling", json!({"min_processes": 5}), "5 processes"),
            ("sampling", json!({"min_groups": 6}), "0 processes"),
            ("sampling", json!({"min_processes": 6, "reproducibility": -0.1}), "-0.1"),
            ("sampling", json!({"min_processes": 6, "rounds_per_process": 0}), "0 rounds"),
            ("sampling", json!({"min_processes": 6, "settling_ms": -1.0}), "-1 ms"),
            ("sampling", json!({"slice_us": 0.1}), "0.1 µs"),
            ("sampling", json!({"slices_per_group": 0}), "0 slices"),
        ];
        for (field, value, words) in settings {
            let mut plan = plan();
            plan[field] = value;
            let sentence = verdict(plan).expect_err(field);
            assert!(sentence.contains(words), "{sentence}");
        }
    }

    #[test]
    fn unsound_cases_are_refused_with_their_number() {
        let cases = [
            (case(3, "sha257", "digest", Some(1)), "no algorithm sha257"),
            (case(3, "sha256", "seal", Some(1)), "no operation seal"),
            (case(3, "sha256", "digest", None), "size is missing"),
            (case(3, "aes-128-gcm", "setup", Some(1)), "setup has no message"),
            (case(3, "aes-128-cbc", "encrypt", Some(0)), "shorter than 16"),
            (case(3, "aes-128-cbc", "encrypt", Some(43)), "whole blocks of 16"),
            (case(3, "sha256", "digest", Some((1 << 30) + 1)), "over 1 GiB"),
            (case(3, "uea1", "encrypt", Some(2501)), "longer than 2500"),
        ];
        for (case, words) in cases {
            let mut plan = plan();
            plan["cases"] = json!([case]);
            let sentence = verdict(plan).expect_err(words);
            assert!(sentence.starts_with("case 3: ") && sentence.contains(words), "{sentence}");
        }
    }

    #[test]
    fn messages_are_split_one_at_a_time_over_cpus_that_are_there() {
        type Change = fn(&mut Value);
        let with = |change: Change| {
            let mut plan = plan();
            let case = &mut plan["cases"][0];
            (case["offload"], case["offload_cpus"]) = (json!("split"), json!([0]));
            change(&mut plan);
            verdict(plan)
        };
        assert_eq!(with(|_| ()), Ok(()));
        let unsound: [(Change, &str); 4] = [
            (|plan| plan["workload"] = json!("packets"), "workload single"),
            (|plan| plan["cases"][0]["lanes"] = json!(8), "not 8"),
            (|plan| plan["cases"][0]["offload_cpus"] = json!([]), "needs CPUs"),
            (|plan| plan["cases"][0]["offload_cpus"] = json!([0, 7]), "CPU 7 is not there"),
        ];
        for (change, words) in unsound {
            assert!(with(change).is_err_and(|it| it.contains(words)), "{words}");
        }
    }

    #[test]
    fn every_length_of_a_profile_is_one_that_the_function_has() {
        let mut mixed = case(3, "uea1", "encrypt", None);
        mixed["profile"] = json!("mix");
        for (lengths, words) in [([40, 1500], None), ([40, 2501], Some("longer than 2500"))] {
            let mut plan = plan();
            mixed["lengths"] = json!(lengths);
            plan["cases"] = json!([mixed]);
            let found = verdict(plan).err();
            assert_eq!(found.is_some(), words.is_some(), "{found:?}");
            assert!(found.is_none_or(|it| it.contains(words.unwrap_or_default())));
        }
    }

    #[test]
    fn a_case_number_stands_once() {
        let mut plan = plan();
        plan["cases"] = json!([plan["cases"][0], plan["cases"][0]]);
        assert!(verdict(plan).is_err_and(|sentence| sentence.contains("case 0 stands twice")));
    }
}
