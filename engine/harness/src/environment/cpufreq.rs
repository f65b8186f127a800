//! Governor and turbo.

use super::root::Root;

const FOLDER: &str = "sys/devices/system/cpu";

pub fn governor(root: &Root, cpu: u32) -> Option<String> {
    root.text(&format!("{FOLDER}/cpu{cpu}/cpufreq/scaling_governor"))
}

/// Whether turbo or boost is on. Three drivers have three switches, and the one of intel_pstate is
/// the other way round; reading it fails while that driver is off.
pub fn turbo(root: &Root, cpu: u32) -> Option<bool> {
    switch(root, "intel_pstate/no_turbo")
        .map(|off| !off)
        .or_else(|| switch(root, &format!("cpu{cpu}/cpufreq/boost")))
        .or_else(|| switch(root, "cpufreq/boost"))
}

fn switch(root: &Root, path: &str) -> Option<bool> {
    Some(root.parse::<u8>(&format!("{FOLDER}/{path}"))? != 0)
}

#[cfg(test)]
mod tests {
    use super::super::fixture::Tree;
    use super::*;

    fn turbo_of(path: &str, value: &str) -> Option<bool> {
        turbo(&Tree::new(&format!("=== sys/devices/system/cpu/{path}\n{value}")).root(), 3)
    }

    #[test]
    fn each_driver_has_its_switch() {
        assert_eq!(turbo_of("intel_pstate/no_turbo", "1"), Some(false));
        assert_eq!(turbo_of("intel_pstate/no_turbo", "0"), Some(true));
        assert_eq!(turbo_of("cpufreq/boost", "1"), Some(true));
        assert_eq!(turbo_of("cpu3/cpufreq/boost", "0"), Some(false));
        assert_eq!(turbo_of("cpu0/cpufreq/boost", "1"), None);
    }
}
