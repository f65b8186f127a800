//! Since when the rate of a workload is steady.
//!
//! Found by MSER-5: K. P. White, "An effective truncation heuristic for bias reduction in
//! simulation output", Simulation 69(6), 1997; with batches of five in K. P. White, M. J. Cobb, S.
//! C. Spratt, "A comparison of five steady-state truncation heuristics for simulation", Winter
//! Simulation Conference 2000. Of all beginnings it cuts off the one without which the mean of the
//! rest is known best: the squared deviations of the rest from their mean, over the square of their
//! number, are least.

use ciphermark_record::sessions::Moment;

/// Intervals in a batch, the 5 of MSER-5.
const BATCH: usize = 5;

/// Batches that are kept at least: fewer agree so well by chance that the minimum would often lie
/// there, whatever the series is.
const LEAST_KEPT: usize = 5;

/// Two rates differ when they do so by more than this many standard errors. Many, as MSER looks for
/// the place where they differ most, the error comes from a few batches, and the rates of
/// neighbouring batches depend on each other: of simulated series of 12 to 60 batches with 10 % of
/// noise, which correlated by up to 0.5 from one interval to the next, 2 % at most were taken for
/// change.
const STANDARD_ERRORS: f64 = 5.0;

/// A window that opened before the rate was steady.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Unsteady {
    /// When it became steady; the middle of the window where it never did.
    pub from_ns: u64,
    /// Messages per second from the opening of the window until then, and from then on.
    pub before: f64,
    pub after: f64,
}

/// When the rate became steady, nanoseconds after the start; nothing where the series is too short
/// to tell, which a truncation point in its last half means as well.
pub fn steady_from(moments: &[Moment]) -> Option<u64> {
    let batches = batches(moments);
    let first = truncation_point(&batches)?;
    (first <= batches.len() / 2).then(|| batches[first].from_ns)
}

/// Whether the window opened before the rate was steady: the rate until then differs from the rate
/// afterwards by more than this share of it, and by more than noise does. Where there is no time
/// from which it is steady, the halves of the window are compared, so that a drift all through is
/// seen.
pub fn unsteady(
    moments: &[Moment],
    opened_ns: u64,
    closed_ns: u64,
    most_change: f64,
) -> Option<Unsteady> {
    let seen = between(moments, 0, closed_ns);
    let from_ns = steady_from(seen).unwrap_or(opened_ns.midpoint(closed_ns));
    let before = Stretch::of(between(seen, opened_ns, from_ns))?;
    let after = Stretch::of(between(seen, from_ns, closed_ns))?;
    let steady = batches(between(seen, from_ns, closed_ns));
    let noise = STANDARD_ERRORS * standard_error(&before, &after, &steady)?;
    let change = (after.per_s - before.per_s).abs();
    (change > most_change * after.per_s && change > noise).then_some(Unsteady {
        from_ns,
        before: before.per_s,
        after: after.per_s,
    })
}

/// Standard error of the difference of two rates where both are as noisy as these batches of the
/// second: it is what a steady rate would show, and the first may have a trend. Nothing where they
/// are too few.
fn standard_error(before: &Stretch, after: &Stretch, steady: &[Stretch]) -> Option<f64> {
    if steady.len() < LEAST_KEPT {
        return None;
    }
    let batch_ns = steady.iter().map(|it| it.ns).sum::<f64>() / steady.len() as f64;
    let deviation = Spread::of(steady.iter().map(|it| it.per_s)).deviation();
    Some(deviation * (batch_ns / before.ns + batch_ns / after.ns).sqrt())
}

/// Index of the first batch to keep.
fn truncation_point(batches: &[Stretch]) -> Option<usize> {
    let mut kept = Spread::default();
    let mut best: Option<(usize, f64)> = None;
    for (index, batch) in batches.iter().enumerate().rev() {
        kept.add(batch.per_s);
        let statistic = kept.squares / (kept.count * kept.count);
        let better = best.is_none_or(|(_, least)| statistic <= least); // of equals the earliest
        if kept.count >= LEAST_KEPT as f64 && better {
            best = Some((index, statistic));
        }
    }
    best.map(|(index, _)| index)
}

/// The moments from one time to another, both included.
fn between(moments: &[Moment], from_ns: u64, to_ns: u64) -> &[Moment] {
    let first = moments.partition_point(|moment| moment.at_ns < from_ns);
    let end = moments.partition_point(|moment| moment.at_ns <= to_ns);
    &moments[first.min(end)..end]
}

/// The rate in a stretch of time.
struct Stretch {
    from_ns: u64,
    ns: f64,
    /// Messages per second.
    per_s: f64,
}

impl Stretch {
    /// From the first to the last of these moments; nothing where no time lies between them.
    fn of(moments: &[Moment]) -> Option<Self> {
        let (first, last) = (moments.first()?, moments.last()?);
        let ns = (last.at_ns - first.at_ns) as f64;
        let messages = last.messages as f64 - first.messages as f64;
        (ns > 0.0).then(|| Self { from_ns: first.at_ns, ns, per_s: messages / ns * 1e9 })
    }
}

/// The series in batches; what is left at the end is in none.
fn batches(moments: &[Moment]) -> Vec<Stretch> {
    moments.windows(BATCH + 1).step_by(BATCH).filter_map(Stretch::of).collect()
}

/// Number, mean and squared deviations from it, one value after the other: B. P. Welford, "Note on
/// a method for calculating corrected sums of squares and products", Technometrics 4(3), 1962.
#[derive(Default)]
pub struct Spread {
    count: f64,
    mean: f64,
    squares: f64,
}

