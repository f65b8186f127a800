//! The parts in which the cases of a plan are measured, one after the other, until each case has the
//! processes that an interval needs.
//!
//! All cases at once would all end without an interval where a neighbour takes so much of the time that
//! the budget is spent before. So a part is as large as ends within a share of the budget, by what the
//! parts before took.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::time::Duration;

use crate::active::Active;
use crate::verification::Subject;

/// A part is to end within this share of the budget.
const SHARE: f64 = 1.0 / 3.0;

/// But no smaller than this, since each of its processes has libraries to open.
const FEWEST: usize = 64;

/// What a case takes beside a neighbour that uses half of the time, before any has shown it.
const SLOW_CASE: Duration = Duration::from_millis(75);

/// A part that leaves less than this share of itself behind takes these cases too.
const SMALL_REST: f64 = 0.5;

/// Cases that wait for their part. Those that are compared with each other stay together.
pub struct Parts<'a> {
    /// Comparisons, the most important one first.
    waiting: VecDeque<Vec<Active<'a>>>,
    /// Numbers of cases from the least telling one on, which come after all others.
    optional: &'a [u32],
    share: Duration,
    /// Time that cases took until they had their processes, and how many of them did.
    took: Duration,
    done: usize,
}

impl<'a> Parts<'a> {
    /// The most important cases first, by [`comparisons`].
    pub fn new(cases: Vec<Active<'a>>, optional: &'a [u32], budget_s: f64) -> Self {
        Self {
            waiting: comparisons(cases, optional),
            optional,
            share: Duration::from_secs_f64(SHARE * budget_s),
            took: Duration::ZERO,
            done: 0,
        }
    }

    /// Cases that wait.
    pub fn waiting(&self) -> usize {
        self.waiting.iter().map(Vec::len).sum()
    }

    /// What a case takes until it has its processes, as far as is known.
    pub fn case_takes(&self) -> Duration {
        match self.done {
            0 => SLOW_CASE,
            done => self.took.div_f64(done as f64),
        }
    }

    /// So many cases have their processes after so long.
    pub fn note(&mut self, took: Duration, done: usize) {
        (self.took, self.done) = (self.took + took, self.done + done);
    }

    /// The next part, when so much time is left; empty where it is not enough for one comparison, unless
    /// none has been measured.
    pub fn next(&mut self, left: Duration) -> Vec<Active<'a>> {
        let fits = |time: Duration| (time.as_secs_f64() / self.case_takes().as_secs_f64()) as usize;
        let (usual, room, waiting) = (fits(self.share).max(FEWEST), fits(left), self.waiting());
        let rest = waiting.saturating_sub(usual) as f64;
        let most = if rest < SMALL_REST * usual as f64 { waiting } else { usual }.min(room);
        let mut part = Vec::new();
        while let Some(comparison) = self.waiting.front() {
            let is_first = self.done == 0 && part.is_empty();
            if part.len() + comparison.len() > most && !is_first {
                break;
            }
            part.extend(self.waiting.pop_front().into_iter().flatten());
        }
        part
    }

    /// Puts cases of a part back until at most so many stay, which are the most important ones.
    pub fn postpone(&mut self, part: &mut Vec<Active<'a>>, most: usize) {
        let out = keep_first(part, most, self.optional);
        out.into_iter().rev().for_each(|it| self.waiting.push_front(it));
    }

    /// Takes out the cases that no process has measured.
    pub fn take_unmeasured(&mut self) -> Vec<Active<'a>> {
        let comparisons = self.waiting.iter_mut();
        comparisons.flat_map(|it| it.extract_if(.., |case| case.processes == 0)).collect()
    }

    /// Puts such cases back, which are not measured any more.
    pub fn put_back(&mut self, cases: Vec<Active<'a>>) {
        self.waiting.push_back(cases);
    }

    /// All that wait.
    pub fn into_rest(self) -> impl Iterator<Item = Active<'a>> {
        self.waiting.into_iter().flatten()
    }
}

/// The cases with those that they are compared with, by their numbers, but the `optional` ones after all
/// others, the first of them last.
fn comparisons<'a>(cases: Vec<Active<'a>>, optional: &[u32]) -> VecDeque<Vec<Active<'a>>> {
    let places: HashMap<u32, usize> =
        optional.iter().rev().enumerate().map(|(place, &number)| (number, place + 1)).collect();
    let rank = |it: &Active<'_>| (places.get(&it.case.case).copied().unwrap_or(0), it.case.case);
    let mut found: BTreeMap<Subject, Vec<Active<'a>>> = BTreeMap::new();
    for case in cases {
        found.entry(Subject::of(case.case)).or_default().push(case);
    }
    let mut found: Vec<Vec<Active<'a>>> = found.into_values().collect();
    found.sort_by_key(|comparison| comparison.iter().map(rank).min());
    found.into()
}

/// Keeps at most so many cases, the most important ones, and one comparison at least. Returns the other
/// comparisons.
pub fn keep_first<'a>(
    cases: &mut Vec<Active<'a>>,
    most: usize,
    optional: &[u32],
) -> VecDeque<Vec<Active<'a>>> {
    let mut left = comparisons(std::mem::take(cases), optional);
    while let Some(comparison) = left.front() {
        if !cases.is_empty() && cases.len() + comparison.len() > most {
            break;
        }
        cases.extend(left.pop_front().into_iter().flatten());
    }
    left
}

