//! Sizes of caches and of main memory.

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
    let text = root.text("proc/meminfo")?;
    let total = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    parse_size(&total.replace(" kB", "K"))
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
    fn sizes_have_binary_units() {
        assert_eq!(parse_size("32768K"), Some(32 << 20));
        assert_eq!(parse_size(" 16M"), Some(16 << 20));
        assert_eq!(parse_size("512"), Some(512));
        assert_eq!(parse_size("12KK"), None);
        assert_eq!(parse_size("K"), None);
    }
}
