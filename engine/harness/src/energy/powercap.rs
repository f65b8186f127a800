//! The processor's own counters (RAPL) by `/sys/class/powercap`.
//!
//! Each package is a zone that counts microjoules and begins again at `max_energy_range_uj`; its cores,
//! graphics and memory are zones within it. AMD's processors are there under Intel's name. See the
//! kernel's Documentation/power/powercap/powercap.rst. Since CVE-2020-8694 only root may read the
//! counters unless a rule of udev lets others.

use ciphermark_record::energy::{MeterScope, MeterSource, Quantity};

use super::{Found, Gauge, Root};

const ZONES: &str = "sys/class/powercap";

/// Intel's manual: counters have new values about every millisecond (Software Developer's Manual,
/// volume 3, "RAPL Interfaces").
pub const UPDATE_MS: f64 = 1.0;

pub fn find(root: &Root) -> Vec<Found> {
    let zones = root.entries(ZONES);
    // The same counters are there a second time where the processor shows them in memory as well.
    let by = if zones.iter().any(|it| it.starts_with("intel-rapl:")) {
        "intel-rapl:"
    } else {
        "intel-rapl-mmio:"
    };
    zones.iter().filter(|it| it.starts_with(by)).filter_map(|zone| meter(root, zone)).collect()
}

fn meter(root: &Root, zone: &str) -> Option<Found> {
    let called = |zone: &str| root.text(&format!("{ZONES}/{zone}/name"));
    let own = called(zone)?;
    let scope = match own.split('-').next()? {
        "package" => MeterScope::Package,
        "core" => MeterScope::Core,
        "uncore" => MeterScope::Uncore,
        "dram" => MeterScope::Dram,
        "psys" => MeterScope::Platform,
        _ => return None,
    };
    // A part is called as its package is: `package-1` has `dram-1`.
    let within = zone.rsplit_once(':').and_then(|(outer, _)| called(outer));
    let name = match within.as_deref().and_then(|outer| outer.strip_prefix("package")) {
        Some(number) => format!("{own}{number}"),
        None => own,
    };
    let file = format!("{ZONES}/{zone}/energy_uj");
    let range = root.parse::<u64>(&format!("{ZONES}/{zone}/max_energy_range_uj"));
    let gauge = Gauge::File(file.clone());
    let source = MeterSource::Powercap;
    let found = Found::new(source, scope, name, Quantity::Energy, 1e-6, file, gauge);
    // The range is the highest count.
    Some(found.updated_every(Some(UPDATE_MS)).wrapping_at(range.map(|highest| highest + 1)))
}
