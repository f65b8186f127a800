//! For how long a case has to be called before a group, until the processor has settled.
//!
//! After other cases branch predictors, and whatever else in a processor learns, may stay for
//! milliseconds in a state in which a message costs more than in a long stream of such messages. Most
//! cases settle within a part of that time, so not all are called for the longest: groups after shorter
//! calls are compared with one after the longest. Two groups differ by chance too, so that several
//! processes have to show that calls are too short, and none that was chosen because it seemed to.

use ciphermark_harness::stopping::RESOLUTION_CYCLES;

/// Calls before a group, as shares of the longest. None are for cases that cannot settle late alone: of the
/// others too many groups would cost something else (`benchmarks/states.py`).
const SHARES: [f64; 4] = [0.0, 1.0 / 16.0, 0.25, 1.0];

/// Groups of one process differ by the precision by chance, beside a neighbour most of all. So calls are too
/// short where they differ by so many times the precision, or what the loop's cost repeats to.
const TELLING: f64 = 2.0;

/// Processes that have to show that calls are too short, and before one is asked have groups that cost more
/// than settled ones: by chance single ones do.
const FEWEST_DIFFERED: u32 = 2;

/// After so many processes it is known whether most of them do.
const ENOUGH_COMPARED: u32 = 4;

/// One of [`SHARES`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Calls(usize);

impl Calls {
    pub const NONE: Self = Self(0);
    pub const SHORTEST: Self = Self(1);
    pub const LONGEST: Self = Self(SHARES.len() - 1);

    pub fn share(self) -> f64 {
        SHARES[self.0]
    }

    fn longer(self) -> Self {
        Self((self.0 + 1).min(Self::LONGEST.0))
    }
}

/// What is known of how a case settles.
#[derive(Debug)]
pub struct Settling {
    /// The shortest calls that may be enough: all shorter ones were not. None where none can be too short.
    enough: Calls,
    /// Cycles per message after the longest calls, of each process that was asked.
    references: Vec<f64>,
    /// Processes that are high, since one was asked for it.
    high: u32,
    /// Whether groups of a process differed before and after the longest calls.
    is_suspected: bool,
    /// Processes in which such groups were compared and that were not asked because they were high, since the
    /// calls that may be enough are as long as they are.
    compared: u32,
    /// Those in which the early one cost less, and in which it cost more.
    differed: [u32; 2],
    process: Process,
}

/// What the present process has shown.
#[derive(Debug, Default)]
struct Process {
    /// Cycles per message after the longest calls.
    settled: Option<f64>,
    /// Groups after shorter calls: round and cycles per message.
    early: Vec<(u32, f64)>,
    /// Whether it has taken a group after the longest calls, though a disturbed one tells nothing.
    was_asked: bool,
    /// Whether an early group costs so much more than all references that one after the longest calls has to
    /// say whether the process differs, or settles later.
    is_high: bool,
    /// Whether it was asked because it was high: what a process shows that was chosen for it tells little of
    /// the others.
    asked_as_high: bool,
    /// Whether its groups differed before and after the longest calls.
    has_differed: bool,
}

impl Settling {
    pub fn new(may_settle_late: bool) -> Self {
        Self {
            enough: if may_settle_late { Calls::SHORTEST } else { Calls::NONE },
            references: Vec::new(),
            high: 0,
            is_suspected: false,
            compared: 0,
            differed: [0; 2],
            process: Process::default(),
        }
    }

    /// A fresh process takes the next groups.
    pub fn begin_process(&mut self) {
        let last = std::mem::take(&mut self.process);
        let has_compared = last.settled.is_some() && !last.early.is_empty();
        if has_compared && !last.has_differed && !last.asked_as_high {
            self.compared += 1;
        }
    }

    /// Whether this process takes another group, when it has one that counts: after calls only one that
    /// tells more about how the case settles, since the calls take far longer than the group.
    pub fn wants_another(&self) -> bool {
        self.enough == Calls::NONE || self.asks() || self.wants_early_group()
    }

    /// Whether the next group is taken to find out which calls are enough. A process does so once, since
    /// beside a neighbour most groups would tell nothing.
    pub fn asks(&self) -> bool {
        let is_unsure = self.references.is_empty() || self.is_doubted() || self.may_be_shown();
        self.is_open() && is_unsure && !self.process.was_asked
    }

