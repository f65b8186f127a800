//! Keys and messages that a row takes, and what the row answers.

use std::ops::RangeInclusive;
use std::sync::LazyLock;

use ciphermark_algorithms::{find, nonce};
use ciphermark_kernels::abi::{self, Function, Range};
use ciphermark_kernels::{self as kernels, Kernel, Message, Refusal};
use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, TestError, TestRunner};

/// Longest message, bytes: several blocks of the widest interleaving, with every kind of rest.
const MOST_BYTES: usize = 1200;

/// Longest key where they have any length, bytes: longer than the block of every hash.
pub const MOST_KEY_BYTES: usize = 200;

const MOST_AAD_BYTES: usize = 100;

const CASES_PER_ROW: u32 = 48;

static ROWS: LazyLock<Vec<Function>> = LazyLock::new(kernels::rows);

/// A key and a message.
#[derive(Clone, Debug, Default)]
pub struct Text {
    pub key: Vec<u8>,
    pub nonce: Vec<u8>,
    pub aad: Vec<u8>,
    /// As long as the keystream where that is the answer.
    pub input: Vec<u8>,
    pub unused_bits: u8,
}

impl Text {
    pub fn message(&self, row: &Function) -> Message<'_> {
        let input: &[u8] = if row.operation == abi::KEYSTREAM { &[] } else { &self.input };
        Message { nonce: &self.nonce, aad: &self.aad, input, unused_bits: self.unused_bits }
    }

    pub fn output_bytes(&self, row: &Function) -> usize {
        match row.operation {
            abi::SEAL => self.input.len() + row.tag_bytes,
            abi::OPEN => self.input.len().saturating_sub(row.tag_bytes),
            abi::MAC | abi::DIGEST => row.tag_bytes,
            _ => self.input.len(),
        }
    }

    /// What a new kernel answers.
    pub fn answer(&self, row: &Function) -> Result<Vec<u8>, Refusal> {
        self.answer_of(&mut self.keyed(row))
    }

    /// What a kernel answers under the key that it has.
    pub fn answer_of(&self, kernel: &mut Kernel) -> Result<Vec<u8>, Refusal> {
        let row = *kernel.function();
        let mut output = vec![0xa5; self.output_bytes(&row)];
        kernel.process(&self.message(&row), &mut output)?;
        Ok(output)
    }

    /// A new kernel with this key.
    pub fn keyed(&self, row: &Function) -> Kernel {
        let mut kernel = Kernel::from_row(*row);
        kernel.set_key(&self.key).expect("keys are of lengths that the row takes");
        kernel
    }
}

/// Runs `check` on random texts of each of the rows; the panic names the row and a least text.
pub fn for_each(
    rows: impl IntoIterator<Item = Function>,
    check: impl Fn(&Function, &Text) -> Result<(), TestCaseError>,
) {
    for row in rows {
        run(&row, CASES_PER_ROW, &texts(&row), &check);
    }
}

/// Runs `check` on a row and so many random values; the panic names the row and a least value.
pub fn run<S: Strategy>(
    row: &Function,
    cases: u32,
    values: &S,
    check: impl Fn(&Function, &S::Value) -> Result<(), TestCaseError>,
) {
    let config = Config { failure_persistence: None, ..Config::with_cases(cases) };
    match TestRunner::new(config).run(values, |value| check(row, &value)) {
        Ok(()) => {}
        Err(TestError::Fail(why, value)) => panic!("{}: {why}\nfor {value:02x?}", label(row)),
        Err(TestError::Abort(why)) => panic!("{}: {why}", label(row)),
    }
}

/// One text for each of the rows.
pub fn for_one(rows: impl IntoIterator<Item = Function>, check: impl Fn(&Function, &Text)) {
    for row in rows {
        let tree = texts(&row).new_tree(&mut TestRunner::deterministic());
        check(&row, &tree.expect("nothing is rejected").current());
    }
}

fn texts(row: &Function) -> impl Strategy<Value = Text> + use<> {
    let row = *row;
    let aad_bytes = if is_aead(&row) { MOST_AAD_BYTES } else { 0 };
    let most_unused: u8 = if row.counts_bits == 1 { 7 } else { 0 };
    (
        bytes(select(key_lengths(&row))),
        bytes(bounded(row.nonce_bytes, MOST_KEY_BYTES)),
        bytes(0..=aad_bytes),
        bytes((0..=MOST_BYTES).prop_map(move |bytes| length(&row, bytes))),
        0..=most_unused,
    )
        .prop_map(move |(key, mut nonce, aad, input, unused)| {
            confine(&row, &mut nonce);
            let unused_bits = if input.is_empty() { 0 } else { unused };
            sent(&row, Text { key, nonce, aad, input, unused_bits })
        })
}

