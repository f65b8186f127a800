//! The worker processes of a run, started when first needed and replaced when they die.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::Path;
use std::time::{Duration, Instant};

use ciphermark_harness::{Calibration, environment, pinning, worker_group};
use ciphermark_record::description::{Implementation, Provider};
use ciphermark_record::event::{Failure, FailureKind};
use ciphermark_record::packets::{PacketLoad, PacketsRun};
use ciphermark_record::plan::{Case, Load, Messages};
use ciphermark_record::sessions::{SessionLoad, SessionsRun};
use ciphermark_workloads::watched::Place;

use crate::descendants;
use crate::driver_caches;
use crate::files::Files;
use crate::hangs::Hangs;
use crate::interrupt::Interrupt;
use crate::protocol::{Answers, Command, MessageRange, Reply};
use crate::worker_handle::{Settings, Worker, failure, out_of_turn, unknown, was_killed};
use crate::worker_key::{WorkerKey, key_of};

/// For any command, and more for each byte that it processes and each key that it sets: a hundred
/// times what a slow function takes.
const BASE_TIMEOUT: Duration = Duration::from_secs(20);
const TIMEOUT_PER_BYTE: Duration = Duration::from_nanos(3_000);
const TIMEOUT_PER_KEY: Duration = Duration::from_micros(300);
/// For making one of many sessions ready, and for checking what it wrote.
const TIMEOUT_PER_SESSION: Duration = Duration::from_millis(40);

/// However much a command is to do: far beyond a run's budget, and no deadline overflows.
const LONGEST_TIMEOUT: Duration = Duration::from_secs(7 * 86_400);

pub struct Pool {
    settings: Settings,
    calibration: Option<Calibration>,
    seed: u64,
    interrupt: Interrupt,
    slots: BTreeMap<WorkerKey, Slot>,
    hangs: Hangs,
    files: Files,
    /// Processes that the system had killed for want of memory when this began.
    killed_before: Option<u64>,
}

/// One key's worker, now and before.
#[derive(Default)]
struct Slot {
    worker: Option<Worker>,
    /// Cases that the present process has made ready.
    prepared: HashSet<u32>,
    /// What the library can do, once it was asked.
    implementations: Option<Vec<Implementation>>,
    /// Processes started so far.
    started: u32,
    /// The library cannot be used; starting again would not help.
    refused: Option<Failure>,
}

impl Pool {
    pub fn new(
        settings: Settings,
        calibration: Option<Calibration>,
        seed: u64,
        interrupt: Interrupt,
    ) -> Self {
        driver_caches::sweep();
        worker_group::remove_abandoned();
        Self {
            settings,
            calibration,
            seed,
            interrupt,
            slots: BTreeMap::new(),
            hangs: Hangs::default(),
            files: Files::default(),
            killed_before: environment::killed_for_memory(),
        }
    }

    /// Sends a command to the worker of that key, which is started when there is none.
    pub fn ask(&mut self, key: &WorkerKey, command: &Command) -> Result<Reply, Failure> {
        self.again_if_killed(key, |pool| pool.ask_within(key, command, BASE_TIMEOUT))
    }

    /// Sends a command about a case, which is made ready first where it is not.
    pub fn ask_about(&mut self, case: &Case, command: &Command) -> Result<Reply, Failure> {
        self.about(case, |pool| {
            pool.make_ready(case)?;
            pool.ask_within(&key_of(case), command, timeout(case))
        })
    }

    /// Makes a case ready where it is not.
    pub fn prepare(&mut self, case: &Case) -> Result<(), Failure> {
        self.about(case, |pool| pool.make_ready(case))
    }

    fn make_ready(&mut self, case: &Case) -> Result<(), Failure> {
        let key = key_of(case);
        self.worker(&key)?;
        let slot = self.slots.entry(key.clone()).or_default();
        if !slot.prepared.contains(&case.case) {
            let prepare = Command::Prepare { case: case.clone(), seed: self.seed };
            self.ask_within(&key, &prepare, timeout(case))?;
            self.slots.entry(key).or_default().prepared.insert(case.case);
        }
        Ok(())
    }

