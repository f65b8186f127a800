//! The small interface through which time is read, so that tests can lend a fake clock.

/// Additions of a step of [`Clock::wide_additions`]: more than a core has adders. Four left room for a
/// neighbour on cores with five or six, who was not seen.
pub const CHAINS: u32 = 8;

/// All the clocks of one thread.
pub trait Clock {
    /// Reads the wall clock after all earlier instructions have finished and before any later one
    /// starts. The unit is a tick of [`Clock::ticks_per_ns`].
    fn ticks(&mut self) -> u64;

    /// Ticks of the wall clock in a nanosecond.
    fn ticks_per_ns(&self) -> f64;

    /// CPU time of this thread, nanoseconds. Costs some 0.4 µs, so it is read around groups only.
    fn thread_cpu_ns(&mut self) -> u64;

    /// How often the kernel has taken this thread off its CPU against its will.
    fn involuntary_switches(&mut self) -> u64;

    /// The CPU that this thread runs on.
    fn cpu(&mut self) -> usize;

    /// Executes so many additions, each of which depends on the one before and takes one cycle.
    fn additions(&mut self, count: u32);

    /// Executes so many steps of [`CHAINS`] additions, each of which depends only on the step before.
    /// They keep all adders of a core busy, so that whatever another thread adds there makes them take
    /// longer, while single chains still take the same.
    fn wide_additions(&mut self, steps: u32);

    /// Executes a chain of other dependent instructions that takes as many cycles as so many
    /// additions: an independent check of what a cycle is.
    fn control_chain(&mut self, cycles: u32);

    /// Core cycles counted by hardware, where the kernel allows it.
    fn pmu_cycles(&mut self) -> Option<u64>;
}

/// Value at a share of a sorted slice, by the nearest rank; the slice must not be empty.
pub(crate) fn quantile(sorted: &[f64], share: f64) -> f64 {
    let last = sorted.len() - 1;
    sorted[((last as f64) * share).round() as usize]
}

/// Median of values in any order; they must not be empty.
pub fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    if values.len() % 2 == 1 { values[middle] } else { (values[middle - 1] + values[middle]) / 2.0 }
}

#[cfg(test)]
pub(crate) mod fake {
    //! A clock that runs only when told to.

    use super::{CHAINS, Clock};

    /// Of the simulated core.
    const ADDERS: u32 = 4;

    /// Simulated core with a wall clock of one tick per nanosecond.
    pub struct FakeClock {
        pub now_ns: f64,
        pub hz: f64,
        /// What one reading of the wall clock costs.
        pub read_ns: f64,
        /// The wall clock advances in steps of so much.
        pub step_ns: f64,
        /// Time this thread did not get although it passed.
        pub stolen_ns: f64,
        pub switches: u64,
        pub cpu: usize,
        /// Clock to change to when so many chains have run.
        pub clock_changes: Vec<(u32, f64)>,
        pub chains: u32,
        pub cycles: f64,
        pub has_pmu: bool,
        /// How much longer independent additions take than on a core of its own.
        pub crowding: f64,
        /// Crowding to change to when so many chains have run.
        pub crowding_changes: Vec<(u32, f64)>,
        /// Time that passes within the chain of this number while the core does something else.
        pub interruption_ns: fn(u32) -> f64,
    }

    impl FakeClock {
        pub fn at(hz: f64) -> Self {
            Self {
                now_ns: 1000.0,
                hz,
                read_ns: 0.0,
                step_ns: 1.0,
                stolen_ns: 0.0,
                switches: 0,
                cpu: 1,
                clock_changes: Vec::new(),
                chains: 0,
                cycles: 0.0,
                has_pmu: false,
                crowding: 1.0,
                crowding_changes: Vec::new(),
                interruption_ns: |_| 0.0,
            }
        }

        /// Lets the core work for so many cycles.
        pub fn work(&mut self, cycles: f64) {
            self.now_ns += cycles / self.hz * 1e9;
            self.cycles += cycles;
        }

        /// Changes the clock before the chain at which it is to change, and before the wide chain
        /// that goes with it.
        fn change_clock(&mut self) {
            let next = self.chains + 1;
            if let Some(&(_, hz)) = self.clock_changes.iter().find(|(at, _)| *at == next) {
                self.hz = hz;
            }
        }

        /// Lets time pass in which the thread does not run.
        pub fn steal(&mut self, ns: f64) {
            self.now_ns += ns;
            self.stolen_ns += ns;
        }
    }

    impl Clock for FakeClock {
        fn ticks(&mut self) -> u64 {
            self.now_ns += self.read_ns;
            ((self.now_ns / self.step_ns).round() * self.step_ns) as u64
        }

        fn ticks_per_ns(&self) -> f64 {
            1.0
        }

        fn thread_cpu_ns(&mut self) -> u64 {
            (self.now_ns - self.stolen_ns).round() as u64
        }

        fn involuntary_switches(&mut self) -> u64 {
            self.switches
        }

        fn cpu(&mut self) -> usize {
            self.cpu
        }

        fn additions(&mut self, count: u32) {
            self.change_clock();
            self.chains += 1;
            let crowding = self.crowding_changes.iter().find(|(at, _)| *at == self.chains);
            if let Some(&(_, crowding)) = crowding {
                self.crowding = crowding;
            }
            self.work(f64::from(count));
            self.now_ns += (self.interruption_ns)(self.chains);
        }

        fn wide_additions(&mut self, steps: u32) {
            self.change_clock();
            self.work(f64::from(steps * CHAINS / ADDERS) * self.crowding);
        }

        fn control_chain(&mut self, cycles: u32) {
            self.work(f64::from(cycles));
        }

        fn pmu_cycles(&mut self) -> Option<u64> {
            self.has_pmu.then_some(self.cycles.round() as u64)
        }
    }
}