impl Spread {
    pub fn of(values: impl Iterator<Item = f64>) -> Self {
        let mut spread = Self::default();
        values.for_each(|value| spread.add(value));
        spread
    }

    fn add(&mut self, value: f64) {
        self.count += 1.0;
        let off = value - self.mean;
        self.mean += off / self.count;
        self.squares += off * (value - self.mean);
    }

    /// Standard deviation of what these are a sample of; 0 of a single one.
    fn deviation(&self) -> f64 {
        (self.squares / (self.count - 1.0).max(1.0)).sqrt()
    }

    /// Coefficient of variation; nothing where the mean is 0 or there is no value.
    pub fn coefficient_of_variation(&self) -> Option<f64> {
        (self.mean > 0.0).then(|| self.deviation() / self.mean)
    }
}

#[cfg(test)]
mod tests {
    use rand_chacha::ChaCha12Rng;
    use rand_chacha::rand_core::{Rng, SeedableRng};

    use super::*;

    /// Between two looks.
    const LOOK_NS: u64 = 10_000_000;
    const LOOKS: u64 = 300;
    const RATE: f64 = 100_000.0;

    /// Looks at a workload that does so many messages per second in each interval.
    fn looks_at(looks: u64, mut per_s: impl FnMut(u64) -> f64) -> Vec<Moment> {
        let mut messages = 0;
        let moment = |at_ns, messages| Moment {
            at_ns,
            messages,
            core_hz: None,
            temperature_c: None,
            throttles: None,
        };
        let mut moments = vec![moment(0, 0)];
        for look in 0..looks {
            messages += (per_s(look) * LOOK_NS as f64 / 1e9).round() as u64;
            moments.push(moment((look + 1) * LOOK_NS, messages));
        }
        moments
    }

    /// A factor between 0.9 and 1.1.
    fn noise(random: &mut ChaCha12Rng) -> f64 {
        0.9 + 0.2 * f64::from(random.next_u32()) / f64::from(u32::MAX)
    }

    fn judged(moments: &[Moment], opened_look: u64) -> Option<Unsteady> {
        unsteady(moments, opened_look * LOOK_NS, LOOKS * LOOK_NS, 0.02)
    }

    #[test]
    fn a_constant_rate_is_steady_from_the_start() {
        let moments = looks_at(LOOKS, |_| RATE);
        assert_eq!(steady_from(&moments), Some(0));
        assert_eq!(judged(&moments, 0), None);
    }

    #[test]
    fn noise_alone_is_hardly_ever_taken_for_change() {
        let unsteady = (0..200).filter(|&seed| {
            let mut random = ChaCha12Rng::seed_from_u64(seed);
            judged(&looks_at(LOOKS, |_| RATE * noise(&mut random)), 50).is_some()
        });
        assert!(unsteady.count() <= 2);
    }

    #[test]
    fn a_ramp_ends_where_the_rate_is_flat() {
        let moments = looks_at(LOOKS, |look| RATE * (look as f64 / 60.0).min(1.0));
        assert_eq!(steady_from(&moments), Some(60 * LOOK_NS));
        assert!(judged(&moments, 20).is_some_and(|it| it.before < 0.7 * it.after));
        assert_eq!(judged(&moments, 60), None);
    }

    #[test]
    fn a_ramp_is_found_under_noise() {
        let mut ends = Vec::new();
        for seed in 0..20 {
            let mut random = ChaCha12Rng::seed_from_u64(seed);
            let rate = |look: u64| RATE * (look as f64 / 60.0).min(1.0) * noise(&mut random);
            let moments = looks_at(LOOKS, rate);
            ends.extend(steady_from(&moments).map(|from_ns| from_ns / LOOK_NS));
            assert!(judged(&moments, 10).is_some(), "seed {seed}");
        }
        assert!(ends.len() >= 15, "{ends:?}");
        assert!(ends.iter().all(|end| (45..=150).contains(end)), "{ends:?}");
        assert!(ends.iter().filter(|&end| (45..=75).contains(end)).count() >= 10, "{ends:?}");
    }

    #[test]
    fn a_step_matters_where_it_is_large_and_within_the_window() {
        let step =
            |height: f64| looks_at(LOOKS, move |look| RATE * if look < 40 { height } else { 1.0 });
        let expected = Unsteady { from_ns: 40 * LOOK_NS, before: 0.9 * RATE, after: RATE };
        assert_eq!(judged(&step(0.9), 10), Some(expected));
        assert_eq!(judged(&step(0.99), 10), None);
        assert_eq!(judged(&step(0.9), 40), None);
    }

    #[test]
    fn a_drift_all_through_has_no_steady_part() {
        let moments = looks_at(LOOKS, |look| RATE * (1.0 - 0.3 * look as f64 / LOOKS as f64));
        assert_eq!(steady_from(&moments), None);
        let found = judged(&moments, 100).expect("the halves of the window differ");
        assert_eq!(found.from_ns, 200 * LOOK_NS);
        assert!(found.before > 1.1 * found.after);
    }

    #[test]
    fn what_comes_after_the_window_does_not_matter() {
        let moments = looks_at(2 * LOOKS, |look| if look < LOOKS { RATE } else { 0.0 });
        assert_eq!(judged(&moments, 0), None);
    }

    #[test]
    fn too_few_looks_tell_nothing() {
        assert_eq!(steady_from(&[]), None);
        let moments = looks_at(24, |look| RATE * if look < 10 { 0.1 } else { 1.0 });
        assert_eq!(steady_from(&moments), None);
        assert_eq!(unsteady(&moments, 0, 24 * LOOK_NS, 0.02), None);
    }
}
