//! The cases that a worker has made ready.

use std::collections::HashMap;

use ciphermark_providers::api::Provider;
use ciphermark_record::event::FailureKind;
use ciphermark_record::plan::{Case, Operation};
use ciphermark_workloads::single::Single;

use crate::worker::{Refusal, facts};

/// Cases that hold more than this are made anew each time, so that a plan of large messages does
/// not hold all of them at once.
const KEPT_BYTES: usize = 1 << 20;

pub struct Cases {
    provider: Box<dyn Provider>,
    prepared: HashMap<u32, Prepared>,
}

struct Prepared {
    case: Case,
    seed: u64,
    ready: Option<Single>,
    /// Messages in a slice; found when the case is first measured.
    messages: Option<u64>,
}

impl Cases {
    pub fn new(provider: Box<dyn Provider>) -> Self {
        Self { provider, prepared: HashMap::new() }
    }

    pub fn provider(&self) -> &dyn Provider {
        self.provider.as_ref()
    }

    /// Makes a case ready, and checks that it refuses forgeries.
    pub fn prepare(&mut self, case: Case, seed: u64) -> Result<(), Refusal> {
        let (number, operation) = (case.case, case.operation);
        let checks_tag = matches!(operation, Operation::Open | Operation::Verify)
            && facts(&case.algorithm)?.tag_bytes > 0;
        self.prepared.insert(number, Prepared { case, seed, ready: None, messages: None });
        self.with(number, |single, _| {
            if !checks_tag || single.refuses_forgeries()? {
                Ok(())
            } else {
                let message = format!("{operation} accepted a forged tag");
                Err(Refusal { kind: FailureKind::WrongAnswer, message })
            }
        })
    }

    /// Does something with a case that is ready, and with its number of messages in a slice.
    pub fn with<T>(
        &mut self,
        number: u32,
        action: impl FnOnce(&mut Single, &mut Option<u64>) -> Result<T, Refusal>,
    ) -> Result<T, Refusal> {
        let prepared = self.prepared.get_mut(&number).ok_or_else(|| Refusal {
            kind: FailureKind::Failed,
            message: format!("case {number} was not prepared"),
        })?;
        let mut single = match prepared.ready.take() {
            Some(single) => single,
            None => prepared.make(self.provider.as_ref())?,
        };
        let result = action(&mut single, &mut prepared.messages);
        if single.bytes_held() <= KEPT_BYTES {
            prepared.ready = Some(single);
        }
        result
    }
}

impl Prepared {
    fn make(&self, provider: &dyn Provider) -> Result<Single, Refusal> {
        let algorithm = facts(&self.case.algorithm)?;
        Ok(Single::prepare(provider, algorithm, &self.case, self.seed)?)
    }
}
