//! Whether two calls ran the same code path.

use std::collections::BTreeMap;

use crate::{Code, CodePath};

/// Share of the executed code that two calls of one path have in common, at least.
///
/// Of nine libraries' implementations, calls of one path had 0.89 or more in common, and 0.64 with
/// buffers of another alignment (nettle, whose XOR has a loop for each); calls of two paths, which
/// OpenSSL's switch had made differ, had up to 0.62, and there the extensions tell them apart.
const SAME_FROM: f64 = 0.6;

/// Whether two calls, of this process or of others with the same files, ran the same code path:
/// with the same extensions and, but for beginnings and ends of buffers, the same code.
///
/// Calls that were cut have to be cut after as many steps.
pub fn same(one: &CodePath, other: &CodePath) -> bool {
    one.features == other.features && overlap(one, other) >= SAME_FROM
}

/// Bytes of code that both executed over those that either did; 1 where neither did any.
fn overlap(one: &CodePath, other: &CodePath) -> f64 {
    let pieces_of_other: BTreeMap<_, _> =
        other.code.iter().map(|code| (&code.file, &code.pieces)).collect();
    let in_both = |code: &Code| match pieces_of_other.get(&code.file) {
        Some(pieces) => common_bytes(&code.pieces, pieces),
        None => 0,
    };
    let both: u64 = one.code.iter().map(in_both).sum();
    let either = bytes(one) + bytes(other) - both;
    if either == 0 { 1.0 } else { both as f64 / either as f64 }
}

fn bytes(path: &CodePath) -> u64 {
    path.code.iter().flat_map(|code| &code.pieces).map(|(start, end)| end - start).sum()
}

/// Bytes in both of two sorted lists of pieces.
fn common_bytes(mut one: &[(u64, u64)], mut other: &[(u64, u64)]) -> u64 {
    let mut common = 0;
    while let ([(start, end), ..], [(other_start, other_end), ..]) = (one, other) {
        common += end.min(other_end).saturating_sub(*start.max(other_start));
        if end < other_end { one = &one[1..] } else { other = &other[1..] }
    }
    common
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(code: &[(&str, &[(u64, u64)])]) -> CodePath {
        let code = code
            .iter()
            .map(|(file, pieces)| Code { file: (*file).into(), pieces: pieces.to_vec() })
            .collect();
        CodePath { features: vec![], steps: 0, cut: false, code }
    }

    #[test]
    fn overlap_is_counted_in_bytes_per_file() {
        let one = path(&[("a", &[(0, 10), (20, 30)]), ("b", &[(0, 20)])]);
        assert_eq!(overlap(&one, &one), 1.0);
        let shifted = path(&[("a", &[(5, 25)]), ("b", &[(0, 20)])]);
        assert_eq!(overlap(&one, &shifted), 30.0 / 50.0);
        let elsewhere = path(&[("c", &[(0, 10), (20, 30)])]);
        assert_eq!(overlap(&one, &elsewhere), 0.0);
        assert_eq!(overlap(&path(&[]), &path(&[])), 1.0);
    }
}
