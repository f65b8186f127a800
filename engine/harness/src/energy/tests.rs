use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::*;
use crate::environment::fixture::Tree;

const TWO_PACKAGES: &str = "\
=== sys/class/powercap/intel-rapl/enabled\n1\n\
=== sys/class/powercap/intel-rapl:0/name\npackage-0\n\
=== sys/class/powercap/intel-rapl:0/energy_uj\n1000\n\
=== sys/class/powercap/intel-rapl:0/max_energy_range_uj\n262143328850\n\
=== sys/class/powercap/intel-rapl:0:0/name\ncore\n\
=== sys/class/powercap/intel-rapl:0:0/energy_uj\n400\n\
=== sys/class/powercap/intel-rapl:0:1/name\ndram\n\
=== sys/class/powercap/intel-rapl:0:1/energy_uj\n300\n\
=== sys/class/powercap/intel-rapl:1/name\npackage-1\n\
=== sys/class/powercap/intel-rapl:1/energy_uj\n2000\n\
=== sys/class/powercap/intel-rapl:1:0/name\ndram\n\
=== sys/class/powercap/intel-rapl:1:0/energy_uj\n600\n\
=== sys/class/powercap/intel-rapl:2/name\npsys\n\
=== sys/class/powercap/intel-rapl:2/energy_uj\n9000\n\
=== sys/class/powercap/intel-rapl-mmio:0/name\npackage-0\n\
=== sys/class/powercap/intel-rapl-mmio:0/energy_uj\n1000\n";

fn names(meters: &[Meter]) -> Vec<&str> {
    meters.iter().map(|it| it.name.as_str()).collect()
}

#[test]
fn packages_and_their_parts_are_told_apart_and_none_is_there_twice() {
    let tree = Tree::new(TWO_PACKAGES);
    let (all, mut meters) = Meters::under(tree.root());
    assert_eq!(names(&all), ["package-0", "core-0", "dram-0", "package-1", "dram-1", "psys"]);
    let counts = [1000, 400, 300, 2000, 600, 9000].map(Some);
    assert_eq!(meters.read(), counts);
    let scopes: Vec<MeterScope> = all.iter().map(|it| it.scope).collect();
    use MeterScope::{Core, Dram, Package, Platform};
    assert_eq!(scopes, [Package, Core, Dram, Package, Dram, Platform]);
    // The range is the highest count, and the one after it is 0.
    assert_eq!(all[0].wraps_at, Some(262_143_328_851));
    assert_eq!(all[1].wraps_at, None);
    assert!(all.iter().all(|it| it.unit == 1e-6 && it.quantity == Quantity::Energy));
}

#[test]
fn a_domain_that_vanishes_or_says_nonsense_has_no_count() {
    let tree = Tree::new(TWO_PACKAGES);
    let (_, mut meters) = Meters::under(tree.root());
    tree.write("sys/class/powercap/intel-rapl:0:0/energy_uj", "many\n");
    tree.remove("sys/class/powercap/intel-rapl:0:1/energy_uj");
    assert_eq!(meters.read()[..4], [Some(1000), None, None, Some(2000)]);
}

#[test]
fn why_a_meter_cannot_be_read_is_said_with_its_file() {
    let tree = Tree::new(
        "=== sys/class/powercap/intel-rapl:0/name\npackage-0\n\
         === sys/class/powercap/intel-rapl:0/energy_uj\n\n",
    );
    let (all, meters) = Meters::under(tree.root());
    assert!(meters.is_empty());
    let refused = all[0].refused.as_ref().expect("there is no number");
    assert!(!refused.permission && refused.message.contains("intel-rapl:0/energy_uj"));
    let denied = refusal("sys/x", &ErrorKind::PermissionDenied.into());
    assert!(denied.permission && denied.message.starts_with("sys/x: "), "{denied:?}");
}

