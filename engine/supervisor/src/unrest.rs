//! When it is of no use to go on: not one sample without a neighbour for a long time.
//!
//! A case counts undisturbed samples only. Where a neighbour never rests, or a slice is longer than its
//! pauses, no case gets one however long it is measured, and the rest of the budget brings nothing
//! but a few more upper bounds. A machine that has quiet moments now and then is never given up: one
//! undisturbed sample of any case that is still measured is enough.

use std::collections::BTreeMap;
use std::time::Duration;

use ciphermark_record::event::{Disturbance, Sample};

/// Share of the budget without an undisturbed sample after which it is given up.
const SHARE: f64 = 0.25;

/// But no sooner than this: other guests of a machine work in bursts of seconds.
const SOONEST: Duration = Duration::from_secs(5);

/// Processes that each case was measured in before, so that its upper bound is of more than one
/// layout of the memory.
const FEWEST_PROCESSES: u32 = 3;

/// How a case stands that is still measured.
#[derive(Clone, Copy, Debug)]
pub struct Standing {
    /// In which it was measured, whether or not its samples count.
    pub processes: u32,
    pub has_undisturbed: bool,
}

/// What was seen since the last undisturbed sample of any case. Times are those of the budget that
/// was spent.
#[derive(Debug, Default)]
pub struct Unrest {
    since: Duration,
    samples: u64,
    marks: BTreeMap<&'static str, u64>,
}

impl Unrest {
    /// Looks at the samples of a group that was just taken.
    pub fn note(&mut self, spent: Duration, samples: &[Sample]) {
        if samples.iter().any(|sample| sample.disturbed.is_empty()) {
            *self = Self { since: spent, ..Self::default() };
            return;
        }
        self.samples += samples.len() as u64;
        for mark in samples.iter().flat_map(|sample| &sample.disturbed) {
            *self.marks.entry(what_it_means(*mark)).or_default() += 1;
        }
    }

    /// What people are told when the cases that are left are given up; nothing as long as there is
    /// hope. `budget` is the whole one.
    pub fn given_up(
        &self,
        spent: Duration,
        budget: Duration,
        mut cases: impl Iterator<Item = Standing>,
    ) -> Option<String> {
        let without = spent.saturating_sub(self.since);
        let is_hopeless =
            |case: Standing| !case.has_undisturbed && case.processes >= FEWEST_PROCESSES;
        if without < budget.mul_f64(SHARE).max(SOONEST) || !cases.all(is_hopeless) {
            return None;
        }
        Some(format!(
            "no quiet moment in {:.0} s: of {} samples {}; what has no figure has an upper bound. \
             Measure again when the machine is quieter, or wait longer for it with --budget {:.0}s",
            without.as_secs_f64(),
            self.samples,
            self.marks_in_words(),
            4.0 * budget.as_secs_f64()
        ))
    }

    /// The marks of the samples with their shares, the commonest first.
    fn marks_in_words(&self) -> String {
        let mut marks: Vec<_> = self.marks.iter().collect();
        marks.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
        let share = |count: u64| 100.0 * count as f64 / self.samples as f64;
        let words: Vec<String> =
            marks.iter().map(|&(what, &count)| format!("{:.0} % {what}", share(count))).collect();
        words.join(", ")
    }
}

