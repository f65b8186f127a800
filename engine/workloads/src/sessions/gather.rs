//! From what the threads tell to the record of the execution.

use ciphermark_record::plan::Offload;
use ciphermark_record::sessions::{
    CoreClock, CpuShares, Moment, SessionFigures, SessionsRun, Stretches,
};

use super::Execution;
use super::carrier::{BatchSize, Edge, ThreadReport};
use crate::cores::Alone;
use crate::latencies;

/// What was seen from outside.
pub struct Course {
    pub start_ticks: u64,
    pub opened_ns: u64,
    pub closed_ns: u64,
    /// Threads that had not run when the window opened.
    pub late: u32,
    /// Memory that getting ready took.
    pub resident_bytes: u64,
    pub shares: CpuShares,
    /// CPU time within the window: of this process, and of the device's threads where it tells.
    pub process_cpu_ns: u64,
    pub device_cpu_ns: Option<u64>,
    pub moments: Vec<Moment>,
}

pub fn result(
    execution: &Execution<'_>,
    batch: BatchSize,
    alone: &[Alone],
    course: Course,
    reports: Vec<ThreadReport>,
) -> SessionsRun {
    let load = execution.load;
    let figures = figures(&reports, load.sessions as usize);
    SessionsRun {
        case: execution.case.case,
        attempt: 0,
        load: load.clone(),
        at_ns: course.start_ticks,
        opened_ns: course.opened_ns,
        closed_ns: course.closed_ns,
        threads: reports.len() as u32,
        threads_late: course.late,
        session_bytes: course.resident_bytes / u64::from(load.sessions.max(1)),
        core_clocks: alone.iter().map(|it| core_clock(it, &reports)).collect(),
        shares: course.shares,
        stretches: Some(all_stretches(&reports)),
        timed_every: if load.offered_per_s.is_some() { 1 } else { batch.messages / batch.call },
        latencies: latencies::counted(reports.iter().map(|it| &it.latencies)),
        device: None,
        device_cpu_ns: device_cpu_ns(execution.case.offload, &course, &figures),
        moments: course.moments,
        energy: None,
        figures,
        objections: Vec::new(),
    }
}

/// What a library starts for a device are threads of this process.
fn device_cpu_ns(offload: Offload, course: &Course, figures: &SessionFigures) -> Option<u64> {
    let sessions: u64 = figures.cpu_ns.iter().sum();
    let others = course.process_cpu_ns.saturating_sub(sessions);
    course.device_cpu_ns.or((offload != Offload::None).then_some(others))
}

fn all_stretches(reports: &[ThreadReport]) -> Stretches {
    reports.iter().fold(Stretches::default(), |sum, it| sum + it.stretches)
}

fn core_clock(alone: &Alone, reports: &[ThreadReport]) -> CoreClock {
    let Alone { cpu, core_hz, offset_ns, shares_core } = *alone;
    let edges = || reports.iter().filter_map(|it| it.edges.as_ref());
    CoreClock {
        cpu,
        alone_hz: core_hz,
        loaded_hz: seen_hz(edges().flat_map(|(first, last)| [first, last]), cpu),
        opened_hz: seen_hz(edges().map(|(first, _)| first), cpu),
        closed_hz: seen_hz(edges().map(|(_, last)| last), cpu),
        offset_ns,
        shares_core,
    }
}

/// Median of what threads have seen of a CPU's clock at these edges of the window.
fn seen_hz<'a>(edges: impl Iterator<Item = &'a Edge>, cpu: u32) -> Option<f64> {
    let mut seen: Vec<f64> = edges.filter(|it| it.cpu == cpu).map(|it| it.core_hz).collect();
    seen.sort_by(f64::total_cmp);
    seen.get(seen.len() / 2).copied()
}

/// Thread t of T carries the sessions t, t + T, t + 2T, …
fn figures(reports: &[ThreadReport], sessions: usize) -> SessionFigures {
    let mut figures = SessionFigures {
        messages: vec![0; sessions],
        bytes: vec![0; sessions],
        cpu_ns: vec![0; sessions],
        begun: vec![0; sessions],
        preemptions: vec![0; sessions],
        waits: vec![0; sessions],
        migrations: vec![0; sessions],
    };
    for (thread, one) in reports.iter().enumerate() {
        if let Some((opened, closed)) = &one.edges {
            let mine: Vec<usize> = (thread..sessions).step_by(reports.len()).collect();
            book(&mut figures, &mine, opened, closed);
        }
    }
    figures
}

/// Books what the sessions of one thread did between its edges.
fn book(figures: &mut SessionFigures, mine: &[usize], opened: &Edge, closed: &Edge) {
    let used = closed.usage.since(opened.usage);
    let done = |turn: usize| closed.done[turn].since(opened.done[turn]);
    let all: u64 = (0..mine.len()).map(|turn| done(turn).messages).sum();
    for (turn, &session) in mine.iter().enumerate() {
        let done = done(turn);
        figures.messages[session] = done.messages;
        figures.bytes[session] = done.bytes;
        figures.begun[session] = closed.renewed[turn] - opened.renewed[turn];
        figures.cpu_ns[session] = match mine.len() {
            1 => used.cpu_ns,
            _ => (used.cpu_ns as f64 * done.messages as f64 / all.max(1) as f64) as u64,
        };
    }
    if let Some(&first) = mine.first() {
        figures.preemptions[first] = used.preemptions as u32;
        figures.waits[first] = used.waits as u32;
        figures.migrations[first] = (closed.migrations - opened.migrations) as u32;
    }
}
