//! When packets are due.

/// Packets that a sender who was kept from sending makes good at once: those of so many
/// nanoseconds. Older ones are left out, so that a pause does not end in a burst that no queue holds.
const MADE_GOOD_NS: u64 = 5_000_000;

/// Packets at equal distances, or as fast as can be.
pub struct Pace {
    per_second: Option<f64>,
    /// From where packets are counted; later than the start when some were left out.
    origin_ns: u64,
    /// Packets since then.
    given: u64,
}

impl Pace {
    pub fn new(per_second: Option<f64>, start_ns: u64) -> Self {
        Self { per_second, origin_ns: start_ns, given: 0 }
    }

    /// How many are due at a moment, at most `most`; none means that one has to wait.
    pub fn due(&mut self, now_ns: u64, most: usize) -> usize {
        let Some(rate) = self.per_second else { return most };
        let late_ns = now_ns.saturating_sub(self.next_ns().unwrap_or(now_ns));
        if late_ns > MADE_GOOD_NS {
            self.origin_ns += late_ns - MADE_GOOD_NS;
        }
        let elapsed_s = now_ns.saturating_sub(self.origin_ns) as f64 / 1e9;
        let due = (elapsed_s * rate) as u64 + 1;
        (due.saturating_sub(self.given) as usize).min(most)
    }

    /// So many of them were sent.
    pub fn took(&mut self, packets: usize) {
        self.given += packets as u64;
    }

    /// When the next one is due; `None` without a rate.
    pub fn next_ns(&self) -> Option<u64> {
        let after_s = self.given as f64 / self.per_second?;
        Some(self.origin_ns + (after_s * 1e9) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A sender whose clock goes on by `step_ns` between looks, over a second.
    fn sent_in_a_second(rate: f64, step_ns: u64) -> u64 {
        let mut pace = Pace::new(Some(rate), 0);
        let mut sent = 0;
        for now_ns in (0..1_000_000_000).step_by(step_ns as usize) {
            let due = pace.due(now_ns, 64);
            pace.took(due);
            sent += due as u64;
        }
        sent
    }

    #[test]
    fn a_rate_is_kept_to_however_often_one_looks() {
        for step_ns in [1_000, 10_000, 63_000] {
            assert_eq!(sent_in_a_second(100_000.0, step_ns).div_ceil(10), 10_000, "{step_ns}");
        }
    }

    #[test]
    fn nothing_is_due_before_its_time() {
        let mut pace = Pace::new(Some(1000.0), 0);
        assert_eq!(pace.due(0, 64), 1);
        pace.took(1);
        assert_eq!(pace.due(999_999, 64), 0);
        assert_eq!(pace.next_ns(), Some(1_000_000));
        assert_eq!(pace.due(1_000_000, 64), 1);
    }

    #[test]
    fn a_long_pause_is_not_made_good() {
        let mut pace = Pace::new(Some(1_000_000.0), 0);
        let due = pace.due(1_000_000_000, usize::MAX);
        assert!((5_000..=5_001).contains(&due), "{due}");
    }

    #[test]
    fn without_a_rate_all_are_due() {
        assert_eq!(Pace::new(None, 0).due(0, 64), 64);
    }
}
