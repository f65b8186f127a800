//! The cases of `bench`: the sending side of a survey, by the plans of the workbench.

use std::collections::{BTreeMap, BTreeSet};

use ciphermark_record::SCHEMA;
use ciphermark_record::call::{Buffers, Offload, Pattern};
use ciphermark_record::case::{Case, Load, Messages, Workload};
use ciphermark_record::description::{Algorithm, Description, Implementation};
use ciphermark_record::plan::{Plan, Sampling};
use serde::Deserialize;

const SURVEY: &str = include_str!("../../../../python/ciphermark/plan/defaults/survey.toml");
const QUICK: &str = include_str!("../../../../python/ciphermark/plan/defaults/survey-quick.toml");

/// The provider of our own kernels.
const KERNELS: &str = "kernels";

/// Sizes between the smallest and the largest that a cost card needs.
const BETWEEN: usize = 2;

/// The choice of the user.
#[derive(Default)]
pub struct Wanted {
    pub quick: bool,
    /// Empty for those of a survey.
    pub algorithms: Vec<String>,
    /// Empty for those of a survey.
    pub sizes: Vec<u64>,
    /// Empty for all.
    pub providers: Vec<String>,
    pub budget_s: Option<f64>,
    pub cpu: Option<u32>,
    pub seed: u64,
}

/// The fields of a survey's plan that are needed here.
#[derive(Deserialize)]
struct Survey {
    left_to_libraries: Vec<String>,
    /// The most telling first.
    sizes: Vec<u64>,
    precision: f64,
    budget_s: f64,
    overtime_s: f64,
    max_cases: usize,
    /// Whether there may be more cases, of which those are measured that there is time for.
    #[serde(default)]
    all_optional: bool,
    #[serde(default = "yes")]
    cost_cards: bool,
    #[serde(default)]
    more_sizes: BTreeMap<String, Vec<u64>>,
}

fn yes() -> bool {
    true
}

/// Builds the plan. The error is a sentence.
pub fn plan(here: &Description, wanted: &Wanted) -> Result<Plan, String> {
    let text = if wanted.quick { QUICK } else { SURVEY };
    let mut survey: Survey =
        toml::from_str(text).map_err(|error| format!("a plan of this engine is wrong: {error}"))?;
    let algorithms = chosen(here, wanted)?;
    let mut cases = all(here, &algorithms, &survey, wanted);
    // The last sizes tell the least.
    while cases.len() > survey.max_cases && !survey.all_optional && survey.sizes.len() > 1 {
        survey.sizes.pop();
        cases = all(here, &algorithms, &survey, wanted);
    }
    if cases.is_empty() {
        let names: Vec<_> = algorithms.iter().map(|it| it.name.as_str()).collect();
        return Err(format!(
            "nothing is left to measure of {} at these sizes: choose others with \
             --algorithms, --providers or --sizes",
            names.join(", ")
        ));
    }
    let optional = from_the_least_telling(&cases, &survey, wanted);
    Ok(Plan {
        schema: SCHEMA,
        workload: Workload::Single,
        seed: wanted.seed,
        precision: survey.precision,
        budget_s: wanted.budget_s.unwrap_or(survey.budget_s),
        overtime_s: if wanted.budget_s.is_some() { 0.0 } else { survey.overtime_s },
        cpu: wanted.cpu,
        libraries: BTreeMap::new(),
        sampling: Sampling::default(),
        code_paths: Vec::new(),
        cases,
        optional,
    })
}

fn all(
    here: &Description,
    algorithms: &[&Algorithm],
    survey: &Survey,
    wanted: &Wanted,
) -> Vec<Case> {
    let mut cases = Vec::new();
    for algorithm in algorithms {
        let sizes = sizes(algorithm, survey, wanted);
        for it in implementations(here, algorithm, survey, wanted) {
            for &bytes in &sizes {
                cases.push(case(cases.len() as u32, algorithm, it, bytes));
            }
        }
    }
    cases
}

fn chosen<'a>(here: &'a Description, wanted: &Wanted) -> Result<Vec<&'a Algorithm>, String> {
    if wanted.algorithms.is_empty() {
        return Ok(here.algorithms.iter().filter(|it| it.survey).collect());
    }
    let find = |name: &String| {
        let is_called = |it: &&Algorithm| it.name == *name || it.aliases.contains(name);
        let found = here.algorithms.iter().find(is_called);
        found.ok_or_else(|| {
            let survey = here.algorithms.iter().filter(|it| it.survey);
            let names: Vec<_> = survey.map(|it| it.name.as_str()).collect();
            format!("there is no algorithm {name}: write for example {}", names.join(", "))
        })
    };
    wanted.algorithms.iter().map(find).collect()
}

