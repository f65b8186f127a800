//! A battery's own gauge, by `/sys/class/power_supply`.
//!
//! `energy_now` is in microwatt hours and falls, `power_now` in microwatts; where a gauge counts charge,
//! power is current times voltage, in microamperes and microvolts. Gauges have new values every second
//! to every minute, and do not say how often. See the kernel's
//! Documentation/ABI/testing/sysfs-class-power. Batteries of what is attached, such as a mouse, have
//! the scope `Device`.

use ciphermark_record::energy::{MeterScope, MeterSource, Quantity};

use super::{Found, Gauge, Root};

const SUPPLIES: &str = "sys/class/power_supply";

/// Joules of a microwatt hour.
const MICROWATT_HOUR: f64 = 3600e-6;

pub fn find(root: &Root) -> Vec<Found> {
    root.entries(SUPPLIES).iter().flat_map(|supply| of_supply(root, supply)).collect()
}

fn of_supply(root: &Root, name: &str) -> Vec<Found> {
    let file = |it: &str| format!("{SUPPLIES}/{name}/{it}");
    let is = |it: &str, value: &str| root.text(&file(it)).is_some_and(|text| text == value);
    if !is("type", "Battery") || is("scope", "Device") || is("present", "0") {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut add = |quantity, unit, shown: &str, gauge| {
        let (source, scope) = (MeterSource::Battery, MeterScope::Battery);
        let gauge = Gauge::Discharging { status: file("status"), gauge: Box::new(gauge) };
        found.push(Found::new(source, scope, name.to_owned(), quantity, unit, file(shown), gauge));
    };
    if root.exists(&file("energy_now")) {
        add(Quantity::Energy, -MICROWATT_HOUR, "energy_now", Gauge::File(file("energy_now")));
    }
    if root.exists(&file("power_now")) {
        add(Quantity::Power, 1e-6, "power_now", Gauge::File(file("power_now")));
    } else if root.exists(&file("current_now")) {
        let gauge = Gauge::Product(file("current_now"), file("voltage_now"));
        add(Quantity::Power, 1e-12, "current_now", gauge);
    }
    found
}
