//! Whether sessions can be run as a case says. Each error is one sentence.

use ciphermark_record::plan::{Buffers, Case, Offload, Operation, Pattern};
use ciphermark_record::sessions::{Contexts, Policy, SessionLoad, Threads};

use crate::sentence::check;

/// Executions longer than a day are a mistake.
const LONGEST_MS: f64 = 86_400_000.0;
const MOST_SESSIONS: u32 = 1_000_000;

/// Checks the sessions of a case, on a machine where these CPUs are allowed.
pub fn validate(case: &Case, load: &SessionLoad, allowed: &[u32]) -> Result<(), String> {
    numbers(load)?;
    cpus(load, allowed)?;
    times(load)?;
    buffers(case)?;
    contexts(case, load)?;
    device(case, load, allowed)
}

fn numbers(load: &SessionLoad) -> Result<(), String> {
    check((1..=MOST_SESSIONS).contains(&load.sessions), || {
        format!("{} sessions are not between 1 and {MOST_SESSIONS}", load.sessions)
    })?;
    check(load.most_attempts >= 1, || "no attempt is allowed: at least 1".into())?;
    check((-20..=19).contains(&load.nice), || {
        format!("nice level {} is not between -20 and 19", load.nice)
    })?;
    check(load.offered_per_s.is_none_or(|rate| rate > 0.0 && rate.is_finite()), || {
        format!("a load of {:?} messages per second is none", load.offered_per_s)
    })?;
    check(load.quota_cpus.is_none_or(|quota| quota > 0.0 && quota.is_finite()), || {
        format!("a quota of {:?} CPUs is none", load.quota_cpus)
    })
}

fn cpus(load: &SessionLoad, allowed: &[u32]) -> Result<(), String> {
    check(!load.cpus.is_empty(), || "there is no CPU to run on".into())?;
    let missing = load.cpus.iter().find(|cpu| !allowed.contains(cpu));
    check(missing.is_none(), || {
        format!("CPU {:?} is not there or not allowed; allowed: {allowed:?}", missing)
    })?;
    let all = allowed.iter().all(|cpu| load.cpus.contains(cpu));
    check(load.policy != Policy::RoundRobin || !all, || {
        "real-time sessions on all CPUs would stop the machine: leave one out of --cpus".into()
    })
}

fn times(load: &SessionLoad) -> Result<(), String> {
    let SessionLoad { execution_ms, opens_ms, closes_ms, .. } = *load;
    check(opens_ms >= 0.0 && opens_ms < closes_ms, || {
        format!("a window from {opens_ms} to {closes_ms} ms is empty")
    })?;
    check(closes_ms <= execution_ms && execution_ms <= LONGEST_MS, || {
        format!(
            "a window that closes at {closes_ms} ms lies outside {execution_ms} ms, at most a day"
        )
    })?;
    check(load.look_ms > 0.0, || format!("looks every {} ms are too many", load.look_ms))?;
    check(
        load.life.is_none_or(|it| it.shortest_ms > 0.0 && it.shortest_ms <= it.longest_ms),
        || format!("lives of {:?} are none", load.life),
    )
}

/// Threads share caches, and so none could say what is in one.
fn buffers(case: &Case) -> Result<(), String> {
    check(!matches!(case.buffers, Buffers::L2 | Buffers::Cold), || {
        "sessions have buffers hot, stream or repeated: l2 and cold go with the workload single"
            .into()
    })
}

/// Between a key and its message another thread could set another one; and what one thread has on its
/// own needs no lock.
fn contexts(case: &Case, load: &SessionLoad) -> Result<(), String> {
    let shared = load.contexts == Contexts::Shared;
    check(!shared || (case.pattern == Pattern::ReusedKey && case.keys == 1), || {
        format!("a shared context has one key, which the pattern {} sets", case.pattern.name())
    })?;
    check(!shared || case.lanes == 1, || "a shared context takes one message a call".into())?;
    check(!shared || load.threads == Threads::PerSession, || {
        "sessions that share a context need threads of their own".into()
    })
}

/// A device keeps its keys and takes whole messages; a CPU that calls is none.
fn device(case: &Case, load: &SessionLoad, allowed: &[u32]) -> Result<(), String> {
    let (offload, cpus) = (case.offload, &case.offload_cpus);
    let usual = case.pattern == Pattern::ReusedKey && case.operation != Operation::Setup;
    check(offload == Offload::None || usual, || {
        format!(
            "{} with the pattern {} cannot be offloaded: a device keeps its keys",
            case.operation,
            case.pattern.name()
        )
    })?;
    check((offload == Offload::Cores) != cpus.is_empty(), || {
        format!("the offload {} does not go with the CPUs {cpus:?} as a device", offload.name())
    })?;
    let missing = cpus.iter().find(|cpu| !allowed.contains(cpu));
    check(missing.is_none(), || {
        format!("CPU {missing:?} is not there or not allowed as a device; allowed: {allowed:?}")
    })?;
    let both = cpus.iter().find(|cpu| load.cpus.contains(cpu));
    check(both.is_none(), || format!("CPU {both:?} cannot be a device and run sessions at once"))
}