/// The sizes that the algorithm has.
fn sizes(algorithm: &Algorithm, survey: &Survey, wanted: &Wanted) -> Vec<u64> {
    let more = survey.more_sizes.iter().filter(|(pattern, _)| matches(pattern, &algorithm.name));
    let all: Vec<u64> = match wanted.sizes.is_empty() {
        true => survey.sizes.iter().chain(more.flat_map(|(_, sizes)| sizes)).copied().collect(),
        false => wanted.sizes.clone(),
    };
    let longest = algorithm.max_message_bytes.unwrap_or(u64::MAX);
    let has = |&bytes: &u64| {
        (algorithm.min_message_bytes..=longest).contains(&bytes)
            && bytes % u64::from(algorithm.block_bytes.max(1)) == 0
    };
    let kept: BTreeSet<u64> = all.into_iter().filter(has).collect();
    kept.into_iter().collect()
}

/// The implementations that libraries take by themselves, without devices.
fn implementations<'a>(
    here: &'a Description,
    algorithm: &Algorithm,
    survey: &Survey,
    wanted: &Wanted,
) -> Vec<&'a Implementation> {
    let sending = algorithm.kind.sending();
    let suits = |it: &&Implementation| {
        it.algorithm == algorithm.name
            && it.default
            && it.switches.is_empty()
            && it.operations.contains(&sending)
            && !is_device(&it.provider)
            && (wanted.providers.is_empty() || wanted.providers.contains(&it.provider))
    };
    let mut found: Vec<_> = here.implementations.iter().filter(suits).collect();
    let is_left = survey.left_to_libraries.iter().any(|it| matches(it, &algorithm.name));
    if wanted.algorithms.is_empty() && is_left && found.iter().any(|it| it.provider != KERNELS) {
        found.retain(|it| it.provider != KERNELS);
    }
    found
}

/// Whether a provider is a device, and no library of the calling core.
pub fn is_device(provider: &str) -> bool {
    [Offload::Opencl, Offload::AfAlg].iter().any(|it| it.name() == provider)
}

/// Whether a name fits a pattern with at most one `*`.
fn matches(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((begin, end)) => {
            name.len() >= begin.len() + end.len() && name.starts_with(begin) && name.ends_with(end)
        }
    }
}

fn case(number: u32, algorithm: &Algorithm, by: &Implementation, bytes: u64) -> Case {
    Case {
        case: number,
        algorithm: algorithm.name.clone(),
        operation: algorithm.kind.sending(),
        provider: by.provider.clone(),
        backend: "default".into(),
        pattern: Pattern::default(),
        chunk_bytes: None,
        offload: Offload::None,
        offload_cpus: Vec::new(),
        messages: Messages::Equal(bytes),
        lanes: 1,
        keys: 1,
        buffers: Buffers::default(),
        switches: BTreeMap::new(),
        load: Load::Single { after: None },
    }
}

/// Numbers the cases from the least telling one on, as `python/ciphermark/plan/trimming.py` does.
fn from_the_least_telling(cases: &[Case], survey: &Survey, wanted: &Wanted) -> Vec<u32> {
    let mut sizes =
        if wanted.sizes.is_empty() { survey.sizes.clone() } else { wanted.sizes.clone() };
    let more = survey.more_sizes.values().flatten().copied().collect::<BTreeSet<_>>();
    sizes.extend(more.into_iter().filter(|it| !survey.sizes.contains(it)));
    let needed = if survey.cost_cards { of_cost_card(&sizes) } else { BTreeSet::new() };
    let importance = |case: &Case| {
        let bytes = size(case);
        let place = sizes.iter().position(|&it| it == bytes).unwrap_or(sizes.len());
        (!needed.contains(&bytes), place)
    };
    let mut ordered: Vec<&Case> = cases.iter().collect();
    ordered.sort_by_key(|case| importance(case));
    ordered.iter().rev().map(|case| case.case).collect()
}

fn of_cost_card(sizes: &[u64]) -> BTreeSet<u64> {
    let ends: BTreeSet<u64> =
        sizes.iter().min().into_iter().chain(sizes.iter().max()).copied().collect();
    let between = sizes.iter().copied().filter(|it| !ends.contains(it)).take(BETWEEN);
    ends.iter().copied().chain(between).collect()
}

