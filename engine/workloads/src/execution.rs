//! What a workload with threads is made of.

use ciphermark_harness::Calibration;
use ciphermark_providers::api::Provider;
use ciphermark_record::description::Algorithm;
use ciphermark_record::plan::Case;

/// A case with all that executing it needs.
pub struct Execution<'a, Load> {
    pub provider: &'a dyn Provider,
    pub algorithm: &'a Algorithm,
    pub case: &'a Case,
    /// How its threads run.
    pub load: &'a Load,
    pub seed: u64,
    pub calibration: &'a Calibration,
}
