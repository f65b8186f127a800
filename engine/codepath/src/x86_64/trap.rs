//! The handler of the signal that every single step raises, and what it writes down.
//!
//! It runs between any two instructions of foreign code, so it only touches memory that was there
//! before: no allocation, no lock.

use std::ffi::{c_int, c_void};
use std::ptr;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicPtr, AtomicU64, AtomicUsize};

/// The trap flag in the processor's flags: a trap after each instruction.
pub const TRAP_FLAG: i64 = 1 << 8;

/// What the traced thread executes.
pub struct Log {
    /// Addresses in the order of execution; one slot for each step that is followed.
    addresses: Box<[AtomicU64]>,
    recorded: AtomicUsize,
    cut: AtomicBool,
    /// Where the call returns to; stepping ends there.
    pub end: AtomicU64,
}

impl Log {
    pub fn new(most_steps: u32) -> Self {
        Self {
            addresses: (0..most_steps).map(|_| AtomicU64::new(0)).collect(),
            recorded: AtomicUsize::new(0),
            cut: AtomicBool::new(false),
            end: AtomicU64::new(0),
        }
    }

    /// Notes that the instruction at `address` comes next; says whether to go on stepping.
    fn step(&self, address: u64, system_call: Option<i64>) -> bool {
        if self.cut.load(Relaxed) || address == self.end.load(Relaxed) {
            return false;
        }
        let step = self.recorded.load(Relaxed);
        let unsafe_to_follow = system_call.is_some_and(|call| STEPPING_ENDS_AT.contains(&call));
        match self.addresses.get(step) {
            Some(slot) if !unsafe_to_follow => {
                slot.store(address, Relaxed);
                self.recorded.store(step + 1, Relaxed);
                true
            }
            _ => {
                self.cut.store(true, Relaxed);
                false
            }
        }
    }

    pub fn cut(&self) -> bool {
        self.cut.load(Relaxed)
    }

    pub fn addresses(&self) -> impl Iterator<Item = u64> {
        self.addresses[..self.recorded.load(Relaxed)].iter().map(|address| address.load(Relaxed))
    }
}

/// System calls before which stepping ends: a trap while its signal is blocked ends the process, as
/// does one in a new process or thread, which inherits the trap flag.
const STEPPING_ENDS_AT: [i64; 6] = [
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask,
    libc::SYS_clone,
    libc::SYS_clone3,
    libc::SYS_fork,
    libc::SYS_vfork,
];

/// The log of the trace under way, and its thread. The thread is set last and cleared first, and
/// only that thread reads the log, so that it never sees one that has gone.
static LOG: AtomicPtr<Log> = AtomicPtr::new(ptr::null_mut());
static THREAD: AtomicU64 = AtomicU64::new(NO_THREAD);
const NO_THREAD: u64 = 0;

/// The handler that was there before, for signals that are not ours.
static HANDLER_BEFORE: AtomicUsize = AtomicUsize::new(libc::SIG_DFL);
static FLAGS_BEFORE: AtomicI32 = AtomicI32::new(0);

/// Whether this thread is being traced.
pub fn in_traced_thread() -> bool {
    THREAD.load(Acquire) == this_thread()
}

fn this_thread() -> u64 {
    // SAFETY: has no preconditions, and may be called in signal handlers.
    unsafe { libc::pthread_self() as usize as u64 }
}

/// The handler, in place of what handled the signal before; put back when dropped.
pub struct Installed {
    action_before: libc::sigaction,
    mask_before: libc::sigset_t,
}

