//! How long instructions take at least.

use std::collections::BTreeMap;

use ciphermark_codepath::{Bits, Counts, Kind};

use crate::rates::{ANY, LOAD, Rates, STORE};

/// Instructions of a call.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Instructions {
    pub by_kind: BTreeMap<(Kind, Bits), f64>,
    pub loads: BTreeMap<Bits, f64>,
    pub stores: BTreeMap<Bits, f64>,
}

impl Instructions {
    pub fn of(counts: &Counts) -> Self {
        Self {
            by_kind: floats(&counts.by_kind),
            loads: floats(&counts.loads),
            stores: floats(&counts.stores),
        }
    }

    /// Those of a longer call, of which `longer` has a step more than this one, and which has `steps`
    /// of them.
    pub fn extended(&self, longer: &Self, steps: f64) -> Self {
        Self {
            by_kind: extended(&self.by_kind, &longer.by_kind, steps),
            loads: extended(&self.loads, &longer.loads, steps),
            stores: extended(&self.stores, &longer.stores, steps),
        }
    }

    /// Those of a byte.
    pub fn each(&self, bytes: f64) -> Self {
        Self {
            by_kind: divided(&self.by_kind, bytes),
            loads: divided(&self.loads, bytes),
            stores: divided(&self.stores, bytes),
        }
    }

    pub fn all(&self) -> f64 {
        self.by_kind.values().sum()
    }

    /// Core cycles that these take at least, and what takes them; nothing without rates. Each way to count
    /// is a bound of its own, and the largest holds. A kind without a rate takes no time.
    pub fn limit(&self, rates: &Rates) -> Option<(f64, String)> {
        let all = self.all() * rates.plain(ANY, 64)?;
        let mut bounds =
            vec![(all, "instructions".to_owned()), (self.vectors(rates), "vectors".into())];
        bounds.extend(self.kinds(rates));
        bounds.extend(self.units(rates));
        bounds.push((moved(&self.loads, LOAD, rates), "loads".into()));
        bounds.push((moved(&self.stores, STORE, rates), "stores".into()));
        bounds.into_iter().max_by(|(one, _), (other, _)| one.total_cmp(other))
    }

    /// By all units that compute with vectors.
    fn vectors(&self, rates: &Rates) -> f64 {
        let cycles = |(kind, times): (&(Kind, Bits), &f64)| {
            rates.vectors.get(kind).map_or(0.0, |cost| times * cost.vector_cycles)
        };
        self.by_kind.iter().map(cycles).sum()
    }

    /// By the units of each kind.
    fn kinds(&self, rates: &Rates) -> Vec<(f64, String)> {
        let mut bounds: BTreeMap<&str, f64> = BTreeMap::new();
        for (&(kind, bits), times) in &self.by_kind {
            let cycles = match kind {
                Kind::GeneralMultiply => rates.plain(kind.name(), 64),
                _ => rates.vectors.get(&(kind, bits)).map(|cost| cost.cycles),
            };
            *bounds.entry(kind.name()).or_default() += times * cycles.unwrap_or(0.0);
        }
        bounds.into_iter().map(|(name, cycles)| (cycles, name.to_owned())).collect()
    }

    /// By units that several kinds share: those with which, width by width, a kind was measured to add up.
    fn units(&self, rates: &Rates) -> Vec<(f64, String)> {
        let mut bounds: BTreeMap<(Kind, Bits), f64> = BTreeMap::new();
        for (key, times) in &self.by_kind {
            if let Some(cost) = rates.vectors.get(key) {
                for &unit in &cost.shares {
                    *bounds.entry((unit, key.1)).or_default() += times * cost.cycles;
                }
            }
        }
        bounds
            .into_iter()
            .map(|((unit, _), cycles)| (cycles, format!("unit of {}", unit.name())))
            .collect()
    }
}

/// Cycles of loads or stores: those of vectors of each width by their rate, and all by that of words.
fn moved(times: &BTreeMap<Bits, f64>, what: &str, rates: &Rates) -> f64 {
    let of = |bits: Bits| rates.plain(what, bits).unwrap_or(0.0);
    let wide: f64 =
        times.iter().filter(|(bits, _)| **bits > 64).map(|(bits, it)| it * of(*bits)).sum();
    wide.max(times.values().sum::<f64>() * of(64))
}

fn floats<K: Copy + Ord>(counts: &BTreeMap<K, u64>) -> BTreeMap<K, f64> {
    counts.iter().map(|(key, times)| (*key, *times as f64)).collect()
}

