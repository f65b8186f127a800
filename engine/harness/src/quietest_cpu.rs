//! The CPU to measure on: of those that may be used, one whose core nobody else uses just now.
//!
//! On a server some cores are idle while others have a neighbour all the time, another guest's perhaps,
//! of whom no file of the kernel tells.

use crate::calibration::{Chains, quickest_ratio};
use crate::clock::Clock;
use crate::host_clock::HostClock;
use crate::{environment, pinning};

/// CPUs that are looked at, the last ones: the first serve most interrupts.
const MOST_LOOKED_AT: usize = 16;

/// Looks at each CPU, and additions between two of them: 6 ms in all, as neighbours come and go.
const LOOKS: usize = 60;
const BETWEEN_LOOKS: u32 = 300_000;

/// Ticks of reading the clock, which are the same in both chains and few beside them.
const CLOCK_COST: f64 = 0.0;

/// The CPU wished for, else the quietest of those allowed whose core is of the kind of the last one.
/// Takes 6 ms for each CPU. The error is a sentence.
pub fn choose(wished: Option<u32>, allowed: &[u32]) -> Result<u32, String> {
    let listed = || allowed.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
    match wished {
        None => look_around(allowed).ok_or_else(|| "no CPU is allowed to this process".into()),
        Some(cpu) if allowed.contains(&cpu) => Ok(cpu),
        Some(cpu) => Err(format!(
            "CPU {cpu} is not there or not allowed to this process; allowed: {}",
            listed()
        )),
    }
}

fn look_around(allowed: &[u32]) -> Option<u32> {
    let alike = environment::of_last_kind(allowed);
    let candidates = &alike[alike.len().saturating_sub(MOST_LOOKED_AT)..];
    let [_, _, ..] = candidates else { return candidates.last().copied() };
    // In a thread of its own: the caller is bound nowhere by this.
    let looks = std::thread::scope(|scope| scope.spawn(|| look_at(candidates)).join());
    looks.ok().and_then(|looks| quietest(&looks)).or(candidates.last().copied())
}

fn look_at(cpus: &[u32]) -> Vec<(u32, Vec<Chains>)> {
    let mut clock = HostClock::without_pmu(1.0); // only ratios of ticks count
    let bound = cpus.iter().filter(|&&cpu| pinning::pin(cpu).is_ok());
    bound.map(|&cpu| (cpu, looks(&mut clock))).collect()
}

fn looks(clock: &mut impl Clock) -> Vec<Chains> {
    (0..LOOKS)
        .map(|_| {
            clock.additions(BETWEEN_LOOKS);
            Chains::timed_alike(clock)
        })
        .collect()
}

/// The CPU with the fewest looks at which its core was crowded; the last, unless another one has fewer
/// by a tenth of the looks.
fn quietest(looks: &[(u32, Vec<Chains>)]) -> Option<u32> {
    let ratios = looks.iter().map(|(_, chains)| quickest_ratio(chains, CLOCK_COST));
    let quiet = ratios.min_by(f64::total_cmp)?;
    let crowded =
        |chains: &[Chains]| chains.iter().filter(|it| it.are_crowded(CLOCK_COST, quiet)).count();
    let counted = looks.iter().rev().map(|(cpu, chains)| (*cpu, crowded(chains)));
    let quieter = |best: (u32, usize), it: (u32, usize)| {
        if it.1 + LOOKS / 10 <= best.1 { it } else { best }
    };
    counted.reduce(quieter).map(|(cpu, _)| cpu)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::fake::FakeClock;

    /// What is seen of a core whose four adders together take so much longer than one alone.
    fn seen(crowding: f64) -> Vec<Chains> {
        looks(&mut FakeClock { crowding, ..FakeClock::at(3e9) })
    }

    #[test]
    fn the_quietest_cpu_is_chosen_and_the_last_of_those_that_are_alike() {
        let looks = vec![(0, seen(1.1)), (1, seen(1.11)), (2, seen(1.1)), (3, seen(1.5))];
        assert_eq!(quietest(&looks), Some(2));
        let looks = vec![(4, seen(1.5)), (5, seen(1.1)), (7, seen(1.6))];
        assert_eq!(quietest(&looks), Some(5));
        let mut alike = vec![(0, seen(1.1)), (1, seen(1.1))];
        alike[1].1[..5].copy_from_slice(&seen(1.5)[..5]);
        assert_eq!(quietest(&alike), Some(1), "five looks are chance");
        alike[1].1[..6].copy_from_slice(&seen(1.5)[..6]);
        assert_eq!(quietest(&alike), Some(0));
        assert_eq!(quietest(&[]), None);
    }

    #[test]
    fn a_cpu_that_is_wished_for_is_taken() {
        assert_eq!(choose(Some(2), &[0, 2, 5]), Ok(2));
    }

    #[test]
    fn a_cpu_that_is_not_allowed_is_refused_with_the_allowed_ones() {
        let sentence = choose(Some(1), &[0, 2, 5]).unwrap_err();
        assert!(sentence.contains("CPU 1") && sentence.contains("0, 2, 5"), "{sentence}");
    }

    #[test]
    fn without_a_wish_one_of_the_allowed_is_taken() {
        let allowed = pinning::allowed_cpus().unwrap();
        assert!(allowed.contains(&choose(None, &allowed).unwrap()));
        assert_eq!(pinning::allowed_cpus().unwrap(), allowed, "the caller is bound nowhere");
        assert!(choose(None, &[]).unwrap_err().contains("no CPU"));
    }
}
