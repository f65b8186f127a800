//! What the engine knows and can do: the answer to `ciphermark-engine describe`.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::call::{Operation, Pattern};
use crate::suite::Suite;
use crate::version::SchemaVersion;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Description {
    pub schema: SchemaVersion,
    pub engine: EngineBuild,
    pub algorithms: Vec<Algorithm>,
    pub providers: Vec<Provider>,
    pub implementations: Vec<Implementation>,
}

/// How the engine was built: part of every run, since it decides how compiled-in providers perform.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EngineBuild {
    pub version: String,
    pub target: String,
    pub rustc: String,
    /// `release` or `debug`.
    pub profile: String,
    pub rustflags: String,
}

/// What is computed, from `algorithms/<name>.toml`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Algorithm {
    /// Canonical name.
    pub name: String,
    /// Name as people write it: `AES-128-GCM`.
    pub title: String,
    #[serde(default)]
    pub aliases: Vec<String>,
    pub kind: Kind,
    /// Key bytes that are used when measured; 0 for hashes.
    pub key_bytes: u32,
    /// Nonce or IV bytes per message; 0 where there is none.
    pub nonce_bytes: u32,
    /// What a nonce is made of, where not every string of bytes is one.
    #[serde(default)]
    pub nonce_fields: Vec<NonceField>,
    /// Tag or digest bytes; 0 for ciphers.
    pub tag_bytes: u32,
    /// Messages are whole blocks of so many bytes; 1 where any length is allowed.
    pub block_bytes: u32,
    /// Shortest message that the function has, bytes.
    pub min_message_bytes: u64,
    /// Longest message that the function has, bytes; absent where nobody would measure longer ones.
    #[serde(default)]
    pub max_message_bytes: Option<u64>,
    pub standard: String,
    pub status: Status,
    /// Why it has this status, with its source.
    pub status_reason: String,
    pub strength_bits: u32,
    /// What the strength counts: `key-recovery`, `collision`, `forgery`, …
    pub strength_kind: String,
    pub sources: Vec<String>,
    /// Measured by `survey` without options.
    pub survey: bool,
    /// Whether FIPS 180-4, 197, 198-1 or 202, or NIST SP 800-38A to D, 800-185 or 800-232 approve the
    /// primitive and the mode; of a suite all its parts. Says nothing of any module's validation.
    #[serde(default)]
    pub fips_approved: bool,
    /// What a suite is composed of; absent for all other kinds.
    #[serde(default)]
    pub suite: Option<Suite>,
}

/// One number in a nonce: big-endian, in as few whole bytes as hold its bits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NonceField {
    /// As in test vectors: `count`.
    pub name: String,
    pub bits: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    Aead,
    Cipher,
    Mac,
    Hash,
    Stream,
    /// What protects a packet in a protocol; see [`Suite`].
    Suite,
}

impl Kind {
    /// The operations that an algorithm of this kind has.
    pub fn operations(self) -> &'static [Operation] {
        use Operation::*;
        match self {
            Kind::Aead | Kind::Suite => &[Setup, Seal, Open],
            Kind::Cipher => &[Setup, Encrypt, Decrypt],
            Kind::Mac => &[Setup, Mac, Verify],
            Kind::Hash => &[Digest],
            Kind::Stream => &[Setup, Keystream],
        }
    }

    /// The operation of the sending side.
    pub fn sending(self) -> Operation {
        match self {
            Kind::Aead | Kind::Suite => Operation::Seal,
            Kind::Cipher => Operation::Encrypt,
            Kind::Mac => Operation::Mac,
            Kind::Hash => Operation::Digest,
            Kind::Stream => Operation::Keystream,
        }
    }
}

/// Security status of an algorithm today.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Practical attacks exist on what it promises.
    Broken,
    /// Only for what already uses it.
    Legacy,
    Acceptable,
    Recommended,
}

/// A library, and whether it can be used here.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Provider {
    pub name: String,
    pub title: String,
    pub usable: bool,
    /// Why it cannot be used, and what to type; empty when usable.
    pub reason: String,
    /// Version as the library itself tells it; empty when not usable.
    pub version: String,
    /// Path of the library that was opened, or `compiled into the engine`.
    pub location: String,
    /// SHA-256 of the file that was opened, in hexadecimal digits; empty where it was not read, as outside
    /// of runs and where nothing is opened.
    #[serde(default)]
    pub sha256: String,
    /// Build options and CPU settings as the library reports them; empty when it does not.
    pub build: String,
    /// What of the surroundings changes its figures, as a switch that the user has set; empty when
    /// nothing does.
    #[serde(default)]
    pub notice: String,
    /// Features of this processor that can be hidden from it, with the environment variables that
    /// do so.
    #[serde(default)]
    pub switches: BTreeMap<String, BTreeMap<String, String>>,
}

/// algorithm × provider × backend.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Implementation {
    pub algorithm: String,
    pub provider: String,
    pub backend: String,
    /// Whether this backend is what the library uses unless told otherwise.
    pub default: bool,
    pub backend_evidence: BackendEvidence,
    /// Whether the code's time is independent of secrets, as its authors state; absent when they
    /// do not.
    pub constant_time: Option<bool>,
    pub operations: Vec<Operation>,
    /// The ways in which it can be called.
    #[serde(default)]
    pub patterns: Vec<Pattern>,
    /// Most messages that one call takes; 1 where there is no such call.
    #[serde(default = "one")]
    pub most_lanes: u32,
    /// Whether it takes messages that are one chunk again and again: `buffers` of a case may be
    /// `repeated`.
    #[serde(default)]
    pub takes_repeats: bool,
    /// Code path that was seen to run, by what it uses: `aesni-clmul-avx`; empty where nobody
    /// looked.
    #[serde(default)]
    pub path: String,
    /// Environment variables with which the library takes this path.
    #[serde(default)]
    pub switches: BTreeMap<String, String>,
    /// Extensions of the processor whose instructions it was seen to execute, as in
    /// `/proc/cpuinfo`; empty where nobody looked.
    #[serde(default)]
    pub features: Vec<String>,
    /// Whether a call was seen to leave upper halves of vector registers in use, which slows legacy SSE
    /// code after it; absent where nobody looked or the processor does not tell.
    #[serde(default)]
    pub leaves_vectors_dirty: Option<bool>,
}

fn one() -> u32 {
    1
}

/// How it is known which code path ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum BackendEvidence {
    /// The library says so.
    Reported,
    /// Only that path was left.
    Forced,
    /// Timing or code differs when a feature is masked.
    Inferred,
    Unknown,
}
