//! Bounds on what a measuring process may take from the machine.

use rustix::io::Errno;
use rustix::process::{
    Resource, Rlimit, Signal, getpid, getrlimit, set_child_subreaper,
    set_parent_process_death_signal, setrlimit,
};

use crate::{environment, worker_group};

/// Seconds after which a process is killed that goes on after the signal for too much CPU time.
const LAST_SECONDS: u64 = 5;

/// Ends this process, and what it forks, when its parent dies, has it die of the first fault, forbids
/// core files, and bounds its CPU time and what it may take of memory from here on.
///
/// The kernel enforces these also when the code of a library under test runs wild. A process that
/// has used too much CPU time gets SIGXCPU, which nobody else sends, and SIGKILL only where it ignores that.
/// Where it asks for too much memory, mmap(2) and brk(2) fail, and so do malloc(3) and others. A file in
/// memory (memfd_create(2)) is not private memory, and one that grows too long brings SIGXFSZ. Where many
/// files fill the memory, the system kills this process before any other: it makes a control group of memory
/// for it where it may, and scores it highest.
pub fn bound_worker(cpu_seconds: u64, memory_bytes: Option<u64>) -> std::io::Result<()> {
    set_parent_process_death_signal(Some(Signal::KILL))?;
    // What it starts stays below it though its own parent ends, so that it is known whose it is.
    adopt_descendants()?;
    bound_children()?;
    die_of_faults();
    setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) })?;
    let maximum = Some(cpu_seconds + LAST_SECONDS);
    setrlimit(Resource::Cpu, Rlimit { current: Some(cpu_seconds), maximum })?;
    be_killed_at(KILLED_FIRST);
    worker_group::join();
    memory_bytes.map_or(Ok(()), |bytes| {
        bound(Resource::Fsize, bytes)?;
        bound_memory(bytes)
    })
}

/// Makes this process the parent of each descendant whose own parent ends. Kernels before 3.4 and
/// emulators of user programs cannot do so; there, descendants without a parent are not found.
pub fn adopt_descendants() -> std::io::Result<()> {
    match set_child_subreaper(Some(getpid())) {
        Err(Errno::INVAL) => Ok(()),
        result => Ok(result?),
    }
}

/// Has the system end this process, and those that it starts from here on, before its caller when memory
/// is short; workers before it. A file in memory counts for no process: the kernel may not have removed
/// those of an ended worker when it looks for the next process to end, and the caller is the largest.
pub fn end_before_caller() {
    be_killed_at(KILLED_SECOND);
}

/// Scores of /proc/self/oom_score_adj. Other processes have 0, and 1000 is the highest.
const KILLED_FIRST: i32 = 1000;
const KILLED_SECOND: i32 = 900;

/// Raises the score by which the system chooses a process to end when memory is short.
fn be_killed_at(score: i32) {
    // Where there is no such file, nobody chooses.
    const SCORE: &str = "/proc/self/oom_score_adj";
    let current = std::fs::read_to_string(SCORE).ok().and_then(|text| text.trim().parse().ok());
    if current.is_some_and(|it: i32| it < score) {
        let _ = std::fs::write(SCORE, score.to_string());
    }
}

/// Bounds the private memory that can be written to (RLIMIT_DATA), touched or not, besides what is there
/// already: the shadow memory of a sanitizer is. Memory that is only reserved, as drivers of OpenCL do by
/// the terabyte, does not count, which a bound of all address space (RLIMIT_AS) would count.
fn bound_memory(bytes: u64) -> std::io::Result<()> {
    let Some(held) = environment::data_bytes() else { return Ok(()) };
    bound(Resource::Data, held.saturating_add(bytes))
}

/// Sets a limit, unless there is a lower one.
fn bound(resource: Resource, most: u64) -> std::io::Result<()> {
    let most = getrlimit(resource).maximum.unwrap_or(u64::MAX).min(most);
    setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) })?;
    Ok(())
}

/// Ends the process at the first SIGSEGV or SIGBUS. The handler that Rust installs to tell a stack
/// overflow lets the first one pass that no fault caused, as of a library that raises it: the crash
/// would be told of a later call.
fn die_of_faults() {
    for signal in [libc::SIGSEGV, libc::SIGBUS] {
        // SAFETY: the default action runs no code of this process.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
    }
}

/// Has what is forked from here on die with the thread that forked it, as do its own children. The
/// kernel forgets a process's death signal when it forks. What starts programs by vfork(2),
/// posix_spawn(3) or clone(2) goes another way than fork(3), and is not reached.
fn bound_children() -> std::io::Result<()> {
    extern "C" fn in_child() {
        // A system call that takes plain numbers, which may be made after a fork.
        let _ = set_parent_process_death_signal(Some(Signal::KILL));
    }
    // SAFETY: the function lives as long as the program, and makes one system call.
    match unsafe { libc::pthread_atfork(None, None, Some(in_child)) } {
        0 => Ok(()),
        error => Err(std::io::Error::from_raw_os_error(error)),
    }
}
