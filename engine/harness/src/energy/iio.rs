//! Sensors of a board's power by `/sys/bus/iio`, where an INA's driver is that of converters.
//!
//! `in_powerN_raw` times `in_powerN_scale` is in milliwatts; see the kernel's
//! Documentation/ABI/testing/sysfs-bus-iio.

use ciphermark_record::energy::{MeterScope, MeterSource, Quantity};

use super::{Found, Gauge, Root};

const DEVICES: &str = "sys/bus/iio/devices";

pub fn find(root: &Root) -> Vec<Found> {
    let folders = root.entries(DEVICES).into_iter().map(|device| format!("{DEVICES}/{device}"));
    folders.flat_map(|folder| of_device(root, &folder)).collect()
}

fn of_device(root: &Root, folder: &str) -> Vec<Found> {
    let chip = root.text(&format!("{folder}/name")).unwrap_or_default();
    let number = folder.rsplit_once("device").map_or("", |(_, number)| number);
    let files = root.entries(folder);
    let channels = files.iter().filter_map(|it| it.strip_suffix("_raw"));
    let powers = channels.filter(|it| it.starts_with("in_power"));
    let found = powers.map(|channel| {
        let file = format!("{folder}/{channel}_raw");
        let scale = root.parse::<f64>(&format!("{folder}/{channel}_scale")).unwrap_or(1.0);
        let name = format!("{chip}-{number} {}", channel.trim_start_matches("in_"));
        let gauge = Gauge::File(file.clone());
        let (source, scope) = (MeterSource::Iio, MeterScope::Board);
        Found::new(source, scope, name, Quantity::Power, scale * 1e-3, file, gauge)
    });
    found.collect()
}
