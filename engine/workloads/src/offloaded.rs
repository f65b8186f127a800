//! Where a case's work is done.

use std::sync::Arc;

use ciphermark_devices::Cores;
use ciphermark_devices::split::{Split, Team};
use ciphermark_providers::api::{CreateError, Provider, Request};
use ciphermark_record::description::Algorithm;
use ciphermark_record::plan::{Case, Offload};

use crate::failure::Failure;
use crate::single::{SharedRings, Single, expected_answers};

/// A provider as a case wants it: by itself or, with the offload `cores`, with its work on other CPUs.
/// Of the other offloads the provider is the device already.
pub enum Offloaded<'a> {
    Itself(&'a dyn Provider),
    Cores(Cores<'a>),
}

/// The provider of a case. The threads of a device begin here and end with what is returned.
pub fn wrapped<'a>(provider: &'a dyn Provider, case: &Case) -> Result<Offloaded<'a>, Failure> {
    Ok(match case.offload {
        Offload::Cores => Offloaded::Cores(Cores::of(provider, &case.offload_cpus)?),
        Offload::Split => return Err(CreateError::Unsupported(ONE_CALLER.into()).into()),
        Offload::None | Offload::Opencl | Offload::AfAlg => Offloaded::Itself(provider),
    })
}

const ONE_CALLER: &str = "messages split over cores by more callers than one";

/// The cores that share the messages of cases, which begin with the first such case.
#[derive(Default)]
pub struct Teams(Vec<(Vec<u32>, Arc<Team>)>);

impl Teams {
    /// The provider of a case whose messages are split; none of the others.
    pub fn split<'a>(
        &mut self,
        provider: &'a dyn Provider,
        case: &Case,
    ) -> Result<Option<Split<'a>>, CreateError> {
        if case.offload != Offload::Split {
            return Ok(None);
        }
        let team = self.of(&case.offload_cpus)?;
        Ok(Some(Split::of(provider, case.operation, team)))
    }

    fn of(&mut self, cpus: &[u32]) -> Result<Arc<Team>, CreateError> {
        if let Some((_, team)) = self.0.iter().find(|(known, _)| known == cpus) {
            return Ok(Arc::clone(team));
        }
        let team = Arc::new(Team::of(cpus)?);
        self.0.push((cpus.to_vec(), Arc::clone(&team)));
        Ok(team)
    }
}

impl Offloaded<'_> {
    /// Whose functions and devices are to be called.
    pub fn provider(&self) -> &dyn Provider {
        match self {
            Self::Itself(provider) => *provider,
            Self::Cores(cores) => cores,
        }
    }

    /// CPU time that the device's own threads have used so far; absent where that is not known.
    pub fn device_cpu_ns(&self) -> Option<u64> {
        match self {
            Self::Itself(_) => None,
            Self::Cores(cores) => Some(cores.cpu_ns()),
        }
    }

    /// Where the work is done, as the device says itself; absent without an offload.
    pub fn place(&self, case: &Case) -> Result<Option<String>, Failure> {
        if case.offload == Offload::None {
            return Ok(None);
        }
        let request = Request::usual(&case.algorithm, &case.backend, case.operation);
        Ok(Some(self.provider().create_device(&request, 1)?.place()))
    }

    /// Refuses a device whose answers to messages of this case are not those of the provider without
    /// it. Vectors and agreement have looked at the provider by itself.
    pub fn check(&self, algorithm: &Algorithm, case: &Case, seed: u64) -> Result<(), Failure> {
        let Self::Cores(cores) = self else { return Ok(()) };
        let rings = SharedRings::default();
        let mut through = Single::prepare(cores, algorithm, case, seed, &rings)?;
        let messages = 0..through.unit();
        let right = expected_answers(cores.within(), algorithm, case, seed, messages.clone())?;
        if through.checked(messages)? == right {
            return Ok(());
        }
        Err(Failure::WrongAnswer(
            "what the offload cores answers is not what the same function answers without it"
                .into(),
        ))
    }
}

#[cfg(test)]
mod tests {
    use ciphermark_algorithms::vectors::known;
    use ciphermark_harness::{pinning, quietest_cpu};
    use ciphermark_registry as registry;
    use serde_json::json;

    use super::*;
    use crate::vectors;

    fn case(provider: &str, algorithm: &str, offload: Offload) -> Case {
        let cpu = quietest_cpu::choose(None, &pinning::allowed_cpus().expect("the kernel tells"));
        serde_json::from_value(json!({
            "case": 0, "algorithm": algorithm, "operation": "mac", "provider": provider,
            "backend": "default", "message_bytes": 64, "offload": offload,
            "offload_cpus": [cpu.expect("there is one")],
        }))
        .expect("the case is understood")
    }

    /// A tag with associated data, messages that end within a byte, and a digest.
    #[test]
    fn vectors_fare_as_they_do_without_a_device() {
        let functions =
            [("rustcrypto", "aes-128-gcm"), ("kernels", "uia2"), ("rustcrypto", "sha256")];
        for (name, algorithm) in functions {
            let registration = registry::find(name).expect("it is registered");
            let provider = (registration.open)(None).unwrap_or_else(|reason| panic!("{reason}"));
            let case = case(name, algorithm, Offload::Cores);
            let facts = ciphermark_algorithms::find(algorithm).expect("it has facts");
            let passed = |provider| {
                let report = vectors::run(provider, name, facts, "default", known());
                assert_eq!(report.verified.failures, Vec::<String>::new());
                report.passed
            };
            let offloaded = wrapped(provider.as_ref(), &case).expect("the CPU is there");
            let found = passed(offloaded.provider());
            assert!(!found.is_empty(), "{algorithm}");
            assert_eq!(found, passed(provider.as_ref()), "{algorithm}");
        }
    }

    #[test]
    fn only_messages_of_one_caller_are_split() {
        let registration = registry::find("rustcrypto").expect("it is registered");
        let provider = (registration.open)(None).unwrap_or_else(|reason| panic!("{reason}"));
        let case = case("rustcrypto", "gmac-aes-128", Offload::Split);
        assert!(wrapped(provider.as_ref(), &case).is_err());
        let mut teams = Teams::default();
        let mut made = || teams.split(provider.as_ref(), &case).map(|it| it.is_some());
        // Where this thread may run on one CPU alone, that one has nobody to share with.
        let alone = pinning::allowed_cpus().is_ok_and(|it| it.len() == 1);
        assert_eq!((made().is_ok(), made().is_ok()), (!alone, !alone));
        assert!(teams.0.len() <= 1);
        let whole = Case { offload: Offload::None, ..case.clone() };
        assert!(teams.split(provider.as_ref(), &whole).is_ok_and(|it| it.is_none()));
    }

    #[test]
    fn without_an_offload_there_is_no_device() {
        let registration = registry::find("rustcrypto").expect("it is registered");
        let provider = (registration.open)(None).unwrap_or_else(|reason| panic!("{reason}"));
        let case = case("rustcrypto", "hmac-sha256", Offload::None);
        let itself = wrapped(provider.as_ref(), &case).expect("it is there");
        assert_eq!(itself.device_cpu_ns(), None);
        assert_eq!(itself.place(&case).ok().flatten(), None);
    }
}
