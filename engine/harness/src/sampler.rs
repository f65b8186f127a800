//! Takes groups of short timed slices.
//!
//! A group is: chains, slice, chains, slice, …, chains. Each slice lies between two chains of
//! dependent additions that tell the core's clock before and after it; the higher of the two is
//! used, as an interruption can only make a chain look slow. A chain of independent additions
//! tells whether the core was shared with another thread, which dependent ones do not show. The thread CPU clock, the count of
//! involuntary switches and the CPU are read around the group, because they cost too much to be
//! read around each slice.
//!
//! Each group begins in a clean processor: no case inherits what another has left there. From call to
//! call within a group the function finds what it has left itself, as it does in a program that calls
//! it again and again.

use ciphermark_record::environment::CycleSource;
use ciphermark_record::event::Disturbance;
use serde::{Deserialize, Serialize};

use crate::calibration::{Calibration, Look, SAME_CLOCK};
use crate::clock::Clock;
use crate::processor_state;

/// A slice whose clock is this far below the best of its group was interrupted on both sides.
const CLOCK_TOLERANCE: f64 = 0.03;

/// Wall time that a group may take beyond its CPU time: interrupts take some, steal takes more.
const STEAL_SHARE: f64 = 0.02;
const STEAL_NS: f64 = 3_000.0;

/// One timed slice, with the cost of an empty one subtracted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Slice {
    /// Start on the wall clock, ticks.
    pub at_ticks: u64,
    pub wall_ns: f64,
    pub cycles: f64,
    pub core_hz: f64,
    pub disturbed: Vec<Disturbance>,
}

/// Slices taken one after the other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Group {
    pub slices: Vec<Slice>,
    pub cpu_ns: u64,
    pub wall_ns: u64,
}

/// What a slice is timed with.
pub struct Stopwatch<'c, C: Clock> {
    clock: &'c mut C,
    slice: RawSlice,
}

impl<C: Clock> Stopwatch<'_, C> {
    /// Times this and nothing before or after it. A slice is timed once.
    pub fn time<E>(&mut self, work: impl FnOnce(&mut C) -> Result<(), E>) -> Result<(), E> {
        let count = self.clock.pmu_cycles();
        let start = self.clock.ticks();
        work(self.clock)?;
        let end = self.clock.ticks();
        let counted =
            self.clock.pmu_cycles().zip(count).map_or(0.0, |(end, start)| (end - start) as f64);
        self.slice = RawSlice { at_ticks: start, ticks: (end - start) as f64, counted };
        Ok(())
    }
}