    /// The right answers of a run of a case, which need not be ready.
    pub fn expected(&mut self, case: &Case, run: MessageRange) -> Result<Answers, Failure> {
        let command = Command::Expect { case: case.clone(), seed: self.seed, run };
        let longest_message = case.messages.lengths().iter().max().copied().unwrap_or(0);
        let bytes = u32::try_from(longest_message).unwrap_or(u32::MAX);
        let messages = u32::try_from(run.messages).unwrap_or(u32::MAX);
        let each = TIMEOUT_PER_BYTE.saturating_mul(bytes) + TIMEOUT_PER_KEY;
        let longest = timeout(case).saturating_add(each.saturating_mul(messages));
        match self.about(case, |pool| pool.ask_within(&key_of(case), &command, longest))? {
            Reply::Answers(answers) => Ok(answers),
            other => Err(out_of_turn(&other)),
        }
    }

    /// Watches whether the function of a case keeps to its buffers, which lie at these places in turn.
    pub fn watch(&mut self, case: &Case, places: &[Place]) -> Result<(), Failure> {
        let (case_of, places) = (Box::new(case.clone()), places.to_vec());
        let command = Command::Watch { case: case_of, seed: self.seed, places };
        match self.about(case, |pool| pool.ask_within(&key_of(case), &command, timeout(case)))? {
            Reply::Done => Ok(()),
            other => Err(out_of_turn(&other)),
        }
    }

    /// Asks something about a case, unless its function hangs again and again.
    fn about<T>(
        &mut self,
        case: &Case,
        ask: impl FnMut(&mut Self) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        if let Some(refusal) = self.hangs.refusal(case) {
            return Err(refusal);
        }
        let key = key_of(case);
        let result = self.again_if_killed(&key, ask);
        let late = result.as_ref().is_err_and(|failure| self.is_late(failure));
        if late && !self.is_refused(&key) {
            self.hangs.note(case);
        }
        result
    }

    /// Asks once more where the worker was killed meanwhile, which others than its library do.
    fn again_if_killed<T>(
        &mut self,
        key: &WorkerKey,
        mut ask: impl FnMut(&mut Self) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let was_killed = |pool: &Self, result: &Result<T, Failure>| {
            result.as_ref().is_err_and(was_killed)
                && !pool.is_refused(key)
                && !pool.interrupt.requested()
        };
        let mut result = ask(self);
        if was_killed(self, &result) {
            result = ask(self);
            if was_killed(self, &result) {
                result = result.map_err(|failure| self.killed_again(failure));
            }
        }
        result
    }

    /// The failure of a worker that was killed once more, with what the system says of it.
    fn killed_again(&self, failure: Failure) -> Failure {
        let killed = environment::killed_for_memory().zip(self.killed_before);
        let why = match killed.map(|(now, before)| now.saturating_sub(before)) {
            Some(count) if count > 0 => format!(
                "the system has killed {count} processes for want of memory since the run began: \
                 end others, or measure shorter messages"
            ),
            _ => "the system does so when memory is short, and others may: see dmesg, and measure \
                  again"
                .into(),
        };
        Failure { message: format!("{}, twice; {why}", failure.message), ..failure }
    }

    /// Whether the library cannot be used.
    fn is_refused(&self, key: &WorkerKey) -> bool {
        self.slots.get(key).is_some_and(|slot| slot.refused.is_some())
    }

    /// Whether a worker was ended because it gave no answer.
    fn is_late(&self, failure: &Failure) -> bool {
        failure.kind == FailureKind::Timeout && !self.interrupt.requested()
    }

    /// Moves all workers to another CPU, where fresh ones begin too.
    pub fn move_to(&mut self, cpu: u32) {
        self.settings.cpu = cpu;
        for worker in self.slots.values().filter_map(|slot| slot.worker.as_ref()) {
            // One that has died meanwhile is replaced when it is asked.
            let _ = pinning::pin_process(worker.id(), cpu);
        }
    }

    /// Time that was lost to workers that gave no answer, all in all.
    pub fn lost(&self) -> Duration {
        self.hangs.lost()
    }

    /// Runs the sessions of a case once, in a fresh process.
    pub fn sessions(&mut self, case: &Case) -> Result<SessionsRun, Failure> {
        match self.run(case)? {
            Reply::Ran(run) => Ok(*run),
            other => Err(out_of_turn(&other)),
        }
    }

