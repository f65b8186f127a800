//! Sizes of caches and of main memory.

use super::control_groups::ControlGroup;
use super::root::Root;

/// Size of cpu0's data or unified cache of one level.
pub fn data_cache_bytes(root: &Root, level: u32) -> Option<u64> {
    (0..)
        .map(|index| format!("sys/devices/system/cpu/cpu0/cache/index{index}"))
        .take_while(|cache| root.exists(cache))
        .find(|cache| holds_data_of(root, cache, level))
        .and_then(|cache| parse_size(&root.text(&format!("{cache}/size"))?))
}

fn holds_data_of(root: &Root, cache: &str, level: u32) -> bool {
    root.parse::<u32>(&format!("{cache}/level")) == Some(level)
        && root.text(&format!("{cache}/type")).is_some_and(|kind| kind != "Instruction")
}

/// Main memory that the kernel manages.
pub fn main_bytes(root: &Root) -> Option<u64> {
    meminfo(root, "MemTotal:")
}

/// Size of cpu0's data or unified cache of one level, of this machine.
pub fn cache_bytes(level: u32) -> Option<u64> {
    data_cache_bytes(&Root::default(), level)
}

/// Size of cpu0's cache next to main memory.
pub fn last_level_cache_bytes() -> Option<u64> {
    (1..=4).rev().find_map(cache_bytes)
}

/// Main memory that processes of this control group can have now.
pub fn available_bytes() -> Option<u64> {
    let root = Root::default();
    let free = meminfo(&root, "MemAvailable:")?;
    let group = ControlGroup::find(&root, "memory").and_then(|it| it.memory_room(&root));
    Some(group.map_or(free, |room| room.min(free)))
}

/// Main memory that this process takes now.
pub fn resident_bytes() -> Option<u64> {
    let status = Root::default().text("proc/self/status")?;
    parse_kilobytes(&status, "VmRSS:")
}

/// Private memory of this process that can be written to, touched or not.
pub fn data_bytes() -> Option<u64> {
    let status = Root::default().text("proc/self/status")?;
    parse_kilobytes(&status, "VmData:")
}

/// Processes that the system has killed for want of memory since it started.
pub fn killed_for_memory() -> Option<u64> {
    let counts = Root::default().text("proc/vmstat")?;
    counts.lines().find_map(|line| line.strip_prefix("oom_kill ")?.trim().parse().ok())
}

fn meminfo(root: &Root, line: &str) -> Option<u64> {
    parse_kilobytes(&root.text("proc/meminfo")?, line)
}

/// The number of a line such as `MemTotal:  24105 kB`, in bytes.
fn parse_kilobytes(text: &str, line: &str) -> Option<u64> {
    let value = text.lines().find_map(|it| it.strip_prefix(line))?;
    parse_size(&value.replace(" kB", "K"))
}

/// `32K`, `16M`.
fn parse_size(text: &str) -> Option<u64> {
    let text = text.trim();
    let digits = text.trim_end_matches(['K', 'M', 'G']);
    let unit: u64 = match &text[digits.len()..] {
        "" => 1,
        "K" => 1 << 10,
        "M" => 1 << 20,
        "G" => 1 << 30,
        _ => return None,
    };
    digits.parse::<u64>().ok()?.checked_mul(unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_the_kernel_are_in_kilobytes() {
        let text = "MemTotal:       24683520 kB\nMemAvailable:   24212480 kB";
        assert_eq!(parse_kilobytes(text, "MemAvailable:"), Some(24_212_480 << 10));
        assert_eq!(parse_kilobytes(text, "MemFree:"), None);
    }

    #[test]
    fn this_process_takes_a_part_of_the_memory() {
        if let (Some(resident), Some(total)) = (resident_bytes(), main_bytes(&Root::default())) {
            assert!(resident > 0 && resident < total, "{resident} {total}");
        }
    }

    #[test]
    fn sizes_have_binary_units() {
        assert_eq!(parse_size("32768K"), Some(32 << 20));
        assert_eq!(parse_size(" 16M"), Some(16 << 20));
        assert_eq!(parse_size("512"), Some(512));
        assert_eq!(parse_size("12KK"), None);
        assert_eq!(parse_size("K"), None);
    }
}
