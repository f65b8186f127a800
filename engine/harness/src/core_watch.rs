//! Looks at the core in the course of work that cannot be cut into timed slices.
//!
//! A thread of a session or of a queue works for milliseconds on end, and a neighbour on another
//! thread of its core comes and goes meanwhile. So it looks at the core now and then. Between two looks
//! lies a stretch; what was done in those beside a neighbour is kept apart from the rest.

use ciphermark_record::sessions::{Stretch, Stretches};

use crate::calibration::{Calibration, Look};
use crate::clock::Clock;

/// Messages and bytes that a thread has done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Done {
    pub messages: u64,
    pub bytes: u64,
}

impl Done {
    pub fn since(self, earlier: Self) -> Self {
        Self { messages: self.messages - earlier.messages, bytes: self.bytes - earlier.bytes }
    }
}

impl std::ops::AddAssign for Done {
    fn add_assign(&mut self, more: Self) {
        self.messages += more.messages;
        self.bytes += more.bytes;
    }
}

/// The stretches of one thread.
#[derive(Clone, Debug)]
pub struct CoreWatch {
    between_ticks: u64,
    /// When the next look is due, ticks; never before the first.
    due: u64,
    began: Option<Beginning>,
    stretches: Stretches,
    looking_ns: u64,
}

#[derive(Clone, Copy, Debug)]
struct Beginning {
    look: Look,
    cpu_ns: u64,
    done: Done,
}

impl CoreWatch {
    /// Looks about so often once it has begun. A look takes some 3 µs.
    pub fn every(between_ns: f64, calibration: &Calibration) -> Self {
        Self {
            between_ticks: (between_ns * calibration.ticks_per_ns) as u64,
            due: u64::MAX,
            began: None,
            stretches: Stretches::default(),
            looking_ns: 0,
        }
    }

    #[inline]
    pub fn is_due(&self, now: u64) -> bool {
        now >= self.due
    }

    /// Looks at the core: a stretch begins and, where one was under way, that one ends. `done` is what
    /// the calling thread has done up to now. Returns the time after it, ticks.
    #[cold]
    pub fn look(&mut self, clock: &mut impl Clock, calibration: &Calibration, done: Done) -> u64 {
        let ended_ns = clock.thread_cpu_ns();
        let look = calibration.look(clock);
        let now = Beginning { look, cpu_ns: clock.thread_cpu_ns(), done };
        if let Some(began) = self.began.replace(now) {
            self.book(&began, &look, ended_ns, done);
        }
        self.looking_ns += now.cpu_ns - ended_ns;
        let ticks = clock.ticks();
        self.due = ticks + self.between_ticks;
        ticks
    }

    /// Looks a last time; what comes later belongs to no stretch.
    pub fn end(&mut self, clock: &mut impl Clock, calibration: &Calibration, done: Done) {
        self.look(clock, calibration, done);
        self.began = None;
        self.due = u64::MAX;
    }

    fn book(&mut self, began: &Beginning, ended: &Look, ended_ns: u64, done: Done) {
        let is_crowded = began.look.crowded || ended.crowded;
        let Stretches { quiet, crowded } = &mut self.stretches;
        let sum = if is_crowded { crowded } else { quiet };
        let cpu_ns = ended_ns - began.cpu_ns;
        let cycles = cpu_ns as f64 * began.look.cycle_hz_until(ended) / 1e9;
        let Done { messages, bytes } = done.since(began.done);
        *sum = *sum + Stretch { count: 1, cpu_ns, cycles, messages, bytes };
    }

    pub fn stretches(&self) -> Stretches {
        self.stretches
    }

