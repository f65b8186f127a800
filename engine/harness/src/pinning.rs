//! Which CPUs this process may use, and binding to one of them.

use rustix::process::Pid;
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// The CPUs that this thread may run on, ascending.
pub fn allowed_cpus() -> std::io::Result<Vec<u32>> {
    let set = sched_getaffinity(None)?;
    Ok((0..CpuSet::MAX_CPU).filter(|&cpu| set.is_set(cpu)).map(|cpu| cpu as u32).collect())
}

/// Binds the calling thread to one CPU.
pub fn pin(cpu: u32) -> std::io::Result<()> {
    confine(&[cpu])
}

/// Binds another process's first thread to one CPU.
pub fn pin_process(process: u32, cpu: u32) -> std::io::Result<()> {
    let mut set = CpuSet::new();
    set.set(cpu as usize);
    // None would be the caller itself.
    let process = Pid::from_raw(process as i32).ok_or(std::io::ErrorKind::InvalidInput)?;
    Ok(sched_setaffinity(Some(process), &set)?)
}

/// Binds the calling thread to these CPUs.
pub fn confine(cpus: &[u32]) -> std::io::Result<()> {
    let mut set = CpuSet::new();
    cpus.iter().for_each(|&cpu| set.set(cpu as usize));
    Ok(sched_setaffinity(None, &set)?)
}

/// Keeps the calling thread off one CPU, where it has another to run on, so that it does not
/// disturb what is measured there.
pub fn avoid(cpu: u32, allowed: &[u32]) -> std::io::Result<()> {
    let mut set = CpuSet::new();
    for &other in allowed.iter().filter(|&&other| other != cpu) {
        set.set(other as usize);
    }
    if set.count() > 0 {
        sched_setaffinity(None, &set)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pinned_thread_runs_where_it_was_pinned() {
        std::thread::spawn(|| {
            let cpu = *allowed_cpus().unwrap().last().unwrap();
            pin(cpu).unwrap();
            assert_eq!(rustix::thread::sched_getcpu() as u32, cpu);
        })
        .join()
        .unwrap();
    }

    #[test]
    fn another_process_runs_where_it_was_pinned() {
        let cpu = *allowed_cpus().unwrap().last().unwrap();
        let mut child = std::process::Command::new("sleep").arg("10").spawn().unwrap();
        let pinned = pin_process(child.id(), cpu);
        let set = sched_getaffinity(Pid::from_raw(child.id() as i32)).unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
        pinned.unwrap();
        assert!(set.count() == 1 && set.is_set(cpu as usize));
        assert!(pin_process(0, cpu).is_err(), "the caller itself is not meant");
    }
}
