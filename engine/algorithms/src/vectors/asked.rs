//! The calls of vectors as questions, for programs that cannot carry the vectors themselves.

use ciphermark_record::plan::Operation;
use ciphermark_record::question::{Answer, Question};

use super::{Check, Expected, Vector};

/// Longer inputs are left out: no simulated processor has memory for them.
const LONGEST_INPUT_BYTES: usize = 1 << 20;

impl Vector {
    /// What this vector asks, but for `verify`, which is `mac` and a comparison.
    pub fn questions(&self) -> Vec<Question> {
        let checks = self.checks().unwrap_or_default();
        let called = checks.iter().filter(|check| check.operation != Operation::Verify);
        called.map(|check| self.question(check)).collect()
    }

    fn question(&self, check: &Check) -> Question {
        Question {
            vector: format!("{} {}", self.file, self.id),
            algorithm: self.algorithm.clone(),
            variant: self.variant.clone(),
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
}

fn answer(expected: &Expected) -> Option<Answer> {
    let (offset, bytes, bits) = match expected {
        Expected::Answer(bytes) => (0, bytes, 8 * bytes.len()),
        Expected::Part { offset_bytes, bytes } => (*offset_bytes, bytes, 8 * bytes.len()),
        Expected::Bits { count, bytes } => (0, bytes, *count),
        Expected::Sha256 { .. } => return None,
        Expected::Refusal => return Some(Answer { is_refused: true, ..Answer::default() }),
    };
    let (offset_bytes, bits) = (offset as u64, bits as u64);
    Some(Answer { is_refused: false, offset_bytes, bytes: hex(bytes), bits })
}

pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
