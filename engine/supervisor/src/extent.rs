//! How much a plan may ask for: whatever is multiplied, allocated or waited for is bounded here, before
//! anything else looks at it. Whether what is asked for goes together is `validate`'s.

use ciphermark_record::packets::PacketLoad;
use ciphermark_record::plan::{Case, Load, Plan, Sampling};
use ciphermark_record::sessions::SessionLoad;

use crate::sentence::check;

/// Bytes of a name or a path: as long as Linux has them.
const LONGEST_TEXT: usize = 4096;
/// Of libraries, of switches of a case.
const MOST_NAMED: usize = 1000;
const LARGEST_CHUNK: u32 = 1 << 30;
const MOST_KEYS: u64 = 100_000_000;
/// Sixteen times as many as any function takes in a call.
const MOST_LANES: u64 = 65_536;
const MOST_GROUPS: u64 = 1_000_000;
/// A day.
const LONGEST_MS: f64 = 86_400_000.0;

const MOST_FLOWS: u64 = 1_000_000;
const MOST_PAIRS: u64 = 10_000;
const MOST_IN_FLIGHT: u64 = 1024;
const MOST_CPU_GROUPS: u64 = 1024;

const MOST_ATTEMPTS: u64 = 1000;
const MOST_NEIGHBOURS: u64 = 1024;
const MOST_LOOKS: f64 = 1e6;
const SHORTEST_LIFE_MS: f64 = 1e-3;
const MOST_QUOTA_CPUS: f64 = 65_536.0;
/// Messages or packets in a second: one in a year, and more than there are nanoseconds.
const RATES: (f64, f64) = (1e-8, 1e12);

/// Refuses a plan that is larger than any machine could do, in a sentence.
pub fn check_extent(plan: &Plan) -> Result<(), String> {
    most("libraries", plan.libraries.len() as u64, MOST_NAMED as u64)?;
    for (provider, path) in &plan.libraries {
        text("name of a provider", provider)?;
        text("path of a library", path)?;
    }
    sampling(&plan.sampling)?;
    plan.cases
        .iter()
        .try_for_each(|case| of_case(case).map_err(|what| format!("case {}: {what}", case.case)))
}

fn sampling(sampling: &Sampling) -> Result<(), String> {
    most("groups", sampling.min_groups.into(), MOST_GROUPS)?;
    most("rounds per process", sampling.rounds_per_process.into(), MOST_GROUPS)?;
    milliseconds("groups apart", sampling.min_span_ms)
}

fn of_case(case: &Case) -> Result<(), String> {
    let names = [&case.algorithm, &case.provider, &case.backend];
    let profile = case.messages.profile().map(|profile| &profile.name);
    names.into_iter().chain(profile).try_for_each(|name| text("name", name))?;
    most("switches", case.switches.len() as u64, MOST_NAMED as u64)?;
    for (name, value) in &case.switches {
        text("name of a switch", name)?;
        text("switch", value)?;
        let whole = |it: &str| !it.contains('\0');
        check(whole(name) && whole(value) && !name.is_empty() && !name.contains('='), || {
            format!("{name:?} is no name of a switch, or {value:?} no value of one")
        })?;
    }
    let chunk = case.chunk_bytes.unwrap_or(0);
    check(chunk <= LARGEST_CHUNK, || format!("chunks of {chunk} bytes are over 1 GiB"))?;
    most("keys", case.keys.into(), MOST_KEYS)?;
    most("lanes", case.lanes.into(), MOST_LANES)?;
    each_once("offload_cpus", &case.offload_cpus)?;
    match &case.load {
        Load::Single { after } => after.iter().try_for_each(|name| text("name", name)),
        Load::Sessions(load) => of_sessions(load),
        Load::Packets(load) => of_packets(case, load),
    }
}

