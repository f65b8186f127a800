//! The CPU that is measured on, which changes when its core is crowded and another one's is not.
//!
//! Neighbours come and go on each core by itself. A worker that moved for each group would find the
//! caches and predictors of another core each time; one that stays for half a second does not notice.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use ciphermark_harness::{pinning, quietest_cpu};

/// Between two moves at least.
const LEAST_STAY: Duration = Duration::from_millis(500);

/// Share of the time in which a neighbour kept the core, above which others are looked at.
const LOST: f64 = 0.3;

/// A group waits no longer for a neighbour to leave where another CPU may be quieter.
const LONGEST_WAIT: Duration = Duration::from_millis(100);

pub struct MeasuringCpu {
    cpu: u32,
    /// Those that it may be.
    candidates: Vec<u32>,
    /// Those that it was.
    used: BTreeSet<u32>,
    /// When it was last compared with the others, and the time that was lost to a neighbour since then.
    since: Instant,
    lost: Duration,
}

impl MeasuringCpu {
    /// Begins on that CPU, and stays there where the candidates are no others.
    pub fn new(cpu: u32, candidates: Vec<u32>) -> Self {
        let used = BTreeSet::from([cpu]);
        Self { cpu, candidates, used, since: Instant::now(), lost: Duration::ZERO }
    }

    pub fn number(&self) -> u32 {
        self.cpu
    }

    pub fn candidates(&self) -> &[u32] {
        &self.candidates
    }

    /// Those that were measured on.
    pub fn used(&self) -> &BTreeSet<u32> {
        &self.used
    }

    /// How long a group may wait here for a neighbour to leave.
    pub fn longest_wait(&self) -> Duration {
        if self.has_others() { LONGEST_WAIT } else { Duration::MAX }
    }

    fn has_others(&self) -> bool {
        self.candidates.len() > 1
    }

    /// So much of the time since the last call was lost to a neighbour.
    pub fn note(&mut self, lost: Duration) {
        self.lost += lost;
    }

    fn is_crowded(&self, stayed: Duration) -> bool {
        self.lost > stayed.mul_f64(LOST)
    }

    /// Another CPU where it is time to go there, which the caller is then bound to.
    pub fn next(&mut self) -> Option<u32> {
        let stayed = self.since.elapsed();
        if !self.has_others() || stayed < LEAST_STAY {
            return None;
        }
        let found = match self.is_crowded(stayed) {
            true => quietest_cpu::quieter_than(self.cpu, &self.candidates),
            false => None,
        };
        (self.since, self.lost) = (Instant::now(), Duration::ZERO);
        let cpu = found.filter(|&cpu| pinning::pin(cpu).is_ok())?;
        self.cpu = cpu;
        self.used.insert(cpu);
        Some(cpu)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn without_others_a_cpu_is_kept_and_waited_for() {
        let mut cpu = MeasuringCpu::new(1, vec![1]);
        cpu.since -= SECOND;
        cpu.note(SECOND);
        assert_eq!((cpu.next(), cpu.number()), (None, 1));
        assert_eq!(cpu.longest_wait(), Duration::MAX);
    }

    #[test]
    fn a_cpu_is_kept_while_neighbours_leave_it_alone() {
        let mut cpu = MeasuringCpu::new(1, vec![0, 1]);
        assert_eq!(cpu.longest_wait(), LONGEST_WAIT);
        cpu.note(SECOND / 10);
        assert!(cpu.is_crowded(SECOND / 10) && !cpu.is_crowded(SECOND));
        cpu.since -= SECOND;
        assert_eq!(cpu.next(), None);
        assert_eq!(cpu.lost, Duration::ZERO, "another stretch begins");
    }

    #[test]
    fn nobody_moves_at_once() {
        let mut cpu = MeasuringCpu::new(1, vec![0, 1]);
        cpu.note(SECOND);
        assert_eq!(cpu.next(), None);
        assert_eq!(cpu.lost, SECOND);
    }

    #[test]
    fn the_caller_goes_where_it_is_quieter() {
        std::thread::spawn(|| {
            let allowed = pinning::allowed_cpus().unwrap();
            let last = *allowed.last().unwrap();
            pinning::pin(last).unwrap();
            let mut cpu = MeasuringCpu::new(last, allowed.clone());
            cpu.since -= SECOND;
            cpu.note(SECOND);
            // Which one is quieter depends on the machine.
            let found = cpu.next();
            assert_ne!(found, Some(last));
            assert_eq!(pinning::allowed_cpus().unwrap(), [cpu.number()]);
            assert!(cpu.used().contains(&last) && cpu.used().contains(&cpu.number()));
        })
        .join()
        .unwrap();
    }
}
