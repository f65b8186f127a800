//! Which instructions calls execute: of each implementation that is asked for, the setting of a key
//! and the processing of messages.

use std::collections::BTreeMap;

use ciphermark_codepath::Executions;
use ciphermark_record::SCHEMA;
use ciphermark_record::breakdown::{
    Breakdown, ExecutedCall, InstructionsOfFile, QueueInstructions,
};
use ciphermark_record::description::Implementation;
use ciphermark_record::event::{Failure, FailureKind};
use ciphermark_record::plan::Operation;
use ciphermark_workloads::call::fitting;
use ciphermark_workloads::packets;

use crate::facts::{listed_keys, unmeasured_pool};
use crate::interrupt::Interrupt;
use crate::pool::Pool;
use crate::protocol::Command;
use crate::selection::{Selection, selected};
use crate::worker_handle::failure;
use crate::worker_key::WorkerKey;

/// What is to be counted.
pub struct BreakdownRequest {
    pub selection: Selection,
    /// Empty for all.
    pub backends: Vec<String>,
    /// About so many of each message, as many as the algorithm has; a call for each.
    pub bytes: Vec<u64>,
    /// Messages of a call of implementations that take several.
    pub most_lanes: u32,
}

/// Counts the calls of all implementations that are selected.
pub fn breakdown(
    libraries: BTreeMap<String, String>,
    request: &BreakdownRequest,
    interrupt: &Interrupt,
) -> std::io::Result<Breakdown> {
    let Selection { algorithms, providers } = &request.selection;
    let keys = listed_keys(&libraries);
    let mut pool = unmeasured_pool(libraries, interrupt)?;
    let mut calls = Vec::new();
    for key in keys.iter().filter(|key| selected(providers, &key.provider)) {
        // A provider that is not there has no implementations; `list providers` says why.
        let implementations = pool.implementations(key).unwrap_or_default();
        let is_wanted = |it: &&Implementation| {
            selected(algorithms, &it.algorithm) && selected(&request.backends, &it.backend)
        };
        for it in implementations.iter().filter(is_wanted) {
            let wanted = wanted(it, request);
            calls.extend(wanted.into_iter().map(|call| executed(&mut pool, key, call)));
        }
    }
    Ok(Breakdown { schema: SCHEMA, calls, queue: queue() })
}

/// The queue by itself, in batches of the usual size.
fn queue() -> QueueInstructions {
    const PACKETS: u64 = 256;
    const BATCH: u32 = 32;
    const MOST_STEPS: u32 = 100_000;
    let counted =
        packets::counted(PACKETS, BATCH, |call| ciphermark_codepath::executions(call, MOST_STEPS));
    let (instructions, error) = match counted {
        Ok(Ok(executions)) if !executions.cut => (executions.all(), None),
        Ok(Ok(_)) => (0, Some("it has more instructions than are followed".into())),
        Ok(Err(unavailable)) => (0, Some(unavailable.0)),
        Err(failure) => (0, Some(format!("{failure:?}"))),
    };
    let error = error.map(|message| failure(FailureKind::Failed, message));
    QueueInstructions { packets: PACKETS, batch: BATCH, instructions, error }
}

/// The calls of an implementation, of which nothing is known yet.
fn wanted(implementation: &Implementation, request: &BreakdownRequest) -> Vec<ExecutedCall> {
    let Some(algorithm) = ciphermark_algorithms::find(&implementation.algorithm) else {
        return vec![];
    };
    let call = |operation, message_bytes, lanes| ExecutedCall {
        algorithm: algorithm.name.clone(),
        provider: implementation.provider.clone(),
        backend: implementation.backend.clone(),
        operation,
        message_bytes,
        lanes,
        instructions: 0,
        cut: false,
        files: vec![],
        error: None,
    };
    let lanes = implementation.most_lanes.min(request.most_lanes);
    let setup = (algorithm.key_bytes > 0).then(|| call(Operation::Setup, None, 1));
    let sending = request.bytes.iter().map(|&bytes| {
        let bytes = fitting(algorithm, bytes as usize) as u64;
        call(algorithm.kind.sending(), Some(bytes), lanes)
    });
    setup.into_iter().chain(sending).collect()
}