fn of_sessions(load: &SessionLoad) -> Result<(), String> {
    each_once("cpus", &load.cpus)?;
    most("attempts", load.most_attempts.into(), MOST_ATTEMPTS)?;
    most("neighbours", load.neighbours.into(), MOST_NEIGHBOURS)?;
    milliseconds("an execution", load.execution_ms)?;
    check(load.execution_ms <= MOST_LOOKS * load.look_ms, || {
        format!("looks every {} ms are too many in {} ms", load.look_ms, load.execution_ms)
    })?;
    if let Some(life) = load.life {
        check(life.shortest_ms >= SHORTEST_LIFE_MS && life.longest_ms <= LONGEST_MS, || {
            format!("lives of {life:?} are not between a microsecond and a day")
        })?;
    }
    rate(load.offered_per_s)?;
    let quota = load.quota_cpus.unwrap_or(1.0);
    check(quota <= MOST_QUOTA_CPUS, || format!("{quota} CPUs are more than {MOST_QUOTA_CPUS}"))
}

fn of_packets(case: &Case, load: &PacketLoad) -> Result<(), String> {
    each_once("cpus", &load.cpus)?;
    most("flows", case.keys.into(), MOST_FLOWS)?;
    most("groups of CPUs", load.groups.len() as u64, MOST_CPU_GROUPS)?;
    load.groups.iter().try_for_each(|group| each_once("groups", group))?;
    most("pairs of passes", load.least_pairs.into(), MOST_PAIRS)?;
    most("batches in flight", load.in_flight.into(), MOST_IN_FLIGHT)?;
    milliseconds("passes", load.measure_ms)?;
    milliseconds("flushing", load.flush_us.unwrap_or(0.0) / 1e3)?;
    rate(load.offered_per_s)
}

fn rate(per_s: Option<f64>) -> Result<(), String> {
    let (least, most) = RATES;
    check(per_s.is_none_or(|it| it >= least && it <= most), || {
        format!("a load of {per_s:?} per second is not between {least} and {most}")
    })
}

fn milliseconds(what: &str, ms: f64) -> Result<(), String> {
    check((0.0..=LONGEST_MS).contains(&ms), || {
        format!("{what} of {ms} ms are not between 0 and a day")
    })
}

fn most(what: &str, number: u64, most: u64) -> Result<(), String> {
    check(number <= most, || format!("{number} {what} are more than {most}"))
}

fn text(what: &str, text: &str) -> Result<(), String> {
    check(text.len() <= LONGEST_TEXT, || {
        format!("a {what} has {} bytes, more than {LONGEST_TEXT}: {text}", text.len())
    })
}

