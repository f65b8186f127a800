//! Whether packets can pass as a case says. Each error is one sentence.

use ciphermark_record::packets::{Architecture, KeySetup, PacketLoad};
use ciphermark_record::plan::{Buffers, Case, Offload, Operation, Pattern};
use ciphermark_record::sessions::Policy;

use crate::sentence::check;

const MOST_PACKETS: u64 = 1_000_000;
/// As many as our own kernels take in a call.
const MOST_BATCH: u32 = 4096;
const MOST_QUEUE: u32 = 1 << 20;
const MOST_PRIORITIES: u32 = 8;
const LONGEST_MS: f64 = 86_400_000.0;

/// Checks the packets of a case, on a machine where these CPUs are allowed.
pub fn validate(case: &Case, load: &PacketLoad, allowed: &[u32]) -> Result<(), String> {
    numbers(load)?;
    cpus(case, load, allowed)?;
    work(case, load)?;
    device(case, load, allowed)
}

fn numbers(load: &PacketLoad) -> Result<(), String> {
    between("packets", load.packets, 1, MOST_PACKETS)?;
    between("packets in a batch", load.batch.into(), 1, MOST_BATCH.into())?;
    between("batches in a queue", load.queue_batches.into(), 1, MOST_QUEUE.into())?;
    between("priorities", load.priorities.into(), 1, MOST_PRIORITIES.into())?;
    check(load.queue_batches.is_power_of_two(), || {
        format!("a queue of {} batches is no power of two", load.queue_batches)
    })?;
    check(load.flush_us.is_none_or(|it| it > 0.0 && it.is_finite()), || {
        format!("flushing after {:?} µs is no deadline", load.flush_us)
    })?;
    check(load.offered_per_s.is_none_or(|it| it > 0.0 && it.is_finite()), || {
        format!("a load of {:?} packets per second is none", load.offered_per_s)
    })?;
    check(load.least_pairs >= 1, || "no pass is wanted: at least 1 pair".into())?;
    check(load.measure_ms >= 0.0 && load.measure_ms <= LONGEST_MS, || {
        format!("measuring for {} ms is not between 0 and a day", load.measure_ms)
    })
}

fn cpus(case: &Case, load: &PacketLoad, allowed: &[u32]) -> Result<(), String> {
    check(!load.cpus.is_empty(), || "there is no CPU to process packets on".into())?;
    let all = load.cpus.iter().chain([&load.submit_cpu]).chain(&case.offload_cpus);
    for cpu in all {
        check(allowed.contains(cpu), || {
            format!("CPU {cpu} is not there or not allowed; allowed: {allowed:?}")
        })?;
    }
    let grouped = load.groups.iter().flatten().all(|cpu| load.cpus.contains(cpu));
    check(grouped, || {
        format!("groups {:?} have CPUs that are not in {:?}", load.groups, load.cpus)
    })?;
    check(load.groups.iter().all(|group| !group.is_empty()), || {
        format!("a group of {:?} has no CPU", load.groups)
    })?;
    check(load.groups.len() as u32 <= case.keys.max(1), || {
        format!("{} groups need as many flows: write --keys {0}", load.groups.len())
    })?;
    let all = allowed.iter().all(|cpu| load.cpus.contains(cpu));
    check(load.policy != Policy::RoundRobin || !all, || {
        "real-time threads on all CPUs would stop the machine: leave one out of --cpus".into()
    })?;
    let pinned = load.architecture == Architecture::PinnedPipeline;
    check(!pinned || load.cpus.len() >= 2, || "a pinned pipeline needs two CPUs".into())
}

fn work(case: &Case, load: &PacketLoad) -> Result<(), String> {
    let operation = case.operation;
    check(operation != Operation::Setup, || {
        "packets are not set up: name another operation".into()
    })?;
    let reversed = match operation {
        Operation::Encrypt => Some(Operation::Decrypt),
        Operation::Seal => Some(Operation::Open),
        Operation::Mac => Some(Operation::Verify),
        _ => None,
    };
    check(load.then.is_none() || load.then == reversed, || {
        format!("{:?} does not undo {operation}", load.then)
    })?;
    let pipeline = load.architecture != Architecture::RunToCompletion;
    check(!pipeline || load.then.is_some(), || {
        "a pipeline needs two operations: write --operations encrypt+decrypt".into()
    })?;
    let usual = case.pattern == Pattern::ReusedKey && case.buffers == Buffers::Hot;
    check(usual, || "packets have no pattern and no buffers of their own: leave both out".into())?;
    check(case.lanes <= load.batch, || {
        format!("{} lanes are more than a batch of {}: write --batch {0}", case.lanes, load.batch)
    })
}

