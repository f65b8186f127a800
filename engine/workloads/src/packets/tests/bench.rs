//! Cases to run, and providers to run them on.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use ciphermark_providers::api::{
    CallError, CreateError, Function, Implementation, Library, Message, Request,
};
use ciphermark_record::plan::Load;
use ciphermark_registry as registry;
use serde_json::json;

use super::*;

pub const SEED: u64 = 11;

/// A case with its provider.
pub struct Fixture {
    pub provider: Box<dyn Provider>,
    pub case: Case,
    pub load: PacketLoad,
}

fn calibration() -> &'static Calibration {
    static ONE: OnceLock<Calibration> = OnceLock::new();
    ONE.get_or_init(|| Calibration::measure(&mut HostClock::open(), 1e9))
}

impl Fixture {
    /// 500 packets of 7 flows by RustCrypto, from the first CPU to the first two.
    pub fn of(algorithm: &str, operation: &str) -> Self {
        Self::by("rustcrypto", algorithm, operation)
    }

    pub fn of_kernels(algorithm: &str, operation: &str) -> Self {
        Self::by("kernels", algorithm, operation)
    }

    pub fn by(name: &str, algorithm: &str, operation: &str) -> Self {
        let case = json!({
            "case": 3, "algorithm": algorithm, "operation": operation, "provider": name,
            "backend": "default", "message_bytes": 256, "keys": 7,
        });
        let (first, last) = two_cpus();
        let load = json!({
            "packets": 500, "cpus": [last], "submit_cpu": first, "batch": 32, "queue_batches": 4,
            "least_pairs": 2, "measure_ms": 0.0,
        });
        Self {
            provider: provider(name),
            case: serde_json::from_value(case).expect("the case is understood"),
            load: serde_json::from_value(load).expect("the load is understood"),
        }
    }

    /// Makes the case one of an implementation that takes several messages in a call; false where
    /// there is none.
    pub fn take_many(&mut self) -> bool {
        let all = self.provider.implementations();
        let many = all.iter().find(|it| it.algorithm == self.case.algorithm && it.most_lanes > 1);
        many.inspect(|it| {
            self.case.backend.clone_from(&it.backend);
            self.case.lanes = it.most_lanes.min(self.load.batch);
        })
        .is_some()
    }

    pub fn run(&self) -> Result<PacketsRun, Failure> {
        self.run_with(&NoFaults)
    }

    pub fn ran(&self) -> PacketsRun {
        self.run().unwrap_or_else(|why| panic!("{:?} {:?}: {why:?}", self.case, self.load))
    }

    /// All passes, with what befalls the workers.
    pub fn run_with(&self, faults: &impl Faults) -> Result<PacketsRun, Failure> {
        self.with_execution(|execution| execute_with(execution, faults))
    }

    /// One pass with the cryptographic work, in which all has to go well. Returns the packets in the
    /// order of their delivery, sequence by sequence or worker by worker.
    pub fn passed(&self, faults: &impl Faults) -> Vec<u32> {
        self.with_execution(|execution| {
            let mut bench = Bench::new(execution, faults)?;
            bench.pass(PassKind::Processing)?;
            let Pass { lost, duplicated, out_of_order, .. } = bench.passes[0];
            assert_eq!((lost, duplicated, out_of_order), (0, 0, 0), "{:?}", self.load);
            Ok(bench.scheduler.logs.iter().flat_map(|log| log.packets()).collect())
        })
        .unwrap_or_else(|why: Failure| panic!("{:?}: {why:?}", self.load))
    }

    fn with_execution<T>(&self, action: impl FnOnce(&Execution<'_>) -> T) -> T {
        let case = Case { load: Load::Packets(self.load.clone()), ..self.case.clone() };
        action(&Execution {
            provider: self.provider.as_ref(),
            algorithm: ciphermark_algorithms::find(&case.algorithm).expect("it has facts"),
            case: &case,
            load: &self.load,
            seed: SEED,
            calibration: calibration(),
        })
    }
}

/// Puts the calling thread on one of the CPUs that there are, for one that there may not be.
pub fn somewhere(cpu: u32) -> std::io::Result<()> {
    let cpus = pinning::allowed_cpus()?;
    pinning::pin(cpus[cpu as usize % cpus.len()])
}

pub fn provider(name: &str) -> Box<dyn Provider> {
    let registration = registry::find(name).expect("it is registered");
    (registration.open)(None).unwrap_or_else(|reason| panic!("{reason}"))
}

/// The first two CPUs, or the only one twice.
pub fn two_cpus() -> (u32, u32) {
    let cpus = pinning::allowed_cpus().expect("the kernel tells");
    (cpus[0], cpus[1 % cpus.len()])
}

/// A provider one of whose answers is spoiled.
pub struct Spoiled {
    provider: Box<dyn Provider>,
    calls: std::sync::Arc<AtomicU64>,
    at: u64,
}

impl Spoiled {
    pub fn at(call: u64) -> Self {
        Self { provider: provider("rustcrypto"), calls: Default::default(), at: call }
    }
}

impl Provider for Spoiled {
    fn library(&self) -> Library {
        self.provider.library()
    }

    fn implementations(&self) -> Vec<Implementation> {
        self.provider.implementations()
    }

    fn create(&self, request: &Request<'_>) -> Result<Box<dyn Function>, CreateError> {
        let function = self.provider.create(request)?;
        Ok(Box::new(SpoiledFunction { function, calls: self.calls.clone(), at: self.at }))
    }
}

struct SpoiledFunction {
    function: Box<dyn Function>,
    calls: std::sync::Arc<AtomicU64>,
    at: u64,
}

impl Function for SpoiledFunction {
    fn set_key(&mut self, key: &[u8]) -> Result<(), CallError> {
        self.function.set_key(key)
    }

    fn process(&mut self, message: &Message<'_>, output: &mut [u8]) -> Result<(), CallError> {
        self.function.process(message, output)?;
        let call = self.calls.fetch_add(1, Ordering::Relaxed);
        // Others than the first few are those of the passes.
        output[0] ^= u8::from(call % 500 == self.at % 500);
        Ok(())
    }
}
