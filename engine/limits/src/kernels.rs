//! Kernels: what they execute, the limit that follows, and how long they take.

use std::time::{Duration, Instant};

use ciphermark_algorithms::find;
use ciphermark_codepath::{Unavailable, count};
use ciphermark_providers::api::{Implementation, Provider};
use ciphermark_record::description::Algorithm;
use ciphermark_record::limits::{ExecutedKind, KernelLimit};
use ciphermark_registry as registry;

use crate::bound::Instructions;
use crate::rates::{Rates, cycle_seconds, seconds};
use crate::subject::Subject;

/// What is counted and timed.
pub struct Asked {
    /// Empty for [`MANY`] and [`HASHES`].
    pub algorithms: Vec<String>,
    /// Empty for the first of each algorithm, which is the fastest; of those that take many messages where
    /// there are some.
    pub backends: Vec<String>,
    /// Bytes of a message; empty for [`BYTES_OF_MANY`] and [`BYTES_OF_ONE`].
    pub bytes: Vec<u64>,
    /// Messages of a call of kernels that take many.
    pub lanes: usize,
}

/// Functions of many packets.
const MANY: [&str; 6] = ["uea1", "uia1", "uea2", "uia2", "eea3", "eia3"];
const BYTES_OF_MANY: [u64; 2] = [40, 1500];

/// Universal hashes of one message.
const HASHES: [&str; 8] = [
    "umac-32",
    "umac-64",
    "umac-128",
    "uhash2000-2-4",
    "uhash2000-4-4",
    "vmac-64",
    "vmac-128",
    "hash127",
];
const BYTES_OF_ONE: [u64; 3] = [44, 1500, 64 * 1024];

/// A longer message of many, or of one, is executed shorter by whole steps: what one more takes is known.
const STEP_OF_MANY: usize = 64;
/// Whole blocks of all hashes.
const STEP_OF_ONE: usize = 8 * 1024;

/// Instructions of a call that are executed one by one whatever its length. Kernels with more do as much
/// for each step, where a hash of few instructions works by longer ones.
const MOST_COUNTED_WHOLE: f64 = 600_000.0;

/// More than the slowest of these takes.
const MOST_STEPS: u32 = 8_000_000;

/// What a case is timed for at least, and the fewest times.
const TIMED_FOR: Duration = Duration::from_millis(100);
const FEWEST_TIMES: u32 = 20;
/// Of one time: a clock is read less often than a short message is processed.
const TIMED_BYTES: usize = 64 * 1024;

/// Kernels that take several messages are called with many, others with one.
pub fn kernels(rates: &Rates, asked: &Asked) -> Vec<KernelLimit> {
    let kernels = registry::find("kernels").expect("our kernels are registered");
    let provider = (kernels.open)(None).expect("our kernels are compiled in");
    let names: Vec<&str> = if asked.algorithms.is_empty() {
        [&MANY[..], &HASHES].concat()
    } else {
        asked.algorithms.iter().map(String::as_str).collect()
    };
    let implementations = provider.implementations();
    let mut limits = vec![];
    for name in names {
        let alike: Vec<_> = implementations.iter().filter(|it| it.algorithm == name).collect();
        let many = alike.iter().find(|it| it.most_lanes > 1);
        let chosen: Vec<_> = match &*asked.backends {
            [] => many.or(alike.first()).into_iter().collect(),
            named => alike.iter().filter(|it| named.contains(&it.backend)).collect(),
        };
        let Some(algorithm) = find(name) else { continue };
        for implementation in chosen {
            limits.extend(of_implementation(
                rates,
                provider.as_ref(),
                implementation,
                algorithm,
                asked,
            ));
        }
    }
    limits
}