#[cfg(test)]
mod tests {
    use ciphermark_record::plan::Load;
    use serde_json::{Value, json};

    use super::*;

    fn case(change: impl FnOnce(&mut Value)) -> Case {
        let mut case = json!({
            "case": 0, "algorithm": "sha256", "operation": "digest", "provider": "rustcrypto",
            "backend": "default", "message_bytes": 64,
            "sessions": {
                "sessions": 10, "cpus": [0, 1], "execution_ms": 1000.0, "opens_ms": 100.0,
                "closes_ms": 900.0, "look_ms": 10.0, "most_attempts": 3,
            },
        });
        change(&mut case);
        serde_json::from_value(case).expect("the case is understood")
    }

    fn verdict(case: &Case, allowed: &[u32]) -> Result<(), String> {
        let Load::Sessions(load) = &case.load else { panic!("the case has sessions") };
        validate(case, load, allowed)
    }

    fn sentence(change: impl FnOnce(&mut Value)) -> String {
        verdict(&case(change), &[0, 1, 2]).expect_err("it is unsound")
    }

    #[test]
    fn a_sound_case_is_let_through() {
        assert_eq!(verdict(&case(|_| ()), &[0, 1, 2]), Ok(()));
    }

    #[test]
    fn what_cannot_be_run_is_refused_with_its_value() {
        let cases = [
            ("sessions", json!(0), "0 sessions"),
            ("cpus", json!([]), "no CPU"),
            ("cpus", json!([0, 7]), "7"),
            ("opens_ms", json!(900.0), "from 900 to 900"),
            ("closes_ms", json!(1001.0), "outside 1000"),
            ("nice", json!(20), "nice level 20"),
            ("offered_per_s", json!(0.0), "0"),
            ("life", json!({"shortest_ms": 5.0, "longest_ms": 1.0}), "lives"),
            ("most_attempts", json!(0), "attempt"),
        ];
        for (field, value, words) in cases {
            let sentence = sentence(|case| case["sessions"][field] = value);
            assert!(sentence.contains(words), "{field}: {sentence}");
        }
    }

    #[test]
    fn threads_that_share_caches_have_no_part_of_one() {
        for buffers in ["l2", "cold"] {
            let sentence = sentence(|case| case["buffers"] = json!(buffers));
            assert!(sentence.contains("go with the workload single"), "{sentence}");
        }
    }

    #[test]
    fn real_time_sessions_leave_a_cpu_to_the_others() {
        let round_robin = |cpus: Value| {
            case(|case| {
                case["sessions"]["policy"] = json!("round-robin");
                case["sessions"]["cpus"] = cpus;
            })
        };
        assert!(verdict(&round_robin(json!([1])), &[0, 1]).is_ok());
        assert!(verdict(&round_robin(json!([0, 1])), &[0, 1]).is_err());
    }

    #[test]
    fn devices_are_other_cpus_and_keep_their_keys() {
        let offloaded = |change: fn(&mut Value)| {
            case(|case| {
                case["offload"] = json!("cores");
                case["offload_cpus"] = json!([2]);
                change(case);
            })
        };
        let verdict = |case: Case| verdict(&case, &[0, 1, 2]);
        assert_eq!(verdict(offloaded(|_| ())), Ok(()));
        type Change = fn(&mut Value);
        let unsound: [(Change, &str); 5] = [
            (|case| case["offload_cpus"] = json!([]), "does not go with"),
            (|case| case["offload"] = json!("opencl"), "does not go with"),
            (|case| case["offload_cpus"] = json!([7]), "7"),
            (|case| case["offload_cpus"] = json!([1]), "at once"),
            (|case| case["pattern"] = json!("rekeyed"), "rekeyed"),
        ];
        for (change, words) in unsound {
            let sentence = verdict(offloaded(change)).expect_err(words);
            assert!(sentence.contains(words), "{sentence}");
        }
    }

    #[test]
    fn shared_contexts_have_one_key() {
        let sentence = sentence(|case| {
            case["sessions"]["contexts"] = json!("shared");
            case["pattern"] = json!("rekeyed");
        });
        assert!(sentence.contains("rekeyed"), "{sentence}");
    }
}
