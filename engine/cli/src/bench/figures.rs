//! From the events of a run to a row for each case, by the rules of the workbench.

use std::collections::BTreeMap;

use ciphermark_harness::clock::median;
use ciphermark_harness::stopping::{Estimate, Observations, Rule};
use ciphermark_record::description::Implementation;
use ciphermark_record::event::{Bye, Event, Failure, Hello, Sample};
use ciphermark_record::plan::{Case, Plan};

use super::cases::size;

/// A core that counts cycles for a smaller share of its time waits for a device.
const LEAST_BUSY: f64 = 0.9;

/// All that is kept of the events.
#[derive(Default)]
pub struct Gathered {
    pub hello: Option<Box<Hello>>,
    pub warnings: Vec<String>,
    pub bye: Option<Bye>,
    cases: BTreeMap<u32, Measured>,
}

#[derive(Default)]
struct Measured {
    implementation: Option<Implementation>,
    error: Option<Failure>,
    observations: Observations,
    /// Time and clock of each process.
    processes: Vec<Process>,
    group: Group,
}

#[derive(Clone, Default)]
struct Process {
    number: u32,
    ns: Vec<f64>,
    hz: Vec<f64>,
}

/// The slices that follow one another in one round and process.
#[derive(Default)]
struct Group {
    round: u32,
    process: u32,
    samples: Vec<Sample>,
}

/// The figures of a case.
pub struct Row<'a> {
    pub case: &'a Case,
    /// The code path that ran, where it is known.
    pub path: String,
    pub cycles: Option<Estimate>,
    pub settled: bool,
    pub mbytes_per_second: Option<f64>,
    pub core_hz: Option<f64>,
    pub error: Option<Failure>,
    ns: f64,
}

impl Row<'_> {
    pub fn cycles_per_byte(&self) -> Option<f64> {
        self.cycles.map(|it| it.value / size(self.case) as f64)
    }

    /// Half of the interval as a share of the figure.
    pub fn half_width(&self) -> Option<f64> {
        let Estimate { value, interval: Some((low, high)) } = self.cycles? else { return None };
        (value > 0.0).then(|| (high - low) / 2.0 / value)
    }
}

impl Gathered {
    pub fn take(&mut self, event: Event) {
        match event {
            Event::Hello(hello) => self.hello = Some(hello),
            Event::Case(ready) => {
                self.case(ready.case.case).implementation = Some(ready.implementation);
            }
            Event::Sample(sample) => self.case(sample.case).add(sample),
            Event::Error(failed) => self.case(failed.case).error = Some(failed.error),
            // Here the operations follow from the algorithms.
            Event::Warning(warning) => self.warnings.push(
                warning
                    .message
                    .replace("--operations or --providers", "--algorithms or --providers"),
            ),
            Event::Bye(bye) => self.bye = Some(bye),
            Event::Sessions(_) | Event::Packets(_) | Event::Progress(_) => {}
        }
    }

    fn case(&mut self, number: u32) -> &mut Measured {
        self.cases.entry(number).or_default()
    }

    /// Computes a row for each case of the plan.
    pub fn rows<'a>(&mut self, plan: &'a Plan) -> Vec<Row<'a>> {
        let rule = Rule::of(plan);
        let mut rows: Vec<Row> =
            plan.cases.iter().map(|case| self.case(case.case).row(case, &rule)).collect();
        let mut clocks: Vec<f64> = rows.iter().filter_map(|row| row.core_hz).collect();
        if !clocks.is_empty() {
            let clock = median(&mut clocks);
            rows.iter_mut().for_each(|row| row.use_clock(clock));
        }
        rows
    }
}

impl Measured {
    fn add(&mut self, sample: Sample) {
        if (self.group.round, self.group.process) != (sample.round, sample.process) {
            self.end_group();
            self.group = Group { round: sample.round, process: sample.process, samples: vec![] };
        }
        self.group.samples.push(sample);
    }

