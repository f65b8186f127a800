//! One message shared by several cores: the calling one and helpers, one pinned to each further CPU.
//!
//! Where the parts of a message can be worked on by themselves, each core has a function of the
//! provider's own, and what a part needs of the others is computed beside:
//!
//! | function | a part is | and needs |
//! |---|---|---|
//! | counter mode | a run of blocks | its first counter block |
//! | CBC, decryption | a run of blocks | the block of ciphertext before it |
//! | ECB | a run of blocks | nothing |
//! | GCM | a run of blocks under a nonce that begins there | powers of H for its share of the tag |
//! | GMAC | a run of blocks | powers of H |
//! | BLAKE3 | some subtrees | its place; the calling core joins them |
//!
//! All others are refused with the reason. A function that cannot begin within a message by its
//! provider's interface is among them, which is found out by asking it, not by its name.
//!
//! Messages are cut whatever their length, down to [`cut::GRANULE`] bytes a part: from which length
//! that pays is a matter of measuring. Setting a key sets it for each core in turn.

mod blocks;
mod counter;
mod cut;
mod functions;
mod gcm;
mod ghash;
mod gmac;
mod refusals;
mod subtrees;
mod team;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use ciphermark_algorithms::Algorithm;

use ciphermark_providers::api::*;
use ciphermark_providers::checks;
pub use team::Team;

/// A provider one operation of which is done by several cores.
pub struct Split<'a> {
    provider: &'a dyn Provider,
    operation: Operation,
    team: Arc<Team>,
}

impl<'a> Split<'a> {
    /// Shares the messages of this operation among the team. Other operations stay whole: what makes
    /// the messages that a receiving side is given is not what is asked about.
    pub fn of(provider: &'a dyn Provider, operation: Operation, team: Arc<Team>) -> Self {
        Self { provider, operation, team }
    }
}

impl Provider for Split<'_> {
    fn library(&self) -> Library {
        self.provider.library()
    }

    fn implementations(&self) -> Vec<Implementation> {
        self.provider.implementations()
    }

    fn create(&self, request: &Request<'_>) -> Result<Box<dyn Function>, CreateError> {
        if request.operation != self.operation {
            return self.provider.create(request);
        }
        let facts = ciphermark_algorithms::find(request.algorithm)
            .ok_or_else(|| checks::unknown_algorithm(request))?;
        let split = SplitRequest { provider: self.provider, team: &self.team, facts, request };
        match Recipe::of(facts, request.operation) {
            Some(Recipe::Counter) => blocks::counter_mode(&split),
            Some(Recipe::ChainedDecryption) => blocks::chained_decryption(&split),
            Some(Recipe::Blocks) => blocks::apart(&split),
            Some(Recipe::GcmSeal) => gcm::seal(&split),
            Some(Recipe::GcmOpen) => gcm::open(&split),
            Some(Recipe::Gmac) => gmac::create(&split),
            Some(Recipe::Subtrees) => subtrees::create(&split),
            None => Err(refusals::refused(facts, request.operation)),
        }
    }
}

/// What the making of a function goes by.
struct SplitRequest<'a> {
    provider: &'a dyn Provider,
    team: &'a Arc<Team>,
    facts: &'static Algorithm,
    request: &'a Request<'a>,
}

/// How the messages of a function are cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Recipe {
    Counter,
    ChainedDecryption,
    Blocks,
    GcmSeal,
    GcmOpen,
    Gmac,
    Subtrees,
}

impl Recipe {
    fn of(facts: &Algorithm, operation: Operation) -> Option<Self> {
        let name = facts.name.as_str();
        let mode = name.rsplit('-').next().unwrap_or_default();
        Some(match (mode, operation) {
            ("ctr", Operation::Encrypt | Operation::Decrypt) => Self::Counter,
            ("cbc", Operation::Decrypt) => Self::ChainedDecryption,
            ("ecb", Operation::Encrypt | Operation::Decrypt) => Self::Blocks,
            ("gcm", Operation::Seal) => Self::GcmSeal,
            ("gcm", Operation::Open) => Self::GcmOpen,
            (_, Operation::Mac | Operation::Verify) if name.starts_with("gmac-") => Self::Gmac,
            (_, Operation::Digest) if name == "blake3" => Self::Subtrees,
            (_, Operation::Mac | Operation::Verify) if name == "blake3-mac" => Self::Subtrees,
            _ => return None,
        })
    }
}
