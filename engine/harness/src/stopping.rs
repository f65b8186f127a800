//! When a case has been measured enough.
//!
//! The same rule, in Python and from the stored samples, decides what a row shows
//! (`python/ciphermark/statistics/stopping.py`); `tests/golden/stopping.json` holds the two equal.
//!
//! A worker process is one observation: where code, tables and buffers lie differs from process to
//! process, and often costs more than what varies within one. Every process takes equally many groups
//! of slices; its value is the median of their medians. The estimate is the median of the processes,
//! and its 95 % interval comes from their order statistics, which suppose nothing about their
//! distribution, and from what moves figures from run to run, which the processes of one run do not
//! show.

use ciphermark_record::plan::Plan;

use crate::clock::median;

/// No function is asked to be known better than this, cycles per message: the loop's own cost,
/// which was subtracted, is not (see `benchmarks/harness_floor.py`).
pub const RESOLUTION_CYCLES: f64 = 0.25;

/// Probability with which the median lies beyond one end of the interval. Less than 2.5 %, because a
/// case is looked at several times and stops at the first narrow interval: with this tail the
/// intervals of cases that stopped hold the truth 95 times in 100 (`tests/test_coverage.py`).
const TAIL: f64 = 0.0175;

/// In two states that are told apart, the rarer one has at least this share of the groups.
const FEWEST_OF_A_STATE: f64 = 0.25;

/// The states are this many times as far apart as the wanted precision at least, and as the middle
/// half of either is wide.
const STATES_APART: f64 = 3.0;
const STATES_WIDE: f64 = 4.0;

/// Fewer groups do not show two states.
const FEWEST_GROUPS_OF_STATES: usize = 12;

/// What is wanted.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// Half-width of the interval as a share of the estimate.
    pub precision: f64,
    /// What a figure moves by from run to run, likewise; the interval has it in it.
    pub reproducibility: f64,
    pub min_processes: u32,
    pub min_groups: u32,
    /// Least time between the first and the last group, nanoseconds.
    pub min_span_ns: u64,
}

impl Rule {
    /// Gives the rule that the cases of a plan are measured by.
    pub fn of(plan: &Plan) -> Self {
        Self {
            precision: plan.precision,
            reproducibility: plan.sampling.reproducibility,
            min_processes: plan.sampling.min_processes,
            min_groups: plan.sampling.min_groups,
            min_span_ns: (plan.sampling.min_span_ms * 1e6) as u64,
        }
    }
}

/// What is kept of the samples of one case.
#[derive(Clone, Debug, Default)]
pub struct Observations {
    /// Those that have a group that counts.
    processes: Vec<Process>,
    samples: u64,
    disturbed: u64,
}

#[derive(Clone, Debug)]
struct Process {
    number: u32,
    groups: Vec<Group>,
}

#[derive(Clone, Copy, Debug)]
struct Group {
    at_ns: u64,
    value: f64,
}

/// Why a case has not converged, in the order in which it is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// Too few processes or groups, since more than half of the samples were disturbed.
    Disturbed,
    /// Too few processes.
    Processes,
    /// Too few groups.
    Groups,
    /// The groups lie in two clusters.
    States,
    /// The interval is too wide.
    Interval,
    /// The earlier and the later half of the processes differ.
    Halves,
    /// All groups were taken within too short a time.
    Span,
}

/// Estimate and interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    pub value: f64,
    /// Absent with fewer than six processes.
    pub interval: Option<(f64, f64)>,
}

impl Process {
    fn value(&self) -> f64 {
        median(&mut self.groups.iter().map(|group| group.value).collect::<Vec<_>>())
    }
}

impl Observations {
    /// Adds the slices of one group, taken by this process: value (cycles per message) and whether
    /// it was disturbed. Processes follow one another.
    pub fn add_group(&mut self, process: u32, at_ns: u64, slices: &[(f64, bool)]) {
        self.samples += slices.len() as u64;
        let mut undisturbed: Vec<f64> =
            slices.iter().filter(|(_, disturbed)| !disturbed).map(|&(value, _)| value).collect();
        self.disturbed += (slices.len() - undisturbed.len()) as u64;
        if undisturbed.is_empty() {
            return;
        }
        let group = Group { at_ns, value: median(&mut undisturbed) };
        match self.processes.last_mut() {
            Some(last) if last.number == process => last.groups.push(group),
            _ => self.processes.push(Process { number: process, groups: vec![group] }),
        }
    }

