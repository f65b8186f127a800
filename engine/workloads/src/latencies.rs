//! Counts of how long messages took.

use ciphermark_record::sessions::LatencyCount;
use hdrhistogram::Histogram;

/// Longest time that can be told, an hour; what is longer counts as that.
const LONGEST_NS: u64 = 3_600_000_000_000;
/// Times are good to two digits: 1 %.
const DIGITS: u8 = 2;

/// An empty count of times.
pub fn latencies() -> Histogram<u32> {
    // Both bounds and the digits are constants that the library takes.
    Histogram::new_with_bounds(1, LONGEST_NS, DIGITS).unwrap_or_else(|_| unreachable!())
}

/// All of them together, as they are recorded.
pub fn counted<'a>(counts: impl Iterator<Item = &'a Histogram<u32>>) -> Vec<LatencyCount> {
    let mut all = Histogram::<u64>::new_from(&latencies());
    for count in counts {
        for value in count.iter_recorded() {
            all.saturating_record_n(value.value_iterated_to(), u64::from(value.count_at_value()));
        }
    }
    all.iter_recorded()
        .map(|it| LatencyCount { ns: it.value_iterated_to(), count: it.count_at_value() })
        .collect()
}