/// Takes a group of so many slices of `work`, after one call that is not timed and warms caches
/// and branch predictors. Ends at the first error.
pub fn take_group<C: Clock, E>(
    clock: &mut C,
    calibration: &Calibration,
    slices: u32,
    work: &mut impl FnMut(&mut Stopwatch<'_, C>) -> Result<(), E>,
) -> Result<Group, E> {
    processor_state::clean();
    RawSlice::take(clock, work)?;
    take_slices(clock, calibration, slices, work)
}

/// The same with `evict` before each slice, which empties the caches and is not timed. Nothing is
/// warmed, each slice begins in a clean processor, and what happens to the thread while it evicts
/// disturbs no slice.
pub fn take_cold_group<C: Clock, E>(
    clock: &mut C,
    calibration: &Calibration,
    slices: u32,
    evict: &mut impl FnMut(&mut C),
    work: &mut impl FnMut(&mut Stopwatch<'_, C>) -> Result<(), E>,
) -> Result<Group, E> {
    let mut group = Group { slices: Vec::with_capacity(slices as usize), cpu_ns: 0, wall_ns: 0 };
    for _ in 0..slices {
        evict(clock);
        // Between two calls other code has run. Which vector instructions the C library executes there
        // depends on the processor, so that they are no state to go on in.
        processor_state::clean();
        let one = take_slices(clock, calibration, 1, work)?;
        group.slices.extend(one.slices);
        group.cpu_ns += one.cpu_ns;
        group.wall_ns += one.wall_ns;
    }
    Ok(group)
}

fn take_slices<C: Clock, E>(
    clock: &mut C,
    calibration: &Calibration,
    slices: u32,
    work: &mut impl FnMut(&mut Stopwatch<'_, C>) -> Result<(), E>,
) -> Result<Group, E> {
    let before = Surroundings::read(clock);
    let mut looks = vec![calibration.look(clock)];
    let mut raw = Vec::with_capacity(slices as usize);
    for _ in 0..slices {
        raw.push(RawSlice::take(clock, work)?);
        looks.push(calibration.look(clock));
    }
    let after = Surroundings::read(clock);
    let shared = before.disturbances(&after, calibration.ticks_per_ns);
    Ok(Group {
        slices: finish(&raw, &looks, calibration, &shared),
        cpu_ns: after.cpu_ns - before.cpu_ns,
        wall_ns: before.wall_ns(&after, calibration.ticks_per_ns) as u64,
    })
}

/// Wall time of `work`, nanoseconds, for choosing how many messages make a slice.
pub fn time_once<C: Clock, E>(
    clock: &mut C,
    calibration: &Calibration,
    work: &mut impl FnMut(&mut Stopwatch<'_, C>) -> Result<(), E>,
) -> Result<f64, E> {
    processor_state::clean();
    let slice = RawSlice::take(clock, work)?;
    Ok((slice.ticks - calibration.slice_cost_ticks) / calibration.ticks_per_ns)
}

#[derive(Default)]
struct RawSlice {
    at_ticks: u64,
    ticks: f64,
    counted: f64,
}

impl RawSlice {
    fn take<C: Clock, E>(
        clock: &mut C,
        work: &mut impl FnMut(&mut Stopwatch<'_, C>) -> Result<(), E>,
    ) -> Result<Self, E> {
        let mut stopwatch = Stopwatch { clock, slice: Self::default() };
        work(&mut stopwatch)?;
        Ok(stopwatch.slice)
    }

    fn cycles(&self, wall_ns: f64, core_hz: f64, calibration: &Calibration) -> f64 {
        match calibration.source {
            CycleSource::Pmu => self.counted - calibration.slice_cost_cycles,
            CycleSource::Calibrated => wall_ns * core_hz / 1e9,
            CycleSource::Nominal => wall_ns * calibration.core_hz / 1e9,
        }
    }
}

fn finish(
    raw: &[RawSlice],
    looks: &[Look],
    calibration: &Calibration,
    shared: &[Disturbance],
) -> Vec<Slice> {
    let best_hz = looks.iter().map(|it| it.core_hz).fold(0.0, f64::max);
    raw.iter()
        .zip(looks.windows(2))
        .map(|(slice, beside)| {
            let higher_hz = beside[0].core_hz.max(beside[1].core_hz);
            let core_hz = mean_of_like(looks, higher_hz);
            let mut disturbed = shared.to_vec();
            if higher_hz < best_hz * (1.0 - CLOCK_TOLERANCE) {
                disturbed.push(Disturbance::Clock);
            }
            if beside.iter().any(|it| it.crowded) {
                disturbed.push(Disturbance::Shared);
            }
            let wall_ns = (slice.ticks - calibration.slice_cost_ticks) / calibration.ticks_per_ns;
            let cycles = slice.cycles(wall_ns, core_hz, calibration);
            Slice { at_ticks: slice.at_ticks, wall_ns, cycles, core_hz, disturbed }
        })
        .collect()
}

/// Mean over the chains of the group that ran at this clock. One chain is too short: the steps in
/// which some wall clocks advance are up to half a per cent of it, and the higher of two readings
/// is more often a step too high than too low.
fn mean_of_like(looks: &[Look], hz: f64) -> f64 {
    let like =
        looks.iter().map(|look| look.core_hz).filter(|it| (it / hz - 1.0).abs() < SAME_CLOCK);
    let (sum, count) = like.fold((0.0, 0), |(sum, count), it| (sum + it, count + 1));
    sum / f64::from(count)
}

/// What is read around a group.
struct Surroundings {
    cpu_ns: u64,
    ticks: u64,
    switches: u64,
    cpu: usize,
}

impl Surroundings {
    fn read<C: Clock>(clock: &mut C) -> Self {
        Self {
            switches: clock.involuntary_switches(),
            cpu: clock.cpu(),
            cpu_ns: clock.thread_cpu_ns(),
            ticks: clock.ticks(),
        }
    }

    fn wall_ns(&self, after: &Self, ticks_per_ns: f64) -> f64 {
        (after.ticks - self.ticks) as f64 / ticks_per_ns
    }

    /// What went wrong between two readings; it concerns every slice between them.
    fn disturbances(&self, after: &Self, ticks_per_ns: f64) -> Vec<Disturbance> {
        let wall_ns = self.wall_ns(after, ticks_per_ns);
        let missing_ns = wall_ns - (after.cpu_ns - self.cpu_ns) as f64;
        let mut found = Vec::new();
        if after.switches != self.switches {
            found.push(Disturbance::Switch);
        }
        if after.cpu != self.cpu {
            found.push(Disturbance::Migration);
        }
        if missing_ns > STEAL_SHARE * wall_ns + STEAL_NS {
            found.push(Disturbance::Steal);
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::fake::FakeClock;

    const WORK_CYCLES: f64 = 50_000.0;
    /// Of what is got ready before a slice and is no part of it.
    const BESIDE_CYCLES: f64 = 5_000.0;

    fn calibrated(clock: &mut FakeClock) -> Calibration {
        let calibration = Calibration::measure(clock, 1e9);
        clock.chains = 0;
        calibration
    }

    fn group(clock: &mut FakeClock, mut work: impl FnMut(&mut FakeClock, usize)) -> Group {
        let calibration = calibrated(clock);
        let mut call = 0;
        take_group::<_, ()>(clock, &calibration, 5, &mut |stopwatch| {
            stopwatch.clock.work(BESIDE_CYCLES);
            stopwatch.time(|clock| {
                clock.work(WORK_CYCLES);
                work(clock, call);
                call += 1;
                Ok(())
            })
        })
        .unwrap()
    }

    #[test]
    fn cycles_are_those_of_the_work_alone() {
        let mut clock = FakeClock { read_ns: 20.0, ..FakeClock::at(3e9) };
        for slice in group(&mut clock, |_, _| ()).slices {
            assert!((slice.cycles / WORK_CYCLES - 1.0).abs() < 2e-3, "{slice:?}");
            assert_eq!(slice.disturbed, []);
        }
    }

    #[test]
    fn cycles_do_not_move_when_the_clock_of_the_core_does() {
        let mut clock = FakeClock { clock_changes: vec![(4, 2.2e9)], ..FakeClock::at(3e9) };
        let group = group(&mut clock, |_, _| ());
        let last = group.slices.last().unwrap();
        assert!((last.cycles / WORK_CYCLES - 1.0).abs() < 2e-3, "{last:?}");
        assert!((last.core_hz / 2.2e9 - 1.0).abs() < 2e-3);
    }

    #[test]
    fn a_slice_with_slow_clocks_on_both_sides_is_marked() {
        let mut clock = FakeClock { clock_changes: vec![(3, 2e9), (5, 3e9)], ..FakeClock::at(3e9) };
        let marked: Vec<bool> =
            group(&mut clock, |_, _| ()).slices.iter().map(|s| !s.disturbed.is_empty()).collect();
        assert_eq!(marked, [false, false, true, false, false]);
    }

    #[test]
    fn slices_beside_a_neighbour_are_marked() {
        // Crowded from the second look's last chain to the third's.
        let crowding_changes = vec![(2, 1.5), (3, 1.0)];
        let mut clock = FakeClock { crowding_changes, ..FakeClock::at(3e9) };
        let marked: Vec<Vec<Disturbance>> =
            group(&mut clock, |_, _| ()).slices.into_iter().map(|slice| slice.disturbed).collect();
        let shared = vec![Disturbance::Shared];
        assert_eq!(marked, [vec![], shared.clone(), shared, vec![], vec![]]);
    }

    #[test]
    fn stolen_time_marks_the_group() {
        let mut clock = FakeClock::at(3e9);
        let group = group(&mut clock, |clock, call| {
            if call == 2 {
                clock.steal(50_000.0);
            }
        });
        assert!(group.slices.iter().all(|s| s.disturbed == [Disturbance::Steal]));
        assert!(group.wall_ns > group.cpu_ns);
    }

    #[test]
    fn a_switch_and_a_migration_mark_the_group() {
        let mut clock = FakeClock::at(3e9);
        let group = group(&mut clock, |clock, call| {
            if call == 3 {
                clock.switches += 1;
                clock.cpu = 0;
            }
        });
        let expected = [Disturbance::Switch, Disturbance::Migration];
        assert!(group.slices.iter().all(|s| s.disturbed == expected));
    }

    #[test]
    fn the_first_call_is_not_timed() {
        let mut clock = FakeClock::at(3e9);
        let group = group(&mut clock, |clock, call| {
            if call == 0 {
                clock.work(1e6);
            }
        });
        assert!(group.slices.iter().all(|s| (s.cycles / WORK_CYCLES - 1.0).abs() < 2e-3));
    }

    /// Whether upper halves of vector registers were in use at each call of a group that leaves them so.
    fn in_use_at_each_call(
        take: impl FnOnce(
            &mut FakeClock,
            &Calibration,
            &mut dyn FnMut(&mut Stopwatch<'_, FakeClock>) -> Result<(), ()>,
        ) -> Result<Group, ()>,
    ) -> Vec<Option<bool>> {
        let mut clock = FakeClock::at(3e9);
        let calibration = calibrated(&mut clock);
        let mut found = Vec::new();
        processor_state::use_upper_halves();
        take(&mut clock, &calibration, &mut |_| {
            found.push(processor_state::upper_halves_in_use());
            processor_state::use_upper_halves();
            Ok(())
        })
        .unwrap();
        processor_state::clean();
        found
    }

    #[test]
    fn a_group_begins_in_a_clean_processor_and_goes_on_in_its_own_state() {
        if processor_state::upper_halves_in_use().is_none() {
            println!("skipped: this processor does not tell what is in use");
            return;
        }
        let warm = in_use_at_each_call(|clock, calibration, mut work| {
            take_group(clock, calibration, 2, &mut work)
        });
        assert_eq!(warm, [false, true, true].map(Some));
    }

    #[test]
    fn each_cold_slice_begins_in_a_clean_processor() {
        if processor_state::upper_halves_in_use().is_none() {
            println!("skipped: this processor does not tell what is in use");
            return;
        }
        let cold = in_use_at_each_call(|clock, calibration, mut work| {
            take_cold_group(
                clock,
                calibration,
                2,
                &mut |_| processor_state::use_upper_halves(),
                &mut work,
            )
        });
        assert_eq!(cold, [false, false].map(Some));
    }

    #[test]
    fn what_is_done_to_the_caches_is_not_timed() {
        let mut clock = FakeClock::at(3e9);
        let calibration = calibrated(&mut clock);
        let mut evicted = 0;
        let group = take_cold_group::<_, ()>(
            &mut clock,
            &calibration,
            5,
            &mut |clock| {
                clock.work(1e7);
                clock.steal(1e6);
                clock.switches += 1;
                evicted += 1;
            },
            &mut |stopwatch| {
                stopwatch.time(|clock| {
                    clock.work(WORK_CYCLES);
                    Ok(())
                })
            },
        )
        .unwrap();
        assert_eq!((group.slices.len(), evicted), (5, 5));
        for slice in group.slices {
            assert!((slice.cycles / WORK_CYCLES - 1.0).abs() < 2e-3, "{slice:?}");
            assert_eq!(slice.disturbed, []);
        }
        assert!(group.wall_ns < 1_000_000 && group.wall_ns >= group.cpu_ns);
    }

    #[test]
    fn no_call_warms_the_caches_before_cold_slices() {
        let mut clock = FakeClock::at(3e9);
        let calibration = calibrated(&mut clock);
        let mut calls = 0;
        let count = &mut |_: &mut Stopwatch<'_, FakeClock>| {
            calls += 1;
            Ok::<_, ()>(())
        };
        take_cold_group(&mut clock, &calibration, 5, &mut |_| (), count).unwrap();
        assert_eq!(calls, 5);
    }

    #[test]
    fn counted_cycles_are_used_when_there_is_a_counter() {
        let mut clock = FakeClock { has_pmu: true, ..FakeClock::at(3e9) };
        let group = group(&mut clock, |clock, _| clock.steal(5_000.0));
        assert!(group.slices.iter().all(|s| (s.cycles - WORK_CYCLES).abs() < 2.0));
    }

    #[test]
    fn an_error_ends_the_group() {
        let mut clock = FakeClock::at(3e9);
        let calibration = calibrated(&mut clock);
        let result = take_group(&mut clock, &calibration, 5, &mut |_| Err("refused"));
        assert_eq!(result, Err("refused"));
    }
}
