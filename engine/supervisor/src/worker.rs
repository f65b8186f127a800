//! The worker process: holds one library and does as the supervisor says.

use std::fs::File;
use std::io::{BufRead, Write};
use std::os::fd::{AsFd, RawFd};
use std::path::Path;
use std::time::Duration;

use ciphermark_algorithms::vectors::{self, Vector};
use ciphermark_harness::{HostClock, limits, pinning, processor_state};
use ciphermark_providers::api::{CallError, Provider};
use ciphermark_providers::copy;
use ciphermark_record::description::{self, Algorithm, Implementation};
use ciphermark_record::event::FailureKind;
use ciphermark_record::plan::{Case, Load, Operation};
use ciphermark_registry as registry;
use ciphermark_workloads::agreement::{self, Answerer, Input, Zeros};
use ciphermark_workloads::call::{Call, LanesCall};
use ciphermark_workloads::execution::Execution;
use ciphermark_workloads::watched::Breach;
use ciphermark_workloads::{bounds, packets, sessions, vectors as vector_runs};

use crate::cases::Cases;
use crate::files;
use crate::protocol::{Command, Reply, Traced};
use crate::refusal::{Refusal, facts, failed};
use crate::switches;
use crate::timing::Timing;

/// Message and instructions of a trace: long enough that the code for bulk data runs.
const TRACED_BYTES: usize = 1024;
const MOST_STEPS: u32 = 3000;

/// Of each of several messages. Libraries that gather messages begin when they have enough of them, so
/// most of these instructions come before those of the path.
const TRACED_BYTES_OF_LANES: usize = 128;
const MOST_STEPS_OF_LANES: u32 = 30_000;

/// What a worker is started with.
pub struct Start {
    pub provider: String,
    pub library: Option<String>,
    /// The descriptor of what is opened in place of the file at that path.
    pub copy: Option<RawFd>,
    pub cpu: u32,
    /// The kernel ends the process after so much CPU time.
    pub cpu_seconds: u64,
    /// Its requests for more memory fail; absent where the kernel does not tell how much is free.
    pub memory_bytes: Option<u64>,
    pub ticks_per_ns: f64,
}

/// Serves commands from standard input until it is closed.
pub fn serve(start: &Start) -> std::io::Result<()> {
    limits::bound_worker(start.cpu_seconds, start.memory_bytes)?;
    ignore_interrupts()?;
    pinning::pin(start.cpu)?;
    let mut output = take_standard_output()?;
    let provider = match open(start) {
        Ok(provider) => provider,
        Err(message) => {
            return say(&mut output, &Reply::Failed { kind: FailureKind::Unusable, message });
        }
    };
    say(&mut output, &Reply::Opened(opened(start, provider.as_ref()), files::mapped()?))?;
    let mut worker = Worker::new(start, provider);
    for line in std::io::stdin().lock().lines() {
        let command = serde_json::from_str(&line?)?;
        let reply = worker.obey(command).unwrap_or_else(Reply::from);
        say(&mut output, &reply)?;
    }
    Ok(())
}

/// Ctrl-C reaches the whole process group; the supervisor decides what is to end.
fn ignore_interrupts() -> std::io::Result<()> {
    let flag = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    signal_hook::flag::register(signal_hook::consts::SIGINT, flag)?;
    Ok(())
}

/// The way to the supervisor. What a library prints goes to standard error instead, which nobody
/// reads: between two answers it would garble them.
fn take_standard_output() -> std::io::Result<File> {
    let output = std::io::stdout().as_fd().try_clone_to_owned()?;
    rustix::stdio::dup2_stdout(std::io::stderr())?;
    Ok(output.into())
}

fn say(output: &mut impl Write, reply: &Reply) -> std::io::Result<()> {
    let mut line = serde_json::to_vec(reply)?;
    line.push(b'\n');
    output.write_all(&line)?;
    output.flush()
}

