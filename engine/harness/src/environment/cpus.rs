//! Which logical CPUs there are, which share a core, and which this process may run on.

use std::collections::BTreeSet;

use super::root::Root;

const FOLDER: &str = "sys/devices/system/cpu";

/// Logical CPUs that are online. At least one is: this program runs.
pub fn online(root: &Root) -> Vec<u32> {
    let listed = root.text(&format!("{FOLDER}/online")).map(|text| parse_list(&text));
    listed.filter(|cpus| !cpus.is_empty()).unwrap_or_else(|| vec![0])
}

/// Cores that the logical CPUs `online` belong to; absent where the kernel does not tell of each.
pub fn physical_cores(root: &Root, online: &[u32]) -> Option<u32> {
    let cores: Option<BTreeSet<Vec<u32>>> = online.iter().map(|cpu| core(root, *cpu)).collect();
    Some(cores?.len() as u32)
}

/// Other logical CPUs that are online on the core of `cpu`.
pub fn smt_siblings(root: &Root, cpu: u32) -> Vec<u32> {
    let mut siblings = core(root, cpu).unwrap_or_default();
    siblings.retain(|sibling| *sibling != cpu);
    siblings
}

/// The CPUs that this process may run on, those of one core together; empty where the kernel does not
/// tell the core of each.
pub fn by_core(root: &Root) -> Vec<Vec<u32>> {
    let allowed = allowed(root);
    let cores: Option<BTreeSet<Vec<u32>>> = allowed.iter().map(|&cpu| core(root, cpu)).collect();
    let usable = |mut core: Vec<u32>| {
        core.retain(|cpu| allowed.contains(cpu));
        core
    };
    cores.unwrap_or_default().into_iter().map(usable).collect()
}

/// CPUs that this process may run on: what `taskset` and the control group left.
pub fn allowed(root: &Root) -> Vec<u32> {
    let status = root.text("proc/self/status").unwrap_or_default();
    status
        .lines()
        .find_map(|line| line.strip_prefix("Cpus_allowed_list:"))
        .map_or_else(|| online(root), parse_list)
}

/// Those of `cpus` whose core is of the kind of the last one, as far as the kernel tells: on some
/// processors a core of one kind takes twice the cycles of another.
pub fn of_last_kind(root: &Root, cpus: &[u32]) -> Vec<u32> {
    let kind = |cpu: u32| {
        ["cpu_capacity", "cpufreq/cpuinfo_max_freq"]
            .map(|file| root.text(&format!("{FOLDER}/cpu{cpu}/{file}")))
    };
    let wanted = cpus.last().map(|&cpu| kind(cpu));
    cpus.iter().copied().filter(|&cpu| wanted.as_ref() == Some(&kind(cpu))).collect()
}

/// The logical CPUs of one core, `cpu` among them. The file was renamed in Linux 5.3.
fn core(root: &Root, cpu: u32) -> Option<Vec<u32>> {
    let topology = format!("{FOLDER}/cpu{cpu}/topology");
    let text = root
        .text(&format!("{topology}/core_cpus_list"))
        .or_else(|| root.text(&format!("{topology}/thread_siblings_list")))?;
    Some(parse_list(&text))
}

/// The kernel's form of a set: `0-3,8`. What is not a number or a range is passed over.
fn parse_list(text: &str) -> Vec<u32> {
    text.split(',').filter_map(|range| parse_range(range.trim())).flatten().collect()
}

fn parse_range(text: &str) -> Option<std::ops::RangeInclusive<u32>> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    Some(first.parse().ok()?..=last.parse().ok()?)
}

#[cfg(test)]
mod tests {
    use super::super::fixture::Tree;
    use super::*;

    #[test]
    fn cores_of_another_kind_are_told_apart() {
        let hybrid = Tree::new(concat!(
            "=== sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq\n5200000\n",
            "=== sys/devices/system/cpu/cpu1/cpufreq/cpuinfo_max_freq\n3900000\n",
            "=== sys/devices/system/cpu/cpu2/cpufreq/cpuinfo_max_freq\n3900000",
        ));
        assert_eq!(of_last_kind(&hybrid.root(), &[0, 1, 2]), [1, 2]);
        assert_eq!(of_last_kind(&hybrid.root(), &[0]), [0]);
        let untold = Tree::new("=== sys/devices/system/cpu/online\n0-2");
        assert_eq!(of_last_kind(&untold.root(), &[0, 2]), [0, 2]);
    }

    #[test]
    fn lists_are_read_as_the_kernel_writes_them() {
        assert_eq!(parse_list("0-3,8,10-11"), [0, 1, 2, 3, 8, 10, 11]);
        assert_eq!(parse_list("\t7"), [7]);
        assert!(parse_list("").is_empty());
        assert!(parse_list("none").is_empty());
    }

    #[test]
    fn the_older_name_of_the_core_list_is_read_too() {
        let tree = Tree::new("=== sys/devices/system/cpu/cpu1/topology/thread_siblings_list\n1,5");
        assert_eq!(smt_siblings(&tree.root(), 1), [5]);
    }

    #[test]
    fn cores_are_not_counted_from_half_of_the_cpus() {
        let tree = Tree::new("=== sys/devices/system/cpu/cpu0/topology/core_cpus_list\n0");
        assert_eq!(physical_cores(&tree.root(), &[0]), Some(1));
        assert_eq!(physical_cores(&tree.root(), &[0, 1]), None);
    }
}