/// A thread is started for each of them.
fn each_once(what: &str, cpus: &[u32]) -> Result<(), String> {
    let mut sorted = cpus.to_vec();
    sorted.sort_unstable();
    match sorted.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(format!("CPU {} stands twice in {what}: name each once", pair[0])),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use ciphermark_record::SCHEMA;
    use ciphermark_record::plan::MOST_CASES;
    use serde_json::{Value, json};

    use super::*;

    fn plan() -> Value {
        json!({
            "schema": {"major": SCHEMA.major, "minor": SCHEMA.minor},
            "workload": "single", "seed": 1, "precision": 0.01, "budget_s": 1.0,
            "cases": [
                {
                    "case": 3, "algorithm": "sha256", "operation": "digest", "provider": "openssl",
                    "backend": "default", "message_bytes": 64, "pattern": "incremental",
                    "sessions": {
                        "sessions": 10, "cpus": [0, 1], "execution_ms": 1000.0, "opens_ms": 100.0,
                        "closes_ms": 900.0, "look_ms": 10.0, "most_attempts": 3,
                        "life": {"shortest_ms": 1.0, "longest_ms": 2.0},
                    },
                },
                {
                    "case": 4, "algorithm": "sha256", "operation": "digest", "provider": "openssl",
                    "backend": "default", "message_bytes": 64,
                    "packets": {
                        "packets": 1000, "cpus": [0, 1], "submit_cpu": 0, "batch": 32,
                        "queue_batches": 64, "least_pairs": 3, "measure_ms": 100.0,
                    },
                },
                {
                    "case": 5, "algorithm": "sha256", "operation": "digest", "provider": "openssl",
                    "backend": "default", "profile": "mix", "lengths": [64, 1500],
                },
            ],
        })
    }

    fn verdict(pointer: &str, value: Value) -> Result<(), String> {
        let mut plan = plan();
        let (parent, name) = pointer.rsplit_once('/').expect("the pointer has a slash");
        plan.pointer_mut(parent).expect("there is such a place")[name] = value;
        check_extent(&serde_json::from_value(plan).expect("the plan has the right types"))
    }

    #[test]
    fn a_usual_plan_is_within_the_bounds() {
        assert_eq!(verdict("/seed", json!(u64::MAX)), Ok(()));
    }

    #[test]
    fn whatever_is_multiplied_or_allocated_is_bounded() {
        let most = json!(u32::MAX);
        let far = json!(1e308);
        let long = json!("x".repeat(5000));
        let unsound = [
            ("/libraries", json!({"openssl": long}), "5000 bytes"),
            ("/sampling", json!({"min_groups": u32::MAX}), "4294967295 groups"),
            ("/sampling", json!({"rounds_per_process": u32::MAX}), "4294967295 rounds"),
            ("/sampling", json!({"min_span_ms": 1e308}), "and a day"),
            ("/cases/0/provider", long.clone(), "case 3: a name has 5000 bytes"),
            ("/cases/2/profile", long.clone(), "5000 bytes"),
            ("/cases/2/after", long.clone(), "5000 bytes"),
            ("/cases/0/switches", json!({"A": long}), "5000 bytes"),
            ("/cases/0/switches", json!({"A=B": "1"}), "no name of a switch"),
            ("/cases/0/switches", json!({"A": "1\0"}), "no value"),
            ("/cases/0/chunk_bytes", most.clone(), "chunks of 4294967295 bytes"),
            ("/cases/0/keys", most.clone(), "4294967295 keys"),
            ("/cases/0/lanes", json!(1_000_000), "1000000 lanes"),
            ("/cases/1/keys", json!(10_000_000), "10000000 flows"),
            ("/cases/0/offload_cpus", json!([1, 0, 1]), "CPU 1 stands twice in offload_cpus"),
            ("/cases/0/sessions/cpus", json!([0, 0]), "CPU 0 stands twice in cpus"),
            ("/cases/0/sessions/most_attempts", most.clone(), "4294967295 attempts"),
            ("/cases/0/sessions/neighbours", most.clone(), "4294967295 neighbours"),
            ("/cases/0/sessions/execution_ms", far.clone(), "and a day"),
            ("/cases/0/sessions/look_ms", json!(1e-300), "looks every"),
            ("/cases/0/sessions/life/longest_ms", far.clone(), "lives of"),
            ("/cases/0/sessions/life/shortest_ms", json!(1e-300), "lives of"),
            ("/cases/0/sessions/quota_cpus", far.clone(), "CPUs are more than"),
            ("/cases/0/sessions/offered_per_s", far.clone(), "a load of"),
            ("/cases/1/packets/cpus", json!([1, 1]), "CPU 1 stands twice"),
            ("/cases/1/packets/groups", json!([[1, 1]]), "CPU 1 stands twice in groups"),
            ("/cases/1/packets/groups", json!(vec![[1]; 2000]), "2000 groups of CPUs"),
            ("/cases/1/packets/least_pairs", json!(2_000_000_000), "2000000000 pairs"),
            ("/cases/1/packets/in_flight", most, "batches in flight"),
            ("/cases/1/packets/measure_ms", far.clone(), "and a day"),
            ("/cases/1/packets/flush_us", far.clone(), "and a day"),
            ("/cases/1/packets/offered_per_s", json!(1e-300), "a load of"),
        ];
        for (pointer, value, words) in unsound {
            let sentence = verdict(pointer, value).expect_err(pointer);
            assert!(sentence.contains(words), "{pointer}: {sentence}");
        }
    }

    #[test]
    fn a_plan_of_too_many_cases_is_not_read_to_its_end() {
        let mut plan = plan();
        plan["cases"] = json!(vec![plan["cases"][0].clone(); MOST_CASES]);
        let read = |plan: &Value| serde_json::from_value::<Plan>(plan.clone());
        assert_eq!(read(&plan).map(|it| it.cases.len()).ok(), Some(MOST_CASES));
        plan["cases"].as_array_mut().expect("it is a list").push(json!(null));
        let error = read(&plan).expect_err("it is one too many");
        assert!(error.to_string().contains("more than 50000 cases"), "{error}");
    }
}
