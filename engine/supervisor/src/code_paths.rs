//! Which code paths each implementation has here: the one that its library takes by itself, and
//! those that it takes when features of the processor are hidden from it.
//!
//! A path counts when other code was seen to run, never because a switch was set.

use std::collections::{BTreeMap, BTreeSet};

use ciphermark_codepath::CodePath;
use ciphermark_providers::features;
use ciphermark_record::description::{BackendEvidence, Implementation};

use crate::pool::Pool;
use crate::protocol::{Command, Reply, Traced};
use crate::switches;
use crate::worker_key::WorkerKey;

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
        for known in &mut known {
            if known.is_new(&hidden) {
                known.look_again(pool, &switched);
            }
        }
    }
    known.into_iter().flat_map(|it| it.found).collect()
}

/// An implementation with the code path that its sending side takes in calls of so many messages, where
/// that can be seen.
pub fn described(
    pool: &mut Pool,
    key: &WorkerKey,
    implementation: Implementation,
    lanes: u32,
) -> Implementation {
    match trace(pool, key, &implementation, lanes) {
        Some(traced) => with_path(implementation, &traced),
        None => implementation,
    }
}

/// None for a path that its provider tells already: what is not executed in this process cannot be
/// seen there.
fn trace(
    pool: &mut Pool,
    key: &WorkerKey,
    implementation: &Implementation,
    lanes: u32,
) -> Option<Traced> {
    if !implementation.path.is_empty() {
        return None;
    }
    let algorithm = ciphermark_algorithms::find(&implementation.algorithm)?;
    let command = Command::Trace {
        algorithm: implementation.algorithm.clone(),
        backend: implementation.backend.clone(),
        operation: algorithm.kind.sending(),
        lanes,
    };
    match pool.ask(key, &command) {
        Ok(Reply::Traced(traced)) => Some(traced),
        _ => None,
    }
}

fn with_path(implementation: Implementation, traced: &Traced) -> Implementation {
    let leaves_vectors_dirty = traced.leaves_vectors_dirty;
    let Some(path) = &traced.path else {
        return Implementation { leaves_vectors_dirty, ..implementation };
    };
    let reported = implementation.backend_evidence == BackendEvidence::Reported;
    let forced = !implementation.switches.is_empty();
    Implementation {
        // A name of the library's own says more than the instructions: `table` and `reference`
        // are both scalar.
        path: match reported {
            true => implementation.backend.clone(),
            false => ciphermark_codepath::name(&path.features),
        },
        features: path.features.clone(),
        backend_evidence: match (reported, forced) {
            (true, _) => BackendEvidence::Reported,
            (_, true) => BackendEvidence::Forced,
            (_, false) => BackendEvidence::Inferred,
        },
        leaves_vectors_dirty,
        ..implementation
    }
}

/// One implementation, with the paths that were found so far.
struct Known {
    /// As its provider describes it: with a path only where the provider tells that itself.
    asked: Implementation,
    found: Vec<Implementation>,
    paths: Vec<CodePath>,
    /// What was hidden so far of the extensions that the paths execute: hiding others besides
    /// changes nothing.
    tried: BTreeSet<BTreeSet<String>>,
}

impl Known {
    fn of(pool: &mut Pool, key: &WorkerKey, implementation: Implementation) -> Self {
        let traced = trace(pool, key, &implementation, 1);
        let found = match &traced {
            Some(traced) => with_path(implementation.clone(), traced),
            None => implementation.clone(),
        };
        Self {
            asked: implementation,
            found: vec![found],
            paths: traced.and_then(|it| it.path).into_iter().collect(),
            tried: BTreeSet::new(),
        }
    }

    /// Whether hiding these can show anything new.
    fn is_new(&mut self, hidden: &[&str]) -> bool {
        let used = self.paths.iter().flat_map(|path| &path.features);
        let concerned: BTreeSet<String> =
            used.filter(|it| hidden.contains(&it.as_str())).cloned().collect();
        !concerned.is_empty() && self.tried.insert(concerned)
    }

    /// Looks which path is taken under these switches. One that executes the same extensions is no
    /// other path to who reads its name.
    fn look_again(&mut self, pool: &mut Pool, key: &WorkerKey) {
        // The path that it has by default says nothing of the one under these switches.
        let Some(traced) = trace(pool, key, &self.asked, 1) else { return };
        let other =
            Implementation { default: false, switches: key.switches.clone(), ..self.asked.clone() };
        let other = with_path(other, &traced);
        let Some(path) = traced.path else { return };
        if self.found.iter().all(|known| known.path != other.path) {
            self.found.push(other);
            self.paths.push(path);
        }
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
