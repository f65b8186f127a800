//! Which of the CPUs share a core with another of them.
//!
//! Guests are seldom told, and some are told wrong; so it is measured: does a CPU's core look crowded
//! whenever the others work, and not when they sleep? For each bit of their numbers those with a zero
//! look while those with a one work, and the other way round, so that each two CPUs are tried.

use std::sync::Barrier;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use ciphermark_harness::{Calibration, Clock, HostClock, pinning};

/// Times that each CPU looks while the others sleep, and while they work, in turn. A neighbour that
/// comes and goes in this rhythm is not met.
const TURNS: usize = 5;

/// Looks in each of them, of which most have to agree: 70 µs.
const LOOKS: usize = 25;

/// Additions between two times that a working CPU asks whether it may end: some 1 µs.
const ADDITIONS: u32 = 1024;

/// Of each CPU in turn, whether another of them is a thread of the same core; nothing where there is
/// no other.
pub fn shares_core(cpus: &[u32], calibration: &Calibration) -> Vec<Option<bool>> {
    if cpus.len() < 2 {
        return vec![None; cpus.len()];
    }
    let meeting = Meeting {
        barrier: Barrier::new(cpus.len()),
        looking: AtomicUsize::new(0),
        calibration,
        bits: cpus.len().next_power_of_two().trailing_zeros(),
    };
    thread::scope(|scope| {
        let meeting = &meeting;
        let spawn = |(number, &cpu)| scope.spawn(move || meeting.attend(number, cpu));
        let threads: Vec<_> = cpus.iter().enumerate().map(spawn).collect();
        threads.into_iter().map(|thread| thread.join().ok()).collect()
    })
}

/// Where the threads of all CPUs do the same steps together.
struct Meeting<'a> {
    barrier: Barrier,
    /// Those that have not ended their looks of this step.
    looking: AtomicUsize,
    calibration: &'a Calibration,
    bits: u32,
}

impl Meeting<'_> {
    /// What one CPU does and finds. Every thread comes to every barrier, also where it cannot have its
    /// CPU: the others would wait for it.
    fn attend(&self, number: usize, cpu: u32) -> bool {
        let has_cpu = pinning::pin(cpu).is_ok();
        let mut clock = HostClock::without_pmu(self.calibration.ticks_per_ns);
        let mut shares = false;
        for bit in 0..self.bits {
            for looking_side in [0, 1] {
                let looks = (number >> bit) & 1 == looking_side;
                let turns: Vec<[bool; 2]> = (0..TURNS)
                    .map(|_| [false, true].map(|busy| self.step(&mut clock, looks, busy)))
                    .collect();
                shares |= looks && is_crowded_by_them(&turns);
            }
        }
        has_cpu && shares
    }

    /// One CPU looks at its core while the other side sleeps or works. Returns whether it was crowded.
    fn step(&self, clock: &mut HostClock, looks: bool, busy: bool) -> bool {
        if looks {
            self.looking.fetch_add(1, Ordering::SeqCst);
        }
        self.barrier.wait();
        let mut crowded = 0;
        if looks {
            let found = (0..LOOKS).filter(|_| self.calibration.look(clock).crowded);
            crowded = found.count();
            self.looking.fetch_sub(1, Ordering::SeqCst);
        } else if busy {
            while self.looking.load(Ordering::SeqCst) > 0 {
                clock.wide_additions(ADDITIONS);
            }
        }
        self.barrier.wait();
        2 * crowded > LOOKS
    }
}

/// Whether a core was crowded each time that the others worked, and mostly not when they slept.
fn is_crowded_by_them(turns: &[[bool; 2]]) -> bool {
    let asleep = turns.iter().filter(|[asleep, _]| *asleep).count();
    turns.iter().all(|[_, busy]| *busy) && 2 * asleep < turns.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sibling_is_one_that_crowds_whenever_it_works() {
        assert!(is_crowded_by_them(&[[false, true]; 5]));
        assert!(is_crowded_by_them(&[
            [false, true],
            [true, true],
            [false, true],
            [true, true],
            [false, true]
        ]));
    }

    #[test]
    fn a_neighbour_that_is_there_anyhow_is_none() {
        assert!(!is_crowded_by_them(&[[true, true]; 5]));
        assert!(!is_crowded_by_them(&[[false, false]; 5]));
    }

    #[test]
    fn a_neighbour_that_was_there_by_chance_is_none() {
        let mut turns = [[false, true]; 5];
        turns[3] = [false, false];
        assert!(!is_crowded_by_them(&turns));
    }

    #[test]
    fn all_cpus_are_told_whether_they_share() {
        let cpus = pinning::allowed_cpus().expect("the kernel tells");
        let calibration = Calibration::measure(&mut HostClock::open(), 1e9);
        let told = shares_core(&cpus, &calibration);
        assert_eq!(told.len(), cpus.len());
        assert!(told.iter().all(|shares| shares.is_some() == (cpus.len() > 1)), "{told:?}");
    }
}
