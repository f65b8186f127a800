//! What became of the CPUs' time: busy, idle, or given to others by a hypervisor while this machine
//! wanted to run.

use super::root::Root;

/// A reading of CPUs' clock ticks (usually 10 ms each) since boot. Too coarse for a sample, right for
/// a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ticks {
    pub steal: u64,
    /// Nothing to do, or waiting for a disk.
    pub idle: u64,
    pub total: u64,
}

impl Ticks {
    /// Share of the time since an earlier reading that was stolen; absent when no tick has passed.
    pub fn steal_share_since(self, earlier: Ticks) -> Option<f64> {
        self.share_since(earlier, |ticks| ticks.steal)
    }

    /// Share of the time since an earlier reading in which nothing ran.
    pub fn idle_share_since(self, earlier: Ticks) -> Option<f64> {
        self.share_since(earlier, |ticks| ticks.idle)
    }

    fn share_since(self, earlier: Ticks, of: impl Fn(&Ticks) -> u64) -> Option<f64> {
        let total = self.total.checked_sub(earlier.total).filter(|total| *total > 0)?;
        Some(of(&self).saturating_sub(of(&earlier)) as f64 / total as f64)
    }
}

/// The ticks of these CPUs together up to now.
pub fn cpu_ticks(cpus: &[u32]) -> Option<Ticks> {
    let root = Root::default();
    cpus.iter().try_fold(Ticks::default(), |sum, cpu| {
        let ticks = ticks(&root, &format!("cpu{cpu}"))?;
        Some(Ticks {
            steal: sum.steal + ticks.steal,
            idle: sum.idle + ticks.idle,
            total: sum.total + ticks.total,
        })
    })
}

/// Share of all CPUs' time since boot.
pub fn share_since_boot(root: &Root) -> Option<f64> {
    ticks(root, "cpu")?.steal_share_since(Ticks::default())
}

fn ticks(root: &Root, name: &str) -> Option<Ticks> {
    let text = root.text("proc/stat")?;
    let mut fields = text
        .lines()
        .map(str::split_whitespace)
        .find_map(|mut words| (words.next() == Some(name)).then_some(words))?;
    parse_ticks(&mut fields)
}

/// user, nice, system, idle, iowait, irq, softirq, steal. The guest columns after them are already
/// counted in user and nice (`man 5 proc_stat`).
fn parse_ticks<'a>(fields: &mut impl Iterator<Item = &'a str>) -> Option<Ticks> {
    let ticks: Vec<u64> = fields.take(8).map_while(|field| field.parse().ok()).collect();
    (ticks.len() == 8).then(|| Ticks {
        steal: ticks[7],
        idle: ticks[3] + ticks[4],
        total: ticks.iter().sum(),
    })
}

#[cfg(test)]
mod tests {
    use super::super::fixture::Tree;
    use super::*;

    const STAT: &str = "=== proc/stat\n\
        cpu  100 0 50 800 0 0 0 50 70 0\n\
        cpu1 50 0 25 400 0 0 0 25 35 0\n\
        cpu10 1 2 3 4 5 6 7 8 9 9\n";

    #[test]
    fn guest_time_is_not_counted_twice() {
        assert_eq!(share_since_boot(&Tree::new(STAT).root()), Some(0.05));
    }

    #[test]
    fn a_cpu_is_found_by_its_whole_name() {
        let root = Tree::new(STAT);
        assert_eq!(ticks(&root.root(), "cpu10"), Some(Ticks { steal: 8, idle: 9, total: 36 }));
        assert_eq!(ticks(&root.root(), "cpu2"), None);
    }

    #[test]
    fn a_share_needs_time_to_have_passed() {
        let early = Ticks { steal: 10, idle: 100, total: 1000 };
        let late = Ticks { steal: 12, idle: 150, total: 1100 };
        assert_eq!(late.steal_share_since(early), Some(0.02));
        assert_eq!(late.idle_share_since(early), Some(0.5));
        assert_eq!(early.steal_share_since(early), None);
        // The kernel's iowait column can shrink, and the sum with it.
        assert_eq!(Ticks { total: 999, ..late }.steal_share_since(early), None);
    }

    #[test]
    fn kernels_without_the_steal_column_say_nothing() {
        let tree = Tree::new("=== proc/stat\ncpu  1 2 3 4 5 6 7\n");
        assert_eq!(share_since_boot(&tree.root()), None);
    }
}
