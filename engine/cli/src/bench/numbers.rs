//! Numbers as the workbench prints them (`python/ciphermark/view/figures.py`).

/// Formats three significant digits with thousands apart: `0.730`, `12.1`, `1 620`.
pub fn significant(value: f64) -> String {
    digits(value, 3)
}

fn digits(value: f64, digits: usize) -> String {
    if value == 0.0 || !value.is_finite() {
        return if value == 0.0 { "0".into() } else { "unknown".into() };
    }
    // The exponent after rounding: 9.996 is 10.0, not 10.00.
    let rounded = format!("{:.*e}", digits - 1, value);
    let exponent = rounded.split_once('e').and_then(|(_, it)| it.parse::<i32>().ok()).unwrap_or(0);
    let decimals = (digits as i32 - 1 - exponent).max(0) as usize;
    grouped(&format!("{:.decimals$}", rounded.parse().unwrap_or(value)))
}

fn grouped(number: &str) -> String {
    let (whole, rest) = number.split_at(number.find('.').unwrap_or(number.len()));
    let mut text = String::new();
    for (place, digit) in whole.chars().enumerate() {
        if place > 0 && (whole.len() - place) % 3 == 0 {
            text.push(' ');
        }
        text.push(digit);
    }
    text + rest
}

/// Formats a count with its noun: `1 case`, `1 200 cases`.
pub fn counted(count: usize, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", grouped(&count.to_string()))
}

/// Formats a share: `0.40 %`.
pub fn percent(share: f64) -> String {
    format!("{} %", digits(100.0 * share, 2))
}

/// Formats a size in the largest unit of which it is a whole number: `1500 B`, `16 KiB`.
pub fn size(bytes: u64) -> String {
    match bytes {
        0 => "0 B".into(),
        _ if bytes.is_multiple_of(1 << 20) => format!("{} MiB", bytes >> 20),
        _ if bytes.is_multiple_of(1 << 10) => format!("{} KiB", bytes >> 10),
        _ => format!("{bytes} B"),
    }
}

/// Formats a clock rate: `3.82 GHz`.
pub fn clock(hertz: f64) -> String {
    format!("{} GHz", significant(hertz / 1e9))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_have_three_digits_and_thousands_apart() {
        let shown = [0.7301, 9.996, 12.05, 1619.6, 14_600.0, 0.0].map(significant);
        assert_eq!(shown, ["0.730", "10.0", "12.1", "1 620", "14 600", "0"]);
        assert_eq!(significant(f64::NAN), "unknown");
        assert_eq!([percent(0.004), percent(0.0184)], ["0.40 %", "1.8 %"]);
    }

    #[test]
    fn counts_sizes_and_clocks_have_their_units() {
        assert_eq!([counted(1, "case"), counted(1200, "case")], ["1 case", "1 200 cases"]);
        assert_eq!([1500, 1024, 1 << 20].map(size), ["1500 B", "1 KiB", "1 MiB"]);
        assert_eq!(clock(3.824e9), "3.82 GHz");
    }
}
