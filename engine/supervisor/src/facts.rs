//! What this engine knows and can do on this machine.

use std::collections::BTreeMap;

use ciphermark_providers::registry::REGISTRY;
use ciphermark_record::SCHEMA;
use ciphermark_record::description::{Description, EngineBuild};

use crate::interrupt::Interrupt;
use crate::pool::Pool;
use crate::worker_handle::{Settings, WorkerKey};

/// CPU time that a worker may use to open its library, or to run vectors.
const CPU_SECONDS: u64 = 300;

/// Algorithms, providers and implementations. Each library is opened in a process of its own, so
/// that one that crashes is only reported.
pub fn describe(
    engine: EngineBuild,
    libraries: BTreeMap<String, String>,
    interrupt: &Interrupt,
) -> std::io::Result<Description> {
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
    for key in listed_keys() {
        if let Ok(implementations) = pool.implementations(&key) {
            description.implementations.extend(implementations);
        }
        description.providers.push(pool.provider(&key));
    }
    Ok(description)
}

/// A key for each provider that is shown to people, without switches.
pub fn listed_keys() -> Vec<WorkerKey> {
    REGISTRY
        .iter()
        .filter(|registration| registration.listed)
        .map(|registration| WorkerKey {
            provider: registration.name.into(),
            switches: BTreeMap::new(),
        })
        .collect()
}

/// A pool for work that is not timed.
pub fn unmeasured_pool(
    libraries: BTreeMap<String, String>,
    interrupt: &Interrupt,
) -> std::io::Result<Pool> {
    let allowed = ciphermark_harness::pinning::allowed_cpus()?;
    let cpu = allowed.last().copied().unwrap_or(0);
    let settings = Settings { cpu, cpu_seconds: CPU_SECONDS, ticks_per_ns: 1.0, libraries };
    Ok(Pool::new(settings, None, 0, interrupt.clone()))
}