/// Bytes of the messages of a case.
pub fn size(case: &Case) -> u64 {
    case.messages.lengths().first().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use ciphermark_record::call::Operation;
    use ciphermark_record::description::{BackendEvidence, EngineBuild, Kind};

    use super::*;

    fn implementation(algorithm: &str, kind: Kind, provider: &str) -> Implementation {
        Implementation {
            algorithm: algorithm.into(),
            provider: provider.into(),
            backend: "default".into(),
            default: true,
            backend_evidence: BackendEvidence::Unknown,
            constant_time: None,
            operations: kind.operations().to_vec(),
            patterns: vec![Pattern::ReusedKey],
            most_lanes: 1,
            takes_repeats: false,
            path: String::new(),
            switches: BTreeMap::new(),
            features: vec![],
            leaves_vectors_dirty: None,
        }
    }

    /// All algorithms, each by RustCrypto, our kernels and the kernel of Linux.
    fn here() -> Description {
        let algorithms: Vec<Algorithm> = ciphermark_algorithms::algorithms()
            .iter()
            .filter(|it| it.name != "empty" && it.suite.is_none())
            .cloned()
            .collect();
        let implementations = algorithms.iter().flat_map(|it| {
            ["rustcrypto", KERNELS, "af_alg"].map(|by| implementation(&it.name, it.kind, by))
        });
        Description {
            schema: SCHEMA,
            engine: EngineBuild {
                version: String::new(),
                target: String::new(),
                rustc: String::new(),
                profile: String::new(),
                rustflags: String::new(),
            },
            implementations: implementations.collect(),
            providers: vec![],
            algorithms,
        }
    }

    fn of<'a>(plan: &'a Plan, algorithm: &str) -> Vec<(&'a str, u64)> {
        let own = plan.cases.iter().filter(|it| it.algorithm == algorithm);
        own.map(|it| (it.provider.as_str(), size(it))).collect()
    }

    #[test]
    fn the_usual_plan_is_the_sending_side_of_a_survey() {
        let plan = plan(&here(), &Wanted::default()).unwrap();
        let sizes = [16, 64, 256, 1024, 1500, 16384];
        assert_eq!(of(&plan, "aes-128-ctr"), sizes.map(|it| ("rustcrypto", it)));
        assert_eq!(of(&plan, "aes-256-xts").last(), Some(&("rustcrypto", 16384)));
        assert!(
            of(&plan, "sha256").contains(&(KERNELS, 1500)),
            "kernels are left to no library here"
        );
        assert!(plan.cases.iter().all(|it| it.provider != "af_alg"));
        let operations: BTreeSet<&str> = plan.cases.iter().map(|it| it.operation.name()).collect();
        assert_eq!(operations, BTreeSet::from(["digest", "encrypt", "mac", "seal"]));
        for name in ["aes-128-gcm", "chacha20-poly1305", "hmac-sha256"] {
            assert!(!of(&plan, name).is_empty(), "{name}");
        }
        let order: BTreeSet<u32> = plan.optional.iter().copied().collect();
        assert_eq!(order.len(), plan.cases.len());
        let first_measured = plan.optional.last().map(|&it| size(&plan.cases[it as usize]));
        assert_eq!(first_measured, Some(1500));
        assert_eq!(plan.cases.iter().map(|it| it.case).max(), Some(plan.cases.len() as u32 - 1));
    }

    #[test]
    fn the_user_chooses_algorithms_sizes_and_time() {
        let wanted = Wanted {
            quick: true,
            algorithms: vec!["sha256".into(), "aes-128-cbc".into()],
            sizes: vec![64, 100],
            budget_s: Some(2.0),
            ..Wanted::default()
        };
        let plan = plan(&here(), &wanted).unwrap();
        assert_eq!(of(&plan, "aes-128-cbc"), [("rustcrypto", 64), (KERNELS, 64)]);
        assert_eq!(of(&plan, "sha256").len(), 4);
        assert_eq!((plan.budget_s, plan.overtime_s), (2.0, 0.0));
        assert_eq!(plan.cases[0].operation, Operation::Digest);
    }

    #[test]
    fn what_cannot_be_measured_is_refused_in_a_sentence() {
        let refused = |wanted: Wanted| plan(&here(), &wanted).unwrap_err();
        let unknown = Wanted { algorithms: vec!["rot13".into()], ..Wanted::default() };
        assert!(
            refused(unknown).starts_with("there is no algorithm rot13: write for example aes-")
        );
        let odd =
            Wanted { algorithms: vec!["aes-128-cbc".into()], sizes: vec![15], ..Wanted::default() };
        assert!(refused(odd).starts_with("nothing is left to measure of aes-128-cbc"));
    }

    #[test]
    fn a_pattern_has_one_star() {
        assert!(matches("aes-*-cbc", "aes-128-cbc") && matches("adiantum", "adiantum"));
        assert!(!matches("aes-*-cbc", "aes-cbc") && !matches("aes-*-cbc", "camellia-128-cbc"));
    }
}
