//! Where a message is cut.

use std::ops::Range;

/// Bytes of which parts are whole multiples, but for the last: a cache line, so that no two cores
/// write one where answers begin at one, and whole blocks of all ciphers here.
pub const GRANULE: usize = 64;

/// Cuts so many bytes into `most` parts or fewer, in their order, that differ by less than two
/// granules and are one at least: the last has what is left over. One part, be it empty, where there
/// are too few bytes.
pub fn cut(bytes: usize, most: usize) -> impl Iterator<Item = Range<usize>> + Clone {
    let granules = bytes / GRANULE;
    let parts = granules.min(most).max(1);
    let begin = move |part: usize| match part == parts {
        true => bytes,
        false => granules * part / parts * GRANULE,
    };
    (0..parts).map(move |part| begin(part)..begin(part + 1))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_last_part_has_what_is_left_over() {
        let of = |bytes, most| cut(bytes, most).map(|it| (it.start, it.end)).collect::<Vec<_>>();
        assert_eq!(of(0, 4), [(0, 0)]);
        assert_eq!(of(127, 4), [(0, 127)]);
        assert_eq!(of(129, 2), [(0, 64), (64, 129)]);
        assert_eq!(of(5 * 64, 3), [(0, 64), (64, 192), (192, 320)]);
    }

    proptest! {
        #[test]
        fn parts_cover_a_message_in_order_and_evenly(bytes in 0_usize..100_000, most in 1_usize..9) {
            let parts: Vec<_> = cut(bytes, most).collect();
            prop_assert_eq!(parts[0].start, 0);
            prop_assert_eq!(parts[parts.len() - 1].end, bytes);
            prop_assert!(parts.windows(2).all(|two| two[0].end == two[1].start));
            if parts.len() > 1 {
                let lengths = || parts.iter().map(ExactSizeIterator::len);
                let (shortest, longest) = (lengths().min(), lengths().max());
                prop_assert!(shortest >= Some(GRANULE));
                prop_assert!(longest.zip(shortest).is_some_and(|(a, b)| a - b < 2 * GRANULE));
            }
            prop_assert_eq!(parts.len(), (bytes / GRANULE).clamp(1, most));
        }
    }
}
