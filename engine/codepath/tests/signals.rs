//! Traces beside other signals. A handler belongs to the whole process, so these tests have one of
//! their own and take turns.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

use std::arch::asm;
use std::ffi::c_int;
use std::mem::zeroed;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use ciphermark_codepath::trace;

static TURN: Mutex<()> = Mutex::new(());

static SEEN: AtomicU32 = AtomicU32::new(0);

extern "C" fn count(_signal: c_int) {
    SEEN.fetch_add(1, Relaxed);
}

fn handler_of(signal: c_int) -> usize {
    // SAFETY: asks only; zero bytes are a valid structure.
    unsafe {
        let mut action: libc::sigaction = zeroed();
        libc::sigaction(signal, null_mut(), &mut action);
        action.sa_sigaction
    }
}

/// Lets a signal be counted, from none on.
fn count_from_now(signal: c_int) {
    SEEN.store(0, Relaxed);
    // SAFETY: the handler only touches an atomic number.
    unsafe { libc::signal(signal, count as *const () as usize) };
}

fn breakpoint() {
    // SAFETY: raises SIGTRAP, for which there is a handler, and goes on.
    unsafe { asm!("int3") };
}

#[test]
fn a_trap_that_is_no_step_gets_to_the_handler_before_which_is_put_back() {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    count_from_now(libc::SIGTRAP);
    let path = trace(&mut breakpoint, 1000).expect("single steps are delivered here");
    assert_eq!(SEEN.load(Relaxed), 1);
    assert!(path.steps > 2 && !path.cut, "{path:?}");
    assert_eq!(handler_of(libc::SIGTRAP), count as *const () as usize);
    breakpoint();
    assert_eq!(SEEN.load(Relaxed), 2);
}

#[test]
fn a_blocked_trap_is_delivered_all_the_same_and_blocked_again() {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    // SAFETY: zero bytes are a valid set; the calls change the mask of this thread alone.
    let blocked_after = unsafe {
        let mut trap: libc::sigset_t = zeroed();
        libc::sigaddset(&mut trap, libc::SIGTRAP);
        libc::pthread_sigmask(libc::SIG_BLOCK, &trap, null_mut());
        let path = trace(&mut || (), 1000).expect("single steps are delivered here");
        assert!(path.steps > 0);
        let mut mask: libc::sigset_t = zeroed();
        libc::pthread_sigmask(libc::SIG_UNBLOCK, &trap, &mut mask);
        libc::sigismember(&mask, libc::SIGTRAP)
    };
    assert_eq!(blocked_after, 1);
}

#[test]
fn a_call_that_changes_the_signal_mask_is_cut_there() {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let mut call = || {
        // SAFETY: zero bytes are a valid set; the mask is put back.
        unsafe {
            let (mut all, mut before): (libc::sigset_t, libc::sigset_t) = zeroed();
            libc::sigfillset(&mut all);
            libc::pthread_sigmask(libc::SIG_SETMASK, &all, &mut before);
            libc::pthread_sigmask(libc::SIG_SETMASK, &before, null_mut());
        }
    };
    call();
    assert!(trace(&mut call, 100_000).expect("single steps are delivered here").cut);
}

#[test]
fn other_signals_may_come_at_any_step() {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    count_from_now(libc::SIGUSR1);
    let done = AtomicBool::new(false);
    // SAFETY: has no preconditions.
    let traced = unsafe { libc::pthread_self() };
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Relaxed) {
                // SAFETY: the thread lives as long as the scope.
                unsafe { libc::pthread_kill(traced, libc::SIGUSR1) };
                std::thread::yield_now();
            }
        });
        let mut rounds = 0;
        let mut call = || (0..500).for_each(|round| rounds += std::hint::black_box(round));
        let path = trace(&mut call, 1_000_000).expect("single steps are delivered here");
        done.store(true, Relaxed);
        assert!(path.steps > 500 && !path.cut, "{path:?}");
        assert_eq!(rounds, 124_750);
    });
    assert!(SEEN.load(Relaxed) > 0);
}