    /// Takes back what the last process has found, if it is this one, of which so many samples are
    /// found to be disturbed only now.
    pub fn forget_process(&mut self, process: u32, disturbed: u64) {
        self.disturbed += disturbed;
        if self.processes.last().is_some_and(|last| last.number == process) {
            self.processes.pop();
        }
    }

    /// How many processes have a group that counts.
    pub fn processes(&self) -> u32 {
        self.processes.len() as u32
    }

    /// Median of the processes; none before the first undisturbed sample.
    pub fn median(&self) -> Option<f64> {
        self.estimate(0.0).map(|estimate| estimate.value)
    }

    /// Median of the processes and its interval; none before the first undisturbed sample.
    ///
    /// The arms of the interval are those of the order statistics and the reproducibility, as shares
    /// of a cost that err independently.
    pub fn estimate(&self, reproducibility: f64) -> Option<Estimate> {
        let mut values: Vec<f64> = self.processes.iter().map(Process::value).collect();
        if values.is_empty() {
            return None;
        }
        let value = median(&mut values); // sorts
        let moved = reproducibility * value;
        let interval = interval_rank(values.len()).map(|rank| {
            let (low, high) = (values[rank - 1], values[values.len() - rank]);
            (value - (value - low).hypot(moved), value + (high - value).hypot(moved))
        });
        Some(Estimate { value, interval })
    }