    /// Whether a group after shorter calls is still to be compared with this process's settled cost.
    fn wants_early_group(&self) -> bool {
        let Process { settled, early, has_differed, .. } = &self.process;
        let lacks_one = settled.is_some() && early.is_empty() && !has_differed;
        self.is_open() && self.may_be_shown() && lacks_one
    }

    fn is_open(&self) -> bool {
        self.enough != Calls::NONE && self.enough != Calls::LONGEST
    }

    /// Whether a process has shown that calls are too short, and others may show that they are in most.
    fn may_be_shown(&self) -> bool {
        let alike = self.differed[0].max(self.differed[1]);
        let mut more = 1..=ENOUGH_COMPARED.saturating_sub(self.compared);
        self.is_suspected && more.any(|more| is_shown(alike + more, self.compared + more))
    }

    fn is_doubted(&self) -> bool {
        self.process.is_high && self.high >= FEWEST_DIFFERED
    }

    /// The shortest calls that may be enough.
    pub fn enough(&self) -> Calls {
        self.enough
    }

    /// The calls before the next group, which is taken.
    pub fn next_calls(&mut self) -> Calls {
        if !self.asks() {
            return self.enough;
        }
        (self.process.was_asked, self.process.asked_as_high) = (true, self.process.is_high);
        Calls::LONGEST
    }

    /// Learns from a group. Returns the rounds of those of this process that were taken too early.
    pub fn note(&mut self, round: u32, cycles: f64, calls: Calls, precision: f64) -> Vec<u32> {
        let tolerance = TELLING * (precision * cycles).max(RESOLUTION_CYCLES);
        let differs = |other: f64| (cycles - other).abs() > tolerance;
        if self.enough == Calls::LONGEST {
            return Vec::new();
        }
        let process = &mut self.process;
        if calls == Calls::LONGEST {
            self.references.push(cycles);
            process.settled = Some(cycles);
            if process.asked_as_high {
                self.high = 0;
            }
            let Some(&(_, early)) = process.early.iter().find(|&&(_, early)| differs(early)) else {
                return Vec::new();
            };
            let rounds = std::mem::take(&mut process.early).into_iter().map(|(round, _)| round);
            self.note_difference(early > cycles);
            return rounds.collect();
        }
        match process.settled {
            Some(settled) if differs(settled) => {
                self.note_difference(cycles > settled);
                return vec![round];
            }
            None if !self.references.is_empty() => {
                let costs_more = |&known: &f64| cycles - known > tolerance;
                if !process.is_high && self.references.iter().all(costs_more) {
                    (process.is_high, self.high) = (true, self.high + 1);
                }
            }
            _ => {}
        }
        process.early.push((round, cycles));
        Vec::new()
    }

    /// Longer calls are tried when most processes have shown the same.
    fn note_difference(&mut self, early_costs_more: bool) {
        if self.process.has_differed {
            return;
        }
        (self.process.has_differed, self.is_suspected) = (true, true);
        if self.process.asked_as_high {
            return;
        }
        self.compared += 1;
        let alike = &mut self.differed[usize::from(early_costs_more)];
        *alike += 1;
        if is_shown(*alike, self.compared) {
            self.enough = self.enough.longer();
            (self.compared, self.differed, self.is_suspected) = (0, [0; 2], false);
        }
    }
}

/// Whether so many processes show that calls are too short, of all that were compared.
fn is_shown(differed: u32, compared: u32) -> bool {
    differed >= FEWEST_DIFFERED && 2 * differed > compared
}

#[cfg(test)]
mod tests {
    use rand::RngExt;
    use rand_chacha::ChaCha12Rng;
    use rand_chacha::rand_core::SeedableRng;

    use super::*;

    /// Of which groups have to differ twice as much.
    const PRECISION: f64 = 0.005;
    const SHORTEST: Calls = Calls::SHORTEST;
    const LONGER: Calls = Calls(2);

