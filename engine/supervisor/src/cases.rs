//! The cases that a worker has made ready.

use std::collections::HashMap;
use std::ops::Range;

use ciphermark_harness::environment;
use ciphermark_providers::api::Provider;
use ciphermark_record::event::FailureKind;
use ciphermark_record::plan::Case;
use ciphermark_workloads::offloaded::Teams;
use ciphermark_workloads::single::{SharedRings, Single, expected_answers};

use crate::protocol::Answers;
use crate::refusal::{Refusal, accepted_forgery, facts};

/// Cases that hold more than this are made anew each time, so that a plan of large messages does
/// not hold all of them at once.
const KEPT_BYTES: usize = 1 << 20;

/// Those that take far longer to make ready than to measure are kept all the same, while this share
/// of the memory that was free when the worker began is still free.
const LEFT_FREE: f64 = 0.75;

pub struct Cases {
    provider: Box<dyn Provider>,
    prepared: HashMap<u32, Prepared>,
    rings: SharedRings,
    teams: Teams,
    /// Free memory when the worker began, bytes; 0 where the kernel does not tell.
    free_bytes: u64,
}

struct Prepared {
    case: Case,
    seed: u64,
    ready: Option<Single>,
    /// Whether it took far longer to make ready than to measure.
    is_laborious: bool,
    /// Messages in a slice; found when the case is first measured.
    messages: Option<u64>,
}

impl Cases {
    pub fn new(provider: Box<dyn Provider>) -> Self {
        let free_bytes = environment::available_bytes().unwrap_or(0);
        let (prepared, rings, teams) = Default::default();
        Self { provider, prepared, rings, teams, free_bytes }
    }

    pub fn provider(&self) -> &dyn Provider {
        self.provider.as_ref()
    }

    /// Makes a case ready, and checks that it refuses forgeries.
    pub fn prepare(&mut self, case: Case, seed: u64) -> Result<(), Refusal> {
        let number = case.case;
        self.prepared.insert(
            number,
            Prepared { case, seed, ready: None, is_laborious: false, messages: None },
        );
        self.with(number, |single, _| {
            if single.accepts_forgeries()? { Err(accepted_forgery()) } else { Ok(()) }
        })
    }

    /// The right answers to these messages of a case, which need not be prepared.
    pub fn expected(
        &self,
        case: &Case,
        seed: u64,
        messages: Range<u64>,
    ) -> Result<Answers, Refusal> {
        let algorithm = facts(&case.algorithm)?;
        Ok(expected_answers(self.provider(), algorithm, case, seed, messages)?)
    }

    /// Whether a call of a case that is ready leaves upper halves of vector registers in use. None where
    /// the processor does not tell, or the case would take long to make ready again.
    pub fn look_behind(&mut self, number: u32) -> Result<Option<bool>, Refusal> {
        if self.prepared.get(&number).is_some_and(|it| it.is_laborious && it.ready.is_none()) {
            return Ok(None);
        }
        self.with(number, |single, _| Ok(single.leaves_vectors_dirty()?))
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
            None => prepared.make(self.provider.as_ref(), &self.rings, &mut self.teams)?,
        };
        prepared.is_laborious = single.is_laborious();
        let result = action(&mut single, &mut prepared.messages);
        if stays(&single, self.free_bytes) {
            prepared.ready = Some(single);
        }
        result
    }
}

/// Whether a case stays ready.
fn stays(single: &Single, free_bytes: u64) -> bool {
    let roomy = || {
        let free = environment::available_bytes().unwrap_or(0);
        free as f64 >= LEFT_FREE * free_bytes as f64
    };
    single.bytes_held() <= KEPT_BYTES || (single.is_laborious() && roomy())
}

impl Prepared {
    fn make(
        &self,
        provider: &dyn Provider,
        rings: &SharedRings,
        teams: &mut Teams,
    ) -> Result<Single, Refusal> {
        let algorithm = facts(&self.case.algorithm)?;
        let split = teams.split(provider, &self.case)?;
        let provider = split.as_ref().map_or(provider, |split| split as &dyn Provider);
        Ok(Single::prepare(provider, algorithm, &self.case, self.seed, rings)?)
    }
}