    /// What is still missing; nothing when the case has converged.
    pub fn missing(&self, rule: &Rule) -> Option<Missing> {
        let few = |missing| {
            let is_mostly_disturbed = 2 * self.disturbed > self.samples;
            Some(if is_mostly_disturbed { Missing::Disturbed } else { missing })
        };
        let estimate = self.estimate(rule.reproducibility);
        let Some(Estimate { value, interval: Some((low, high)) }) = estimate else {
            return few(Missing::Processes);
        };
        let tolerance = (rule.precision * value.abs()).max(RESOLUTION_CYCLES);
        if self.processes() < rule.min_processes {
            few(Missing::Processes)
        } else if self.groups().count() < rule.min_groups as usize {
            few(Missing::Groups)
        } else if self.has_two_states(tolerance) {
            Some(Missing::States)
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

    fn groups(&self) -> impl Iterator<Item = &Group> {
        self.processes.iter().flat_map(|process| &process.groups)
    }

    /// Whether the groups lie in two clusters: with the widest gap that leaves enough groups on
    /// either side, far wider than either cluster.
    fn has_two_states(&self, tolerance: f64) -> bool {
        let mut values: Vec<f64> = self.groups().map(|group| group.value).collect();
        if values.len() < FEWEST_GROUPS_OF_STATES {
            return false;
        }
        values.sort_by(f64::total_cmp);
        let fewest = (FEWEST_OF_A_STATE * values.len() as f64).ceil() as usize;
        let gap = |split: &usize| values[*split] - values[split - 1];
        let splits = fewest..=values.len() - fewest;
        // Of equal gaps the first.
        let widest = splits.rev().max_by(|a, b| gap(a).total_cmp(&gap(b)));
        widest.is_some_and(|split| {
            let (lower, upper) = values.split_at(split);
            let wide = middle_half(lower).max(middle_half(upper));
            gap(&split) > (STATES_APART * tolerance).max(STATES_WIDE * wide)
        })
    }

    fn halves_differ_by(&self) -> f64 {
        let half = self.processes.len() / 2;
        let of = |processes: &[Process]| {
            median(&mut processes.iter().map(Process::value).collect::<Vec<_>>())
        };
        (of(&self.processes[..half]) - of(&self.processes[self.processes.len() - half..])).abs()
    }

    fn span_ns(&self) -> u64 {
        let first = self.groups().next().map_or(0, |group| group.at_ns);
        self.groups().last().map_or(0, |group| group.at_ns) - first
    }
}

/// Processes after which a case is looked at: each some 1.4 times the one before, since a look after each
/// would find more narrow intervals that are narrow by chance; and each the fewest with which one more
/// of them falls away at either end of the interval. Between two such counts the interval only gets
/// wider: that of nine processes goes from the least to the greatest, as that of six does.
const LOOKS: [u32; 13] = [6, 10, 13, 18, 26, 36, 50, 69, 96, 132, 182, 251, MOST_PROCESSES];

/// A case that has not converged in so many processes would keep all others waiting: its interval gets
/// half as wide with four times as many.
pub const MOST_PROCESSES: u32 = 347;

/// The next count of processes at which a case is looked at.
pub fn next_look(processes: u32) -> Option<u32> {
    LOOKS.into_iter().find(|&look| look > processes)
}

/// Whether cases are looked at after so many processes.
pub fn is_look(processes: u32) -> bool {
    LOOKS.contains(&processes)
}

/// Width of the middle half of sorted values.
fn middle_half(sorted: &[f64]) -> f64 {
    let last = sorted.len() - 1;
    sorted[last - last / 4] - sorted[last / 4]
}

/// Powers of one half are still exact in floating point up to here.
const EXACT_UP_TO: usize = 1000;

/// The largest r with P(Binomial(n, ½) ≤ r − 1) ≤ [`TAIL`]: the r-th smallest and r-th largest of n
/// observations bound the median. None for n < 6. Beyond [`EXACT_UP_TO`] observations the normal
/// approximation gives the same rank to within one.
fn interval_rank(n: usize) -> Option<usize> {
    /// Normal quantile of `1 - TAIL`.
    const Z: f64 = 2.108_358_399_169_218;
    if n > EXACT_UP_TO {
        return Some(((n as f64 - Z * (n as f64).sqrt()) / 2.0).floor() as usize);
    }
    let mut probability = 0.5_f64.powi(i32::try_from(n).unwrap_or(i32::MAX));
    let mut cumulated = 0.0;
    let mut rank = 0;
    while rank < n {
        cumulated += probability;
        if cumulated > TAIL {
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
    fn ranks_are_those_of_the_binomial_distribution() {
        // scipy.stats.binom.cdf(r - 1, n, 0.5) <= 0.0175
        let expected =
            [(5, None), (6, Some(1)), (9, Some(1)), (12, Some(2)), (18, Some(5)), (100, Some(39))];
        for (n, rank) in expected {
            assert_eq!(interval_rank(n), rank, "n = {n}");
        }
    }

    #[test]
    fn a_steady_case_converges_at_the_fewest_processes() {
        let rule = Rule {
            precision: 0.01,
            reproducibility: 0.0,
            min_processes: 6,
            min_groups: 6,
            min_span_ns: 5,
        };
        let mut observations = Observations::default();
        for process in 0..6 {
            assert!(observations.missing(&rule).is_some());
            let slices = [(100.0, false), (100.1, false), (250.0, true)];
            observations.add_group(process, u64::from(process), &slices);
        }
        assert_eq!(observations.missing(&rule), None);
    }

    #[test]
    fn many_groups_of_one_process_are_one_observation() {
        let rule = Rule {
            precision: 0.01,
            reproducibility: 0.0,
            min_processes: 6,
            min_groups: 6,
            min_span_ns: 0,
        };
        let mut observations = Observations::default();
        (0..100).for_each(|at_ns| observations.add_group(0, at_ns, &[(100.0, false)]));
        assert_eq!(observations.missing(&rule), Some(Missing::Processes));
        assert_eq!(observations.estimate(0.0), Some(Estimate { value: 100.0, interval: None }));
    }

    #[test]
    fn looks_are_at_fixed_counts() {
        let looks: Vec<u32> = (0..100).filter(|&processes| is_look(processes)).collect();
        assert_eq!(looks, [6, 10, 13, 18, 26, 36, 50, 69, 96]);
        assert_eq!([0, 6, 9, 346].map(next_look), [6, 10, 10, MOST_PROCESSES].map(Some));
        assert_eq!(next_look(MOST_PROCESSES), None);
    }

    #[test]
    fn the_approximation_continues_the_exact_ranks() {
        let exact = interval_rank(EXACT_UP_TO).unwrap();
        let approximate = interval_rank(EXACT_UP_TO + 2).unwrap();
        assert!(exact.abs_diff(approximate) <= 2, "{exact} {approximate}");
    }
}
