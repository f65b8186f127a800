//! Which parameters of a case go together.

use ciphermark_record::description::Algorithm;
use ciphermark_record::plan::{Buffers, Case, Load, Operation, Pattern, Profile};

use super::company;

/// As many as our own kernels take.
const MOST_LANES: u32 = 4096;
/// Far more than a mix needs to be near what its profile says.
const MOST_LENGTHS: usize = 1 << 16;
/// What `incremental` gives a library at a time unless told otherwise.
const CHUNK_BYTES: u32 = 64;

/// Whether the workload can do what a case asks for. The error is a sentence.
pub fn combination(case: &Case, algorithm: &Algorithm) -> Result<(), String> {
    let Case { pattern, lanes, keys, operation, .. } = case;
    let plain = *pattern == Pattern::ReusedKey;
    let name = pattern.name();
    check((1..=MOST_LANES).contains(lanes), || {
        format!("{lanes} lanes are not between 1 and {MOST_LANES}")
    })?;
    check(*keys > 0, || "0 keys are too few: write at least --keys 1".into())?;
    let near = matches!(case.buffers, Buffers::Hot | Buffers::Cold);
    let usual = plain && *lanes == 1 && *keys == 1 && near;
    check(*operation != Operation::Setup || usual, || {
        "setup is measured with one key, one lane, hot or cold buffers and the pattern reused-key \
         only"
            .into()
    })?;
    check(algorithm.key_bytes > 0 || (*keys == 1 && *pattern != Pattern::Rekeyed), || {
        format!("{} has no key: leave out --keys and the pattern rekeyed", case.algorithm)
    })?;
    check(plain || *keys == 1, || {
        format!("{keys} keys go with the pattern reused-key only, not with {name}")
    })?;
    check(plain || *lanes == 1, || {
        format!("{lanes} lanes go with the pattern reused-key only, not with {name}")
    })?;
    let packets = matches!(case.load, Load::Packets(_));
    check(*lanes == 1 || packets || lanes.is_multiple_of(*keys), || {
        format!("{keys} keys do not divide {lanes} lanes: write --keys 1 or --keys {lanes}")
    })?;
    profile(case)?;
    check(case.buffers != Buffers::Cold || case.messages.profile().is_none(), || {
        "cold buffers do not go with a profile: a sample is one call".into()
    })?;
    chunks(case, algorithm)?;
    company::combination(case)?;
    repeats(case)
}

fn profile(case: &Case) -> Result<(), String> {
    let Some(Profile { name, lengths }) = case.messages.profile() else { return Ok(()) };
    let (count, lanes) = (lengths.len(), case.lanes);
    check((1..=MOST_LENGTHS).contains(&count), || {
        format!("{count} lengths of the profile {name} are not between 1 and {MOST_LENGTHS}")
    })?;
    check(count.is_multiple_of(lanes as usize), || {
        format!("{count} lengths of the profile {name} are no whole calls of {lanes} lanes")
    })
}

fn chunks(case: &Case, algorithm: &Algorithm) -> Result<(), String> {
    let Some(bytes) = case.chunk_bytes else { return Ok(()) };
    let block = algorithm.block_bytes;
    check(bytes > 0 && bytes.is_multiple_of(block), || {
        format!("chunks of {bytes} bytes are not whole blocks of {block}")
    })
}

/// One chunk can be given again and again to what takes chunks and writes no answer for each.
fn repeats(case: &Case) -> Result<(), String> {
    if case.buffers != Buffers::Repeated {
        return Ok(());
    }
    let (operation, pattern) = (case.operation, case.pattern.name());
    check(case.pattern == Pattern::Incremental, || {
        format!("repeated buffers go with the pattern incremental only, not with {pattern}")
    })?;
    check(matches!(operation, Operation::Mac | Operation::Verify | Operation::Digest), || {
        format!(
            "repeated buffers go with mac, verify and digest only: {operation} writes as many \
             bytes as it is given"
        )
    })?;
    check(case.messages.profile().is_none(), || "repeated buffers do not go with a profile".into())
}

/// Bytes that a case's library is given at a time.
pub fn chunk_bytes(case: &Case, algorithm: &Algorithm) -> usize {
    let usual = || CHUNK_BYTES.next_multiple_of(algorithm.block_bytes);
    case.chunk_bytes.unwrap_or_else(usual) as usize
}

fn check(good: bool, sentence: impl FnOnce() -> String) -> Result<(), String> {
    if good { Ok(()) } else { Err(sentence()) }
}

