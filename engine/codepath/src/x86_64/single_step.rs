//! Executes a call with the processor's trap flag set.

use std::any::Any;
use std::arch::asm;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Mutex, PoisonError};

use super::trap::{self, Installed, Log, TRAP_FLAG};
use crate::Unavailable;

/// Addresses that a call executed.
pub struct Steps {
    /// In the order of execution.
    pub addresses: Vec<u64>,
    /// Whether the call went on where it was no longer followed.
    pub cut: bool,
}

/// There is one handler of the signal in a process.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// Makes the call and follows its first `most_steps` instructions.
pub fn run(call: &mut dyn FnMut(), most_steps: u32) -> Result<Steps, Unavailable> {
    if trap::in_traced_thread() {
        return Err(Unavailable("a traced call cannot trace another call".into()));
    }
    let _turn = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let log = Log::new(most_steps);
    let mut call = TracedCall { call, panic: None };
    {
        // SAFETY: this is the only place that makes one, under the lock; the log lives longer.
        let _installed = unsafe { Installed::new(&log) };
        step_through(&mut call, &log);
    }
    if let Some(panic) = call.panic {
        resume_unwind(panic);
    }
    let steps = Steps { addresses: log.addresses().collect(), cut: log.cut() };
    if steps.addresses.is_empty() && !steps.cut {
        return Err(Unavailable(
            "this system does not hand single-step traps to the process that asks for them".into(),
        ));
    }
    Ok(steps)
}

struct TracedCall<'a> {
    call: &'a mut dyn FnMut(),
    panic: Option<Box<dyn Any + Send>>,
}

/// Makes the call. A panic ends here: it must not unwind through the assembly below.
extern "C" fn make(call: &mut TracedCall) {
    call.panic = catch_unwind(AssertUnwindSafe(&mut *call.call)).err();
}

fn step_through(call: &mut TracedCall, log: &Log) {
    // The first trap comes after the instruction that follows `popfq`, which is the call. The
    // handler ends the stepping at label 2; the flag is cleared there once more so that it is off
    // whatever became of the signals.
    //
    // SAFETY: the stack is as it was after each pair of `pushfq` and `popfq`, hence aligned at the
    // call as at the beginning; all registers that the call may change are declared; it does not
    // unwind. A handler is installed for the trap, and a signal leaves the red zone of the code
    // that it interrupts alone, so that this code cannot tell.
    unsafe {
        asm!(
            "lea rax, [rip + 2f]",
            "mov [rsi], rax",
            "pushfq",
            "or qword ptr [rsp], {trap_flag}",
            "popfq",
            "call {make}",
            "2:",
            "pushfq",
            "and qword ptr [rsp], {others}",
            "popfq",
            trap_flag = const TRAP_FLAG,
            others = const !TRAP_FLAG,
            make = sym make,
            in("rdi") call,
            in("rsi") log.end.as_ptr(),
            clobber_abi("C"),
        );
    }
}