impl Installed {
    /// Lets the steps of this thread be noted in `log`.
    ///
    /// # Safety
    ///
    /// No other `Installed` exists, and `log` outlives this one.
    pub unsafe fn new(log: &Log) -> Self {
        // SAFETY: both are plain C structures, for which zero bytes are valid, and the calls get
        // pointers to them. The handler has the signature that SA_SIGINFO asks for and does only
        // what a signal handler may do.
        unsafe {
            let mut before: Self = std::mem::zeroed();
            libc::sigaction(libc::SIGTRAP, ptr::null(), &mut before.action_before);
            HANDLER_BEFORE.store(before.action_before.sa_sigaction, Relaxed);
            FLAGS_BEFORE.store(before.action_before.sa_flags, Relaxed);
            LOG.store(ptr::from_ref(log).cast_mut(), Relaxed);
            THREAD.store(this_thread(), Release);

            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = on_trap as *const () as usize;
            // On the alternative stack where the thread has one: the call may be deep in its own.
            action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
            libc::sigaction(libc::SIGTRAP, &action, ptr::null_mut());

            let mut trap: libc::sigset_t = std::mem::zeroed();
            libc::sigaddset(&mut trap, libc::SIGTRAP);
            libc::pthread_sigmask(libc::SIG_UNBLOCK, &trap, &mut before.mask_before);
            before
        }
    }
}

impl Drop for Installed {
    fn drop(&mut self) {
        // SAFETY: both were filled in by the kernel, in `new`.
        unsafe {
            libc::pthread_sigmask(libc::SIG_SETMASK, &self.mask_before, ptr::null_mut());
            libc::sigaction(libc::SIGTRAP, &self.action_before, ptr::null_mut());
        }
        THREAD.store(NO_THREAD, Release);
    }
}

extern "C" fn on_trap(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    // SAFETY: the kernel passes valid structures to a handler with SA_SIGINFO; the state of the
    // interrupted code is the handler's alone.
    let (code, registers) =
        unsafe { ((*info).si_code, &mut (*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs) };
    let flag_is_set = registers[libc::REG_EFL as usize] & TRAP_FLAG != 0;
    // Some hypervisors forget at times to say that a trap is a single step's; Linux takes it for a
    // breakpoint then.
    let single_step = code == libc::TRAP_TRACE || (code == libc::TRAP_BRKPT && flag_is_set);
    if !(single_step && in_traced_thread()) {
        return pass_on(signal, info, context);
    }
    // SAFETY: this is the traced thread, so its trace is under way and has set the log.
    let log = unsafe { &*LOG.load(Relaxed) };
    let address = registers[libc::REG_RIP as usize] as u64;
    // SAFETY: the processor is about to execute what is there.
    let system_call =
        unsafe { is_system_call(address) }.then_some(registers[libc::REG_RAX as usize]);
    if !log.step(address, system_call) {
        registers[libc::REG_EFL as usize] &= !TRAP_FLAG;
    }
}

/// Whether the instruction at an address is `syscall`.
///
/// # Safety
///
/// There is an instruction that can be read.
unsafe fn is_system_call(address: u64) -> bool {
    let code = address as *const u8;
    // SAFETY: an instruction has a first byte, and none of one byte begins with 0x0F.
    unsafe { *code == 0x0F && *code.add(1) == 0x05 }
}

/// Does with a signal that is no step of ours what would have been done without us.
fn pass_on(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    type Plain = extern "C" fn(c_int);
    type WithInfo = extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void);
    match HANDLER_BEFORE.load(Relaxed) {
        libc::SIG_IGN => {}
        // SAFETY: both calls are allowed in handlers. The signal, blocked while this handler runs,
        // ends the process when it returns.
        libc::SIG_DFL => unsafe {
            libc::signal(signal, libc::SIG_DFL);
            libc::raise(signal);
        },
        // SAFETY: it was installed as a handler of this signal; its flags say of which type.
        handler => unsafe {
            if FLAGS_BEFORE.load(Relaxed) & libc::SA_SIGINFO != 0 {
                std::mem::transmute::<usize, WithInfo>(handler)(signal, info, context);
            } else {
                std::mem::transmute::<usize, Plain>(handler)(signal);
            }
        },
    }
}