fn open(start: &Start) -> Result<Box<dyn Provider>, String> {
    let registration = registry::find(&start.provider)
        .ok_or_else(|| format!("there is no provider {}", start.provider))?;
    let path = start.library.as_deref().map(Path::new);
    if let Some((path, descriptor)) = path.zip(start.copy) {
        copy::stand_for(path, descriptor);
    }
    registry::open(registration, path).map_err(|reason| reason.0)
}

fn opened(start: &Start, provider: &dyn Provider) -> Box<description::Provider> {
    let library = provider.library();
    Box::new(description::Provider {
        name: start.provider.clone(),
        title: title(&start.provider),
        usable: true,
        reason: String::new(),
        version: library.version,
        location: library.location,
        sha256: String::new(),
        build: library.build,
        notice: String::new(),
        switches: switches::of(&start.provider),
    })
}

/// As people write it; of one of several builds with the name that the plan gives it.
fn title(provider: &str) -> String {
    let title = registry::find(provider).map_or("", |registration| registration.title);
    match provider.split_once('@') {
        Some((_, build)) => format!("{title} ({build})"),
        None => title.into(),
    }
}

struct Worker {
    name: String,
    cases: Cases,
    timing: Timing,
}

impl Worker {
    fn new(start: &Start, provider: Box<dyn Provider>) -> Self {
        Self {
            name: start.provider.clone(),
            cases: Cases::new(provider),
            timing: Timing::new(HostClock::with_rate(start.ticks_per_ns)),
        }
    }

    fn obey(&mut self, command: Command) -> Result<Reply, Refusal> {
        match command {
            Command::Calibrate(calibration) => {
                self.timing.calibrate(calibration);
                Ok(Reply::Done)
            }
            Command::List => Ok(Reply::Listed(self.implementations())),
            Command::Vectors { algorithm, backend, folder } => {
                self.vectors(&algorithm, &backend, folder.as_deref())
            }
            Command::Agree { algorithm, backend, operation, seed, lengths } => {
                self.agree(&algorithm, &backend, operation, seed, &lengths)
            }
            Command::Answer { algorithm, backend, operation, seed, message_bytes, zeros } => {
                let algorithm = facts(&algorithm)?;
                let input = Input::new(seed, algorithm, message_bytes as usize, zeros);
                let answer = self.answerer(algorithm, &backend, operation)?.answer(&input)?;
                Ok(Reply::Answered(answer))
            }
            Command::Watch { case, seed, places } => {
                let (provider, algorithm) = (self.cases.provider(), facts(&case.algorithm)?);
                for place in places {
                    bounds::check(provider, algorithm, &case, seed, place)?;
                }
                bounds::check_addresses(provider, algorithm, &case, seed)
                    .map_err(|message| Refusal { kind: FailureKind::WrongAnswer, message })?;
                Ok(Reply::Done)
            }
            Command::Trace { algorithm, backend, operation, lanes } => {
                self.trace(&algorithm, &backend, operation, lanes)
            }
            Command::Prepare { case, seed } => self.cases.prepare(case, seed).map(|()| Reply::Done),
            Command::LookBehind { case } => self.cases.look_behind(case).map(Reply::Left),
            Command::Expect { case, seed, run } => {
                self.cases.expected(&case, seed, run.all()).map(Reply::Answers)
            }
            Command::Run { case, seed } => self.run_case(&case, seed),
            Command::Measure {
                case,
                slices,
                slice_ns,
                settling_ns,
                longest_wait_ns,
                first,
                messages: known,
            } => {
                let timing = &mut self.timing;
                timing.may_wait(Duration::from_nanos(longest_wait_ns));
                let settling = Duration::from_nanos(settling_ns);
                self.cases.with(case, |single, messages| {
                    *messages = known.or(*messages);
                    let measured =
                        timing.measure(single, messages, slices, slice_ns, settling, first)?;
                    Ok(Reply::Measured(measured))
                })
            }
        }
    }