#[test]
fn events_of_perf_are_read_where_powercap_is_refused() {
    let events = "=== sys/bus/event_source/devices/power/type\n999999\n\
         === sys/bus/event_source/devices/power/cpumask\n0,16-17\n\
         === sys/bus/event_source/devices/power/events/energy-pkg\nevent=0x02\n\
         === sys/bus/event_source/devices/power/events/energy-pkg.scale\n2.3283064365386962890625e-10\n\
         === sys/bus/event_source/devices/power/events/energy-ram\nevent=0x03\n\
         === sys/bus/event_source/devices/power/events/energy-ram.scale\n1e-9\n";
    let tree = Tree::new(events);
    let (all, meters) = Meters::under(tree.root());
    assert_eq!(names(&all), ["pkg-0", "pkg-1", "pkg-2", "ram-0", "ram-1", "ram-2"]);
    assert_eq!((all[0].unit, all[3].unit), (2f64.powi(-32), 1e-9));
    // No kernel has events of this number.
    assert!(meters.is_empty() && all.iter().all(|it| it.refused.is_some()));
    let both = Tree::new(&format!("{TWO_PACKAGES}{events}"));
    let (all, _) = Meters::under(both.root());
    assert!(all.iter().all(|it| it.source == MeterSource::Powercap), "one of both is enough");
}

/// The kernel counts the nanoseconds of a CPU as such an event, wherever it lets anybody count events
/// of all processes.
const A_WATT_BY_PERF: &str = "\
=== sys/bus/event_source/devices/power/type\n1\n\
=== sys/bus/event_source/devices/power/cpumask\n0\n\
=== sys/bus/event_source/devices/power/events/energy-pkg\nevent=0x00\n\
=== sys/bus/event_source/devices/power/events/energy-pkg.scale\n1e-9\n";

#[test]
fn events_of_perf_are_counted_where_the_kernel_allows_it() {
    let tree = Tree::new(A_WATT_BY_PERF);
    let (all, mut meters) = Meters::under(tree.root());
    assert_eq!(names(&all), ["pkg-0"]);
    if let Some(refused) = &all[0].refused {
        assert!(refused.permission, "{refused:?}");
        return;
    }
    let outer = Instant::now();
    let before = meters.read()[0].expect("it is counted");
    let inner = Instant::now();
    thread::sleep(Duration::from_millis(20));
    let within = inner.elapsed().as_nanos() as i64;
    let passed = meters.read()[0].expect("it is counted") - before;
    let around = outer.elapsed().as_nanos() as i64;
    // Two clocks of the kernel may differ by a little.
    let slack = around / 1000 + 1000;
    assert!((within - slack..=around + slack).contains(&passed), "{within} {passed} {around}");
}

#[test]
fn sensors_of_boards_are_those_that_measure_what_computes() {
    let tree = Tree::new(
        "=== sys/class/hwmon/hwmon0/name\nina226\n\
         === sys/class/hwmon/hwmon0/power1_input\n5120000\n\
         === sys/class/hwmon/hwmon0/power1_label\nVDD\n\
         === sys/class/hwmon/hwmon0/update_interval\n17\n\
         === sys/class/hwmon/hwmon1/name\nina3221\n\
         === sys/class/hwmon/hwmon1/in1_input\n5000\n\
         === sys/class/hwmon/hwmon1/in1_label\nVDD_IN\n\
         === sys/class/hwmon/hwmon1/curr1_input\n1200\n\
         === sys/class/hwmon/hwmon2/name\namdgpu\n\
         === sys/class/hwmon/hwmon2/device/class\n0x030000\n\
         === sys/class/hwmon/hwmon2/power1_input\n99\n\
         === sys/class/hwmon/hwmon3/name\namd_energy\n\
         === sys/class/hwmon/hwmon3/energy1_input\n7000000\n\
         === sys/class/hwmon/hwmon3/energy1_label\nEsocket0\n\
         === sys/bus/iio/devices/iio:device0/name\nina219\n\
         === sys/bus/iio/devices/iio:device0/in_power2_raw\n250\n\
         === sys/bus/iio/devices/iio:device0/in_power2_scale\n20\n",
    );
    let (all, mut meters) = Meters::under(tree.root());
    let expected = ["ina226-0 VDD", "ina3221-1 VDD_IN", "amd_energy-3 Esocket0", "ina219-0 power2"];
    assert_eq!(names(&all), expected);
    let watts = |at: usize, count: Option<i64>| count.map(|it| it as f64 * all[at].unit);
    let counts = meters.read();
    let shown: Vec<f64> = counts.iter().enumerate().filter_map(|(at, &it)| watts(at, it)).collect();
    // 5 V times 1.2 A are 6 W, and 250 times 20 mW are 5 W.
    for (shown, expected) in shown.iter().zip([5.12, 6.0, 7.0, 5.0]) {
        assert!((shown / expected - 1.0).abs() < 1e-9, "{shown} is not {expected}");
    }
    assert_eq!(all[0].update_ms, Some(17.0));
    assert_eq!(all[2].scope, MeterScope::Package);
}