fn what_it_means(mark: Disturbance) -> &'static str {
    match mark {
        Disturbance::Shared => "shared their core with other work",
        Disturbance::Steal => "lost CPU time to others",
        Disturbance::Switch => "were taken off their CPU",
        Disturbance::Migration => "changed their CPU",
        Disturbance::Clock => "had a clock that dropped",
        Disturbance::Loop => "had a loop whose cost was disturbed",
        Disturbance::Settling => "were taken before their cost had settled",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BUDGET: Duration = Duration::from_secs(60);

    fn sample(disturbed: &[Disturbance]) -> Sample {
        Sample {
            case: 0,
            round: 0,
            process: 0,
            cpu: None,
            slice: 0,
            at_ns: 0,
            messages: 1,
            wall_ns: 12_000.0,
            cycles: 36_000.0,
            loop_cycles: 2.0,
            core_hz: 3e9,
            group_cpu_ns: 100_000,
            group_wall_ns: 100_000,
            disturbed: disturbed.to_vec(),
        }
    }

    /// A run on a clock of its own: a group every tenth of a second, quiet as told.
    /// Returns after how many seconds it was given up, if it was.
    fn run(budget: Duration, quiet: impl Fn(f64) -> bool, case: Standing) -> Option<f64> {
        let mut unrest = Unrest::default();
        (0..).map(|tenth| f64::from(tenth) / 10.0).take_while(|&s| s < budget.as_secs_f64()).find(
            |&seconds| {
                let spent = Duration::from_secs_f64(seconds);
                let marks: &[_] = if quiet(seconds) { &[] } else { &[Disturbance::Shared] };
                unrest.note(spent, &[sample(&[Disturbance::Shared]), sample(marks)]);
                unrest.given_up(spent, budget, std::iter::once(case)).is_some()
            },
        )
    }

    const HOPELESS: Standing = Standing { processes: 3, has_undisturbed: false };

    #[test]
    fn a_neighbour_that_never_rests_ends_the_run_after_a_quarter_of_its_budget() {
        assert_eq!(run(BUDGET, |_| false, HOPELESS), Some(15.0));
    }

    #[test]
    fn a_machine_with_quiet_moments_now_and_then_is_not_given_up() {
        // One sample in fourteen seconds.
        assert_eq!(run(BUDGET, |seconds| seconds % 14.0 < 0.05, HOPELESS), None);
    }

    #[test]
    fn time_counts_from_the_last_quiet_moment() {
        assert_eq!(run(BUDGET, |seconds| seconds < 20.05, HOPELESS), Some(35.0));
    }

    #[test]
    fn short_budgets_are_spent() {
        assert_eq!(run(Duration::from_secs(4), |_| false, HOPELESS), None);
        assert_eq!(run(Duration::from_secs(10), |_| false, HOPELESS), Some(5.0));
    }

    #[test]
    fn cases_are_measured_in_several_processes_first() {
        let begun = Standing { processes: 2, ..HOPELESS };
        assert_eq!(run(BUDGET, |_| false, begun), None);
    }

    #[test]
    fn a_case_that_has_had_a_quiet_moment_may_have_another() {
        let case = Standing { has_undisturbed: true, ..HOPELESS };
        assert_eq!(run(BUDGET, |_| false, case), None);
    }

    #[test]
    fn one_case_with_hope_keeps_the_others() {
        let unrest = Unrest::default();
        let hopeful = Standing { has_undisturbed: true, ..HOPELESS };
        assert_eq!(unrest.given_up(BUDGET, BUDGET, [HOPELESS, hopeful].into_iter()), None);
        assert!(unrest.given_up(BUDGET, BUDGET, [HOPELESS; 2].into_iter()).is_some());
    }

    #[test]
    fn it_is_said_what_was_seen_and_what_to_do() {
        use Disturbance::{Shared, Steal};
        let mut unrest = Unrest::default();
        unrest.note(Duration::ZERO, &[sample(&[])]);
        unrest.note(Duration::from_secs(1), &[sample(&[Shared]), sample(&[Shared, Steal])]);
        unrest.note(Duration::from_secs(2), &[sample(&[Shared]), sample(&[Steal])]);
        let told = unrest.given_up(Duration::from_secs(16), BUDGET, std::iter::once(HOPELESS));
        assert_eq!(
            told.as_deref(),
            Some(
                "no quiet moment in 16 s: of 4 samples 75 % shared their core with other work, \
                 50 % lost CPU time to others; what has no figure has an upper bound. Measure \
                 again when the machine is quieter, or wait longer for it with --budget 240s"
            )
        );
    }
}
