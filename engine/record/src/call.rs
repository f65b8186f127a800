//! How a function is called: what it does, where, and with what lying where.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Operation {
    /// From the bytes of a key to a context that is ready for the first message.
    Setup,
    /// Authenticated encryption: ciphertext and tag.
    Seal,
    /// Authenticated decryption: the tag is checked.
    Open,
    Encrypt,
    Decrypt,
    /// A tag over a message.
    Mac,
    /// A tag computed and compared.
    Verify,
    Digest,
    Keystream,
}

impl Operation {
    pub const ALL: [Operation; 9] = [
        Operation::Setup,
        Operation::Seal,
        Operation::Open,
        Operation::Encrypt,
        Operation::Decrypt,
        Operation::Mac,
        Operation::Verify,
        Operation::Digest,
        Operation::Keystream,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Operation::Setup => "setup",
            Operation::Seal => "seal",
            Operation::Open => "open",
            Operation::Encrypt => "encrypt",
            Operation::Decrypt => "decrypt",
            Operation::Mac => "mac",
            Operation::Verify => "verify",
            Operation::Digest => "digest",
            Operation::Keystream => "keystream",
        }
    }
}

impl std::fmt::Display for Operation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// How the function is called.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Pattern {
    /// Contexts, fetched algorithms and the key schedule are made once and reused.
    #[default]
    ReusedKey,
    /// The key is set again for each message, in the same context.
    Rekeyed,
    /// Each message has a context of its own: made, given the key, used once, given back.
    OneShot,
    /// As `one-shot`, and the algorithm is looked up by its name for each message.
    Fetched,
    /// As `reused-key`, with the message given to the library in chunks.
    Incremental,
}

impl Pattern {
    pub const ALL: [Pattern; 5] = [
        Pattern::ReusedKey,
        Pattern::Rekeyed,
        Pattern::OneShot,
        Pattern::Fetched,
        Pattern::Incremental,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Pattern::ReusedKey => "reused-key",
            Pattern::Rekeyed => "rekeyed",
            Pattern::OneShot => "one-shot",
            Pattern::Fetched => "fetched",
            Pattern::Incremental => "incremental",
        }
    }
}

/// Where the work is done when not on the calling core.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Offload {
    #[default]
    None,
    /// Other CPU cores.
    Cores,
    /// Each message is shared by the calling core and other CPU cores.
    Split,
    /// A device that an OpenCL platform offers; the provider of that name.
    Opencl,
    /// What the Linux kernel drives; the provider of that name.
    AfAlg,
}

impl Offload {
    pub const ALL: [Offload; 5] =
        [Offload::None, Offload::Cores, Offload::Split, Offload::Opencl, Offload::AfAlg];

    pub fn name(self) -> &'static str {
        match self {
            Offload::None => "none",
            Offload::Cores => "cores",
            Offload::Split => "split",
            Offload::Opencl => "opencl",
            Offload::AfAlg => "af_alg",
        }
    }
}

/// Where the messages lie.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Buffers {
    /// A few buffers, reused, in the nearest cache.
    #[default]
    Hot,
    /// Messages and answers pass through half of the second-level cache, and so through more than
    /// the nearest one holds.
    L2,
    /// Messages and answers pass through more memory than the caches hold.
    Stream,
    /// Before each call all caches are filled with something else: code, tables, contexts, message
    /// and answer come from memory. A sample is one call.
    Cold,
    /// Each message is one chunk again and again, the last time cut to what is left, so that it is in
    /// the nearest cache whatever its length. Only with the pattern `incremental`, and for
    /// operations that answer with a tag or a digest.
    Repeated,
}

impl Buffers {
    /// Whether messages and answers lie in rings that calls pass through.
    pub fn are_rings(self) -> bool {
        matches!(self, Self::L2 | Self::Stream)
    }
}
