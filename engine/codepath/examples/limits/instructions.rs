//! Numbers of instructions, and how long they take at least.

use ciphermark_codepath::{Counts, Kind};

use crate::rates::Rates;

/// Of a call, or of each byte of it.
pub struct Instructions {
    pub computing: f64,
    /// With shifts, which use the same units.
    pub shuffles: f64,
    pub aes: f64,
    pub products: f64,
    pub carryless_products: f64,
    pub loads: f64,
    pub general_products: f64,
    pub all: f64,
}

impl Instructions {
    pub fn of(counts: &Counts) -> Self {
        let of = |kind| counts.of(kind) as f64;
        Self {
            computing: counts.computing() as f64,
            shuffles: of(Kind::Shuffle) + of(Kind::Shift),
            aes: of(Kind::Aes),
            products: of(Kind::Multiply),
            carryless_products: of(Kind::CarrylessMultiply),
            loads: counts.loads as f64,
            general_products: of(Kind::GeneralMultiply),
            all: counts.all() as f64,
        }
    }

    /// Those that another call has not.
    pub fn less(&self, other: &Self) -> Self {
        self.with(other, |one, other| one - other)
    }

    pub fn each(&self, bytes: usize) -> Self {
        self.with(self, |one, _| one / bytes as f64)
    }

    fn with(&self, other: &Self, f: impl Fn(f64, f64) -> f64) -> Self {
        Self {
            computing: f(self.computing, other.computing),
            shuffles: f(self.shuffles, other.shuffles),
            aes: f(self.aes, other.aes),
            products: f(self.products, other.products),
            carryless_products: f(self.carryless_products, other.carryless_products),
            loads: f(self.loads, other.loads),
            general_products: f(self.general_products, other.general_products),
            all: f(self.all, other.all),
        }
    }

    /// Cycles, and what takes them.
    pub fn limit(&self, rates: &Rates) -> (f64, &'static str) {
        [
            (self.computing * rates.logic, "vectors"),
            (self.shuffles * rates.shuffle.min(rates.shift), "shuffles"),
            (self.aes * rates.aes, "AES"),
            (self.products * rates.multiply, "products"),
            (self.carryless_products * rates.carryless_multiply, "products"),
            (self.loads * rates.load, "loads"),
            (self.general_products * rates.general_multiply, "general products"),
            (self.all * rates.any, "instructions"),
        ]
        .into_iter()
        .max_by(|(one, _), (other, _)| one.total_cmp(other))
        .expect("there are several")
    }
}