fn divided<K: Copy + Ord>(times: &BTreeMap<K, f64>, by: f64) -> BTreeMap<K, f64> {
    times.iter().map(|(key, times)| (*key, times / by)).collect()
}

fn extended<K: Copy + Ord>(
    short: &BTreeMap<K, f64>,
    long: &BTreeMap<K, f64>,
    steps: f64,
) -> BTreeMap<K, f64> {
    let keys = short.keys().chain(long.keys());
    let reached = |key| {
        let [short, long] = [short, long].map(|times| times.get(key).copied().unwrap_or(0.0));
        (short + steps * (long - short)).max(0.0)
    };
    keys.map(|key| (*key, reached(key))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rates::{Cost, PlainRate};

    const WIDE: Bits = 512;

    fn cost(cycles: f64, vector_cycles: f64, shares: &[Kind]) -> Cost {
        Cost { instruction: "made up", cycles, vector_cycles, shares: shares.to_vec() }
    }

    /// Two units of vectors, of which one shifts and maps and the other permutes.
    fn rates() -> Rates {
        let vectors = [
            (Kind::Logic, cost(0.5, 0.5, &[])),
            (Kind::Shift, cost(1.0, 0.5, &[Kind::Shift])),
            (Kind::Affine, cost(1.0, 0.5, &[Kind::Shift])),
            (Kind::Shuffle, cost(1.0, 0.5, &[Kind::Shuffle])),
            (Kind::PermuteTwo, cost(2.0, 1.5, &[Kind::Shuffle])),
        ];
        let plain = [(ANY, 64, 0.25), (LOAD, 64, 0.25), (LOAD, WIDE, 0.5), (STORE, 64, 0.5)];
        Rates {
            vectors: vectors.into_iter().map(|(kind, cost)| ((kind, WIDE), cost)).collect(),
            plain: plain
                .into_iter()
                .map(|(what, bits, cycles)| PlainRate {
                    what,
                    bits,
                    instruction: "made up",
                    cycles,
                })
                .collect(),
        }
    }

    fn instructions(kinds: &[(Kind, f64)]) -> Instructions {
        let by_kind = kinds.iter().map(|(kind, times)| ((*kind, WIDE), *times)).collect();
        Instructions { by_kind, ..Instructions::default() }
    }

    fn limit(instructions: &Instructions) -> (f64, String) {
        instructions.limit(&rates()).expect("there are rates")
    }

    #[test]
    fn kinds_of_one_unit_add_up_and_others_do_not() {
        let alike = instructions(&[(Kind::Shift, 3.0), (Kind::Affine, 4.0)]);
        assert_eq!(limit(&alike), (7.0, "unit of shift".into()));
        // Three with one unit and three with the other take three cycles.
        let apart = instructions(&[(Kind::Shift, 3.0), (Kind::Shuffle, 3.0)]);
        assert_eq!(limit(&apart).0, 3.0);
        let double = instructions(&[(Kind::Shuffle, 3.0), (Kind::PermuteTwo, 4.0)]);
        assert_eq!(limit(&double), (11.0, "unit of shuffle within 16 bytes".into()));
    }

    #[test]
    fn all_vector_instructions_have_but_so_many_units() {
        let mixed = instructions(&[(Kind::Shift, 3.0), (Kind::Shuffle, 3.0), (Kind::Logic, 8.0)]);
        assert_eq!(limit(&mixed), (7.0, "vectors".into()));
    }

    #[test]
    fn what_enters_the_processor_and_what_is_loaded_are_limits_too() {
        let mut many = instructions(&[(Kind::General, 40.0), (Kind::Logic, 2.0)]);
        assert_eq!(limit(&many), (10.5, "instructions".into()));
        many.loads = [(64, 20.0), (WIDE, 30.0)].into();
        assert_eq!(limit(&many), (15.0, "loads".into()));
        many.loads.insert(64, 60.0);
        assert_eq!(limit(&many), (22.5, "loads".into()));
    }

    #[test]
    fn without_rates_there_is_no_limit() {
        assert_eq!(instructions(&[(Kind::Logic, 1.0)]).limit(&Rates::default()), None);
    }

    #[test]
    fn a_long_call_follows_from_two_shorter_ones() {
        let (short, long) =
            (instructions(&[(Kind::Logic, 10.0)]), instructions(&[(Kind::Logic, 13.0)]));
        assert_eq!(short.extended(&long, 7.0), instructions(&[(Kind::Logic, 31.0)]));
        assert_eq!(long.each(2.0), instructions(&[(Kind::Logic, 6.5)]));
    }
}
