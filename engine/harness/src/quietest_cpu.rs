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

/// Looks at each CPU before a run, and additions between two of them: 6 ms, as neighbours come and go.
const LOOKS: usize = 60;
const BETWEEN_LOOKS: u32 = 300_000;

/// Looks during a run, at all CPUs together, and at each one at least: some 40 ms on two of them.
const LOOKS_AT_ALL: usize = 400;
const FEWEST_LOOKS: usize = 20;

/// Ticks of reading the clock, which are the same in both chains and few beside them.
const CLOCK_COST: f64 = 0.0;

/// The CPU wished for, else the quietest of those allowed whose core is of the kind of the last one.
/// Takes 6 ms for each CPU. The error is a sentence.
pub fn choose(wished: Option<u32>, allowed: &[u32]) -> Result<u32, String> {
    let listed = || allowed.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
    match wished {
        None => {
            let candidates = candidates(allowed);
            let found = look_around(&candidates, LOOKS).or(candidates.last().copied());
            found.ok_or_else(|| "no CPU is allowed to this process".into())
        }
        Some(cpu) if allowed.contains(&cpu) => Ok(cpu),
        Some(cpu) => Err(format!(
            "CPU {cpu} is not there or not allowed to this process; allowed: {}",
            listed()
        )),
    }
}

/// Those of the CPUs that may be chosen: the last ones whose cores are of the kind of the last one.
pub fn candidates(allowed: &[u32]) -> Vec<u32> {
    let alike = environment::of_last_kind(allowed);
    alike[alike.len().saturating_sub(MOST_LOOKED_AT)..].to_vec()
}

/// The quietest of the candidates, seen from one of them: another one is chosen only where its core is
/// clearly less crowded. Takes 40 ms, or 2 ms for each where they are many.
pub fn quieter_than(cpu: u32, candidates: &[u32]) -> Option<u32> {
    let others = candidates.iter().copied().filter(|&other| other != cpu);
    let candidates: Vec<u32> = others.chain([cpu]).collect();
    let looks = (LOOKS_AT_ALL / candidates.len()).max(FEWEST_LOOKS);
    look_around(&candidates, looks).filter(|&found| found != cpu)
}

/// The quietest of the CPUs, and the last of those that are alike. None where there is no choice.
fn look_around(cpus: &[u32], looks: usize) -> Option<u32> {
    if cpus.len() < 2 {
        return None;
    }
    // In a thread of its own: the caller is bound nowhere by this.
    let seen = std::thread::scope(|scope| scope.spawn(|| look_at(cpus, looks)).join());
    seen.ok().and_then(|seen| quietest(&seen))
}

fn look_at(cpus: &[u32], count: usize) -> Vec<(u32, Vec<Chains>)> {
    let mut clock = HostClock::without_pmu(1.0); // only ratios of ticks count
    let bound = cpus.iter().filter(|&&cpu| pinning::pin(cpu).is_ok());
    bound.map(|&cpu| (cpu, looks(&mut clock, count))).collect()
}

fn looks(clock: &mut impl Clock, count: usize) -> Vec<Chains> {
    (0..count)
        .map(|_| {
            clock.additions(BETWEEN_LOOKS);
            Chains::timed_alike(clock)
        })
        .collect()
}

/// The CPU with the fewest looks at which its core was crowded; the last, unless another one has fewer
/// by a tenth of the looks.
fn quietest(seen: &[(u32, Vec<Chains>)]) -> Option<u32> {
    let ratios = seen.iter().map(|(_, chains)| quickest_ratio(chains, CLOCK_COST));
    let quiet = ratios.min_by(f64::total_cmp)?;
    let crowded =
        |chains: &[Chains]| chains.iter().filter(|it| it.are_crowded(CLOCK_COST, quiet)).count();
    let counted = seen.iter().rev().map(|(cpu, chains)| (*cpu, crowded(chains)));
    let tenth = seen.first().map_or(0, |(_, chains)| chains.len() / 10);
    let quieter = |best: (u32, usize), it: (u32, usize)| {
        if it.1 + tenth <= best.1 { it } else { best }
    };
    counted.reduce(quieter).map(|(cpu, _)| cpu)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::fake::FakeClock;

    /// What is seen of a core whose four adders together take so much longer than one alone.
    fn seen(crowding: f64) -> Vec<Chains> {
        looks(&mut FakeClock { crowding, ..FakeClock::at(3e9) }, LOOKS)
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
    fn from_a_cpu_without_others_nobody_goes_elsewhere() {
        assert_eq!(quieter_than(0, &[0]), None);
        let candidates = candidates(&pinning::allowed_cpus().unwrap());
        let last = *candidates.last().unwrap();
        assert_ne!(quieter_than(last, &candidates), Some(last));
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
