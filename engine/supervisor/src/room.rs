//! Which cases are given up where the time is not enough for all.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

use crate::active::Active;
use crate::verification::Subject;

/// For how many of so many cases the time left is enough, when all of them need so much.
pub fn room(left: Duration, cases: usize, needed: Duration) -> usize {
    if needed <= left {
        return cases;
    }
    (cases as f64 * left.as_secs_f64() / needed.as_secs_f64()) as usize
}

/// The numbers of the cases, with those that are compared with each other one after the other.
pub fn last_comparisons_first(active: &[Active<'_>]) -> Vec<u32> {
    let mut first: HashMap<Subject, u32> = HashMap::new();
    for Active { case, .. } in active {
        let number = first.entry(Subject::of(case)).or_insert(case.case);
        *number = case.case.min(*number);
    }
    let mut numbers: Vec<(u32, u32)> =
        active.iter().map(|it| (first[&Subject::of(it.case)], it.case.case)).collect();
    numbers.sort_unstable_by_key(|&(first, number)| (Reverse(first), number));
    numbers.into_iter().map(|(_, number)| number).collect()
}

/// The numbers of so many of the cases in `order` that are still measured, and of those that are compared
/// with the last of them.
pub fn given_up(active: &[Active<'_>], order: &[u32], excess: usize) -> BTreeSet<u32> {
    let subjects: HashMap<u32, Subject> =
        active.iter().map(|it| (it.case.case, Subject::of(it.case))).collect();
    let mut numbers = BTreeSet::new();
    let mut last = None;
    for (number, subject) in order.iter().filter_map(|it| subjects.get_key_value(it)) {
        if numbers.len() >= excess && last != Some(subject) {
            break;
        }
        numbers.insert(*number);
        last = Some(subject);
    }
    numbers
}

/// What people are told of cases that were given up before they had as many processes as an interval needs.
pub fn sentence(given_up: usize, cases: usize, processes: u32, all_take_s: f64) -> String {
    let budget_s = all_take_s.ceil();
    format!(
        "{given_up} of {cases} cases were given up: all of them in {processes} processes would take \
         some {budget_s} s; type --budget {budget_s}s, or choose fewer with --sizes, --operations or \
         --providers"
    )
}

#[cfg(test)]
mod tests {
    use ciphermark_record::plan::{Case, Messages};

    use super::*;

    fn case() -> Case {
        serde_json::from_value(serde_json::json!({
            "case": 0, "algorithm": "sha256", "operation": "digest",
            "provider": "a", "backend": "default", "message_bytes": 64
        }))
        .expect("the case is valid")
    }

    #[test]
    fn optional_cases_are_given_up_in_their_order_and_comparisons_whole() {
        let cases: Vec<Case> = (0..8)
            .map(|number| Case {
                case: number,
                messages: Messages::Equal(64 << (number / 2)),
                ..case()
            })
            .collect();
        let active: Vec<Active<'_>> = cases.iter().map(|case| Active::new(case, true)).collect();
        let optional = [6, 7, 2, 3, 9];
        let numbers = |excess| given_up(&active, &optional, excess).into_iter().collect::<Vec<_>>();
        assert!(numbers(0).is_empty());
        assert_eq!(numbers(1), [6, 7]);
        assert_eq!(numbers(2), [6, 7]);
        assert_eq!(numbers(3), [2, 3, 6, 7]);
        assert_eq!(numbers(8), [2, 3, 6, 7], "the others are never given up");
    }

    #[test]
    fn the_last_comparisons_are_given_up_first() {
        let cases: Vec<Case> = [(0, 64), (1, 16), (2, 64), (3, 256), (4, 16)]
            .map(|(number, bytes)| Case {
                case: number,
                messages: Messages::Equal(bytes),
                ..case()
            })
            .to_vec();
        let shuffled = [3, 0, 4, 2, 1].map(|place: usize| Active::new(&cases[place], true));
        assert_eq!(last_comparisons_first(&shuffled), [3, 1, 4, 0, 2]);
    }

    #[test]
    fn there_is_room_for_as_many_cases_as_end_in_time() {
        assert_eq!(room(Duration::from_secs(100), 1000, Duration::from_secs(50)), 1000);
        assert_eq!(room(Duration::from_secs(100), 1000, Duration::from_secs(200)), 500);
        assert_eq!(room(Duration::from_secs(0), 1000, Duration::from_secs(1)), 0);
        assert_eq!(
            room(Duration::from_secs(0), 1000, Duration::from_secs(0)),
            1000,
            "all have had enough"
        );
    }

    #[test]
    fn people_are_told_which_budget_is_enough() {
        let said = sentence(776, 2019, 6, 104.2);
        assert!(said.starts_with("776 of 2019 cases were given up"), "{said}");
        assert!(said.contains("6 processes") && said.contains("--budget 105s,"), "{said}");
    }
}
