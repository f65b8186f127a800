//! Every implementation on every test vector: the embedded ones, or those of a folder.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use ciphermark_algorithms::vectors::{self, Vector};
use ciphermark_record::description::Implementation;
use ciphermark_record::event::Failure;
use ciphermark_record::verification::{Uncovered, Verification, Verified};

use crate::agreement::{self, Lengths};
use crate::facts::{listed_keys, unmeasured_pool};
use crate::interrupt::Interrupt;
use crate::pool::Pool;
use crate::protocol::{Command, Reply};
use crate::selection::{Selection, selected};
use crate::worker_handle::out_of_turn;
use crate::worker_key::WorkerKey;

/// Runs all vectors and, where lengths are given, compares all implementations on random inputs of
/// these. The error is a sentence about the folder.
pub fn verify(
    folder: Option<&str>,
    lengths: Option<(Lengths, u64)>,
    libraries: BTreeMap<String, String>,
    selection: &Selection,
    interrupt: &Interrupt,
) -> Result<Verification, String> {
    let vectors = read(folder, selection)?;
    let keys = listed_keys(&libraries);
    let mut pool = unmeasured_pool(libraries, interrupt).map_err(|error| error.to_string())?;
    let (mut sums, mut members) = (Sums::default(), Vec::new());
    for key in keys.iter().filter(|key| selected(&selection.providers, &key.provider)) {
        // A provider that is not there has no implementations; `list providers` says why.
        let Ok(implementations) = pool.implementations(key) else { continue };
        for implementation in implementations {
            if selected(&selection.algorithms, &implementation.algorithm) {
                members.push((key.clone(), implementation.clone()));
            }
            let concerned = vectors.iter().any(|it| it.algorithm == implementation.algorithm);
            if concerned && !interrupt.requested() {
                sums.add(&implementation, ask(&mut pool, key, &implementation, folder));
            }
        }
    }
    let mut verification = sums.finish(&vectors);
    verification.agreement = lengths
        .map(|(lengths, seed)| agreement::compare(&mut pool, &members, lengths, seed, interrupt));
    Ok(verification)
}

fn read(folder: Option<&str>, selection: &Selection) -> Result<Vec<Vector>, String> {
    let mut vectors = match folder {
        None => vectors::known().to_vec(),
        Some(folder) => vectors::read_dir(Path::new(folder))?,
    };
    vectors.retain(|vector| selected(&selection.algorithms, &vector.algorithm));
    Ok(vectors)
}

fn ask(
    pool: &mut Pool,
    key: &WorkerKey,
    implementation: &Implementation,
    folder: Option<&str>,
) -> Result<(Verified, Vec<String>), Failure> {
    let command = Command::Vectors {
        algorithm: implementation.algorithm.clone(),
        backend: implementation.backend.clone(),
        folder: folder.map(str::to_owned),
    };
    match pool.ask(key, &command)? {
        Reply::Verified { verified, passed } => Ok((verified, passed)),
        other => Err(out_of_turn(&other)),
    }
}

#[derive(Default)]
struct Sums {
    results: Vec<Verified>,
    covered: BTreeSet<String>,
}

impl Sums {
    fn add(
        &mut self,
        implementation: &Implementation,
        result: Result<(Verified, Vec<String>), Failure>,
    ) {
        match result {
            Ok((verified, passed)) => {
                self.results.push(verified);
                self.covered.extend(passed);
            }
            Err(error) => self.results.push(Verified {
                algorithm: implementation.algorithm.clone(),
                provider: implementation.provider.clone(),
                backend: implementation.backend.clone(),
                passed: 0,
                failed: 0,
                unsupported: 0,
                failures: Vec::new(),
                unsupported_parameters: Vec::new(),
                error: Some(error),
            }),
        }
    }

    fn finish(self, vectors: &[Vector]) -> Verification {
        let implemented: BTreeSet<&str> =
            self.results.iter().map(|verified| verified.algorithm.as_str()).collect();
        let mut without: BTreeMap<&str, u32> = BTreeMap::new();
        for vector in vectors.iter().filter(|it| !implemented.contains(it.algorithm.as_str())) {
            *without.entry(&vector.algorithm).or_default() += 1;
        }
        Verification {
            passed: self.results.iter().map(|verified| verified.passed).sum(),
            failed: self.results.iter().map(|verified| verified.failed).sum(),
            vectors: vectors.len() as u32,
            covered: self.covered.len() as u32,
            without_implementation: without
                .into_iter()
                .map(|(algorithm, vectors)| Uncovered { algorithm: algorithm.into(), vectors })
                .collect(),
            results: self.results,
            agreement: None,
        }
    }
}