    /// Takes a group of these cycles per message: after which calls, and which rounds were too early.
    fn take(settling: &mut Settling, round: u32, cycles: f64) -> (Calls, Vec<u32>) {
        let calls = settling.next_calls();
        (calls, settling.note(round, cycles, calls, PRECISION))
    }

    /// After groups of one process.
    fn after(groups: &[f64]) -> Settling {
        let mut settling = Settling::new(true);
        for (round, &cycles) in groups.iter().enumerate() {
            take(&mut settling, round as u32, cycles);
        }
        settling.begin_process();
        settling
    }

    #[test]
    fn early_groups_that_cost_the_same_show_that_a_case_settles_at_once() {
        // The loop's cost does not repeat better than a quarter of a cycle, and each differs by chance.
        for groups in [[1000.0, 1008.0, 992.0], [20.0, 20.2, 19.8]] {
            let mut settling = after(&groups);
            assert!(!settling.asks());
            assert_eq!(take(&mut settling, 3, groups[0]), (SHORTEST, vec![]));
        }
    }

    #[test]
    fn an_early_group_that_costs_else_does_not_count() {
        let mut settling = Settling::new(true);
        assert_eq!(take(&mut settling, 0, 1000.0), (Calls::LONGEST, vec![]));
        assert_eq!(take(&mut settling, 1, 1012.0), (SHORTEST, vec![1]));
        assert_eq!(take(&mut settling, 2, 1003.0), (SHORTEST, vec![]));
    }

    #[test]
    fn longer_calls_are_tried_when_most_processes_show_that_they_are_needed() {
        let mut settling = after(&[1000.0, 1012.0, 1015.0]);
        assert_eq!(take(&mut settling, 3, 1003.0), (Calls::LONGEST, vec![]));
        assert!(settling.wants_another(), "one early group to compare it with");
        assert_eq!(take(&mut settling, 4, 1020.0), (SHORTEST, vec![4]));
        assert!(!settling.wants_another());
        settling.begin_process();
        assert_eq!(take(&mut settling, 6, 1003.0), (LONGER, vec![]));
        assert!(!settling.wants_another(), "longer ones are enough so far");
    }

    #[test]
    fn groups_that_differed_by_chance_do_not_call_for_longer_calls() {
        for second in [[1000.0, 1002.0], [1020.0, 1000.0]] {
            let mut settling = after(&[1000.0, 1012.0]);
            assert_eq!(take(&mut settling, 3, second[0]).0, Calls::LONGEST);
            take(&mut settling, 4, second[1]);
            settling.begin_process();
            assert_eq!(settling.enough, SHORTEST, "once equal, once the other way around");
        }
    }

    #[test]
    fn the_second_process_that_differs_is_asked_after_the_longest_calls() {
        let mut settling = after(&[1000.0, 1001.0]);
        assert_eq!(take(&mut settling, 3, 1009.0), (SHORTEST, vec![]));
        assert_eq!(take(&mut settling, 4, 1100.0), (SHORTEST, vec![]));
        assert!(!settling.asks(), "one differs by chance");
        settling.begin_process();
        assert_eq!(take(&mut settling, 6, 1100.0), (SHORTEST, vec![]));
        assert_eq!(take(&mut settling, 7, 1005.0), (Calls::LONGEST, vec![6]));
        for round in [9, 12] {
            settling.begin_process();
            assert_eq!(settling.enough, SHORTEST, "one that was chosen for it proves nothing");
            assert_eq!(take(&mut settling, round, 1000.0), (Calls::LONGEST, vec![]));
            assert_eq!(take(&mut settling, round + 1, 1200.0), (SHORTEST, vec![round + 1]));
        }
        for round in [15, 18] {
            settling.begin_process();
            assert_eq!(take(&mut settling, round, 1200.0).0, LONGER);
        }
        assert!(settling.wants_another());
        assert_eq!(take(&mut settling, 19, 1000.0), (Calls::LONGEST, vec![18]));
        for round in [21, 24] {
            settling.begin_process();
            assert_eq!(take(&mut settling, round, 1000.0), (Calls::LONGEST, vec![]));
            assert_eq!(take(&mut settling, round + 1, 1200.0), (LONGER, vec![round + 1]));
        }
        settling.begin_process();
        assert_eq!(take(&mut settling, 27, 1300.0), (Calls::LONGEST, vec![]));
        assert!(!settling.wants_another(), "no calls are longer");
    }

