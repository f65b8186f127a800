//! Which code paths each implementation has here: the one that its library takes by itself, and
//! those that it takes when features of the processor are hidden from it.
//!
//! A path counts when other code was seen to run, never because a switch was set.

use std::collections::BTreeMap;

use ciphermark_codepath::CodePath;
use ciphermark_providers::features;
use ciphermark_record::description::{BackendEvidence, Implementation};
use ciphermark_record::plan::Operation;

use crate::pool::Pool;
use crate::protocol::{Command, Reply};
use crate::switches;
use crate::worker_handle::WorkerKey;

/// The implementations with the code path of each, and those of other paths behind them.
pub fn find(
    pool: &mut Pool,
    key: &WorkerKey,
    implementations: Vec<Implementation>,
) -> Vec<Implementation> {
    let mut known: Vec<Known> =
        implementations.into_iter().map(|it| Known::of(pool, key, it)).collect();
    for hidden in masks(key) {
        let switched = hiding(key, &hidden);
        for known in known.iter_mut().filter(|it| it.uses_any(&hidden)) {
            known.look_again(pool, &switched);
        }
    }
    known.into_iter().flat_map(|it| it.found).collect()
}

/// The code path that a function takes, where that can be seen.
pub fn of(
    pool: &mut Pool,
    key: &WorkerKey,
    implementation: &Implementation,
    operation: Operation,
) -> Option<CodePath> {
    let command = Command::Trace {
        algorithm: implementation.algorithm.clone(),
        backend: implementation.backend.clone(),
        operation,
    };
    match pool.ask(key, &command) {
        Ok(Reply::Traced(path)) => path,
        _ => None,
    }
}

/// An implementation with the code path that was seen.
pub fn described(implementation: Implementation, path: &CodePath) -> Implementation {
    let reported = implementation.backend_evidence == BackendEvidence::Reported;
    let forced = !implementation.switches.is_empty();
    Implementation {
        path: ciphermark_codepath::name(&path.features),
        features: path.features.clone(),
        backend_evidence: match (reported, forced) {
            (true, _) => BackendEvidence::Reported,
            (_, true) => BackendEvidence::Forced,
            (_, false) => BackendEvidence::Inferred,
        },
        ..implementation
    }
}

/// One implementation, with the paths that were found so far.
struct Known {
    found: Vec<Implementation>,
    paths: Vec<CodePath>,
    operation: Option<Operation>,
}

impl Known {
    fn of(pool: &mut Pool, key: &WorkerKey, implementation: Implementation) -> Self {
        let operation = ciphermark_algorithms::find(&implementation.algorithm)
            .map(|algorithm| algorithm.kind.sending());
        let path = operation.and_then(|it| of(pool, key, &implementation, it));
        let found = path.iter().map(|path| described(implementation.clone(), path)).next();
        Self {
            found: vec![found.unwrap_or(implementation)],
            paths: path.into_iter().collect(),
            operation,
        }
    }

    /// Whether hiding these can change anything.
    fn uses_any(&self, hidden: &[&str]) -> bool {
        let used = |path: &CodePath| path.features.iter().any(|it| hidden.contains(&it.as_str()));
        self.paths.iter().any(used)
    }

    /// Looks which path is taken under these switches.
    fn look_again(&mut self, pool: &mut Pool, key: &WorkerKey) {
        let (Some(operation), Some(first)) = (self.operation, self.found.first()) else { return };
        let Some(path) = of(pool, key, first, operation) else { return };
        if self.paths.iter().any(|known| ciphermark_codepath::same(known, &path)) {
            return;
        }
        let other =
            Implementation { default: false, switches: key.switches.clone(), ..first.clone() };
        let mut other = described(other, &path);
        other.path = self.unlike_others(other.path);
        self.found.push(other);
        self.paths.push(path);
    }

    /// Two paths by the same instructions have the same name, and need two.
    fn unlike_others(&self, name: String) -> String {
        let taken = |name: &str| self.found.iter().any(|it| it.path == name);
        let mut numbered = (2..).map(|number| format!("{name}-{number}"));
        if taken(&name) { numbered.find(|it| !taken(it)).unwrap_or(name) } else { name }
    }
}

fn hiding(key: &WorkerKey, features: &[&str]) -> WorkerKey {
    WorkerKey {
        provider: key.provider.clone(),
        switches: switches::hiding(&key.provider, features),
    }
}

/// What is hidden at a time: each feature alone, and all from one on.
fn masks(key: &WorkerKey) -> Vec<Vec<&'static str>> {
    let switchable: BTreeMap<String, _> = switches::of(&key.provider);
    let present: Vec<&'static str> = [features::X86_64, features::AARCH64]
        .concat()
        .into_iter()
        .filter(|feature| switchable.contains_key(*feature))
        .collect();
    steps(&present)
}

fn steps(present: &[&'static str]) -> Vec<Vec<&'static str>> {
    let alone = present.iter().map(|feature| vec![*feature]);
    let from_one_on =
        (0..present.len().saturating_sub(1)).rev().map(|from| present[from..].to_vec());
    alone.chain(from_one_on).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_feature_is_hidden_alone_and_with_all_that_come_after() {
        assert_eq!(
            steps(&["aes", "avx", "avx2"]),
            [
                vec!["aes"],
                vec!["avx"],
                vec!["avx2"],
                vec!["avx", "avx2"],
                vec!["aes", "avx", "avx2"]
            ]
        );
        assert_eq!(steps(&["aes"]), [["aes"]]);
        assert!(steps(&[]).is_empty());
    }
}
