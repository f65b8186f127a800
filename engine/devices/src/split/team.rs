//! The cores that share a message: the calling one, and a thread pinned to each further CPU.
//!
//! Helpers look for work again and again for a while after they had some, then sleep until they are
//! woken; the caller, whose own part is done, looks for the ends of the others, and offers its CPU to
//! others between looks. One message is shared at a time.

use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use ciphermark_harness::crew::{self, LOOKS, Parker, pause};
use ciphermark_harness::pinning;

use ciphermark_providers::api::{CallError, CreateError};

/// Of a part whose helper did not end it.
const DIED: CallError = CallError::Library(-1);

/// A helper that has nothing to do looks again for so long before it sleeps: longer than what lies
/// between the parts of two messages of one caller.
const SPIN: Duration = Duration::from_micros(50);

pub struct Team {
    helpers: Vec<Helper>,
    /// Whose message it is.
    turn: Mutex<()>,
}

impl Team {
    /// Starts a helper on each of these CPUs but the one that the caller is pinned to; they end with
    /// the team.
    pub fn of(cpus: &[u32]) -> Result<Self, CreateError> {
        let own = pinning::allowed_cpus().unwrap_or_default();
        let mut others: Vec<u32> =
            cpus.iter().copied().filter(|cpu| own.as_slice() != [*cpu]).collect();
        others.sort_unstable();
        others.dedup();
        if others.is_empty() {
            return Err(CreateError::Unsupported(
                "a message split over one CPU: name others with --offload-cpus".into(),
            ));
        }
        let helpers: Result<_, _> = others.into_iter().map(Helper::start).collect();
        Ok(Self { helpers: helpers?, turn: Mutex::new(()) })
    }

    /// Of so many helpers, of which several share a CPU where it has too few: slower, and no other thing.
    #[cfg(test)]
    pub fn crowded(helpers: usize) -> Self {
        let cpus = pinning::allowed_cpus().expect("the kernel tells");
        let start = |number: usize| Helper::start(cpus[number % cpus.len()]).expect("it is there");
        Self { helpers: (0..helpers).map(start).collect(), turn: Mutex::new(()) }
    }

    /// Cores that work, the calling one included.
    pub fn cores(&self) -> usize {
        self.helpers.len() + 1
    }

    /// Does so much work at once, task n on core n, at most one for each; the first on the calling
    /// one. Of the errors the one of the first task that failed is told.
    pub fn share<Task: Send>(
        &self,
        tasks: impl Iterator<Item = Task>,
        work: impl Fn(usize, Task) -> Result<(), CallError> + Sync,
    ) -> Result<(), CallError> {
        let parts: Vec<_> = tasks.map(|task| Mutex::new((Some(task), Err(DIED)))).collect();
        self.all(parts.len(), &|number| {
            let (task, outcome) = &mut *lock(&parts[number]);
            if let Some(task) = task.take() {
                *outcome = work(number, task);
            }
        });
        parts.into_iter().try_for_each(|part| part.into_inner().unwrap_or((None, Err(DIED))).1)
    }

    /// Calls `work` with each number below `cores`, each on a core of its own.
    fn all(&self, cores: usize, work: &(dyn Fn(usize) + Sync)) {
        assert!((1..=self.cores()).contains(&cores), "a task for each core at most");
        let _turn = lock(&self.turn);
        let busy = Busy(&self.helpers[..cores - 1]);
        for (helper, number) in busy.0.iter().zip(1..) {
            // SAFETY: `work` outlives the guard `busy`, whose end waits until no helper has it.
            unsafe { helper.begin(work, number) };
        }
        work(0);
    }
}

/// Helpers that have work. Its end waits for theirs, also when the caller's own part panics.
struct Busy<'a>(&'a [Helper]);

impl Drop for Busy<'_> {
    fn drop(&mut self) {
        self.0.iter().for_each(Helper::wait);
    }
}

struct Helper {
    desk: Arc<Desk>,
    thread: Option<JoinHandle<()>>,
}

/// What a caller and a helper share.
#[derive(Default)]
struct Desk {
    /// Pieces of work that were put here so far, and that were done: 32 bits that may wrap.
    put: AtomicU32,
    done: AtomicU32,
    work: Mutex<Option<Work>>,
    parker: Parker,
    /// Whether no more will come.
    closed: AtomicBool,
}

