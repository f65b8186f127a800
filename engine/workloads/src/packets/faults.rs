//! What may befall a worker while it has a batch. Tests let it happen; else nothing does.

use ciphermark_harness::pinning;

/// Where in its work a worker is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// It has taken a batch.
    Taken,
    /// A part of the batch is done.
    Amid,
    /// All is done, and nobody knows of it.
    BeforeDone,
    /// It is known to be done, and not delivered.
    BeforeDelivery,
}

pub trait Faults: Sync {
    /// Whether the worker goes on.
    fn spare(&self, worker: usize, moment: Moment) -> bool;

    /// Puts the calling thread on its CPU. Tests have more of them than the machine.
    fn place(&self, cpu: u32) -> std::io::Result<()> {
        pinning::pin(cpu)
    }
}

/// Nothing happens, and the compiler knows.
pub struct NoFaults;

impl Faults for NoFaults {
    #[inline(always)]
    fn spare(&self, _: usize, _: Moment) -> bool {
        true
    }
}