    /// Makes the passes of a case, in a fresh process.
    pub fn packets(&mut self, case: &Case) -> Result<PacketsRun, Failure> {
        match self.run(case)? {
            Reply::Passed(run) => Ok(*run),
            other => Err(out_of_turn(&other)),
        }
    }

    fn run(&mut self, case: &Case) -> Result<Reply, Failure> {
        let command = Command::Run { case: Box::new(case.clone()), seed: self.seed };
        let lasts = match &case.load {
            Load::Single { .. } => Duration::ZERO,
            Load::Sessions(load) => longest(load),
            Load::Packets(load) => longest_passes(load, case),
        };
        self.ask_fresh(case, &command, lasts)
    }

    /// Has a command obeyed that takes so long, by a process that has done nothing before and does
    /// nothing after.
    fn ask_fresh(
        &mut self,
        case: &Case,
        command: &Command,
        lasts: Duration,
    ) -> Result<Reply, Failure> {
        let key = key_of(case);
        self.about(case, |pool| {
            pool.drop_worker(&key);
            let reply = pool.ask_within(&key, command, timeout(case) + lasts);
            pool.drop_worker(&key);
            reply
        })
    }

    /// What the library can do, or why it cannot be used. It is asked once, whatever becomes of
    /// its processes.
    pub fn implementations(&mut self, key: &WorkerKey) -> Result<Vec<Implementation>, Failure> {
        if let Some(known) = self.slots.get(key).and_then(|slot| slot.implementations.as_ref()) {
            return Ok(known.clone());
        }
        let reply = self.ask(key, &Command::List);
        let slot = self.slots.entry(key.clone()).or_default();
        match reply {
            Ok(Reply::Listed(implementations)) => {
                slot.implementations = Some(implementations.clone());
                Ok(implementations)
            }
            Ok(other) => Err(out_of_turn(&other)),
            Err(failure) => {
                slot.refused = Some(failure.clone());
                Err(failure)
            }
        }
    }

    /// The library, usable or not.
    pub fn provider(&mut self, key: &WorkerKey) -> Provider {
        match self.worker(key) {
            Ok(worker) => worker.provider.clone(),
            Err(failure) => Provider { reason: failure.message, ..unknown(&key.provider) },
        }
    }

    /// Number of the present process of that key, counted from 0.
    pub fn process(&self, key: &WorkerKey) -> u32 {
        self.slots.get(key).map_or(0, |slot| slot.started.saturating_sub(1))
    }

    /// Ends all processes; the next commands start fresh ones.
    pub fn replace_all(&mut self) {
        // All are told before one is waited for.
        self.slots.values_mut().filter_map(|slot| slot.worker.as_mut()).for_each(Worker::kill);
        self.slots.values_mut().for_each(Slot::drop_worker);
        self.end_what_is_left();
    }

    fn drop_worker(&mut self, key: &WorkerKey) {
        self.slots.entry(key.clone()).or_default().drop_worker();
        self.end_what_is_left();
    }

    /// Ends what workers have started that are gone.
    fn end_what_is_left(&self) {
        let living: BTreeSet<u32> =
            self.slots.values().filter_map(|slot| slot.worker.as_ref()).map(Worker::id).collect();
        descendants::end_all_but(&living);
        worker_group::remove_abandoned();
    }

    fn ask_within(
        &mut self,
        key: &WorkerKey,
        command: &Command,
        timeout: Duration,
    ) -> Result<Reply, Failure> {
        let (began, interrupt) = (Instant::now(), self.interrupt.clone());
        let result = self.worker(key)?.ask(command, timeout, &interrupt);
        if let Err(failure) = &result {
            if self.is_late(failure) {
                self.hangs.lose(began.elapsed());
            }
            if !Worker::survives(failure) {
                self.drop_worker(key);
            }
        }
        result
    }

