//! Core cycles from one instruction of a kind to the next, where many are executed and none waits.

use std::collections::BTreeMap;
use std::time::Instant;

use ciphermark_codepath::{Bits, Kind};
use ciphermark_harness::{Clock, HostClock};
use ciphermark_record::limits::Rate;

/// What an instruction of a kind takes, in core cycles.
#[derive(Clone, Debug, PartialEq)]
pub struct Cost {
    pub instruction: &'static str,
    /// Of the units that execute it.
    pub cycles: f64,
    /// Of all units that compute with vectors together.
    pub vector_cycles: f64,
    /// Kinds of which one has the same units, so that both together take the sum of their cycles.
    pub shares: Vec<Kind>,
}

/// What this processor executes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rates {
    pub vectors: BTreeMap<(Kind, Bits), Cost>,
    pub plain: Vec<PlainRate>,
}

/// Core cycles of an instruction that computes with no vectors.
#[derive(Clone, Debug, PartialEq)]
pub struct PlainRate {
    pub what: &'static str,
    pub bits: Bits,
    pub instruction: &'static str,
    pub cycles: f64,
}

pub const LOAD: &str = "load";
pub const STORE: &str = "store";
pub const ANY: &str = "any";

impl Rates {
    #[cfg(not(target_arch = "x86_64"))]
    pub fn measure() -> Self {
        Self::default()
    }

    #[cfg(target_arch = "x86_64")]
    pub fn measure() -> Self {
        x86_64::measure()
    }

    /// Why there are none.
    pub fn unavailable(&self) -> Option<String> {
        let why = "rates of instructions are measured on x86-64 only: here kernels are timed, and have no limit";
        self.plain.is_empty().then(|| why.into())
    }

    /// Of plain instructions, the fastest form of this width at most.
    pub fn plain(&self, what: &str, bits: Bits) -> Option<f64> {
        let alike = self.plain.iter().filter(|rate| rate.what == what && rate.bits == bits);
        alike.map(|rate| rate.cycles).min_by(f64::total_cmp)
    }

    pub fn told(&self) -> Vec<Rate> {
        let plain = self.plain.iter().map(|rate| Rate {
            kind: rate.what.into(),
            bits: rate.bits,
            instruction: rate.instruction.into(),
            cycles: rate.cycles,
            vector_cycles: None,
            shares: vec![],
        });
        let vectors = self.vectors.iter().map(|((kind, bits), cost)| Rate {
            kind: kind.name().into(),
            bits: *bits,
            instruction: cost.instruction.into(),
            cycles: cost.cycles,
            vector_cycles: Some(cost.vector_cycles),
            shares: cost.shares.iter().map(|other| other.name().into()).collect(),
        });
        plain.chain(vectors).collect()
    }
}

/// How many seconds a core cycle takes now, by a chain of additions: a cycle each.
pub fn cycle_seconds() -> f64 {
    const ADDITIONS: u32 = 40_000;
    // Neither the rate of its ticks nor the processor's counters are used.
    let mut clock = HostClock::without_pmu(1.0);
    seconds(|| clock.additions(ADDITIONS)) / f64::from(ADDITIONS)
}

/// Wall time.
pub fn seconds(work: impl FnOnce()) -> f64 {
    let begin = Instant::now();
    work();
    begin.elapsed().as_secs_f64()
}

#[cfg(target_arch = "x86_64")]
mod x86_64 {
    use super::*;
    use crate::x86_64::{
        LOGIC_BESIDE, Loop, Plain, PlainProbe, VectorProbe, plain_probes, vector_probes,
    };

    /// How often each loop is timed, by turns with all others; the least time counts.
    const TURNS: u32 = 200;

    /// Loops between two chains of additions, by which the clock is found.
    const LOOPS_OF_A_CHAIN: usize = 16;

    /// Of what an instruction takes beside others, counted in instructions of logic, so much is error: it
    /// is executed as one or more of these, and the units are not always used as well as could be.
    const HARDLY: f64 = 0.1;

    /// From so much of the sum of both alone on, two kinds share a unit.
    const SHARED: f64 = 0.95;

    pub fn measure() -> Rates {
        let (vectors, plain) = (vector_probes(), plain_probes());
        let loops: Vec<Loop> = vectors
            .iter()
            .flat_map(|probe| {
                let with = probe.with.iter().map(|(_, beside)| *beside);
                [probe.alone, probe.with_logic].into_iter().chain(with)
            })
            .chain(plain.iter().map(|probe| probe.alone))
            .collect();
        let mut cycles = cycles(&loops).into_iter();
        let mut next = || cycles.next().expect("each loop has a time");
        let timed: Vec<Timed> = vectors
            .into_iter()
            .map(|probe| Timed {
                alone: next(),
                with_logic: next(),
                with: probe.with.map(|(kind, _)| (kind, next())),
                probe,
            })
            .collect();
        let plain = plain.into_iter().map(|probe| plain_rate(&probe, next())).collect();
        Rates { vectors: costs(&timed), plain }
    }

    /// A probe with core cycles of its instruction: alone, and with others beside each.
    struct Timed {
        probe: VectorProbe,
        alone: f64,
        with_logic: f64,
        with: [(Kind, f64); 3],
    }

    fn costs(timed: &[Timed]) -> BTreeMap<(Kind, Bits), Cost> {
        let alone: BTreeMap<(Kind, Bits), f64> =
            timed.iter().map(|it| ((it.probe.kind, it.probe.bits), it.alone)).collect();
        let cost = |it: &Timed| {
            let bits = it.probe.bits;
            let shares =
                |(kind, both): &(Kind, f64)| *both >= SHARED * (it.alone + alone[&(*kind, bits)]);
            let logic = alone[&(Kind::Logic, bits)];
            let beside = it.with_logic - f64::from(LOGIC_BESIDE) * logic;
            Cost {
                instruction: it.probe.instruction,
                cycles: it.alone,
                vector_cycles: (logic * (beside / logic + HARDLY).floor().max(1.0)).min(it.alone),
                shares: it.with.iter().filter(|it| shares(it)).map(|(kind, _)| *kind).collect(),
            }
        };
        timed.iter().map(|it| ((it.probe.kind, it.probe.bits), cost(it))).collect()
    }

    fn plain_rate(probe: &PlainProbe, cycles: f64) -> PlainRate {
        let what = match probe.what {
            Plain::Load => LOAD,
            Plain::Store => STORE,
            Plain::Multiply => Kind::GeneralMultiply.name(),
            Plain::Add => "general sum",
            Plain::Any => ANY,
        };
        PlainRate { what, bits: probe.bits, instruction: probe.instruction, cycles }
    }

    /// Core cycles of an instruction of each loop.
    fn cycles(loops: &[Loop]) -> Vec<f64> {
        let mut least = vec![f64::INFINITY; loops.len()];
        let mut cycle = f64::INFINITY;
        for _ in 0..TURNS {
            for (number, one) in loops.iter().enumerate() {
                if number % LOOPS_OF_A_CHAIN == 0 {
                    cycle = cycle.min(cycle_seconds());
                }
                least[number] = least[number].min(seconds(one.run));
            }
        }
        loops
            .iter()
            .zip(least)
            .map(|(one, seconds)| seconds / cycle / f64::from(one.instructions))
            .collect()
    }
}
