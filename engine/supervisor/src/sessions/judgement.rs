//! Whether one execution of sessions counts: what is wrong with it, by how much.

use ciphermark_harness::clock::median;
use ciphermark_record::sessions::{Objection, ObjectionKind, Policy, SessionsRun, Stretches};

use crate::sessions::steady::{Spread, unsteady};

/// What an execution must keep to.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Share of the CPUs that others may have taken from the sessions.
    pub others: f64,
    /// How much the rate may differ before and after it became steady, as a share of it.
    pub rate_change: f64,
    /// How far the clocks may move within the window, as a share of them.
    pub clock_change: f64,
    /// Messages of the median session: a window cuts one of them at its edges, which is 5 % of 20,
    /// as much as a turn is of the time of a session that has 20 turns.
    pub session_messages: u64,
    /// Messages in all: ten of a thousand are beyond the 99th percentile of their latencies, fewer
    /// would not tell where it is.
    pub messages: u64,
    /// Coefficient of variation of the sessions' CPU time, beyond what turns and CPUs make of it.
    pub unevenness: f64,
    /// Stretches without a neighbour on the core, from which alone cycles can be told where there is
    /// one at other times. The mean of so many of a millisecond is good to a fifth of what they
    /// differ by.
    pub quiet_stretches: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            others: 0.10,
            rate_change: 0.02,
            clock_change: 0.03,
            session_messages: 20,
            messages: 1000,
            unevenness: 0.10,
            quiet_stretches: 20,
        }
    }
}

/// Clock of a CPU at two times within the window.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClockPair {
    pub cpu: u32,
    pub early_hz: f64,
    pub late_hz: f64,
}

/// How long a thread runs before the next has its turn where several want a CPU, milliseconds: what
/// Linux lets it run at least (`base_slice_ns` of the scheduler, 3 ms at most unless changed),
/// ended by a tick, of which most kernels have 250 a second.
const TURN_MS: f64 = 4.0;

/// The same under `SCHED_RR`: `sched_rr_timeslice_ms`, see sched(7).
const ROUND_ROBIN_TURN_MS: f64 = 100.0;

/// Chance may make three times the unevenness that comes from one turn more or less.
const TURNS_MORE: f64 = 3.0;

/// Looks at the clock of each CPU from which an early and a late clock are told.
const LOOKS: usize = 4;

/// With as many messages expected of a session, the chance that one has none is e⁻¹⁰.
const SURELY_EXPECTED: f64 = 10.0;

/// Why an execution does not count; nothing when it is valid. `edges` are the clocks as they were
/// at the opening and at the closing edge of the window.
pub fn judge(run: &SessionsRun, edges: &[ClockPair], limits: &Limits) -> Vec<Objection> {
    let findings = [
        (ObjectionKind::Overcommitted, overcommitted(run, limits)),
        (ObjectionKind::NotSteady, late_threads(run).or_else(|| not_steady(run, limits))),
        (ObjectionKind::NeverRan, never_ran(run)),
        (ObjectionKind::FewMessages, few_messages(run, limits)),
        (ObjectionKind::ClockMoved, clock_moved(run, edges, limits)),
        (ObjectionKind::Uneven, uneven(run, limits)),
        (ObjectionKind::Crowded, crowded(run, limits)),
    ];
    let objections = findings.into_iter();
    objections.filter_map(|(kind, it)| it.map(|message| Objection { kind, message })).collect()
}

/// Others count as far as the sessions went without: what nobody else wanted, they could take, unless
/// they waited for messages or for a device.
fn overcommitted(run: &SessionsRun, limits: &Limits) -> Option<String> {
    let shares = &run.shares;
    let others = shares.busy - shares.workload + shares.steal;
    let waits = run.load.offered_per_s.is_some() || run.device.is_some();
    let idle_of_its_own = waits && shares.idle > limits.others;
    let lacking = if idle_of_its_own { 0.0 } else { wanted(run) - shares.workload };
    (others.min(lacking) > limits.others).then(|| {
        format!(
            "others had {} of the CPUs within the window; it should be {} at most",
            percent(others),
            percent(limits.others)
        )
    })
}

