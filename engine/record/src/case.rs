//! One case of a plan. As JSON its parameters stand side by side, null where a case has none of them
//! ([`Fields`]); here those that exclude each other are variants, and what reads a case checks that once.

use std::collections::BTreeMap;
use std::slice;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::call::{Buffers, Offload, Operation, Pattern};
use crate::packets::PacketLoad;
use crate::sessions::SessionLoad;

/// One implementation × operation × message size × workload parameters: what gets one row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "Fields", into = "Fields")]
pub struct Case {
    /// Number of the case within the plan, counted from 0.
    pub case: u32,
    pub algorithm: String,
    pub operation: Operation,
    pub provider: String,
    pub backend: String,
    pub pattern: Pattern,
    /// Bytes that the library is given at a time, where not the usual number; only with the pattern
    /// `incremental`.
    pub chunk_bytes: Option<u32>,
    pub offload: Offload,
    pub offload_cpus: Vec<u32>,
    pub messages: Messages,
    pub lanes: u32,
    pub keys: u32,
    pub buffers: Buffers,
    pub switches: BTreeMap<String, String>,
    pub load: Load,
}

/// The messages of a case.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Messages {
    /// A key setup has none.
    Absent,
    /// All have so many bytes.
    Equal(u64),
    Mixed(Profile),
}

/// A mix of message sizes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Profile {
    pub name: String,
    /// Bytes of each message in turn, begun anew after the last.
    pub lengths: Vec<u64>,
}

impl Messages {
    /// Bytes of each message in turn, begun anew after the last; empty for a key setup.
    pub fn lengths(&self) -> &[u64] {
        match self {
            Self::Absent => &[],
            Self::Equal(bytes) => slice::from_ref(bytes),
            Self::Mixed(profile) => &profile.lengths,
        }
    }