    fn run_case(&mut self, case: &Case, seed: u64) -> Result<Reply, Refusal> {
        match &case.load {
            Load::Single { .. } => Err(failed("messages one by one are not run, but measured")),
            Load::Sessions(load) => {
                let run = sessions::execute(&self.execution(case, load, seed)?)?;
                Ok(Reply::Ran(Box::new(run)))
            }
            Load::Packets(load) => {
                let run = packets::execute(&self.execution(case, load, seed)?)?;
                Ok(Reply::Passed(Box::new(run)))
            }
        }
    }

    fn execution<'a, Load>(
        &'a mut self,
        case: &'a Case,
        load: &'a Load,
        seed: u64,
    ) -> Result<Execution<'a, Load>, Refusal> {
        Ok(Execution {
            provider: self.cases.provider(),
            algorithm: facts(&case.algorithm)?,
            case,
            load,
            seed,
            calibration: self.timing.calibration()?,
        })
    }

    /// What the library can do, under the name that the plan gives it.
    fn implementations(&self) -> Vec<Implementation> {
        let provider = &self.name;
        let named = |it| Implementation { provider: provider.clone(), ..it };
        self.cases.provider().implementations().into_iter().map(named).collect()
    }

    fn agree(
        &self,
        algorithm: &str,
        backend: &str,
        operation: Operation,
        seed: u64,
        lengths: &[u64],
    ) -> Result<Reply, Refusal> {
        let algorithm = facts(algorithm)?;
        let mut answerer = self.answerer(algorithm, backend, operation)?;
        let mut digest = |&length: &u64| {
            let input = Input::new(seed, algorithm, length as usize, Zeros::default());
            answerer.answer(&input).map(|answer| agreement::digest(&answer))
        };
        let digests: Result<_, Breach> = lengths.iter().map(&mut digest).collect();
        Ok(Reply::Agreed(digests?))
    }

    /// Called before, so that what a library does once is not what is seen.
    fn trace(
        &self,
        algorithm: &str,
        backend: &str,
        operation: Operation,
        lanes: u32,
    ) -> Result<Reply, Refusal> {
        let (algorithm, provider) = (facts(algorithm)?, self.cases.provider());
        if lanes > 1 {
            let lanes = lanes as usize;
            let mut call =
                LanesCall::new(provider, algorithm, backend, TRACED_BYTES_OF_LANES, lanes)?;
            return traced(&mut || call.run(), MOST_STEPS_OF_LANES);
        }
        let mut call = Call::new(provider, algorithm, backend, operation, TRACED_BYTES)?;
        traced(&mut || call.run(), MOST_STEPS)
    }

    fn answerer(
        &self,
        algorithm: &'static Algorithm,
        backend: &str,
        operation: Operation,
    ) -> Result<Answerer<'static>, Refusal> {
        Ok(Answerer::new(self.cases.provider(), algorithm, backend, operation)?)
    }

    fn vectors(
        &self,
        algorithm: &str,
        backend: &str,
        folder: Option<&str>,
    ) -> Result<Reply, Refusal> {
        let read: Vec<Vector>;
        let vectors = match folder {
            None => vectors::known(),
            Some(folder) => {
                read = vectors::read_dir(Path::new(folder))
                    .map_err(|message| Refusal { kind: FailureKind::Failed, message })?;
                &read
            }
        };
        let provider = self.cases.provider();
        let facts = facts(algorithm)?;
        let report = vector_runs::run(provider, &self.name, facts, backend, vectors);
        if let Some(breach) = report.breach {
            return Err(breach.into());
        }
        Ok(Reply::Verified { verified: report.verified, passed: report.passed })
    }
}

/// The code path of a call that was made before.
fn traced(
    call: &mut dyn FnMut() -> Result<(), CallError>,
    most_steps: u32,
) -> Result<Reply, Refusal> {
    call()?;
    let (result, leaves_vectors_dirty) = processor_state::after(&mut *call);
    result?;
    let mut result = Ok(());
    let path = ciphermark_codepath::trace(&mut || result = call(), most_steps);
    result?;
    Ok(Reply::Traced(Traced { path: path.ok(), leaves_vectors_dirty }))
}
