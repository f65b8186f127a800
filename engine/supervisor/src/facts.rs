//! What this engine knows and can do on this machine.

use std::collections::BTreeMap;

use ciphermark_harness::limits;
use ciphermark_record::SCHEMA;
use ciphermark_record::description::{Description, EngineBuild};
use ciphermark_registry::REGISTRY;

use crate::code_paths;
use crate::interrupt::Interrupt;
use crate::memory;
use crate::pool::Pool;
use crate::selection::{Selection, selected};
use crate::worker_handle::Settings;
use crate::worker_key::WorkerKey;

/// CPU time that a worker may use to open its library, or to run vectors.
const CPU_SECONDS: u64 = 300;

/// Algorithms, providers and implementations. Each library is opened in a process of its own, so
/// that one that crashes is only reported.
///
/// Of all providers and algorithms unless some are named. With `code_paths` each implementation is
/// looked at while it runs, also with features of the processor hidden from it; that takes seconds.
pub fn describe(
    engine: EngineBuild,
    libraries: BTreeMap<String, String>,
    selection: &Selection,
    code_paths: bool,
    interrupt: &Interrupt,
) -> std::io::Result<Description> {
    let keys = listed_keys(&libraries);
    let mut pool = unmeasured_pool(libraries, interrupt)?;
    let mut description = Description {
        schema: SCHEMA,
        engine,
        algorithms: ciphermark_algorithms::algorithms()
            .iter()
            .filter(|algorithm| algorithm.name != "empty")
            .cloned()
            .collect(),
        providers: Vec::new(),
        implementations: Vec::new(),
    };
    let wanted = |key: &WorkerKey| selected(&selection.providers, &key.provider);
    for key in keys.into_iter().filter(wanted) {
        if let Ok(mut implementations) = pool.implementations(&key) {
            implementations.retain(|it| selected(&selection.algorithms, &it.algorithm));
            if code_paths {
                implementations = code_paths::find(&mut pool, &key, implementations);
            }
            description.implementations.extend(implementations);
        }
        description.providers.push(pool.provider(&key));
    }
    Ok(description)
}

/// A key for each provider that is shown to people, without switches: those of the registry, where
/// the builds that `libraries` names stand for the one that is installed.
pub fn listed_keys(libraries: &BTreeMap<String, String>) -> Vec<WorkerKey> {
    let builds = |name: &str| -> Vec<String> {
        let of = |it: &&String| it.split_once('@').is_some_and(|(library, _)| library == name);
        libraries.keys().filter(of).cloned().collect()
    };
    let named = REGISTRY.iter().flat_map(|registration| match builds(registration.name) {
        builds if !builds.is_empty() => builds,
        _ if registration.listed => vec![registration.name.into()],
        _ => vec![],
    });
    named.map(|provider| WorkerKey { provider, switches: BTreeMap::new() }).collect()
}

/// A pool for work that is not timed.
pub fn unmeasured_pool(
    libraries: BTreeMap<String, String>,
    interrupt: &Interrupt,
) -> std::io::Result<Pool> {
    limits::adopt_descendants()?;
    let allowed = ciphermark_harness::pinning::allowed_cpus()?;
    let cpu = allowed.last().copied().unwrap_or(0);
    let settings = Settings {
        cpu,
        cpu_seconds: CPU_SECONDS,
        memory_bytes: memory::of_worker(&[], allowed.len()),
        ticks_per_ns: 1.0,
        libraries,
    };
    Ok(Pool::new(settings, None, 0, interrupt.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(libraries: &[&str]) -> Vec<String> {
        let libraries = libraries.iter().map(|name| ((*name).into(), "/a/path".into())).collect();
        listed_keys(&libraries).into_iter().map(|key| key.provider).collect()
    }

    #[test]
    fn builds_that_are_named_stand_for_the_installed_one() {
        assert!(listed(&[]).contains(&"openssl".into()));
        assert!(listed(&["openssl"]).contains(&"openssl".into()));
        let two = listed(&["openssl@old", "openssl@new"]);
        assert_eq!(two[..2], ["openssl@new", "openssl@old"]);
        assert!(!two.contains(&"openssl".into()));
    }

    #[test]
    fn what_is_not_listed_is_there_when_it_is_named() {
        assert!(!listed(&[]).contains(&"empty".into()));
        assert!(listed(&["empty@mine"]).contains(&"empty@mine".into()));
    }
}
