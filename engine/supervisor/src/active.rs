//! One case while it is measured.

use ciphermark_harness::stopping::{MOST_PROCESSES, Missing, Observations, Rule, is_look};
use ciphermark_record::event::{Disturbance, Sample};
use ciphermark_record::plan::{Buffers, Case, Load};

use crate::protocol::{Answers, Measured, MessageRange};
use crate::settling::{Calls, Settling};

/// Undisturbed samples of a group that tell whether a case has settled: a single one may be quiet by its
/// looks alone.
const FEWEST_TO_TELL: usize = 3;

/// More processes would not make one state of two.
const MOST_IN_TWO_STATES: u32 = 13;

/// What is known of it so far.
pub struct Active<'a> {
    pub case: &'a Case,
    pub observations: Observations,
    /// Message with which its next group begins: none comes twice, whatever becomes of processes.
    pub next: u64,
    /// Messages of a slice, which the first process has found.
    pub messages: Option<u64>,
    /// What was written since it was last judged, and by what messages.
    pub written: Option<(MessageRange, Answers)>,
    /// Samples taken meanwhile: none leaves before it is known that the answers are right.
    pub held: Vec<Sample>,
    /// Processes at the last look.
    pub looked_at: u32,
    pub standing: Standing,
    /// Processes in which it was measured when it settled.
    pub settled_at: u32,
    /// The last process that took a group of it, and how many did, whether or not its samples count.
    taken_by: Option<u32>,
    pub processes: u32,
    pub settling: Settling,
    /// Whether this generation has samples of it that count.
    pub has_group: bool,
}

/// How a case stood at the last look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    Open,
    Converged,
    /// Has not converged, and more processes would change little.
    Unsettled,
}

fn cycles_per_message(sample: &Sample) -> f64 {
    sample.cycles / sample.messages as f64 - sample.loop_cycles
}

/// Whether calls before a group do nothing but let the processor settle: elsewhere they would bring near
/// what is to be far, or another function's calls stand between.
fn may_settle_late(case: &Case) -> bool {
    matches!(case.buffers, Buffers::Hot | Buffers::Repeated)
        && matches!(case.load, Load::Single { after: None })
}

impl<'a> Active<'a> {
    pub fn new(case: &'a Case, settles: bool) -> Self {
        Self {
            case,
            observations: Observations::default(),
            next: 0,
            messages: None,
            written: None,
            held: Vec::new(),
            looked_at: 0,
            standing: Standing::Open,
            settled_at: 0,
            taken_by: None,
            processes: 0,
            settling: Settling::new(settles && may_settle_late(case)),
            has_group: false,
        }
    }

    /// Processes that it lacks until it has so many whose samples count.
    pub fn lacks(&self, wanted: u32) -> u32 {
        wanted.saturating_sub(self.observations.processes())
    }

    /// Whether this generation has no samples of it that count, or may have taken them too early.
    pub fn lacks_group(&self) -> bool {
        !self.has_group || self.settling.asks()
    }

    /// Learns from a group how the case settles. Samples that were taken before their cost had settled are
    /// marked: those of this group, or those that this process took before.
    pub fn note_settling(&mut self, samples: &mut [Sample], calls: Calls, precision: f64) {
        let Some(first) = samples.first() else { return };
        let undisturbed = samples.iter().filter(|sample| sample.disturbed.is_empty());
        let mut cycles: Vec<f64> = undisturbed.map(cycles_per_message).collect();
        if cycles.len() < samples.len().min(FEWEST_TO_TELL) {
            return;
        }
        cycles.sort_by(f64::total_cmp);
        let found = cycles[cycles.len() / 2];
        let early = self.settling.note(first.round, found, calls, precision);
        let process = first.process;
        let is_early = |sample: &&mut Sample| early.contains(&sample.round);
        let mut marked = 0;
        for sample in self.held.iter_mut().filter(is_early) {
            marked += u64::from(sample.disturbed.is_empty());
            sample.disturbed.push(Disturbance::Settling);
        }
        if marked > 0 {
            self.observations.forget_process(process, marked);
        }
        for sample in samples.iter_mut().filter(is_early) {
            sample.disturbed.push(Disturbance::Settling);
        }
    }

    pub fn observe(&mut self, samples: &[Sample], measured: &Measured) {
        let values: Vec<(f64, bool)> = samples
            .iter()
            .map(|sample| (cycles_per_message(sample), !sample.disturbed.is_empty()))
            .collect();
        self.has_group |= values.iter().any(|&(_, disturbed)| !disturbed);
        if let Some(first) = samples.first() {
            if self.taken_by.replace(first.process) != Some(first.process) {
                self.processes += 1;
            }
            self.observations.add_group(first.process, first.at_ns, &values);
        }
        let Measured { run, answers, messages, .. } = *measured;
        self.messages = Some(messages);
        self.next = run.all().end;
        self.written = Some(match self.written {
            None => (run, answers),
            Some((before, sum)) => (before.with(run), sum.wrapping_add(answers)),
        });
    }