fn executed(pool: &mut Pool, key: &WorkerKey, call: ExecutedCall) -> ExecutedCall {
    let command = Command::Execute {
        algorithm: call.algorithm.clone(),
        backend: call.backend.clone(),
        operation: call.operation,
        message_bytes: call.message_bytes.unwrap_or(0),
        lanes: call.lanes,
    };
    with_executions(call, pool.executions(key, &command))
}

fn with_executions(call: ExecutedCall, executions: Result<Executions, Failure>) -> ExecutedCall {
    match executions {
        Err(failure) => ExecutedCall { error: Some(failure), ..call },
        Ok(executions) => ExecutedCall {
            instructions: executions.all(),
            cut: executions.cut,
            files: executions.files.into_iter().map(of_file).collect(),
            ..call
        },
    }
}

fn of_file(executed: ciphermark_codepath::ExecutedFile) -> InstructionsOfFile {
    let (addresses, times) = executed.instructions.into_iter().unzip();
    InstructionsOfFile { file: executed.file, addresses, times }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ciphermark_codepath::ExecutedFile;
    use ciphermark_registry as registry;

    fn implementation(algorithm: &str, backend: &str) -> Implementation {
        let kernels = registry::find("kernels").expect("it is ours");
        let provider = (kernels.open)(None).unwrap_or_else(|reason| panic!("{reason}"));
        let is_it = |it: &Implementation| (&*it.algorithm, &*it.backend) == (algorithm, backend);
        provider.implementations().into_iter().find(is_it).expect("the kernel is there")
    }

    fn request(bytes: &[u64]) -> BreakdownRequest {
        let (selection, bytes) = (Selection::default(), bytes.to_vec());
        BreakdownRequest { selection, backends: vec![], bytes, most_lanes: 32 }
    }

    #[test]
    fn a_key_is_set_once_and_each_size_is_a_call() {
        let calls = wanted(&implementation("uea1", "reference"), &request(&[40, 9999]));
        let told: Vec<_> =
            calls.iter().map(|it| (it.operation, it.message_bytes, it.lanes)).collect();
        let encrypt = Operation::Encrypt;
        // UEA1 has no longer messages.
        let sizes = [(encrypt, Some(40), 1), (encrypt, Some(2500), 1)];
        assert_eq!(told, [vec![(Operation::Setup, None, 1)], sizes.to_vec()].concat());
        let hash = wanted(&implementation("sha256", "reference"), &request(&[40]));
        assert!(hash.iter().all(|it| it.operation == Operation::Digest), "{hash:?}");
    }

    #[test]
    fn the_queue_takes_some_instructions_of_each_packet() {
        let queue = queue();
        let of_each = queue.instructions / queue.packets;
        assert!(queue.error.is_some() || (2..1000).contains(&of_each), "{queue:?}");
    }

    #[test]
    fn the_files_have_as_many_instructions_as_the_call() {
        let file = |file: &str, instructions| ExecutedFile { file: file.into(), instructions };
        let files = vec![file("one", vec![(16, 3), (20, 4)]), file("other", vec![(8, 5)])];
        let call = wanted(&implementation("uea1", "reference"), &request(&[40])).remove(1);
        let found = with_executions(call.clone(), Ok(Executions { files, cut: false }));
        let all: u64 = found.files.iter().flat_map(|it| &it.times).sum();
        assert_eq!((found.instructions, all), (12, 12));
        assert_eq!(found.files[0].addresses, [16, 20]);
        let crash = failure(FailureKind::Crash, "the library crashed".into());
        assert_eq!(with_executions(call, Err(crash.clone())).error, Some(crash));
    }
}