const BATTERY: &str = "\
=== sys/class/power_supply/AC/type\nMains\n\
=== sys/class/power_supply/BAT0/type\nBattery\n\
=== sys/class/power_supply/BAT0/status\nDischarging\n\
=== sys/class/power_supply/BAT0/energy_now\n41000000\n\
=== sys/class/power_supply/BAT0/power_now\n12500000\n\
=== sys/class/power_supply/mouse/type\nBattery\n\
=== sys/class/power_supply/mouse/scope\nDevice\n\
=== sys/class/power_supply/mouse/power_now\n1\n";

#[test]
fn a_battery_counts_only_while_it_supplies_the_machine() {
    let tree = Tree::new(BATTERY);
    let (all, mut meters) = Meters::under(tree.root());
    assert_eq!(names(&all), ["BAT0", "BAT0"]);
    // A microwatt hour less is 3.6 millijoules more.
    assert_eq!((all[0].unit, all[1].unit), (-3600e-6, 1e-6));
    assert_eq!(meters.read(), [Some(41_000_000), Some(12_500_000)]);
    tree.write("sys/class/power_supply/BAT0/status", "Charging\n");
    assert_eq!(meters.read(), [None, None]);
    assert_eq!(meters.idle_for(Duration::from_secs(300)), Duration::from_secs(60));
    assert_eq!(meters.idle_for(Duration::from_secs(2)), Duration::from_millis(500));
}

#[test]
fn a_gauge_of_charge_gives_power_by_current_and_voltage() {
    let tree = Tree::new(
        "=== sys/class/power_supply/BAT1/type\nBattery\n\
         === sys/class/power_supply/BAT1/status\nDischarging\n\
         === sys/class/power_supply/BAT1/current_now\n1500000\n\
         === sys/class/power_supply/BAT1/voltage_now\n12000000\n",
    );
    let (all, mut meters) = Meters::under(tree.root());
    let watts = meters.read()[0].expect("it is there") as f64 * all[0].unit;
    assert!((watts - 18.0).abs() < 1e-9, "{watts}");
}

#[test]
fn a_watch_reads_until_it_is_ended_and_gives_the_meters_back() {
    let tree = Tree::new(TWO_PACKAGES);
    let (all, meters) = Meters::under(tree.root());
    let reads = Arc::new(AtomicU64::new(0));
    let counted = Arc::clone(&reads);
    let watch = meters.watch(Duration::ZERO, move || counted.fetch_add(1, Ordering::SeqCst));
    while reads.load(Ordering::SeqCst) < 3 {
        thread::yield_now();
    }
    let (_, readings) = watch.end().expect("the thread has ended well");
    let taken = reads.load(Ordering::SeqCst);
    assert_eq!(readings.at_ns, (0..taken).collect::<Vec<_>>());
    assert_eq!(readings.counts.len() as u64, taken);
    assert_eq!(readings.meters, all);
    assert!(readings.reading_ns > 0.0);
}

#[test]
fn reading_takes_its_share_of_the_time_at_most() {
    let tree = Tree::new(TWO_PACKAGES);
    let (_, meters) = Meters::under(tree.root());
    let mut log = Log::of(meters, || 0);
    log.read();
    log.cpu_ns = 20_000;
    // Two more readings cost as much each, and the last comes at any time.
    let ms = Duration::from_millis;
    assert_eq!(log.pause(ms(0)), ms(60));
    assert_eq!(log.pause(ms(35)), ms(25));
    assert_eq!(log.pause(ms(1000)), ms(20), "what was saved before is not spent at once");
    for _ in 0..3 {
        log.read();
    }
    log.cpu_ns = 80_000;
    assert_eq!(log.pause(ms(70)), ms(50));
}

#[test]
fn a_counter_that_stays_at_0_is_none() {
    let tree = Tree::new(
        "=== sys/class/powercap/intel-rapl:0/name\npackage-0\n\
         === sys/class/powercap/intel-rapl:0/energy_uj\n0\n",
    );
    let (all, meters) = Meters::under(tree.root());
    let refused = all[0].refused.as_ref().expect("it does not count");
    assert!(meters.is_empty() && refused.message.contains("stays at 0"), "{refused:?}");
}

#[test]
fn a_machine_without_meters_has_none() {
    let tree = Tree::new("=== sys/class/dmi/id/product_name\nKVM\n");
    let (all, meters) = Meters::under(tree.root());
    assert!(all.is_empty() && meters.is_empty());
}
