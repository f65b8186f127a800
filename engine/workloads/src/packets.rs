//! Workload `packets`: a queue of packets from one core to others.

use ciphermark_harness::Calibration;
use ciphermark_providers::api::Provider;
use ciphermark_record::description::Algorithm;
use ciphermark_record::packets::{PacketLoad, PacketsRun};
use ciphermark_record::plan::Case;

use crate::failure::Failure;

/// What the passes of a case are made of.
pub struct Means<'a> {
    pub provider: &'a dyn Provider,
    pub algorithm: &'a Algorithm,
    pub case: &'a Case,
    /// How its packets pass.
    pub load: &'a PacketLoad,
    pub seed: u64,
    pub calibration: &'a Calibration,
}

/// Makes all passes of the case. Takes what the load says, and what getting ready and checking take.
pub fn execute(_means: &Means<'_>) -> Result<PacketsRun, Failure> {
    Err(Failure::Machine("packets do not pass yet".into()))
}
