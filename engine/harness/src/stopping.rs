//! When a case has been measured enough.
//!
//! The same rule, in Python and from the stored samples, decides what a row shows
//! (`python/ciphermark/analyse/statistics.py`); `tests/golden/stopping.json` holds the two equal.
//!
//! A group of slices is one observation, since its slices share their conditions. The estimate is
//! the median of the groups' medians, its 95 % interval comes from their order statistics, which
//! supposes nothing about their distribution.

use crate::clock::median;

/// No function is asked to be known better than this, cycles per message: the loop's own cost,
/// which was subtracted, is not (see `benchmarks/harness_floor.py`).
const RESOLUTION_CYCLES: f64 = 0.25;

/// What is wanted.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// Half-width of the interval as a share of the estimate.
    pub precision: f64,
    pub min_groups: u32,
    /// Least time between the first and the last group, nanoseconds.
    pub min_span_ns: u64,
}

/// What is kept of the samples of one case.
#[derive(Clone, Debug, Default)]
pub struct Observations {
    groups: Vec<Observed>,
    samples: u64,
    disturbed: u64,
}

#[derive(Clone, Copy, Debug)]
struct Observed {
    at_ns: u64,
    value: f64,
}

/// Why a case has not converged, in the order in which it is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// More than half of the samples were disturbed.
    Disturbed,
    /// Too few groups.
    Groups,
    /// The interval is too wide.
    Interval,
    /// The earlier and the later half of the groups differ.
    Halves,
    /// All groups were taken within too short a time.
    Span,
}

/// Estimate and interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    pub value: f64,
    /// Absent with fewer than six groups.
    pub interval: Option<(f64, f64)>,
}

impl Observations {
    /// Adds the slices of one group: value (cycles per message) and whether it was disturbed.
    pub fn add_group(&mut self, at_ns: u64, slices: &[(f64, bool)]) {
        self.samples += slices.len() as u64;
        let mut undisturbed: Vec<f64> =
            slices.iter().filter(|(_, disturbed)| !disturbed).map(|&(value, _)| value).collect();
        self.disturbed += (slices.len() - undisturbed.len()) as u64;
        if !undisturbed.is_empty() {
            self.groups.push(Observed { at_ns, value: median(&mut undisturbed) });
        }
    }

    /// Median of the groups and its interval; none before the first undisturbed sample.
    pub fn estimate(&self) -> Option<Estimate> {
        let mut values: Vec<f64> = self.groups.iter().map(|group| group.value).collect();
        if values.is_empty() {
            return None;
        }
        let value = median(&mut values); // sorts
        let interval =
            interval_rank(values.len()).map(|rank| (values[rank - 1], values[values.len() - rank]));
        Some(Estimate { value, interval })
    }

    /// What is still missing; nothing when the case has converged.
    pub fn missing(&self, rule: &Rule) -> Option<Missing> {
        let estimate = self.estimate();
        if 2 * self.disturbed > self.samples {
            return Some(Missing::Disturbed);
        }
        let Some(Estimate { value, interval: Some((low, high)) }) = estimate else {
            return Some(Missing::Groups);
        };
        let tolerance = (rule.precision * value.abs()).max(RESOLUTION_CYCLES);
        if self.groups.len() < rule.min_groups as usize {
            Some(Missing::Groups)
        } else if (high - low) / 2.0 > tolerance {
            Some(Missing::Interval)
        } else if self.halves_differ_by() > tolerance {
            Some(Missing::Halves)
        } else if self.span_ns() < rule.min_span_ns {
            Some(Missing::Span)
        } else {
            None
        }
    }

    fn halves_differ_by(&self) -> f64 {
        let half = self.groups.len() / 2;
        let of = |groups: &[Observed]| {
            median(&mut groups.iter().map(|group| group.value).collect::<Vec<_>>())
        };
        (of(&self.groups[..half]) - of(&self.groups[self.groups.len() - half..])).abs()
    }

    fn span_ns(&self) -> u64 {
        self.groups[self.groups.len() - 1].at_ns - self.groups[0].at_ns
    }
}

/// Powers of one half are still exact in floating point up to here.
const EXACT_UP_TO: usize = 1000;

/// The largest r with P(Binomial(n, ½) ≤ r − 1) ≤ 2.5 %: the r-th smallest and r-th largest of n
/// observations bound the median with at least 95 % confidence. None for n < 6. Beyond
/// [`EXACT_UP_TO`] observations the normal approximation gives the same rank to within one.
fn interval_rank(n: usize) -> Option<usize> {
    if n > EXACT_UP_TO {
        return Some(((n as f64 - 1.96 * (n as f64).sqrt()) / 2.0).floor() as usize);
    }
    let mut probability = 0.5_f64.powi(i32::try_from(n).unwrap_or(i32::MAX));
    let mut cumulated = 0.0;
    let mut rank = 0;
    while rank < n {
        cumulated += probability;
        if cumulated > 0.025 {
            break;
        }
        rank += 1;
        probability *= (n - rank + 1) as f64 / rank as f64;
    }
    (rank > 0).then_some(rank)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_those_of_the_tables() {
        // Conover, Practical Nonparametric Statistics, table of the sign test.
        let expected = [
            (5, None),
            (6, Some(1)),
            (8, Some(1)),
            (9, Some(2)),
            (12, Some(3)),
            (20, Some(6)),
            (100, Some(40)),
        ];
        for (n, rank) in expected {
            assert_eq!(interval_rank(n), rank, "n = {n}");
        }
    }

    #[test]
    fn a_steady_case_converges_at_the_fewest_groups() {
        let rule = Rule { precision: 0.01, min_groups: 6, min_span_ns: 5 };
        let mut observations = Observations::default();
        for group in 0..6 {
            assert!(observations.missing(&rule).is_some());
            observations.add_group(group, &[(100.0, false), (100.1, false), (250.0, true)]);
        }
        assert_eq!(observations.missing(&rule), None);
    }

    #[test]
    fn the_approximation_continues_the_exact_ranks() {
        let exact = interval_rank(EXACT_UP_TO).unwrap();
        let approximate = interval_rank(EXACT_UP_TO + 2).unwrap();
        assert!(exact.abs_diff(approximate) <= 2, "{exact} {approximate}");
    }
}