    /// Looks at the case when it was measured in as many processes as a look is due at. Returns
    /// whether it was.
    pub fn look(&mut self, rule: &Rule) -> bool {
        let processes = self.observations.processes();
        if processes == self.looked_at || !is_look(processes) {
            return false;
        }
        self.looked_at = processes;
        let before = self.standing;
        self.standing = match self.observations.missing(rule) {
            None => Standing::Converged,
            Some(Missing::States) if processes >= MOST_IN_TWO_STATES => Standing::Unsettled,
            Some(_) if processes >= MOST_PROCESSES => Standing::Unsettled,
            Some(_) => Standing::Open,
        };
        if self.standing != Standing::Open && before == Standing::Open {
            self.settled_at = processes;
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use ciphermark_harness::sampler::Group;

    use super::*;

    const RULE: Rule = Rule {
        precision: 0.01,
        reproducibility: 0.0,
        min_processes: 6,
        min_groups: 6,
        min_span_ns: 0,
    };

    fn case() -> Case {
        serde_json::from_value(serde_json::json!({
            "case": 0, "algorithm": "sha256", "operation": "digest",
            "provider": "a", "backend": "default", "message_bytes": 64
        }))
        .expect("the case is valid")
    }

    /// How a case stands after each of so many processes, with three groups of these cycles.
    fn standings(cycles: impl Fn(u32) -> [f64; 3], processes: u32) -> Vec<Standing> {
        let case = case();
        let mut active = Active::new(&case, true);
        (0..processes)
            .map(|process| {
                for value in cycles(process) {
                    active.observations.add_group(process, u64::from(process), &[(value, false)]);
                }
                active.look(&RULE);
                active.standing
            })
            .collect()
    }

    fn measured(round: u64) -> Measured {
        let group = Group { slices: vec![], cpu_ns: 0, wall_ns: 0 };
        let run = MessageRange { first: 8 * round, messages: 8 };
        Measured { messages: 8, loop_cycles: 5.0, group, run, answers: 0, waited_ns: 0 }
    }

    /// Five samples of a group; a process takes two.
    fn group(round: u32, cycles: f64) -> Vec<Sample> {
        let sample = Sample {
            case: 0,
            round,
            process: round / 2,
            cpu: None,
            slice: 0,
            at_ns: 0,
            messages: 8,
            wall_ns: 0.0,
            cycles: 8.0 * (cycles + 5.0),
            loop_cycles: 5.0,
            core_hz: 1e9,
            group_cpu_ns: 0,
            group_wall_ns: 0,
            disturbed: vec![],
        };
        vec![sample; 5]
    }

    #[test]
    fn samples_that_were_taken_before_their_cost_had_settled_are_marked() {
        let case = case();
        let mut active = Active::new(&case, true);
        let mut take = |round, cycles, calls| {
            let mut samples = group(round, cycles);
            active.note_settling(&mut samples, calls, 0.01);
            active.observe(&samples, &measured(u64::from(round)));
            active.held.extend(samples);
            if round % 2 == 1 {
                active.settling.begin_process();
            }
            let early = active.held.iter().filter(|it| !it.disturbed.is_empty());
            let rounds: BTreeSet<u32> = early.map(|it| it.round).collect();
            (active.observations.median(), rounds.into_iter().collect::<Vec<_>>())
        };
        take(0, 1000.0, Calls::LONGEST);
        assert_eq!(take(1, 1003.0, Calls::SHORTEST), (Some(1001.5), vec![]));
        // The next process differs, however long it calls.
        take(2, 1100.0, Calls::SHORTEST);
        assert_eq!(take(3, 1101.0, Calls::LONGEST), (Some(1051.0), vec![]));
        // Another one had not settled.
        take(4, 1000.0, Calls::SHORTEST);
        assert_eq!(take(5, 900.0, Calls::LONGEST), (Some(1001.5), vec![4]));
        assert_eq!(take(6, 910.0, Calls::LONGEST).1, [4], "it is known to settle late");
    }

    #[test]
    fn only_hot_calls_of_one_function_may_settle_late() {
        let hot = case();
        assert!(may_settle_late(&hot));
        assert!(!may_settle_late(&Case { buffers: Buffers::Stream, ..hot.clone() }));
        let after = Load::Single { after: Some("md5".into()) };
        assert!(!may_settle_late(&Case { load: after, ..hot }));
    }

    #[test]
    fn a_case_settles_at_a_look() {
        let found = standings(|_| [100.0; 3], 6);
        assert_eq!(found[..5], [Standing::Open; 5]);
        assert_eq!(found[5], Standing::Converged);
        // One process is dear, which the interval leaves out from the tenth on.
        let found = standings(|process| [if process == 0 { 110.0 } else { 100.0 }; 3], 10);
        assert_eq!(found[8], Standing::Open);
        assert_eq!(found[9], Standing::Converged);
    }

    #[test]
    fn what_scatters_is_not_measured_for_ever() {
        let most = MOST_PROCESSES as usize;
        let scattered = |process| [100.0 + 10.0 * f64::from(process * 7 % 16); 3];
        let found = standings(scattered, MOST_PROCESSES);
        assert_eq!(found[most - 2], Standing::Open);
        assert_eq!(found[most - 1], Standing::Unsettled);
    }

    #[test]
    fn of_two_states_no_more_processes_make_one() {
        let found = standings(|process| [if process % 2 == 0 { 100.0 } else { 150.0 }; 3], 13);
        assert_eq!(found[11], Standing::Open);
        assert_eq!(found[12], Standing::Unsettled);
    }
}
