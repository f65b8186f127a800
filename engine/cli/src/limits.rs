//! The command `limits`.

use ciphermark_harness::{pinning, quietest_cpu};
use ciphermark_limits::Asked;
use ciphermark_supervisor::Interrupt;
use clap::Args;
use clap::builder::RangedU64ValueParser;

use crate::commands::{Result, print, usage};

/// Bytes of a message and messages of a call, of which each byte is executed step by step.
const MOST_BYTES: u64 = 1 << 20;
const MOST_LANES: u64 = 4096;

#[derive(Args)]
pub struct LimitsArguments {
    /// Only these algorithms of our kernels; else those of 3GPP and the universal hashes.
    #[arg(long, value_delimiter = ',')]
    algorithms: Vec<String>,
    /// Only these backends; else the first of each algorithm, which is the fastest.
    #[arg(long, value_delimiter = ',')]
    backends: Vec<String>,
    /// About so many bytes of each message.
    #[arg(long, value_delimiter = ',', value_parser = RangedU64ValueParser::<u64>::new().range(1..=MOST_BYTES))]
    bytes: Vec<u64>,
    /// Messages of a call of kernels that take several.
    #[arg(long, default_value_t = 192, value_parser = RangedU64ValueParser::<usize>::new().range(1..=MOST_LANES))]
    lanes: usize,
}

pub fn limits(arguments: &LimitsArguments) -> Result {
    let cpu = quietest_cpu::choose(None, &pinning::allowed_cpus()?).map_err(usage)?;
    pinning::pin(cpu)?;
    let asked = Asked {
        algorithms: arguments.algorithms.clone(),
        backends: arguments.backends.clone(),
        bytes: arguments.bytes.clone(),
        lanes: arguments.lanes,
    };
    print(&ciphermark_limits::limits(&asked), &Interrupt::none())
}
