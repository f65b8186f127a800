//! `energy`: what the meters show while something else runs, for the workbench's tunnels.

use std::io::{self, Read};
use std::time::Duration;

use ciphermark_harness::energy::Meters;
use ciphermark_harness::usage;
use ciphermark_supervisor::Interrupt;

use crate::commands::{Problem, Result, print};

const APART: Duration = Duration::from_millis(5);

/// Reads all meters by the monotonic clock until there is no more input.
pub fn energy() -> Result {
    let (_, meters) = Meters::open();
    let watch = meters.watch(APART, usage::monotonic_ns);
    io::copy(&mut io::stdin().lock().by_ref(), &mut io::sink())?;
    let (_, readings) = watch.end().ok_or_else(|| {
        Problem::from(io::Error::other("the thread that reads the meters has failed"))
    })?;
    print(&readings, &Interrupt::none())
}
