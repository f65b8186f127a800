//! The processor's own counters (RAPL) as events of `perf`, where powercap shows none that can be read.
//!
//! Each event is opened once for each CPU of `cpumask`, which names one of each package, and counts
//! for all processes: that needs `perf_event_paranoid` at 0 or lower, or CAP_PERFMON.

use ciphermark_record::energy::{MeterScope, MeterSource, Quantity, Refusal};
use perf_event::{Builder, Counter};
use perf_event_open_sys::bindings::perf_event_attr;

use super::powercap::UPDATE_MS;
use super::{Found, Gauge, Root, broken};

const FOLDER: &str = "sys/bus/event_source/devices/power";

const EVENTS: [(&str, MeterScope); 5] = [
    ("pkg", MeterScope::Package),
    ("cores", MeterScope::Core),
    ("gpu", MeterScope::Uncore),
    ("ram", MeterScope::Dram),
    ("psys", MeterScope::Platform),
];

/// An event of one CPU's package.
pub struct Event {
    number: Number,
    cpu: u32,
    counter: Option<Counter>,
}

/// What the kernel knows an event by.
#[derive(Clone, Copy)]
struct Number {
    kind: u32,
    config: u64,
}

impl perf_event::events::Event for Number {
    fn update_attrs(self, attr: &mut perf_event_attr) {
        attr.type_ = self.kind;
        attr.config = self.config;
    }
}

impl Event {
    /// The count so far; the first reading opens the event.
    pub fn read(&mut self) -> Result<i64, Refusal> {
        if self.counter.is_none() {
            self.counter = Some(open(self.number, self.cpu).map_err(|why| Refusal {
                permission: matches!(why.raw_os_error(), Some(libc::EACCES | libc::EPERM)),
                message: format!("{FOLDER}: the event was not opened: {why}"),
            })?);
        }
        let count = self.counter.as_mut().map(Counter::read);
        match count {
            Some(Ok(count)) => Ok(count as i64),
            _ => Err(broken(format!("{FOLDER}: the event is not counted any more"))),
        }
    }
}

fn open(number: Number, cpu: u32) -> std::io::Result<Counter> {
    let mut builder = Builder::new(number);
    // These counters know no modes, and the kernel refuses to leave any out.
    builder.any_pid().one_cpu(cpu as usize).exclude_kernel(false).exclude_hv(false);
    let mut counter = builder.build()?;
    counter.enable()?;
    Ok(counter)
}

pub fn find(root: &Root) -> Vec<Found> {
    let Some(kind) = root.parse::<u32>(&format!("{FOLDER}/type")) else { return Vec::new() };
    let cpus = cpus(&root.text(&format!("{FOLDER}/cpumask")).unwrap_or_default());
    let of_event = |&(name, scope): &(&'static str, MeterScope)| {
        let file = format!("{FOLDER}/events/energy-{name}");
        let number = Number { kind, config: config(&root.text(&file)?)? };
        let unit = root.parse::<f64>(&format!("{file}.scale"))?;
        Some(cpus.iter().enumerate().map(move |(package, &cpu)| {
            let name = format!("{name}-{package}");
            let gauge = Gauge::Event(Event { number, cpu, counter: None });
            // It never wraps: the kernel adds up what passes between its own readings.
            let source = MeterSource::Perf;
            Found::new(source, scope, name, Quantity::Energy, unit, file.clone(), gauge)
                .updated_every(Some(UPDATE_MS))
        }))
    };
    EVENTS.iter().filter_map(of_event).flatten().collect()
}

/// `event=0x02`.
fn config(text: &str) -> Option<u64> {
    u64::from_str_radix(text.strip_prefix("event=0x")?, 16).ok()
}

/// `0,16` or `0-1`.
fn cpus(text: &str) -> Vec<u32> {
    let range = |part: &str| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        Some(first.trim().parse::<u32>().ok()?..=last.trim().parse::<u32>().ok()?)
    };
    text.split(',').filter_map(range).flatten().collect()
}
