//! Threads that work together: on CPUs of their own, parked until all are ready, released at once, watched
//! by a deadline, woken, and joined.
//!
//! Sessions, packets, other cores as a device, the helpers that share a message, and the looks at cores
//! start, hold and end their threads here.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering, fence};
use std::sync::{Condvar, Mutex, OnceLock, PoisonError, mpsc};
use std::thread::{self, JoinHandle, Scope, ScopedJoinHandle, Thread};
use std::time::{Duration, Instant};

use crate::pinning;

/// Looks after which a thread that finds nothing offers its CPU to others.
pub const LOOKS: u32 = 256;

/// Starts a thread that stays on a CPU; the error of one that cannot be there is the kernel's.
pub fn start_on(
    cpu: u32,
    role: &str,
    body: impl FnOnce() + Send + 'static,
) -> io::Result<JoinHandle<()>> {
    let (tell, told) = mpsc::channel();
    let thread = thread::Builder::new().name(format!("{role} {cpu}")).spawn(move || {
        let pinned = pinning::pin(cpu);
        let usable = pinned.is_ok();
        if tell.send(pinned).is_ok() && usable {
            body();
        }
    })?;
    told.recv().unwrap_or_else(|_| Err(io::Error::other("its thread has ended")))?;
    Ok(thread)
}

/// Does something on one CPU and waits for it. The error is the kernel's where the CPU cannot be had.
pub fn run_on<T: Send>(cpu: u32, action: impl FnOnce() -> T + Send) -> io::Result<T> {
    thread::scope(|scope| {
        let thread = scope.spawn(|| pinning::pin(cpu).map(|()| action()));
        thread.join().unwrap_or_else(|_| Err(io::Error::other("a thread on it panicked")))
    })
}

/// Starts one of many threads, with a stack of so many bytes.
pub fn start_small<'scope, T: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    stack_bytes: usize,
    action: impl FnOnce() -> T + Send + 'scope,
) -> io::Result<ScopedJoinHandle<'scope, T>> {
    thread::Builder::new().stack_size(stack_bytes).spawn_scoped(scope, action)
}

/// Waits for all threads: what each has to tell, or the first error. Of one that panicked it is `panicked`.
pub fn join<T, E>(
    threads: Vec<ScopedJoinHandle<'_, Result<T, E>>>,
    panicked: impl Fn() -> E,
) -> Result<Vec<T>, E> {
    let ended: Vec<_> = threads.into_iter().map(ScopedJoinHandle::join).collect();
    ended.into_iter().map(|told| told.unwrap_or_else(|_| Err(panicked()))).collect()
}

/// Does something where the thread that holds it panics, such as to end the work of the others.
pub struct Alarm<F: Fn()>(pub F);

impl<F: Fn()> Drop for Alarm<F> {
    fn drop(&mut self) {
        if thread::panicking() {
            (self.0)();
        }
    }
}

/// Where threads park until all of them are ready.
#[derive(Default)]
pub struct Gate {
    state: Mutex<GateState>,
    /// For whoever counts those that wait; they are many and need not hear of each other.
    arrived: Condvar,
    opened: Condvar,
}

#[derive(Default)]
struct GateState {
    waiting: u32,
    open: bool,
}

impl Gate {
    /// Says that this thread is ready, and parks it until the gate is open.
    pub fn wait(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.waiting += 1;
        drop(state);
        self.arrived.notify_one();
        self.pass();
    }

    /// Parks this thread until the gate is open, without being one of those that it opens for.
    pub fn pass(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        while !state.open {
            state = self.opened.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Waits until so many threads are parked; at most so long, and no longer than `wanted` says.
    /// Returns how many there are.
    pub fn gather(&self, threads: u32, longest: Duration, wanted: impl Fn() -> bool) -> u32 {
        let deadline = Instant::now() + longest;
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        while state.waiting < threads && Instant::now() < deadline && wanted() {
            let look = Duration::from_millis(50);
            let woken = self.arrived.wait_timeout(state, look);
            state = woken.unwrap_or_else(PoisonError::into_inner).0;
        }
        state.waiting
    }

    pub fn open(&self) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).open = true;
        self.opened.notify_all();
    }
}

/// Where so many threads meet without sleep: waking a thread takes longer than much of their work.
pub struct Rendezvous {
    threads: u32,
    there: AtomicU32,
}

impl Rendezvous {
    pub fn of(threads: u32) -> Self {
        Self { threads, there: AtomicU32::new(0) }
    }

    /// Says that this thread is there, and waits for the others, no longer than `wanted` says.
    pub fn meet(&self, wanted: impl Fn() -> bool) {
        self.there.fetch_add(1, Ordering::SeqCst);
        while self.there.load(Ordering::SeqCst) < self.threads && wanted() {
            thread::yield_now();
        }
    }
}