    /// CPU time of the looks so far, which is none of the work's.
    pub fn looking_ns(&self) -> u64 {
        self.looking_ns
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::fake::FakeClock;

    const BETWEEN_NS: f64 = 1e6;
    const HZ: f64 = 2e9;

    fn work(cycles: f64) -> Done {
        Done { messages: 1, bytes: cycles as u64 / 10 }
    }

    /// Works in steps of 0.1 ms, and says how the core is before each of them.
    fn watched(
        steps: usize,
        mut core: impl FnMut(usize, &mut FakeClock),
    ) -> (CoreWatch, FakeClock) {
        let mut clock = FakeClock { read_ns: 1.0, ..FakeClock::at(HZ) };
        let calibration = Calibration::measure(&mut clock, 1e9);
        let mut watch = CoreWatch::every(BETWEEN_NS, &calibration);
        let mut done = Done::default();
        watch.look(&mut clock, &calibration, done);
        for step in 0..steps {
            core(step, &mut clock);
            let cycles = 1e-4 * HZ * clock.crowding;
            clock.work(cycles);
            done += work(1e-4 * HZ);
            let now = clock.ticks();
            if watch.is_due(now) {
                watch.look(&mut clock, &calibration, done);
            }
        }
        watch.end(&mut clock, &calibration, done);
        (watch, clock)
    }

    fn cycles_per_byte(stretch: Stretch) -> f64 {
        stretch.cycles / stretch.bytes as f64
    }

    #[test]
    fn all_is_quiet_on_a_core_of_its_own() {
        let (watch, _) = watched(100, |_, _| ());
        let Stretches { quiet, crowded } = watch.stretches();
        assert_eq!(crowded, Stretch::default());
        assert!((10..=11).contains(&quiet.count), "{quiet:?}");
        assert_eq!(quiet.messages, 100);
        assert!((cycles_per_byte(quiet) / 10.0 - 1.0).abs() < 1e-3, "{quiet:?}");
    }

    #[test]
    fn what_is_done_beside_a_neighbour_is_kept_apart() {
        // From 3 to 6 ms the work takes half as long again.
        let neighbour = |step: usize, clock: &mut FakeClock| {
            clock.crowding = if (30..50).contains(&step) { 1.5 } else { 1.0 };
        };
        let (watch, _) = watched(100, neighbour);
        let Stretches { quiet, crowded } = watch.stretches();
        assert_eq!(quiet.messages + crowded.messages, 100);
        assert!((20..=40).contains(&crowded.messages), "{crowded:?}");
        assert!((cycles_per_byte(quiet) / 10.0 - 1.0).abs() < 1e-3, "{quiet:?}");
        assert!(cycles_per_byte(crowded) > 12.0, "{crowded:?}");
    }

    #[test]
    fn cycles_are_of_the_clock_at_their_time() {
        let (watch, _) =
            watched(100, |step, clock| clock.hz = if step < 50 { HZ } else { HZ / 2.0 });
        let Stretches { quiet, .. } = watch.stretches();
        // The stretch that has both clocks, one of fifteen, is counted by the higher.
        assert!((cycles_per_byte(quiet) / 10.0 - 1.0).abs() < 0.06, "{quiet:?}");
    }

    #[test]
    fn looks_are_no_part_of_the_work() {
        let (watch, clock) = watched(100, |_, _| ());
        let Stretches { quiet, .. } = watch.stretches();
        // Within stretches the wall clock is read once a step.
        let reads = 100.0 * clock.read_ns;
        assert!((quiet.cpu_ns as f64 - (100.0 * 1e5 + reads)).abs() < 100.0, "{quiet:?}");
        assert!(watch.looking_ns() > 11 * 2_000, "{}", watch.looking_ns());
    }

    #[test]
    fn time_that_the_thread_did_not_get_is_in_no_stretch() {
        let (watch, _) = watched(100, |step, clock| {
            if step % 10 == 5 {
                clock.steal(3e6);
            }
        });
        let Stretches { quiet, .. } = watch.stretches();
        assert_eq!(quiet.messages, 100);
        assert!((cycles_per_byte(quiet) / 10.0 - 1.0).abs() < 1e-3, "{quiet:?}");
    }

    #[test]
    fn nothing_is_due_before_the_first_look_and_after_the_last() {
        let mut clock = FakeClock::at(HZ);
        let calibration = Calibration::measure(&mut clock, 1e9);
        let mut watch = CoreWatch::every(BETWEEN_NS, &calibration);
        assert!(!watch.is_due(u64::MAX - 1));
        let now = watch.look(&mut clock, &calibration, Done::default());
        assert!(!watch.is_due(now) && watch.is_due(now + 1_000_000));
        watch.end(&mut clock, &calibration, Done::default());
        assert!(!watch.is_due(u64::MAX - 1));
    }
}