/// What people are told of cases that were not reached.
pub fn sentence(not_reached: usize, cases: usize, processes: u32, all_take: Duration) -> String {
    let budget_s = all_take.as_secs_f64().ceil();
    format!(
        "the time was not enough for {not_reached} of {cases} cases, which have no interval: all of \
         them in {processes} processes would take some {budget_s} s; type --budget {budget_s}s, or \
         choose fewer with --sizes, --operations or --providers"
    )
}

#[cfg(test)]
mod tests {
    use ciphermark_record::plan::{Case, Messages};

    use super::*;

    /// Pairs of cases of the same messages.
    fn pairs(count: u32) -> Vec<Case> {
        let case: Case = serde_json::from_value(serde_json::json!({
            "case": 0, "algorithm": "sha256", "operation": "digest",
            "provider": "a", "backend": "default", "message_bytes": 64
        }))
        .expect("the case is valid");
        let messages = |number: u32| Messages::Equal(64 + u64::from(number / 2));
        (0..2 * count)
            .map(|number| Case { case: number, messages: messages(number), ..case.clone() })
            .collect()
    }

    fn active(cases: &[Case]) -> Vec<Active<'_>> {
        cases.iter().map(|case| Active::new(case, true)).collect()
    }

    fn numbers(cases: &[Active<'_>]) -> Vec<u32> {
        cases.iter().map(|it| it.case.case).collect()
    }

    const HOUR: Duration = Duration::from_secs(3600);

    #[test]
    fn optional_cases_come_last_in_their_order_and_comparisons_stay_whole() {
        let cases = pairs(4);
        let mut parts = Parts::new(active(&cases), &[3, 2, 6, 7, 9], 3600.0);
        assert_eq!(numbers(&parts.next(HOUR)), [0, 1, 4, 5, 6, 7, 2, 3]);
        assert_eq!(parts.waiting(), 0);
    }

    #[test]
    fn a_part_is_as_large_as_its_share_of_the_budget_allows() {
        let cases = pairs(400);
        // As large as 100 slow cases take.
        let mut parts = Parts::new(active(&cases), &[], 300.1 * SLOW_CASE.as_secs_f64());
        assert_eq!(parts.next(HOUR).len(), 100);
        parts.note(25 * SLOW_CASE, 100); // in a quarter of the time
        assert_eq!(parts.next(HOUR).len(), 400);
        assert_eq!(parts.next(SLOW_CASE).len(), 4, "no more than the time left is enough for");
        assert!(parts.next(SLOW_CASE / 4).is_empty(), "not enough for two cases");
        parts.note(HOUR, 1);
        assert_eq!(parts.next(10_000 * HOUR).len(), FEWEST);
        parts.note(Duration::ZERO, 1_000_000);
        assert_eq!(parts.next(HOUR).len(), 800 - 100 - 400 - 4 - FEWEST);
    }

    #[test]
    fn a_part_leaves_no_small_rest() {
        let cases = pairs(74);
        let mut parts = Parts::new(active(&cases), &[], 300.1 * SLOW_CASE.as_secs_f64());
        assert_eq!(parts.next(HOUR).len(), 148);
    }

    #[test]
    fn there_is_always_a_first_comparison() {
        let cases = pairs(2);
        let mut parts = Parts::new(active(&cases), &[], 0.1);
        assert_eq!(numbers(&parts.next(Duration::ZERO)), [0, 1]);
        assert_eq!(numbers(&parts.next(Duration::ZERO)), [2, 3], "none has been measured");
    }

    #[test]
    fn what_is_put_off_is_the_next_to_come() {
        let cases = pairs(4);
        let mut parts = Parts::new(active(&cases), &[0, 1], 3600.0);
        let mut part = parts.next(HOUR);
        parts.postpone(&mut part, 5);
        assert_eq!(numbers(&part), [2, 3, 4, 5]);
        parts.postpone(&mut part, 0);
        assert_eq!(numbers(&part), [2, 3], "one comparison goes on");
        assert_eq!(numbers(&parts.next(HOUR)), [4, 5, 6, 7, 0, 1]);
    }

    #[test]
    fn what_no_process_has_measured_is_found() {
        let cases = pairs(2);
        let mut parts = Parts::new(active(&cases), &[], 3600.0);
        parts.waiting[0][1].processes = 1;
        let unmeasured = parts.take_unmeasured();
        assert_eq!(numbers(&unmeasured), [0, 2, 3]);
        parts.put_back(unmeasured);
        assert_eq!(parts.into_rest().count(), 4);
    }

    #[test]
    fn people_are_told_which_budget_is_enough() {
        let said = sentence(776, 2019, 6, Duration::from_millis(104_200));
        assert!(said.contains("not enough for 776 of 2019 cases"), "{said}");
        assert!(said.contains("6 processes") && said.contains("--budget 105s,"), "{said}");
    }
}