fn bytes(length: impl Strategy<Value = usize>) -> impl Strategy<Value = Vec<u8>> {
    (length, any::<u64>()).prop_map(|(length, seed)| Random(seed).bytes(length))
}

/// A linear congruential generator: proptest's own bytes cost more than what they test.
pub struct Random(pub u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        self.0
    }

    pub fn bytes(&mut self, count: usize) -> Vec<u8> {
        (0..count).map(|_| (self.next() >> 56) as u8).collect()
    }

    /// A number below a bound, which is much less than 2^32.
    pub fn below(&mut self, bound: usize) -> usize {
        (((self.next() >> 32) * bound as u64) >> 32) as usize
    }
}

/// A plain text as the row is given it: sealed, where it opens.
fn sent(row: &Function, text: Text) -> Text {
    if row.operation != abi::OPEN {
        return text;
    }
    let input = text.answer(&partner(row, abi::SEAL)).expect("plain texts are sealed");
    Text { input, ..text }
}

/// The nearest length below `bytes`, or else the least, that the row takes, without its tag.
fn length(row: &Function, bytes: usize) -> usize {
    let bounded = bytes.clamp(row.input_bytes.least, row.input_bytes.most);
    bounded / row.block_bytes * row.block_bytes
}

/// Lengths of keys, up to some, that the row takes: UMAC's are not all of its range.
pub fn key_lengths(row: &Function) -> Vec<usize> {
    let mut kernel = Kernel::from_row(*row);
    let all = bounded(row.key_bytes, MOST_KEY_BYTES);
    // XTS refuses equal halves.
    let unequal = |bytes: &usize| (0..*bytes).map(|place| place as u8).collect::<Vec<_>>();
    all.filter(|bytes| kernel.set_key(&unequal(bytes)).is_ok()).collect()
}

fn bounded(range: Range, most: usize) -> RangeInclusive<usize> {
    range.least..=range.most.min(range.least.max(most))
}

/// Whether the row's nonces are numbers of 127 bits.
pub fn is_vmac(row: &Function) -> bool {
    row.algorithm().starts_with("vmac-")
}

/// Clears the bits that no nonce of the algorithm has.
pub fn confine(row: &Function, nonce: &mut [u8]) {
    let algorithm = find(row.algorithm()).expect("every kernel's algorithm has facts");
    if nonce.len() == algorithm.nonce_bytes as usize {
        nonce::confine(algorithm, nonce);
    }
    if is_vmac(row) && nonce.len() == 16 {
        nonce[0] &= 0x7f;
    }
}

/// The row of the same function and backend that has the opposite operation.
pub fn partner(row: &Function, operation: u32) -> Function {
    related(row, operation, row.backend())
}

/// The row of the same function that has this operation and backend.
pub fn related(row: &Function, operation: u32, backend: Option<&str>) -> Function {
    let same = |other: &Function| {
        other.operation == operation
            && other.backend() == backend
            && other.algorithm() == row.algorithm()
            && other.variant() == row.variant()
    };
    let found = rows().find(same);
    found.unwrap_or_else(|| {
        panic!("{} has none of operation {operation} by {backend:?}", label(row))
    })
}

pub fn rows() -> impl Iterator<Item = Function> {
    ROWS.iter().copied()
}

pub fn of_operation(operations: &[u32]) -> impl Iterator<Item = Function> {
    rows().filter(move |row| operations.contains(&row.operation))
}

pub fn is_aead(row: &Function) -> bool {
    matches!(row.operation, abi::SEAL | abi::OPEN)
}

pub fn label(row: &Function) -> String {
    let operations = ["seal", "open", "encrypt", "decrypt", "mac", "digest", "keystream"];
    let operation = operations[row.operation as usize - 1];
    let backend = row.backend().expect("every kernel's row names its path");
    format!("{} {operation}, {backend}, {}", row.algorithm(), row.variant().unwrap_or("as usual"))
}