    fn worker(&mut self, key: &WorkerKey) -> Result<&mut Worker, Failure> {
        let slot = self.slots.entry(key.clone()).or_default();
        if let Some(refused) = &slot.refused {
            return Err(refused.clone());
        }
        if slot.worker.is_none() {
            let began = Instant::now();
            match self.again_if_killed(key, |pool| pool.start(key)) {
                Ok(worker) => {
                    let slot = self.slots.entry(key.clone()).or_default();
                    slot.worker = Some(worker);
                    slot.started += 1;
                }
                Err(failure) => {
                    if self.is_late(&failure) {
                        self.hangs.lose(began.elapsed());
                    }
                    self.slots.entry(key.clone()).or_default().refused = Some(failure.clone());
                    return Err(failure);
                }
            }
        }
        let slot = self.slots.entry(key.clone()).or_default();
        slot.worker.as_mut().ok_or_else(|| failure(FailureKind::Crash, "no worker".into()))
    }

    fn start(&mut self, key: &WorkerKey) -> Result<Worker, Failure> {
        let ready = self.open(key).and_then(|mut worker| {
            self.look_at_files(&mut worker)?;
            if let Some(calibration) = &self.calibration {
                let command = Command::Calibrate(calibration.clone());
                worker.ask(&command, BASE_TIMEOUT, &self.interrupt)?;
            }
            Ok(worker)
        });
        if ready.is_err() {
            self.end_what_is_left();
        }
        ready
    }

    /// Starts a worker with the copy of its library, or with the file where that cannot be loaded from one.
    fn open(&mut self, key: &WorkerKey) -> Result<Worker, Failure> {
        let (settings, interrupt) = (&self.settings, &self.interrupt);
        let Some(copy) = self.files.copy(&key.provider) else {
            return Worker::start(key, settings, None, interrupt);
        };
        let started = Worker::start(key, settings, Some(copy), interrupt);
        if !started.as_ref().is_err_and(|failure| failure.kind == FailureKind::Unusable) {
            return started;
        }
        self.files.drop_copy(&key.provider);
        Worker::start(key, settings, None, interrupt)
    }

    /// Refuses a worker whose files are others than those of the workers before it. The library that the
    /// first one has opened is copied where anything is to be timed.
    fn look_at_files(&mut self, worker: &mut Worker) -> Result<(), Failure> {
        self.files.compare(std::mem::take(&mut worker.mapped))?;
        let Provider { name, location, sha256, .. } = &mut worker.provider;
        if self.calibration.is_some() {
            let path = self.settings.libraries.get(name).unwrap_or(location);
            self.files.keep(name, Path::new(path))?;
            *sha256 = self.files.sha256(name).to_owned();
        }
        Ok(())
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.replace_all();
    }
}

impl Slot {
    fn drop_worker(&mut self) {
        self.worker = None;
        self.prepared.clear();
    }
}

/// How long a command about a case may take.
fn timeout(case: &Case) -> Duration {
    let bytes = match &case.messages {
        Messages::Absent => 0,
        Messages::Equal(bytes) => bytes * u64::from(case.lanes),
        Messages::Mixed(profile) => profile.lengths.iter().sum(),
    };
    let bytes = bytes.min(u64::from(u32::MAX)) as u32;
    BASE_TIMEOUT + TIMEOUT_PER_BYTE * bytes + TIMEOUT_PER_KEY * case.keys
}

/// How long an execution may take, with what comes before and after it.
pub fn longest(load: &SessionLoad) -> Duration {
    const LATE_OPENING: f64 = 3.0;
    let running = Duration::from_secs_f64((load.execution_ms * LATE_OPENING) / 1e3);
    running + TIMEOUT_PER_SESSION * load.sessions
}

/// How long the passes of a case may take, with what comes before and after them. Three go over all
/// packets at least, and the right answers take as long as some more.
fn longest_passes(load: &PacketLoad, case: &Case) -> Duration {
    const AT_LEAST: u32 = 8;
    let lengths = case.messages.lengths();
    let bytes = (lengths.iter().sum::<u64>() / lengths.len().max(1) as u64).max(64) as u32;
    let over_all = (TIMEOUT_PER_BYTE * bytes).saturating_mul(load.packets as u32);
    let measuring = Duration::from_secs_f64(load.measure_ms / 1e3);
    let all = over_all.saturating_mul(AT_LEAST.saturating_add(load.least_pairs.saturating_mul(2)));
    measuring.saturating_add(all).min(LONGEST_TIMEOUT)
}