    #[test]
    fn no_process_is_asked_when_no_majority_can_come_of_it() {
        let mut settling = after(&[1000.0, 1012.0]);
        for round in [3, 6] {
            assert!(settling.asks());
            take(&mut settling, round, 1000.0);
            take(&mut settling, round + 1, 1001.0);
            settling.begin_process();
        }
        assert!(!settling.asks(), "one of three, of four at most");
        let mut settling = after(&[1000.0]);
        for round in [3, 6] {
            take(&mut settling, round, 1100.0);
            settling.begin_process();
        }
        take(&mut settling, 9, 1100.0);
        take(&mut settling, 10, 1000.0);
        for round in [12, 15] {
            settling.begin_process();
            assert!(settling.asks());
            take(&mut settling, round, 1000.0);
            take(&mut settling, round + 1, 1001.0);
        }
        settling.begin_process();
        assert!(!settling.asks(), "none of two, of four at most");
    }

    #[test]
    fn groups_that_differ_by_chance_seldom_call_for_longer_calls() {
        let mut random = ChaCha12Rng::seed_from_u64(1);
        let mut cycles =
            || 1000.0 + 4.0 * (0..6).map(|_| random.random_range(-1.0..1.0)).sum::<f64>();
        let (cases, processes) = (1000, 36);
        let called_longer = (0..cases).filter(|_| {
            let mut settling = Settling::new(true);
            for process in 0..processes {
                for group in 0..3 {
                    if group == 0 || settling.asks() || settling.wants_early_group() {
                        take(&mut settling, 10 * process + group, cycles());
                    }
                }
                settling.begin_process();
            }
            settling.enough != SHORTEST
        });
        let share = called_longer.count() as f64 / f64::from(cases);
        assert!(share < 0.04, "{share}");
    }

    #[test]
    fn a_process_that_differs_after_the_longest_calls_too_has_settled() {
        let mut settling = after(&[1000.0, 1001.0]);
        take(&mut settling, 3, 1100.0);
        settling.begin_process();
        take(&mut settling, 4, 1100.0);
        assert_eq!(take(&mut settling, 5, 1101.0), (Calls::LONGEST, vec![]));
        assert_eq!(take(&mut settling, 6, 1099.0), (SHORTEST, vec![]));
        // By so much processes differ: no other one has to show it again.
        settling.begin_process();
        take(&mut settling, 7, 1095.0);
        assert!(!settling.asks());
        for round in [10, 13] {
            assert!(!settling.asks());
            settling.begin_process();
            take(&mut settling, round, 1150.0);
        }
        assert!(settling.asks());
    }

    #[test]
    fn what_costs_less_than_a_settled_group_has_settled() {
        let mut settling = after(&[1000.0]);
        assert_eq!(take(&mut settling, 3, 900.0), (SHORTEST, vec![]));
        assert!(!settling.wants_another());
    }

    #[test]
    fn a_process_asks_once_though_it_learns_nothing() {
        let mut settling = Settling::new(true);
        assert_eq!(settling.next_calls(), Calls::LONGEST); // disturbed
        assert_eq!(take(&mut settling, 1, 1000.0), (SHORTEST, vec![]));
        settling.begin_process();
        assert!(settling.asks());
        // One that has a reference from another process needs none of its own.
        let mut settling = after(&[1000.0]);
        assert!(!settling.asks());
        assert_eq!(take(&mut settling, 3, 1100.0), (SHORTEST, vec![]));
        settling.begin_process();
        assert!(!settling.asks());
        assert_eq!(take(&mut settling, 4, 1100.0), (SHORTEST, vec![]));
        assert!(settling.asks());
    }

    #[test]
    fn what_cannot_settle_late_is_never_called_before() {
        let mut settling = Settling::new(false);
        for (round, cycles) in [100.0, 200.0, 300.0].into_iter().enumerate() {
            assert_eq!(take(&mut settling, round as u32, cycles), (Calls::NONE, vec![]));
            assert!(settling.wants_another());
        }
    }
}
