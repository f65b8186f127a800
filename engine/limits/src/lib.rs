//! The limits of the processor that this runs on: how many cycles an instruction of each kind takes where
//! nothing waits ([`rates`]), and how long a kernel takes at least by the instructions that it executes
//! ([`bound`]), beside the time that it does take ([`kernels`]).

mod bound;
mod kernels;
mod rates;
mod subject;
#[cfg(target_arch = "x86_64")]
mod x86_64;

use ciphermark_record::SCHEMA;
use ciphermark_record::limits::Limits;

pub use kernels::Asked;
use rates::Rates;

/// Measures the rates, counts and times what is asked for. The calling thread should be bound to a CPU.
pub fn limits(asked: &Asked) -> Limits {
    let rates = Rates::measure();
    let kernels = kernels::kernels(&rates, asked);
    Limits { schema: SCHEMA, unavailable: rates.unavailable(), rates: rates.told(), kernels }
}