fn of_implementation(
    rates: &Rates,
    provider: &dyn Provider,
    implementation: &Implementation,
    algorithm: &Algorithm,
    asked: &Asked,
) -> Vec<KernelLimit> {
    let bytes = match (&*asked.bytes, implementation.most_lanes > 1) {
        ([], true) => &BYTES_OF_MANY[..],
        ([], false) => &BYTES_OF_ONE,
        (given, _) => given,
    };
    let mut subject = Subject::new(provider, implementation, algorithm, asked.lanes);
    let limit = |&bytes: &u64| {
        let mut limit = KernelLimit {
            algorithm: algorithm.name.clone(),
            operation: algorithm.kind.sending(),
            backend: implementation.backend.clone(),
            lanes: 1,
            message_bytes: fitting(algorithm, bytes),
            instructions: 0.0,
            loads: 0.0,
            stores: 0.0,
            kinds: vec![],
            limit_cycles: None,
            limited_by: None,
            cycles: None,
            error: None,
        };
        match &mut subject {
            Ok(subject) => look(rates, subject, &mut limit),
            Err(error) => limit.error = Some(error.to_string()),
        }
        limit
    };
    bytes.iter().map(limit).collect()
}

/// The bytes of a message of about so many that the algorithm has.
fn fitting(algorithm: &Algorithm, bytes: u64) -> u64 {
    let block = u64::from(algorithm.block_bytes);
    let most = algorithm.max_message_bytes.unwrap_or(bytes);
    (bytes.min(most) / block * block).max(algorithm.min_message_bytes)
}

/// Counts and times the messages of so many bytes that the limit is of.
fn look(rates: &Rates, subject: &mut Subject, limit: &mut KernelLimit) {
    let bytes = limit.message_bytes as usize;
    let of_call = (bytes * subject.lanes) as f64;
    limit.lanes = subject.lanes as u32;
    match instructions(subject, bytes) {
        Err(unavailable) => limit.error = Some(unavailable.0),
        Ok(instructions) => {
            let each = instructions.each(of_call);
            limit.instructions = each.all();
            limit.loads = each.loads.values().sum();
            limit.stores = each.stores.values().sum();
            (limit.limit_cycles, limit.limited_by) = each.limit(rates).unzip();
            let kinds = each.by_kind.into_iter();
            limit.kinds = kinds
                .map(|((kind, bits), times)| ExecutedKind { kind: kind.name().into(), bits, times })
                .collect();
        }
    }
    limit.cycles = cycles(subject, bytes).map(|cycles| cycles / of_call);
}

/// Of a call.
fn instructions(subject: &mut Subject, bytes: usize) -> Result<Instructions, Unavailable> {
    let step = if subject.lanes > 1 { STEP_OF_MANY } else { STEP_OF_ONE };
    if bytes < 3 * step {
        return counted(subject, bytes);
    }
    let short = step + bytes % step;
    let (one, other) = (counted(subject, short)?, counted(subject, short + step)?);
    let extended = one.extended(&other, ((bytes - short) / step) as f64);
    let is_short = extended.all() <= MOST_COUNTED_WHOLE;
    if is_short { counted(subject, bytes) } else { Ok(extended) }
}

fn counted(subject: &mut Subject, bytes: usize) -> Result<Instructions, Unavailable> {
    let counts = subject.with_call(bytes, |call| {
        let mut outcome = call(); // binds symbols
        count(&mut || outcome = call(), MOST_STEPS).and_then(|counts| match outcome {
            Ok(()) => Ok(counts),
            Err(error) => Err(Unavailable(error.to_string())),
        })
    })?;
    if counts.cut {
        return Err(Unavailable(format!(
            "it has more than the {MOST_STEPS} instructions that are followed"
        )));
    }
    Ok(Instructions::of(&counts))
}

/// Core cycles of a call, the fewest; nothing where it fails.
fn cycles(subject: &mut Subject, bytes: usize) -> Option<f64> {
    let calls = (TIMED_BYTES / (bytes * subject.lanes).max(1)).max(1);
    subject.with_call(bytes, |call| {
        let (mut least, mut cycle) = (f64::INFINITY, f64::INFINITY);
        let begin = Instant::now();
        for times in 0.. {
            if times >= FEWEST_TIMES && begin.elapsed() >= TIMED_FOR {
                break;
            }
            cycle = cycle.min(cycle_seconds());
            let mut outcome = Ok(());
            let taken =
                seconds(|| (0..calls).for_each(|_| outcome = outcome.and_then(|()| call())));
            outcome.ok()?;
            least = least.min(taken);
        }
        Some(least / cycle / calls as f64)
    })
}
