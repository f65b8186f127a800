//! When messages come that nobody waits for (open loop): a Poisson process.

use rand::RngExt;
use rand_chacha::ChaCha12Rng;

use crate::inputs::generator;

/// Moments at random distances, whose mean is given.
pub struct Arrivals {
    due: f64,
    mean_ticks: f64,
    random: ChaCha12Rng,
}

impl Arrivals {
    /// Those of one of several threads that share the load; the first comes after `start`.
    pub fn new(seed: u64, thread: usize, mean_ticks: f64, start: u64) -> Self {
        let mut arrivals =
            Self { due: start as f64, mean_ticks, random: generator(seed, "arrivals", thread) };
        arrivals.next();
        arrivals
    }

    /// When the next message is due, ticks.
    pub fn due(&self) -> u64 {
        self.due as u64
    }

    /// Goes on to the message after it. Distances are exponential: −mean · ln(u), u in (0, 1].
    pub fn next(&mut self) {
        let share: f64 = 1.0 - self.random.random::<f64>();
        self.due -= self.mean_ticks * share.ln();
    }

    /// One of so many, each as likely.
    pub fn pick(&mut self, count: usize) -> usize {
        self.random.random_range(0..count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_have_the_mean_and_the_spread_of_a_poisson_process() {
        let mut arrivals = Arrivals::new(1, 0, 1000.0, 5000);
        let mut last = 5000;
        let distances: Vec<f64> = (0..20_000)
            .map(|_| {
                let distance = (arrivals.due() - last) as f64;
                last = arrivals.due();
                arrivals.next();
                distance
            })
            .collect();
        let mean = distances.iter().sum::<f64>() / distances.len() as f64;
        let over = distances.iter().filter(|&&it| it > 1000.0).count() as f64;
        assert!((mean / 1000.0 - 1.0).abs() < 0.03, "{mean}");
        let share = over / distances.len() as f64;
        assert!((share - (-1.0_f64).exp()).abs() < 0.01, "{share}");
    }

    #[test]
    fn threads_do_not_march_in_step() {
        let of = |thread| Arrivals::new(1, thread, 1000.0, 0).due();
        assert_ne!(of(0), of(1));
        assert_eq!(of(1), of(1));
    }
}