/// Share of the CPUs that the threads take when nothing else wants them.
fn wanted(run: &SessionsRun) -> f64 {
    let cpus = run.load.cpus.len() as f64;
    f64::from(run.threads + run.load.neighbours).min(usable_cpus(run)) / cpus
}

/// CPUs, or what the quota leaves of them.
fn usable_cpus(run: &SessionsRun) -> f64 {
    let cpus = run.load.cpus.len() as f64;
    run.load.quota_cpus.map_or(cpus, |quota| quota.min(cpus))
}

fn late_threads(run: &SessionsRun) -> Option<String> {
    (run.threads_late > 0).then(|| {
        format!(
            "{} of {} threads had not run when the window opened; all should have",
            run.threads_late, run.threads
        )
    })
}

fn not_steady(run: &SessionsRun, limits: &Limits) -> Option<String> {
    let found = unsteady(&run.moments, run.opened_ns, run.closed_ns, limits.rate_change)?;
    Some(format!(
        "the rate went from {:.0} to {:.0} messages per second {} after the window opened; it \
         should change by {} at most",
        found.before,
        found.after,
        milliseconds((found.from_ns - run.opened_ns) as f64 / 1e6),
        percent(limits.rate_change)
    ))
}

fn never_ran(run: &SessionsRun) -> Option<String> {
    let messages = &run.figures.messages;
    let idle = messages.iter().filter(|&&count| count == 0).count();
    (idle > 0 && each_has_work(run)).then(|| {
        format!(
            "{idle} of {} sessions had no message within the window of {}; each should have one",
            messages.len(),
            milliseconds(window_ms(run))
        )
    })
}

/// Whether each session should have had a message. Where they come at random moments, the chance
/// that any of n has none is up to n times that of one, hence the logarithm.
fn each_has_work(run: &SessionsRun) -> bool {
    let sessions = f64::from(run.load.sessions);
    run.load.offered_per_s.is_none_or(|per_s| {
        per_s * window_ms(run) / 1e3 / sessions >= SURELY_EXPECTED + sessions.ln()
    })
}

/// How many messages a session has is up to the user with an offered load; how many there are in
/// all still decides what latencies are worth.
fn few_messages(run: &SessionsRun, limits: &Limits) -> Option<String> {
    let all: u64 = run.figures.messages.iter().sum();
    if all < limits.messages {
        return Some(format!(
            "{all} messages were done within the window of {}; there should be {} at least",
            milliseconds(window_ms(run)),
            limits.messages
        ));
    }
    let mut each: Vec<f64> = run.figures.messages.iter().map(|&count| count as f64).collect();
    let middle = median(&mut each);
    let few = run.load.offered_per_s.is_none() && middle < limits.session_messages as f64;
    few.then(|| {
        format!(
            "the median session did {middle} messages within the window of {}; it should do {} at \
             least",
            milliseconds(window_ms(run)),
            limits.session_messages
        )
    })
}

/// A clock that is lower than before the sessions began is a result; one that moves while they are
/// measured leaves no clock to count their cycles by.
fn clock_moved(run: &SessionsRun, edges: &[ClockPair], limits: &Limits) -> Option<String> {
    let seen = pairs_of_looks(run);
    let clocks = if seen.is_empty() { edges } else { &seen };
    let most = clocks.iter().max_by(|one, other| moved(one).total_cmp(&moved(other)))?;
    let mean = clocks.iter().map(moved).sum::<f64>() / clocks.len() as f64;
    (mean > limits.clock_change).then(|| {
        format!(
            "clocks moved by {} within the window, that of CPU {} from {:.2} to {:.2} GHz; it \
             should be {} at most",
            percent(mean),
            most.cpu,
            most.early_hz / 1e9,
            most.late_hz / 1e9,
            percent(limits.clock_change)
        )
    })
}

fn moved(clock: &ClockPair) -> f64 {
    (clock.late_hz / clock.early_hz - 1.0).abs()
}

