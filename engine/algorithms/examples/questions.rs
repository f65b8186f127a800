//! Prints the questions of the test vectors of algorithms, for programs that cannot carry the
//! vectors themselves: one line of JSON for each call of a kernel with its answer.
//!
//! ```text
//! cargo run -p ciphermark-algorithms --example questions -- md5 aes-128-ecb
//! ```

use std::io::{self, BufWriter, Write};

use ciphermark_algorithms::vectors::{self, Check, Expected, Vector};
use ciphermark_record::plan::Operation;
use serde::Serialize;

/// Longer inputs are not printed: no simulated processor has memory for them.
const LONGEST_INPUT_BYTES: usize = 1 << 20;

#[derive(Serialize)]
struct Question<'a> {
    /// File and name of the vector.
    vector: String,
    algorithm: &'a str,
    variant: Option<&'a str>,
    operation: Operation,
    key: String,
    nonce: String,
    aad: String,
    /// Absent where it is too long to be printed.
    input: Option<String>,
    unused_bits: u8,
    iterations: u32,
    /// Absent where only a digest of it is known.
    answer: Option<Answer>,
}

/// What is right of an output.
#[derive(Default, Serialize)]
struct Answer {
    /// Whether the tag is wrong; then nothing else is said.
    is_refused: bool,
    /// Where in the output the bytes stand.
    offset_bytes: usize,
    bytes: String,
    /// How many bits of them count.
    bits: usize,
}

fn main() -> io::Result<()> {
    let algorithms: Vec<String> = std::env::args().skip(1).collect();
    let mut output = BufWriter::new(io::stdout().lock());
    let asked = vectors::embedded().iter().filter(|it| algorithms.contains(&it.algorithm));
    for vector in asked {
        let checks = vector.checks().unwrap_or_default();
        for check in checks.iter().filter(|check| check.operation != Operation::Verify) {
            serde_json::to_writer(&mut output, &question(vector, check))?;
            writeln!(output)?;
        }
    }
    output.flush()
}

fn question<'a>(vector: &'a Vector, check: &Check) -> Question<'a> {
    Question {
        vector: format!("{} {}", vector.file, vector.id),
        algorithm: &vector.algorithm,
        variant: vector.variant(),
        operation: check.operation,
        key: hex(&check.key),
        nonce: hex(&check.nonce),
        aad: hex(&check.aad),
        input: (check.input.len() <= LONGEST_INPUT_BYTES).then(|| hex(&check.input)),
        unused_bits: check.unused_bits,
        iterations: check.iterations,
        answer: answer(&check.expected),
    }
}

fn answer(expected: &Expected) -> Option<Answer> {
    let (offset_bytes, bytes, bits) = match expected {
        Expected::Answer(bytes) => (0, bytes, 8 * bytes.len()),
        Expected::Part { offset_bytes, bytes } => (*offset_bytes, bytes, 8 * bytes.len()),
        Expected::Bits { count, bytes } => (0, bytes, *count),
        Expected::Sha256 { .. } => return None,
        Expected::Refusal => return Some(Answer { is_refused: true, ..Answer::default() }),
    };
    Some(Answer { is_refused: false, offset_bytes, bytes: hex(bytes), bits })
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
