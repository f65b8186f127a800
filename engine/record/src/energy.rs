//! The machine's meters of energy and power, and what they have shown while something ran.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A meter that the kernel shows, whether or not it can be read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Meter {
    /// `package-0`, `dram-0`, `BAT0`: no two meters of a source have the same.
    pub name: String,
    pub source: MeterSource,
    pub scope: MeterScope,
    pub quantity: Quantity,
    /// Joules of one count, or watts where it shows power; below 0 where it counts down.
    pub unit: f64,
    /// Counts after which it begins at 0 again; absent where it never does, or nothing says so.
    pub wraps_at: Option<u64>,
    /// Between two new values, milliseconds; absent where nothing says so.
    pub update_ms: Option<f64>,
    /// Where it is read, below the root of the file tree.
    pub file: String,
    /// Why it cannot be read; absent where it can.
    pub refused: Option<Refusal>,
}

/// Who shows a meter.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum MeterSource {
    /// The processor's own counters (RAPL), by `/sys/class/powercap`.
    Powercap,
    /// The same counters, by `perf_event_open`.
    Perf,
    /// Sensors of the board or processor, by `/sys/class/hwmon`.
    Hwmon,
    /// Sensors of the board, by `/sys/bus/iio`.
    Iio,
    /// A battery's own gauge, by `/sys/class/power_supply`.
    Battery,
}

/// What a meter measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum MeterScope {
    Package,
    /// The cores of a package, which are part of it.
    Core,
    /// What else a package has, graphics above all; part of it.
    Uncore,
    /// Memory, which is no part of the package.
    Dram,
    /// The whole platform, as the processor is told.
    Platform,
    /// What a sensor of the board is wired to.
    Board,
    /// All that a battery supplies.
    Battery,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Quantity {
    Energy,
    Power,
}

/// Why a meter cannot be read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Refusal {
    /// Whether it is for want of permission, which the user can be given.
    pub permission: bool,
    pub message: String,
}

/// What the meters showed, reading by reading, while a case ran and for a while before it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Readings {
    pub meters: Vec<Meter>,
    /// When each reading was taken: nanoseconds since the start of the run.
    pub at_ns: Vec<u64>,
    /// Counts of each meter at these times; absent where it could not be read.
    pub counts: Vec<Vec<Option<i64>>>,
    /// Until then nothing ran.
    pub idle_until_ns: u64,
    /// CPU time of one reading of all meters, nanoseconds: the mean.
    pub reading_ns: f64,
}
