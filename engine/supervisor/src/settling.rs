//! Whether a case has to be called for long before a group, until the processor has settled.
//!
//! After other cases branch predictors, and whatever else in a processor learns, may stay for
//! milliseconds in a state in which a message costs more, or less, than in a long stream of such
//! messages. Most cases settle at once, so not all are called for long: groups after long calls are
//! compared with early ones of the same process.

use ciphermark_harness::stopping::RESOLUTION_CYCLES;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    /// Not known yet: a process takes one group after long calls, and later ones without are compared
    /// with it, by this process or the next.
    Unknown,
    /// Early groups cost the same.
    AtOnce,
    /// They do not, so each process takes one group, after long calls.
    Late,
}

/// What is known of how a case settles.
#[derive(Debug)]
pub struct Settling {
    verdict: Verdict,
    /// Cycles per message of the last group after long calls.
    reference: Option<f64>,
    /// The same in this process.
    settled: Option<f64>,
    /// Whether this process has taken a group after long calls, though a disturbed one tells nothing.
    was_asked: bool,
    /// Early groups of this process: round and cycles per message.
    early: Vec<(u32, f64)>,
    /// Whether an early group cost so much else than the reference that one after long calls has to
    /// say whether the process differs, or settles late.
    is_doubted: bool,
}

impl Settling {
    pub fn new(may_settle_late: bool) -> Self {
        let verdict = if may_settle_late { Verdict::Unknown } else { Verdict::AtOnce };
        Self {
            verdict,
            reference: None,
            settled: None,
            was_asked: false,
            early: Vec::new(),
            is_doubted: false,
        }
    }

    /// A fresh process takes the next groups.
    pub fn begin_process(&mut self) {
        (self.settled, self.was_asked) = (None, false);
        self.early.clear();
    }

    pub fn is_late(&self) -> bool {
        self.verdict == Verdict::Late
    }

    /// Whether the next group is to be taken after long calls: until a case is known to settle late, once
    /// in a process, since beside a neighbour most groups would tell nothing; and no more than it takes
    /// to have one that tells something, unless early groups cost else.
    pub fn wants_long_calls(&self) -> bool {
        match self.verdict {
            Verdict::Late => true,
            _ => !self.was_asked && (self.is_doubted || self.lacks_reference()),
        }
    }

    fn lacks_reference(&self) -> bool {
        self.verdict == Verdict::Unknown && self.reference.is_none()
    }

    /// A group after long calls is taken.
    pub fn ask(&mut self) {
        self.was_asked = true;
    }

    /// Learns from a group. Returns the rounds of those of this process that were taken too early.
    /// Groups cost the same within the precision, or what the loop's cost repeats to.
    pub fn note(
        &mut self,
        round: u32,
        cycles: f64,
        after_long_calls: bool,
        precision: f64,
    ) -> Vec<u32> {
        let tolerance = (precision * cycles).max(RESOLUTION_CYCLES);
        let differs = |other: f64| (cycles - other).abs() > tolerance;
        if self.verdict == Verdict::Late {
            return Vec::new();
        }
        if !after_long_calls {
            self.early.push((round, cycles));
            match (self.settled, self.reference) {
                (Some(settled), _) if differs(settled) => {
                    self.verdict = Verdict::Late;
                    return vec![round];
                }
                (Some(_), _) => self.verdict = Verdict::AtOnce,
                (None, Some(reference)) if differs(reference) => self.is_doubted = true,
                (None, Some(_)) if !self.is_doubted => self.verdict = Verdict::AtOnce,
                (None, _) => {}
            }
            return Vec::new();
        }
        (self.reference, self.settled, self.is_doubted) = (Some(cycles), Some(cycles), false);
        if self.early.iter().any(|&(_, early)| differs(early)) {
            self.verdict = Verdict::Late;
            return self.early.iter().map(|&(round, _)| round).collect();
        }
        if !self.early.is_empty() {
            self.verdict = Verdict::AtOnce;
        }
        Vec::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRECISION: f64 = 0.01;

    /// After groups of these cycles per message in one process, of which the first is after long calls.
    fn after(groups: &[f64]) -> (Settling, Vec<u32>) {
        let mut settling = Settling::new(true);
        let mut early = Vec::new();
        for (round, &cycles) in groups.iter().enumerate() {
            assert_eq!(settling.wants_long_calls(), round == 0 || settling.is_late());
            let long = settling.wants_long_calls();
            if long {
                settling.ask();
            }
            early = settling.note(round as u32, cycles, long, PRECISION);
        }
        (settling, early)
    }

    #[test]
    fn early_groups_that_cost_the_same_show_that_a_case_settles_at_once() {
        assert_eq!(after(&[1000.0, 1008.0, 992.0]).0.verdict, Verdict::AtOnce);
        // The loop's cost does not repeat better than that.
        assert_eq!(after(&[20.0, 20.2]).0.verdict, Verdict::AtOnce);
    }

    #[test]
    fn an_early_group_that_costs_else_does_not_count() {
        let (settling, early) = after(&[1000.0, 1012.0]);
        assert_eq!((settling.verdict, early), (Verdict::Late, vec![1]));
        let (settling, early) = after(&[1000.0, 1001.0, 950.0]);
        assert_eq!((settling.verdict, early), (Verdict::Late, vec![2]));
    }

    #[test]
    fn a_process_that_differs_is_asked_again() {
        let (mut settling, _) = after(&[1000.0, 1001.0]);
        settling.begin_process();
        assert!(settling.note(3, 1009.0, false, PRECISION).is_empty());
        assert!(!settling.wants_long_calls(), "processes differ by so much");
        assert!(settling.note(4, 1100.0, false, PRECISION).is_empty());
        assert!(settling.wants_long_calls());
        assert_eq!(settling.note(5, 1005.0, true, PRECISION), [3, 4]);
        assert!(settling.is_late());
    }

    #[test]
    fn a_process_that_differs_after_long_calls_too_settles_at_once() {
        let (mut settling, _) = after(&[1000.0, 1001.0]);
        settling.begin_process();
        assert!(settling.note(3, 1100.0, false, PRECISION).is_empty());
        assert!(settling.note(4, 1101.0, true, PRECISION).is_empty());
        assert_eq!(settling.verdict, Verdict::AtOnce);
        assert!(!settling.wants_long_calls());
    }

    #[test]
    fn an_early_group_is_compared_with_what_another_process_found() {
        for (early, verdict, is_asked) in
            [(1003.0, Verdict::AtOnce, false), (1100.0, Verdict::Unknown, true)]
        {
            let (mut settling, _) = after(&[1000.0]);
            settling.begin_process();
            assert!(!settling.wants_long_calls());
            assert!(settling.note(1, early, false, PRECISION).is_empty());
            assert_eq!((settling.verdict, settling.wants_long_calls()), (verdict, is_asked));
        }
    }

    #[test]
    fn a_process_is_asked_once_though_it_tells_nothing() {
        let mut settling = Settling::new(true);
        settling.ask();
        assert!(!settling.wants_long_calls());
        assert!(settling.note(1, 1000.0, false, PRECISION).is_empty());
        assert_eq!(settling.verdict, Verdict::Unknown);
        settling.begin_process();
        assert!(settling.wants_long_calls());
    }

    #[test]
    fn what_cannot_settle_late_is_never_called_for_long() {
        let mut settling = Settling::new(false);
        for (round, cycles) in [100.0, 200.0, 300.0].into_iter().enumerate() {
            assert!(!settling.wants_long_calls());
            assert!(settling.note(round as u32, cycles, false, PRECISION).is_empty());
        }
    }
}
