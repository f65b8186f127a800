//! Sensors of power and energy by `/sys/class/hwmon`: those of boards (INA219 to INA3221) and those
//! that drivers of processors show.
//!
//! `powerN_input` is in microwatts, `energyN_input` in microjoules; where an INA shows voltage and
//! current alone, in millivolts and milliamperes, power is their product. See the kernel's
//! Documentation/hwmon/sysfs-interface.rst. Devices behind PCI, such as graphics cards, measure
//! themselves and not what computes here: they are left out, except the bridges (class 06) by which
//! processors show themselves.

use ciphermark_record::energy::{MeterScope, MeterSource, Quantity};

use super::{Found, Gauge, Root};

const CHIPS: &str = "sys/class/hwmon";

pub fn find(root: &Root) -> Vec<Found> {
    root.entries(CHIPS).iter().flat_map(|chip| of_chip(root, &format!("{CHIPS}/{chip}"))).collect()
}

fn of_chip(root: &Root, folder: &str) -> Vec<Found> {
    let class = root.text(&format!("{folder}/device/class"));
    if class.is_some_and(|it| !it.starts_with("0x06")) {
        return Vec::new();
    }
    let chip = Chip {
        folder,
        name: root.text(&format!("{folder}/name")).unwrap_or_default(),
        update_ms: root.parse(&format!("{folder}/update_interval")),
    };
    let files = root.entries(folder);
    let channels = |kind: &str| -> Vec<String> {
        let numbers = files.iter().filter_map(|it| it.strip_prefix(kind)?.strip_suffix("_input"));
        numbers.filter(|it| it.bytes().all(|byte| byte.is_ascii_digit())).map(Into::into).collect()
    };
    let (energies, powers) = (channels("energy"), channels("power"));
    let mut found = Vec::new();
    for channel in &energies {
        let file = format!("{folder}/energy{channel}_input");
        let label = root.text(&format!("{folder}/energy{channel}_label"));
        found.push(chip.meter(Quantity::Energy, channel, label, file.clone(), Gauge::File(file)));
    }
    for channel in powers.iter().filter(|it| !energies.contains(it)) {
        let file = format!("{folder}/power{channel}_input");
        let label = root.text(&format!("{folder}/power{channel}_label"));
        found.push(chip.meter(Quantity::Power, channel, label, file.clone(), Gauge::File(file)));
    }
    if found.is_empty() && chip.name.starts_with("ina") {
        let both = channels("curr").into_iter().filter(|it| channels("in").contains(it));
        found.extend(both.map(|channel| {
            let [current, voltage] =
                ["curr", "in"].map(|it| format!("{folder}/{it}{channel}_input"));
            let label = root.text(&format!("{folder}/in{channel}_label"));
            let gauge = Gauge::Product(current.clone(), voltage);
            chip.meter(Quantity::Power, &channel, label, current, gauge)
        }));
    }
    found
}

struct Chip<'a> {
    folder: &'a str,
    name: String,
    update_ms: Option<f64>,
}

impl Chip<'_> {
    fn meter(
        &self,
        quantity: Quantity,
        channel: &str,
        label: Option<String>,
        file: String,
        gauge: Gauge,
    ) -> Found {
        let number = self.folder.rsplit_once("hwmon").map_or("", |(_, number)| number);
        // `amd_energy` calls them so, and `fam15h_power` has a package's alone.
        let scope = match label.as_deref() {
            Some(it) if it.starts_with("Esocket") => MeterScope::Package,
            Some(it) if it.starts_with("Ecore") => MeterScope::Core,
            _ if self.name == "fam15h_power" => MeterScope::Package,
            _ => MeterScope::Board,
        };
        let name = format!("{}-{number} {}", self.name, label.unwrap_or_else(|| channel.into()));
        Found::new(MeterSource::Hwmon, scope, name, quantity, 1e-6, file, gauge)
            .updated_every(self.update_ms)
    }
}