    fn end_group(&mut self) {
        let samples = std::mem::take(&mut self.group.samples);
        let Some(first) = samples.first() else { return };
        let cycles = |it: &Sample| it.cycles / it.messages as f64 - it.loop_cycles;
        let slices: Vec<_> =
            samples.iter().map(|it| (cycles(it), !it.disturbed.is_empty())).collect();
        self.observations.add_group(self.group.process, first.at_ns, &slices);
        let undisturbed = || samples.iter().filter(|it| it.disturbed.is_empty());
        let of = |value: fn(&Sample) -> f64| undisturbed().map(value).collect::<Vec<f64>>();
        let mut ns = of(|it| it.wall_ns / it.messages as f64 - it.loop_cycles / it.core_hz * 1e9);
        if ns.is_empty() {
            return;
        }
        if self.processes.last().is_none_or(|it| it.number != self.group.process) {
            self.processes.push(Process { number: self.group.process, ..Process::default() });
        }
        if let Some(process) = self.processes.last_mut() {
            process.ns.push(median(&mut ns));
            process.hz.push(median(&mut of(|it| it.core_hz)));
        }
    }

    /// Median of the medians of processes.
    fn observed(&self, values: fn(&Process) -> &Vec<f64>) -> Option<f64> {
        let mut each: Vec<f64> =
            self.processes.iter().map(|it| median(&mut values(it).clone())).collect();
        (!each.is_empty()).then(|| median(&mut each))
    }

    fn row<'a>(&mut self, case: &'a Case, rule: &Rule) -> Row<'a> {
        self.end_group();
        let path = self.implementation.as_ref().map_or(String::new(), |it| {
            if it.path.is_empty() { it.backend.clone() } else { it.path.clone() }
        });
        let is_cost = |it: &Estimate| it.value >= 0.0 || it.interval.is_some_and(|it| it.1 >= 0.0);
        let estimate = self.observations.estimate(rule.reproducibility).filter(is_cost);
        let cycles = estimate.filter(|_| self.error.is_none());
        Row {
            case,
            path: if path == "default" { String::new() } else { path },
            cycles: cycles.map(not_below_zero),
            settled: cycles.is_some() && self.observations.missing(rule).is_none(),
            mbytes_per_second: None,
            core_hz: cycles.and_then(|_| self.observed(|it| &it.hz)),
            error: self.error.clone(),
            ns: self.observed(|it| &it.ns).unwrap_or(0.0),
        }
    }
}

fn not_below_zero(it: Estimate) -> Estimate {
    let interval = it.interval.map(|(low, high)| (low.max(0.0), high.max(0.0)));
    Estimate { value: it.value.max(0.0), interval }
}

impl Row<'_> {
    /// Sets the throughput at a clock that all rows share.
    fn use_clock(&mut self, clock: f64) {
        let (Some(cycles), Some(hz)) = (self.cycles, self.core_hz) else { return };
        let elapsed = self.ns * hz / 1e9;
        let waited = cycles.value < LEAST_BUSY * elapsed;
        let cycles = if waited { elapsed } else { cycles.value };
        let bytes = size(self.case) as f64;
        self.mbytes_per_second = (cycles > 0.0).then(|| bytes * clock / cycles / 1e6);
    }
}

#[cfg(test)]
pub mod tests {
    use ciphermark_record::event::Disturbance;

    use super::*;

    /// Samples of a case in six processes of three groups, at a clock of 1 GHz.
    pub fn samples(case: u32, bytes: u64, cycles_per_byte: f64, spread: f64) -> Vec<Sample> {
        let mut found = Vec::new();
        for round in 0..18 {
            for slice in 0..5 {
                let process = round / 3;
                let moved = 1.0 + spread * (f64::from(process) - 2.5) / 2.5;
                let cycles = 100.0 * (bytes as f64 * cycles_per_byte * moved + 2.0);
                found.push(Sample {
                    case,
                    round,
                    process,
                    cpu: Some(0),
                    slice,
                    at_ns: u64::from(round) * 1_000_000,
                    messages: 100,
                    wall_ns: cycles,
                    cycles,
                    loop_cycles: 2.0,
                    core_hz: 1e9,
                    group_cpu_ns: 1,
                    group_wall_ns: 1,
                    disturbed: vec![],
                });
            }
        }
        found
    }

    #[test]
    fn a_row_has_the_median_of_processes_without_the_loop() {
        let mut measured = Measured::default();
        let mut given = samples(0, 64, 5.0, 0.0);
        given[7].cycles *= 3.0;
        given[7].disturbed.push(Disturbance::Switch);
        given.into_iter().for_each(|it| measured.add(it));
        measured.end_group();
        let estimate = measured.observations.estimate(0.0).unwrap();
        assert_eq!((estimate.value, estimate.interval), (320.0, Some((320.0, 320.0))));
        assert_eq!(measured.observed(|it| &it.hz), Some(1e9));
        assert!((measured.observed(|it| &it.ns).unwrap() - 320.0).abs() < 1e-9);
    }
}