/// Lets a moment pass for a thread that has looked in vain `looks` times.
#[inline]
pub fn pause(looks: &mut u32) {
    *looks = looks.wrapping_add(1);
    if looks.is_multiple_of(LOOKS) {
        thread::yield_now();
    } else {
        std::hint::spin_loop();
    }
}

/// Where one thread sleeps until another wakes it.
// Two lines of a cache: processors fetch them in pairs.
#[derive(Default)]
#[repr(align(128))]
pub struct Parker {
    asleep: AtomicBool,
    thread: OnceLock<Thread>,
}

impl Parker {
    /// Says that the calling thread is the one that will sleep here.
    pub fn take(&self) {
        self.thread.get_or_init(thread::current);
    }

    /// Sleeps until woken; not where `ready` says that there is no need to.
    pub fn park_unless(&self, ready: impl Fn() -> bool) {
        self.asleep.store(true, Ordering::SeqCst);
        // Either this sees what was made ready, or `wake` sees the sleeper.
        fence(Ordering::SeqCst);
        if !ready() {
            thread::park();
        }
        self.asleep.store(false, Ordering::Relaxed);
    }

    /// Whether somebody slept here and was woken. What it was woken for has been stored before.
    #[inline]
    pub fn wake(&self) -> bool {
        fence(Ordering::SeqCst);
        if !self.asleep.load(Ordering::Relaxed) || !self.asleep.swap(false, Ordering::SeqCst) {
            return false;
        }
        self.thread.get().inspect(|thread| thread.unpark()).is_some()
    }

    /// For another thread.
    pub fn reset(&mut self) {
        *self = Self::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn own_cpu() -> u32 {
        pinning::allowed_cpus().expect("the kernel tells")[0]
    }

    #[test]
    fn threads_are_where_they_were_asked_to_be() {
        let cpu = own_cpu();
        let allowed = run_on(cpu, || pinning::allowed_cpus().expect("the kernel tells"));
        assert_eq!(allowed.ok(), Some(vec![cpu]));
        let (tell, told) = mpsc::channel();
        let thread = start_on(cpu, "test", move || {
            tell.send(pinning::allowed_cpus().expect("the kernel tells")).expect("somebody hears");
        });
        assert_eq!(told.recv(), Ok(vec![cpu]));
        thread.expect("it was started").join().expect("it has not panicked");
    }

    #[test]
    fn a_cpu_that_is_not_there_is_an_error() {
        assert!(start_on(100_000, "test", || ()).is_err());
        assert!(run_on(100_000, || ()).is_err());
    }

    #[test]
    fn a_panic_is_told_and_alarms_the_others() {
        let alarmed = AtomicBool::new(false);
        let outcome = thread::scope(|scope| {
            let work = |panics: bool| {
                let alarmed = &alarmed;
                let work = move || {
                    let _alarm = Alarm(|| alarmed.store(true, Ordering::SeqCst));
                    assert!(!panics, "as the test wants it");
                    Ok(())
                };
                start_small(scope, 64 << 10, work).expect("it was started")
            };
            join(vec![work(false), work(true)], || "panicked")
        });
        assert_eq!((outcome, alarmed.into_inner()), (Err("panicked"), true));
    }

    #[test]
    fn sleepers_are_woken_and_those_that_are_awake_are_not() {
        let (parker, ready) = (Parker::default(), AtomicBool::new(false));
        thread::scope(|scope| {
            scope.spawn(|| {
                parker.take();
                while !ready.load(Ordering::SeqCst) {
                    parker.park_unless(|| ready.load(Ordering::SeqCst));
                }
            });
            ready.store(true, Ordering::SeqCst);
            parker.wake();
        });
        assert!(!parker.wake());
    }

    #[test]
    fn all_meet() {
        let (rendezvous, came) = (Rendezvous::of(3), AtomicU32::new(0));
        thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    came.fetch_add(1, Ordering::SeqCst);
                    rendezvous.meet(|| true);
                    assert_eq!(came.load(Ordering::SeqCst), 3);
                });
            }
        });
        Rendezvous::of(2).meet(|| false);
    }

    #[test]
    fn the_gate_holds_everybody_until_it_opens() {
        let (gate, passed) = (Gate::default(), AtomicU32::new(0));
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    gate.wait();
                    passed.fetch_add(1, Ordering::Relaxed);
                });
            }
            assert_eq!(gate.gather(8, Duration::from_secs(60), || true), 8);
            assert_eq!(passed.load(Ordering::Relaxed), 0);
            gate.open();
        });
        assert_eq!(passed.into_inner(), 8);
    }

    #[test]
    fn who_does_not_come_is_not_waited_for() {
        assert_eq!(Gate::default().gather(1, Duration::from_millis(1), || true), 0);
        assert_eq!(Gate::default().gather(1, Duration::from_secs(3600), || false), 0);
    }
}
