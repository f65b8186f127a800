//! How hot the machine is, and whether it has slowed itself down for it. Guests are told neither.

use super::root::Root;

/// Temperature of the hottest zone, degrees Celsius.
pub fn temperature_c() -> Option<f64> {
    hottest_c(&Root::default())
}

/// Times that these CPUs' cores have throttled themselves since boot (Intel processors count them).
pub fn throttles(cpus: &[u32]) -> Option<u64> {
    counted_throttles(&Root::default(), cpus)
}

/// The kernel writes thousandths of a degree.
fn hottest_c(root: &Root) -> Option<f64> {
    let zones = (0..).map(|zone| format!("sys/class/thermal/thermal_zone{zone}"));
    let there = zones.take_while(|zone| root.exists(zone));
    let degrees = there.filter_map(|zone| root.parse::<f64>(&format!("{zone}/temp")));
    degrees.map(|it| it / 1000.0).reduce(f64::max)
}

fn counted_throttles(root: &Root, cpus: &[u32]) -> Option<u64> {
    let file =
        |cpu: &u32| format!("sys/devices/system/cpu/cpu{cpu}/thermal_throttle/core_throttle_count");
    cpus.iter().map(|cpu| root.parse::<u64>(&file(cpu))).sum()
}

#[cfg(test)]
mod tests {
    use super::super::fixture::Tree;
    use super::*;

    #[test]
    fn the_hottest_zone_counts() {
        let tree = Tree::new(
            "=== sys/class/thermal/thermal_zone0/temp\n41000\n\
             === sys/class/thermal/thermal_zone1/temp\n67500\n",
        );
        assert_eq!(hottest_c(&tree.root()), Some(67.5));
        assert_eq!(hottest_c(&Tree::new("").root()), None);
    }

    #[test]
    fn throttles_are_those_of_all_cpus_or_unknown() {
        let tree = Tree::new(
            "=== sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count\n3\n\
             === sys/devices/system/cpu/cpu1/thermal_throttle/core_throttle_count\n4\n",
        );
        assert_eq!(counted_throttles(&tree.root(), &[0, 1]), Some(7));
        assert_eq!(counted_throttles(&tree.root(), &[0, 2]), None);
    }
}