/// Medians of the earlier and of the later looks at each CPU, which are taken in turn; none where
/// these are too few.
fn pairs_of_looks(run: &SessionsRun) -> Vec<ClockPair> {
    let cpus = &run.load.cpus;
    let looks = run.moments.iter().filter_map(|it| Some((it.at_ns, it.core_hz?)));
    let looks: Vec<(u64, f64)> = looks.collect();
    let pair_of = |(turn, &cpu): (usize, &u32)| {
        let mine = looks.iter().skip(turn).step_by(cpus.len());
        let within = mine.filter(|(at_ns, _)| (run.opened_ns..=run.closed_ns).contains(at_ns));
        let mut hz: Vec<f64> = within.map(|&(_, hz)| hz).collect();
        if hz.len() < LOOKS {
            return None;
        }
        let middle = hz.len() / 2;
        let (early, late) = hz.split_at_mut(middle);
        Some(ClockPair { cpu, early_hz: median(early), late_hz: median(late) })
    };
    cpus.iter().enumerate().filter_map(pair_of).collect()
}

/// Loads whose sessions differ by themselves are left out: those that are offered at random, that
/// live for a while, or where a neighbour has a part of some CPUs alone.
fn uneven(run: &SessionsRun, limits: &Limits) -> Option<String> {
    let load = &run.load;
    let neighbours = load.neighbours as usize;
    let by_design = load.offered_per_s.is_some()
        || load.life.is_some()
        || !neighbours.is_multiple_of(load.cpus.len());
    let variation =
        Spread::of(run.figures.cpu_ns.iter().map(|&ns| ns as f64)).coefficient_of_variation()?;
    let turns = turns(run);
    let most = limits.unevenness.max(TURNS_MORE / turns) + by_placement(run);
    (!by_design && variation > most).then(|| {
        format!(
            "CPU time has a coefficient of variation of {} over the sessions; it should be {} at \
             most where each thread has {turns:.0} turns within the window",
            percent(variation),
            percent(most)
        )
    })
}

/// Turns that the scheduler can give each thread within the window.
fn turns(run: &SessionsRun) -> f64 {
    let turn_ms = match run.load.policy {
        Policy::RoundRobin => ROUND_ROBIN_TURN_MS,
        Policy::Other | Policy::Batch | Policy::Idle => TURN_MS,
    };
    let threads = f64::from(run.threads + run.load.neighbours);
    window_ms(run) * usable_cpus(run) / (threads * turn_ms)
}

/// Coefficient of variation of CPU time where some CPUs have one session more than the others: with
/// s left over when each of c CPUs has q of n sessions, s·(q + 1) sessions have 1/(q + 1) of a CPU
/// and (c − s)·q have 1/q, their mean is c/n. The kernel seldom moves threads between CPUs to even
/// that out.
fn by_placement(run: &SessionsRun) -> f64 {
    let (sessions, cpus) = (run.load.sessions, run.load.cpus.len() as u32);
    if sessions <= cpus {
        return 0.0;
    }
    let (each, over) = (f64::from(sessions / cpus), f64::from(sessions % cpus));
    let (sessions, cpus) = (f64::from(sessions), f64::from(cpus));
    let mean_square = (over / (each + 1.0) + (cpus - over) / each) / sessions;
    (mean_square * (sessions / cpus).powi(2) - 1.0).max(0.0).sqrt()
}

/// Threads of others on the same cores. Where the sessions' own are there, or a device's, that is part of
/// what they cost.
fn crowded(run: &SessionsRun, limits: &Limits) -> Option<String> {
    let Stretches { quiet, crowded } = run.stretches?;
    let own = run.device.is_some() || run.core_clocks.iter().any(|it| it.shares_core == Some(true));
    let share = crowded.cpu_ns as f64 / (quiet.cpu_ns + crowded.cpu_ns).max(1) as f64;
    (!own && share > limits.others && quiet.count < limits.quiet_stretches).then(|| {
        format!(
            "others used the sessions' cores in {} of their time, on other threads of them; there \
             should be {} milliseconds without at least, and were {}",
            percent(share),
            limits.quiet_stretches,
            quiet.count
        )
    })
}

fn window_ms(run: &SessionsRun) -> f64 {
    run.closed_ns.saturating_sub(run.opened_ns) as f64 / 1e6
}

/// With one decimal where it has one.
fn percent(share: f64) -> String {
    format!("{} %", (share * 1000.0).round() / 10.0)
}

fn milliseconds(ms: f64) -> String {
    format!("{} ms", (ms * 10.0).round() / 10.0)
}

#[cfg(test)]
mod tests;
