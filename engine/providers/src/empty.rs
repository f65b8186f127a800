//! A provider whose functions do nothing.
//!
//! It goes the whole way of a real one, so what is measured for it is the harness's own cost: a
//! check that the loop's cost, which is measured apart and subtracted, is right. Its answers are
//! wrong by design; plans name it only in `benchmarks/harness_floor.py`.

use std::collections::BTreeMap;
use std::path::Path;

use crate::api::*;

pub const REGISTRATION: Registration =
    Registration { name: "empty", title: "Empty", open, listed: false, switches: None };

fn open(_: Option<&Path>) -> Result<Box<dyn Provider>, Unusable> {
    Ok(Box::new(Empty))
}

struct Empty;

impl Provider for Empty {
    fn library(&self) -> Library {
        Library {
            version: env!("CARGO_PKG_VERSION").into(),
            location: "compiled into the engine".into(),
            build: String::new(),
        }
    }

    fn implementations(&self) -> Vec<Implementation> {
        ciphermark_algorithms::algorithms()
            .iter()
            .filter(|algorithm| algorithm.name == "empty")
            .map(|algorithm| Implementation {
                algorithm: algorithm.name.clone(),
                provider: "empty".into(),
                backend: "default".into(),
                default: true,
                backend_evidence: BackendEvidence::Forced,
                constant_time: Some(true),
                operations: algorithm.kind.operations().to_vec(),
                patterns: Pattern::ALL.to_vec(),
                most_lanes: u32::MAX,
                takes_repeats: true,
                path: String::new(),
                switches: BTreeMap::new(),
                features: Vec::new(),
                leaves_vectors_dirty: None,
            })
            .collect()
    }

    fn create(&self, _: &Request<'_>) -> Result<Box<dyn Function>, CreateError> {
        Ok(Box::new(DoNothing))
    }

    fn create_lanes(
        &self,
        _: &Request<'_>,
        _: usize,
        _: usize,
    ) -> Result<Box<dyn Lanes>, CreateError> {
        Ok(Box::new(DoNothing))
    }
}

struct DoNothing;

impl Function for DoNothing {
    fn set_key(&mut self, _: &[u8]) -> Result<(), CallError> {
        Ok(())
    }

    fn process(&mut self, _: &Message<'_>, _: &mut [u8]) -> Result<(), CallError> {
        Ok(())
    }

    fn process_parts(&mut self, _: &Message<'_>, _: Parts, _: &mut [u8]) -> Result<(), CallError> {
        Ok(())
    }

    fn renew(&mut self, _: Renewed) -> Result<(), CallError> {
        Ok(())
    }
}

impl Lanes for DoNothing {
    fn set_key(&mut self, _: usize, _: &[u8]) -> Result<(), CallError> {
        Ok(())
    }

    fn process(&mut self, _: &[Message<'_>], _: &mut [&mut [u8]]) -> Result<(), CallError> {
        Ok(())
    }

    fn process_under(
        &mut self,
        _: &[u32],
        _: &[Message<'_>],
        _: &mut [&mut [u8]],
    ) -> Result<(), CallError> {
        Ok(())
    }
}
