//! Bounds on what a measuring process may take from the machine.

use rustix::process::{Resource, Rlimit, Signal, set_parent_process_death_signal, setrlimit};

/// Ends this process when its parent dies, forbids core files, and bounds its CPU time.
///
/// The kernel enforces these also when the code of a library under test runs wild.
pub fn bound_worker(cpu_seconds: u64) -> std::io::Result<()> {
    set_parent_process_death_signal(Some(Signal::KILL))?;
    setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) })?;
    let limit = Some(cpu_seconds);
    setrlimit(Resource::Cpu, Rlimit { current: limit, maximum: limit })?;
    Ok(())
}