fn device(case: &Case, load: &PacketLoad, allowed: &[u32]) -> Result<(), String> {
    let offload = case.offload;
    check(load.in_flight >= 1, || "0 batches in flight are too few: at least 1".into())?;
    check(offload != Offload::None || load.in_flight == 1, || {
        "several batches in flight go with an offload only".into()
    })?;
    check(offload != Offload::Cores || !case.offload_cpus.is_empty(), || {
        format!("the offload cores needs CPUs that are the device; allowed: {allowed:?}")
    })?;
    check(offload == Offload::None || load.key_setup == KeySetup::Cached, || {
        "a device keeps its keys: leave out the key setup".into()
    })?;
    check(offload == Offload::None || load.then.is_none(), || {
        "a device does one operation for each packet".into()
    })
}

fn between(what: &str, number: u64, least: u64, most: u64) -> Result<(), String> {
    check((least..=most).contains(&number), || {
        format!("{number} {what} are not between {least} and {most}")
    })
}

#[cfg(test)]
mod tests {
    use ciphermark_record::plan::Load;
    use serde_json::{Value, json};

    use super::*;

    fn case(change: impl FnOnce(&mut Value)) -> Case {
        let mut case = json!({
            "case": 0, "algorithm": "uea1", "operation": "encrypt", "provider": "kernels",
            "backend": "default", "message_bytes": 64, "keys": 4,
            "packets": {
                "packets": 1000, "cpus": [1], "submit_cpu": 0, "batch": 32, "queue_batches": 64,
                "least_pairs": 3, "measure_ms": 100.0,
            },
        });
        change(&mut case);
        serde_json::from_value(case).expect("the case is understood")
    }

    fn verdict(change: impl FnOnce(&mut Value)) -> Result<(), String> {
        let case = case(change);
        let Load::Packets(load) = &case.load else { panic!("the case has packets") };
        validate(&case, load, &[0, 1, 2])
    }

    #[test]
    fn a_sound_case_is_let_through() {
        assert_eq!(verdict(|_| ()), Ok(()));
        assert_eq!(verdict(|case| case["packets"]["then"] = json!("decrypt")), Ok(()));
    }

    #[test]
    fn what_cannot_pass_is_refused_with_its_value() {
        let cases = [
            ("packets", json!(0), "0 packets"),
            ("packets", json!(1_000_001), "1000001 packets"),
            ("batch", json!(5000), "5000 packets in a batch"),
            ("queue_batches", json!(63), "63 batches"),
            ("priorities", json!(9), "9 priorities"),
            ("flush_us", json!(0.0), "0"),
            ("offered_per_s", json!(-1.0), "-1"),
            ("least_pairs", json!(0), "1 pair"),
            ("cpus", json!([]), "no CPU"),
            ("cpus", json!([7]), "CPU 7"),
            ("submit_cpu", json!(9), "CPU 9"),
            ("groups", json!([[0]]), "not in [1]"),
            ("groups", json!([[]]), "no CPU"),
            ("groups", json!([[1], [1], [1], [1], [1]]), "--keys 5"),
            ("then", json!("verify"), "does not undo"),
            ("architecture", json!("free-pipeline"), "two operations"),
            ("architecture", json!("pinned-pipeline"), "two CPUs"),
            ("in_flight", json!(2), "offload only"),
        ];
        for (field, value, words) in cases {
            let sentence = verdict(|case| case["packets"][field] = value).expect_err(field);
            assert!(sentence.contains(words), "{field}: {sentence}");
        }
    }

    #[test]
    fn real_time_threads_leave_a_cpu_to_the_others() {
        let round_robin = |cpus: Value| {
            verdict(|case| {
                case["packets"]["policy"] = json!("round-robin");
                case["packets"]["cpus"] = cpus;
            })
        };
        assert_eq!(round_robin(json!([1, 2])), Ok(()));
        let sentence = round_robin(json!([0, 1, 2])).expect_err("no CPU is left");
        assert!(sentence.contains("would stop the machine"), "{sentence}");
    }

    #[test]
    fn what_the_case_itself_says_has_to_fit() {
        let cases = [
            ("operation", json!("setup"), "set up"),
            ("pattern", json!("rekeyed"), "pattern"),
            ("lanes", json!(64), "batch of 32"),
            ("offload", json!("cores"), "CPUs that are the device"),
        ];
        for (field, value, words) in cases {
            let change = |case: &mut Value| {
                if value == json!("setup") {
                    case["message_bytes"] = Value::Null;
                }
                case[field] = value;
            };
            let sentence = verdict(change).expect_err(field);
            assert!(sentence.contains(words), "{field}: {sentence}");
        }
    }
}