/// What to call, with which number.
type Work = (&'static (dyn Fn(usize) + Sync), usize);

impl Helper {
    fn start(cpu: u32) -> Result<Self, CreateError> {
        let desk = Arc::<Desk>::default();
        let own = Arc::clone(&desk);
        let thread = crew::start_on(cpu, "helper", move || own.serve())
            .map_err(|why| CreateError::Failed(format!("CPU {cpu} cannot help: {why}")))?;
        Ok(Self { desk, thread: Some(thread) })
    }

    /// Has `work` done beside the caller.
    ///
    /// # Safety
    ///
    /// `work` must live until [`Helper::wait`] has returned.
    unsafe fn begin(&self, work: &(dyn Fn(usize) + Sync), number: usize) {
        // SAFETY: lifetimes alone differ, and the caller keeps `work` alive while it is used.
        let work: &'static (dyn Fn(usize) + Sync) = unsafe { mem::transmute(work) };
        *lock(&self.desk.work) = Some((work, number));
        self.desk.put.fetch_add(1, Ordering::Release);
        self.desk.parker.wake();
    }

    fn wait(&self) {
        let put = self.desk.put.load(Ordering::Relaxed);
        let mut looks: u32 = 0;
        while self.desk.done.load(Ordering::Acquire) != put {
            pause(&mut looks);
        }
    }
}

impl Drop for Helper {
    fn drop(&mut self) {
        self.desk.closed.store(true, Ordering::Release);
        self.desk.parker.wake();
        if let Some(thread) = self.thread.take() {
            // What a part panics over is caught there.
            let _ = thread.join();
        }
    }
}

impl Desk {
    /// Works until the desk is closed.
    fn serve(&self) {
        self.parker.take();
        let mut done: u32 = 0;
        while self.next(done) {
            if let Some((work, number)) = lock(&self.work).take() {
                // What it leaves behind is the caller's error: nobody waits for this in vain.
                let _ = catch_unwind(AssertUnwindSafe(|| work(number)));
            }
            done = done.wrapping_add(1);
            self.done.store(done, Ordering::Release);
        }
    }

    /// Waits for more work than was done; false where none will come.
    fn next(&self, done: u32) -> bool {
        let is_there = || self.put.load(Ordering::Acquire) != done;
        let is_over = || self.closed.load(Ordering::Acquire);
        let begun = Instant::now();
        loop {
            for _ in 0..LOOKS {
                if is_there() || is_over() {
                    return is_there();
                }
                std::hint::spin_loop();
            }
            if begun.elapsed() > SPIN {
                self.parker.park_unless(|| is_there() || is_over());
            }
        }
    }
}

/// What a panic has left behind is what its part is told to have failed with.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn every_task_is_done_once_by_its_core() {
        let team = Team::crowded(3);
        for round in 0..2000_usize {
            let tasks = 1 + round % team.cores();
            let mut done = vec![0; tasks];
            let outcome = team.share(done.iter_mut().enumerate(), |core, (number, done)| {
                assert_eq!(core, number);
                *done += number + 1;
                Ok(())
            });
            assert_eq!(outcome, Ok(()));
            assert!(done.into_iter().eq(1..=tasks));
        }
    }

    #[test]
    fn helpers_that_sleep_are_woken() {
        let team = Team::crowded(1);
        for _ in 0..5 {
            thread::sleep(4 * SPIN);
            assert_eq!(team.share([1, 2].into_iter(), |_, _| Ok(())), Ok(()));
        }
    }

    #[test]
    fn errors_and_panics_are_told_and_the_team_goes_on() {
        let team = Team::crowded(2);
        let failing = |failed: usize| {
            team.share(0..3, |_, task| match task == failed {
                true => Err(CallError::Refused),
                false => Ok(()),
            })
        };
        for failed in 0..3 {
            assert_eq!(failing(failed), Err(CallError::Refused));
        }
        let outcome = team.share(0..3, |_, task| {
            assert_ne!(task, 2, "as the test wants it");
            Ok(())
        });
        assert_eq!(outcome, Err(DIED));
        assert_eq!(failing(3), Ok(()));
    }

    #[test]
    fn cpus_that_are_not_there_cannot_help() {
        let refused = |cpus: &[u32]| Team::of(cpus).err().expect("it is refused").to_string();
        assert!(refused(&[]).contains("--offload-cpus"));
        assert!(refused(&[1000]).contains("CPU 1000 cannot help"), "{}", refused(&[1000]));
    }
}