#[cfg(test)]
mod tests {
    use ciphermark_record::plan::Messages;

    use super::super::tests::case;
    use super::*;

    fn verdict(algorithm: &str, operation: Operation, change: fn(&mut Case)) -> Result<(), String> {
        let mut case = case(algorithm, operation, 64);
        change(&mut case);
        let facts = ciphermark_algorithms::find(algorithm).expect("the algorithm has facts");
        combination(&case, facts)
    }

    fn seal(change: fn(&mut Case)) -> Result<(), String> {
        verdict("aes-128-gcm", Operation::Seal, change)
    }

    fn mixed(case: &mut Case, lengths: Vec<u64>) {
        case.messages = Messages::Mixed(Profile { name: "mix".into(), lengths });
    }

    fn repeat(case: &mut Case) {
        (case.pattern, case.buffers) = (Pattern::Incremental, Buffers::Repeated);
    }

    #[test]
    fn what_goes_together_passes() {
        for change in [
            |_: &mut Case| {},
            |case: &mut Case| (case.keys, case.buffers) = (1_000_000, Buffers::Stream),
            |case: &mut Case| (case.lanes, case.buffers) = (8, Buffers::Stream),
            |case: &mut Case| (case.lanes, case.keys) = (4096, 4096),
            |case: &mut Case| mixed(case, vec![1, 2, 3]),
            |case: &mut Case| (case.pattern, case.buffers) = (Pattern::OneShot, Buffers::Stream),
            |case: &mut Case| (case.pattern, case.chunk_bytes) = (Pattern::Incremental, Some(7)),
            |case: &mut Case| (case.lanes, case.buffers) = (8, Buffers::Cold),
        ] {
            assert_eq!(seal(change), Ok(()));
        }
        for operation in [Operation::Mac, Operation::Verify] {
            assert_eq!(verdict("hmac-sha256", operation, repeat), Ok(()));
        }
        let cold = verdict("aes-128-gcm", Operation::Setup, |case| case.buffers = Buffers::Cold);
        assert_eq!(cold, Ok(()));
        let lanes = verdict("sha256", Operation::Digest, |case| case.lanes = 8);
        assert_eq!(lanes, Ok(()));
    }

    #[test]
    fn what_does_not_is_refused_with_its_value() {
        let refused = [
            (seal(|case| case.lanes = 0), "0 lanes"),
            (seal(|case| case.keys = 0), "0 keys"),
            (seal(|case| (case.lanes, case.keys) = (8, 9)), "9 keys do not divide 8 lanes"),
            (seal(|case| case.lanes = 4097), "4097 lanes"),
            (seal(|case| mixed(case, vec![])), "0 lengths of the profile mix"),
            (
                seal(|case| {
                    mixed(case, vec![1; 12]);
                    case.lanes = 8;
                }),
                "no whole calls of 8 lanes",
            ),
            (seal(|case| (case.lanes, case.pattern) = (8, Pattern::Rekeyed)), "with rekeyed"),
            (
                seal(|case| (case.keys, case.pattern) = (9, Pattern::Incremental)),
                "with incremental",
            ),
            (
                verdict("sha256", Operation::Digest, |case| case.buffers = Buffers::Repeated),
                "not with reused-key",
            ),
            (seal(repeat), "seal writes as many bytes"),
            (
                verdict("sha256", Operation::Digest, |case| {
                    repeat(case);
                    mixed(case, vec![1; 8]);
                }),
                "not go with a profile",
            ),
            (
                seal(|case| {
                    mixed(case, vec![1; 8]);
                    case.buffers = Buffers::Cold;
                }),
                "cold buffers do not go with a profile",
            ),
            (verdict("aes-128-gcm", Operation::Setup, |case| case.keys = 9), "setup"),
            (verdict("aes-128-gcm", Operation::Setup, |case| case.buffers = Buffers::L2), "setup"),
            (verdict("sha256", Operation::Digest, |case| case.keys = 9), "sha256 has no key"),
            (
                verdict("aes-128-cbc", Operation::Encrypt, |case| {
                    (case.pattern, case.chunk_bytes) = (Pattern::Incremental, Some(20));
                }),
                "whole blocks of 16",
            ),
        ];
        for (verdict, words) in refused {
            let sentence = verdict.expect_err(words);
            assert!(sentence.contains(words), "{sentence}");
        }
    }
}
