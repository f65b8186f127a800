//! What every workload measures with: clocks, calibration, the sampler, the processor's state, the
//! stopping rule, pinning, limits, and the capture of the machine's state.

pub mod calibration;
pub mod clock;
pub mod core_watch;
pub mod crew;
pub mod energy;
pub mod environment;
pub mod host_clock;
pub mod limits;
pub mod pinning;
#[cfg_attr(not(any(target_arch = "x86_64", target_arch = "aarch64")), path = "no_pmu.rs")]
mod pmu;
pub mod processor_state;
pub mod quietest_cpu;
pub mod quota;
pub mod sampler;
pub mod scheduling;
pub mod stopping;
pub mod usage;
pub mod window;
pub mod worker_group;

pub use calibration::Calibration;
pub use clock::Clock;
pub use host_clock::HostClock;