    /// The mix of sizes, where they are of one.
    pub fn profile(&self) -> Option<&Profile> {
        match self {
            Self::Mixed(profile) => Some(profile),
            Self::Absent | Self::Equal(_) => None,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Workload {
    /// One thread, one message at a time.
    Single,
    /// Many threads at once, each with a session of its own.
    Sessions,
    /// A queue of packets from one core to others.
    Packets,
}

impl Workload {
    pub fn name(self) -> &'static str {
        match self {
            Workload::Single => "single",
            Workload::Sessions => "sessions",
            Workload::Packets => "packets",
        }
    }
}

/// How the messages of a case come, by workload.
#[derive(Clone, Debug, PartialEq)]
pub enum Load {
    /// One call after the other, each behind one of the algorithm `after` where there is one.
    Single {
        after: Option<String>,
    },
    Sessions(SessionLoad),
    Packets(PacketLoad),
}

impl Load {
    pub fn workload(&self) -> Workload {
        match self {
            Self::Single { .. } => Workload::Single,
            Self::Sessions(_) => Workload::Sessions,
            Self::Packets(_) => Workload::Packets,
        }
    }
}

/// One implementation × operation × message size × workload parameters: what gets one row.
#[derive(Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Case")]
struct Fields {
    /// Number of the case within the plan, counted from 0.
    case: u32,
    /// Canonical name, for example `aes-128-gcm`.
    algorithm: String,
    operation: Operation,
    provider: String,
    /// `default` lets the library choose its code path.
    backend: String,
    #[serde(default)]
    pattern: Pattern,
    /// Bytes that the library is given at a time; only with the pattern `incremental`.
    #[serde(default)]
    chunk_bytes: Option<u32>,
    #[serde(default)]
    offload: Offload,
    /// The CPUs that are the device, with the offload `cores`; those that share each message, with
    /// the offload `split`, whether or not the calling one is named among them.
    #[serde(default)]
    offload_cpus: Vec<u32>,
    /// Bytes of one message; absent for `setup` and with a profile.
    message_bytes: Option<u64>,
    /// Name of the mix of message sizes that `lengths` come from.
    #[serde(default)]
    profile: Option<String>,
    /// Bytes of each message in turn, begun anew after the last; only with a profile. As many as
    /// fill whole calls.
    #[serde(default)]
    lengths: Vec<u64>,
    /// Messages that one call takes.
    #[serde(default = "one")]
    lanes: u32,
    /// Distinct keys in use, each with a context of its own. Messages go round them: one by one, in
    /// an order that no prefetcher follows; with several lanes, which a number of keys divides, lane
    /// by lane.
    #[serde(default = "one")]
    keys: u32,
    #[serde(default)]
    buffers: Buffers,
    /// An algorithm of the same library that is called before each message, to seal, encrypt, sign or
    /// digest one as long; the figures are what the case's own function adds to it. Only of the
    /// workload `single`.
    #[serde(default)]
    after: Option<String>,
    /// Environment variables that the worker process is started with (capability masks).
    #[serde(default)]
    switches: BTreeMap<String, String>,
    /// Only of the workload `sessions`.
    #[serde(default)]
    sessions: Option<SessionLoad>,
    /// Only of the workload `packets`.
    #[serde(default)]
    packets: Option<PacketLoad>,
}

fn one() -> u32 {
    1
}

impl TryFrom<Fields> for Case {
    /// A sentence.
    type Error = String;

    fn try_from(fields: Fields) -> Result<Self, String> {
        let refused = |why: String| format!("case {}: {why}", fields.case);
        let sizes = (fields.message_bytes, fields.profile, fields.lengths);
        let messages = messages(fields.operation, sizes).map_err(refused)?;
        let chunk_bytes = chunk_bytes(fields.pattern, fields.chunk_bytes).map_err(refused)?;
        let load = load(fields.after, fields.sessions, fields.packets).map_err(refused)?;
        Ok(Self {
            case: fields.case,
            algorithm: fields.algorithm,
            operation: fields.operation,
            provider: fields.provider,
            backend: fields.backend,
            pattern: fields.pattern,
            chunk_bytes,
            offload: fields.offload,
            offload_cpus: fields.offload_cpus,
            messages,
            lanes: fields.lanes,
            keys: fields.keys,
            buffers: fields.buffers,
            switches: fields.switches,
            load,
        })
    }
}

fn messages(
    operation: Operation,
    sizes: (Option<u64>, Option<String>, Vec<u64>),
) -> Result<Messages, String> {
    match (operation, sizes) {
        (_, (_, None, lengths)) if !lengths.is_empty() => {
            Err("lengths go with a profile only".into())
        }
        (Operation::Setup, (None, None, _)) => Ok(Messages::Absent),
        (Operation::Setup, _) => Err("setup has no message".into()),
        (_, (Some(bytes), None, _)) => Ok(Messages::Equal(bytes)),
        (_, (None, Some(name), lengths)) => Ok(Messages::Mixed(Profile { name, lengths })),
        (_, (None, None, _)) => Err("the message size is missing".into()),
        (_, (Some(bytes), Some(_), _)) => {
            Err(format!("messages of {bytes} bytes have a profile too: name one of both"))
        }
    }
}

fn chunk_bytes(pattern: Pattern, bytes: Option<u32>) -> Result<Option<u32>, String> {
    match bytes {
        Some(bytes) if pattern != Pattern::Incremental => {
            Err(format!("chunks of {bytes} bytes go with the pattern incremental only"))
        }
        bytes => Ok(bytes),
    }
}

fn load(
    after: Option<String>,
    sessions: Option<SessionLoad>,
    packets: Option<PacketLoad>,
) -> Result<Load, String> {
    match (after, sessions, packets) {
        (after, None, None) => Ok(Load::Single { after }),
        (None, Some(load), None) => Ok(Load::Sessions(load)),
        (None, None, Some(load)) => Ok(Load::Packets(load)),
        (None, Some(_), Some(_)) => Err("it is of sessions or of packets, not of both".into()),
        (Some(_), _, _) => {
            Err("a call after another algorithm's goes with the workload single only".into())
        }
    }
}

impl From<Case> for Fields {
    fn from(case: Case) -> Self {
        let (message_bytes, profile, lengths) = match case.messages {
            Messages::Absent => (None, None, Vec::new()),
            Messages::Equal(bytes) => (Some(bytes), None, Vec::new()),
            Messages::Mixed(Profile { name, lengths }) => (None, Some(name), lengths),
        };
        let (after, sessions, packets) = match case.load {
            Load::Single { after } => (after, None, None),
            Load::Sessions(load) => (None, Some(load), None),
            Load::Packets(load) => (None, None, Some(load)),
        };
        Self {
            case: case.case,
            algorithm: case.algorithm,
            operation: case.operation,
            provider: case.provider,
            backend: case.backend,
            pattern: case.pattern,
            chunk_bytes: case.chunk_bytes,
            offload: case.offload,
            offload_cpus: case.offload_cpus,
            message_bytes,
            profile,
            lengths,
            lanes: case.lanes,
            keys: case.keys,
            buffers: case.buffers,
            after,
            switches: case.switches,
            sessions,
            packets,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn fields(change: impl FnOnce(&mut Value)) -> Value {
        let mut case = json!({
            "case": 3, "algorithm": "aes-128-gcm", "operation": "seal", "provider": "openssl",
            "backend": "default", "message_bytes": 64, "sessions": null, "packets": null,
        });
        change(&mut case);
        case
    }

    fn sessions() -> Value {
        json!({
            "sessions": 10, "cpus": [0], "execution_ms": 10.0, "opens_ms": 1.0, "closes_ms": 9.0,
            "look_ms": 1.0, "most_attempts": 3,
        })
    }

    fn packets() -> Value {
        json!({
            "packets": 100, "cpus": [1], "submit_cpu": 0, "batch": 32, "queue_batches": 64,
            "least_pairs": 3, "measure_ms": 100.0,
        })
    }

    fn mixed(case: &mut Value) {
        case["message_bytes"] = Value::Null;
        (case["profile"], case["lengths"]) = (json!("mix"), json!([40, 1500]));
    }

    #[test]
    fn each_variant_is_read_as_it_was_written() {
        type Change = fn(&mut Value);
        let changes: [(Change, Workload, &[u64]); 6] = [
            (|_| (), Workload::Single, &[64]),
            (|case| case["after"] = json!("sha256"), Workload::Single, &[64]),
            (|case| case["sessions"] = sessions(), Workload::Sessions, &[64]),
            (|case| case["packets"] = packets(), Workload::Packets, &[64]),
            (mixed, Workload::Single, &[40, 1500]),
            (
                |case| (case["operation"], case["message_bytes"]) = (json!("setup"), Value::Null),
                Workload::Single,
                &[],
            ),
        ];
        for (change, workload, lengths) in changes {
            let written = fields(change);
            let case: Case = serde_json::from_value(written.clone()).expect("it is sound");
            assert_eq!((case.load.workload(), case.messages.lengths()), (workload, lengths));
            let again = serde_json::to_value(&case).expect("it can be written");
            for (name, value) in written.as_object().expect("a case is an object") {
                // Of a load, what is absent is written with what it means.
                assert_eq!(again[name].is_object(), value.is_object(), "{name}");
                assert!(value.is_object() || &again[name] == value, "{name}: {again}");
            }
            assert_eq!(serde_json::from_value::<Case>(again).ok(), Some(case));
        }
    }

    #[test]
    fn what_excludes_each_other_is_refused_with_the_number_of_the_case() {
        type Change = fn(&mut Value);
        let changes: [(Change, &str); 9] = [
            (|case| case["message_bytes"] = Value::Null, "size is missing"),
            (|case| case["operation"] = json!("setup"), "setup has no message"),
            (|case| case["lengths"] = json!([1]), "with a profile only"),
            (|case| case["profile"] = json!("mix"), "64 bytes have a profile too"),
            (
                |case| {
                    mixed(case);
                    case["operation"] = json!("setup");
                },
                "setup has no message",
            ),
            (|case| case["chunk_bytes"] = json!(64), "incremental only"),
            (|case| (case["sessions"], case["packets"]) = (sessions(), packets()), "not of both"),
            (
                |case| (case["sessions"], case["after"]) = (sessions(), json!("sha256")),
                "workload single only",
            ),
            (
                |case| (case["packets"], case["after"]) = (packets(), json!("sha256")),
                "workload single only",
            ),
        ];
        for (change, words) in changes {
            let sentence = serde_json::from_value::<Case>(fields(change)).expect_err(words);
            let sentence = sentence.to_string();
            assert!(sentence.starts_with("case 3: ") && sentence.contains(words), "{sentence}");
        }
    }
}
