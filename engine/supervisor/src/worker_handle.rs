//! A worker process as the supervisor sees it.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Command as Program, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use ciphermark_record::description::Provider;
use ciphermark_record::event::{Failure, FailureKind};
use rustix::param::linux_execfn;

use crate::driver_caches;
use crate::files::{Copy, Mapped};
use crate::interrupt::Interrupt;
use crate::process::{LineProcess, Patience, Silence};
use crate::protocol::{Command, LONGEST_TEXT, Reply};
use crate::sentence::shortened;
use crate::switches;
use crate::worker_key::WorkerKey;

/// What all workers of a run are started with.
#[derive(Clone, Debug)]
pub struct Settings {
    pub cpu: u32,
    pub cpu_seconds: u64,
    pub memory_bytes: Option<u64>,
    pub ticks_per_ns: f64,
    pub libraries: BTreeMap<String, String>,
}

/// Opening a library takes milliseconds; one that takes this long will not come.
const OPEN_TIMEOUT: Duration = Duration::from_secs(20);

/// A worker that is gone from its pipe has died, or dies within this time.
const DEAD_WITHIN: Duration = Duration::from_millis(300);

pub struct Worker {
    process: LineProcess,
    pub provider: Provider,
    /// Files whose code it had mapped when its library was open.
    pub mapped: Mapped,
}

impl Worker {
    /// Starts the process and waits until its library is open.
    pub fn start(
        key: &WorkerKey,
        settings: &Settings,
        copy: Option<&Copy>,
        interrupt: &Interrupt,
    ) -> Result<Self, Failure> {
        if interrupt.is_due() {
            return Err(on_request());
        }
        let mut program = program(key, settings, copy).map_err(not_started)?;
        let mut worker = Self::speaking_to(&mut program, &key.provider)?;
        let opened = worker.receive(LONGEST_TEXT, OPEN_TIMEOUT, interrupt);
        match opened.map_err(|failure| while_opening(failure, &key.provider))? {
            Reply::Opened(provider, mapped) => {
                let notice = switches::notice(key, |variable| std::env::var_os(variable));
                let [version, build] = [&provider.version, &provider.build].map(|it| shortened(it));
                worker.provider = Provider { version, build, notice, ..*provider };
                worker.mapped = mapped;
                Ok(worker)
            }
            Reply::Failed { kind, message } => Err(failure(kind, shortened(&message))),
            other => Err(out_of_turn(&other)),
        }
    }

    /// A process that is started with pipes, of which only the provider's name is known so far.
    fn speaking_to(program: &mut Program, provider: &str) -> Result<Self, Failure> {
        let process = LineProcess::start(program).map_err(not_started)?;
        Ok(Self { process, provider: unknown(provider), mapped: Mapped::new() })
    }

    /// Sends a command and waits for its answer, at most so long.
    pub fn ask(
        &mut self,
        command: &Command,
        timeout: Duration,
        interrupt: &Interrupt,
    ) -> Result<Reply, Failure> {
        let mut line = serde_json::to_vec(command).map_err(|error| {
            failure(FailureKind::Failed, format!("the command cannot be written: {error}"))
        })?;
        line.push(b'\n');
        let patience = Patience { deadline: Instant::now() + timeout, interrupt };
        self.process.send(&line, patience).map_err(|silence| self.silent(silence, timeout))?;
        match self.receive(command.longest_reply(), timeout, interrupt)? {
            Reply::Failed { kind, message } => Err(failure(kind, shortened(&message))),
            reply => Ok(reply),
        }
    }

    /// Number of the process.
    pub fn id(&self) -> u32 {
        self.process.id()
    }

    /// Asks the kernel to end the process, and does not wait as dropping it does.
    pub fn kill(&mut self) {
        self.process.kill();
    }

    /// Whether the process can take another command after this failure.
    pub fn survives(failure: &Failure) -> bool {
        // What wrote beside its buffers may have done so before, to anything.
        !matches!(
            failure.kind,
            FailureKind::Crash | FailureKind::Timeout | FailureKind::OutOfBounds
        )
    }

    fn receive(
        &mut self,
        most_bytes: usize,
        timeout: Duration,
        interrupt: &Interrupt,
    ) -> Result<Reply, Failure> {
        let patience = Patience { deadline: Instant::now() + timeout, interrupt };
        let line = self.process.receive(most_bytes, patience);
        let line = line.map_err(|silence| self.silent(silence, timeout))?;
        serde_json::from_slice(&line).map_err(|error| {
            failure(FailureKind::Failed, format!("the worker's answer was not understood: {error}"))
        })
    }

    /// What it means that there is no answer. The process is ended where it lives.
    fn silent(&mut self, silence: Silence, timeout: Duration) -> Failure {
        let status = match silence {
            Silence::Gone => self.process.ended_within(DEAD_WITHIN),
            _ => None,
        };
        if let Some(status) = status {
            return self.died(status);
        }
        self.process.kill();
        let name = &self.provider.name;
        match silence {
            Silence::OnRequest => on_request(),
            Silence::Late => failure(
                FailureKind::Timeout,
                format!("no answer within {} s; the process was ended", timeout.as_secs()),
            ),
            Silence::Gone => failure(
                FailureKind::Crash,
                format!(
                    "{name} closed the worker's way to the engine and went on; the process was ended"
                ),
            ),
            Silence::TooLong => failure(
                FailureKind::Crash,
                format!(
                    "{name} wrote more to the engine than any answer has; the process was ended"
                ),
            ),
        }
    }

    /// The process is gone: says how it ended.
    fn died(&self, status: ExitStatus) -> Failure {
        let name = &self.provider.name;
        let Some(signal) = status.signal() else {
            let message = format!("{name} ended the worker process ({status})");
            return failure(FailureKind::Crash, message);
        };
        let signal = signal_name(signal);
        let message = match signal.as_str() {
            // Others send it too, so it says nothing about the library.
            KILLED => format!("the worker process of {name} was killed with {signal}"),
            "SIGXCPU" => format!(
                "the worker process of {name} used more CPU time than one may have ({signal})"
            ),
            "SIGXFSZ" => format!(
                "the worker process of {name} wrote a file longer than one may be ({signal})"
            ),
            _ => format!("{name} crashed the worker process with {signal}"),
        };
        Failure { kind: FailureKind::Crash, message, signal: Some(signal) }
    }
}

/// The signal with which the kernel ends processes when memory is short.
const KILLED: &str = "SIGKILL";

/// Whether the process was killed by somebody else than us, which says nothing about its library.
pub fn was_killed(failure: &Failure) -> bool {
    failure.signal.as_deref() == Some(KILLED)
}

fn not_started(error: std::io::Error) -> Failure {
    failure(FailureKind::Crash, format!("the worker process did not start: {error}"))
}

fn on_request() -> Failure {
    failure(FailureKind::Timeout, "ended on request".into())
}

/// Finds the file of this program, also where /proc is not mounted: then the kernel has said at its start
/// what it was started by.
fn own_file() -> PathBuf {
    std::env::current_exe().unwrap_or_else(|_| OsStr::from_bytes(linux_execfn().to_bytes()).into())
}

/// Discards the messages of libraries, where there is a /dev/null to write them to.
fn unread() -> Stdio {
    match Path::new("/dev/null").exists() {
        true => Stdio::null(),
        false => Stdio::inherit(),
    }
}

/// The engine's own program, which may have been replaced at its path, as a worker.
fn program(key: &WorkerKey, settings: &Settings, copy: Option<&Copy>) -> std::io::Result<Program> {
    let (own, open) = (own_file(), Path::new("/proc/self/exe"));
    let mut program = Program::new(if open.exists() { open } else { own.as_path() });
    program
        .arg0(&own)
        .arg("worker")
        .args(["--provider", &key.provider])
        .args(["--cpu", &settings.cpu.to_string()])
        .args(["--cpu-seconds", &settings.cpu_seconds.to_string()])
        .args(["--ticks-per-ns", &settings.ticks_per_ns.to_string()])
        .envs(driver_caches::variables())
        .envs(&key.switches)
        .stderr(unread());
    if let Some(bytes) = settings.memory_bytes {
        program.args(["--memory-bytes", &bytes.to_string()]);
    }
    if let Some(copy) = copy {
        program.arg("--library").arg(&copy.location);
        program.args(["--copy", &copy.descriptor().to_string()]);
    } else if let Some(path) = settings.libraries.get(&key.provider) {
        program.args(["--library", path]);
    }
    Ok(program)
}

/// A provider of which only the name is known so far.
pub fn unknown(name: &str) -> Provider {
    Provider {
        name: name.into(),
        title: name.into(),
        usable: false,
        reason: String::new(),
        version: String::new(),
        location: String::new(),
        sha256: String::new(),
        build: String::new(),
        notice: String::new(),
        switches: BTreeMap::new(),
    }
}

fn while_opening(failure: Failure, provider: &str) -> Failure {
    if was_killed(&failure) {
        let message = format!("{} while it opened the library", failure.message);
        return Failure { message, ..failure };
    }
    let cure = format!("name another library with --library {provider}=PATH");
    Failure { message: format!("{} when it was opened; {cure}", failure.message), ..failure }
}

/// The failure of a worker that answers something else than it was asked.
pub fn out_of_turn(reply: &Reply) -> Failure {
    let message = format!("the worker answered out of turn: {reply:?}");
    failure(FailureKind::Failed, shortened(&message))
}

pub fn failure(kind: FailureKind, message: String) -> Failure {
    Failure { kind, message, signal: None }
}

fn signal_name(signal: i32) -> String {
    signal_hook::low_level::signal_name(signal)
        .map_or_else(|| format!("signal {signal}"), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATIENCE: Duration = Duration::from_secs(10);

    /// A worker process that is a shell script.
    fn script(text: &str) -> Worker {
        Worker::speaking_to(Program::new("sh").args(["-c", text]), "openssl")
            .unwrap_or_else(|failure| panic!("{failure:?}"))
    }

    fn answer_of(text: &str, timeout: Duration) -> Result<Reply, Failure> {
        script(text).receive(LONGEST_TEXT, timeout, &Interrupt::none())
    }

    #[test]
    fn the_signal_that_ended_it_is_named() {
        let failure = answer_of("kill -SEGV $$", PATIENCE).expect_err("it has crashed");
        assert_eq!(
            (failure.kind, failure.signal.as_deref()),
            (FailureKind::Crash, Some("SIGSEGV"))
        );
        assert_eq!(failure.message, "openssl crashed the worker process with SIGSEGV");
    }

    #[test]
    fn its_exit_code_is_named() {
        let failure = answer_of("exit 3", PATIENCE).expect_err("it has ended");
        assert_eq!((failure.kind, failure.signal), (FailureKind::Crash, None));
        assert_eq!(failure.message, "openssl ended the worker process (exit status: 3)");
    }

    #[test]
    fn what_is_no_answer_is_not_understood() {
        let failure = answer_of("echo hello", PATIENCE).expect_err("no answer");
        assert_eq!(failure.kind, FailureKind::Failed);
        assert!(failure.message.contains("not understood"), "{}", failure.message);
    }

    #[test]
    fn one_that_hangs_is_ended() {
        let mut worker = script("exec sleep 600");
        let failure = worker
            .receive(LONGEST_TEXT, Duration::from_secs(1), &Interrupt::none())
            .expect_err("late");
        assert_eq!(failure.kind, FailureKind::Timeout);
        assert_eq!(failure.message, "no answer within 1 s; the process was ended");
        assert!(!Worker::survives(&failure));
        assert!(worker.process.ended_within(PATIENCE).is_some());
    }

    #[test]
    fn one_that_hangs_is_ended_on_request() {
        let interrupt = Interrupt::none();
        interrupt.request();
        let failure = script("exec sleep 600")
            .receive(LONGEST_TEXT, PATIENCE, &interrupt)
            .expect_err("ended");
        assert_eq!(failure.message, "ended on request");
    }

    #[test]
    fn an_answer_that_comes_soon_after_a_request_counts() {
        let interrupt = Interrupt::none();
        interrupt.request();
        let mut worker = script("echo '\"Done\"'; exec sleep 600");
        let answer = worker.receive(LONGEST_TEXT, PATIENCE, &interrupt);
        assert!(matches!(answer, Ok(Reply::Done)), "{answer:?}");
    }

    /// What a worker that does this is ended for within a second of Ctrl-C, though it never answers.
    fn ended_on_request(text: &str) {
        let interrupt = Interrupt::none();
        interrupt.request();
        let began = Instant::now();
        let failure =
            script(text).receive(LONGEST_TEXT, PATIENCE, &interrupt).expect_err("no answer");
        assert_eq!(failure.message, "ended on request");
        assert!(began.elapsed() < PATIENCE / 2);
    }

    #[test]
    fn half_an_answer_is_none() {
        let text = "printf '\"Do'; exec sleep 600";
        let failure = answer_of(text, Duration::from_secs(1)).expect_err("half an answer");
        assert_eq!(failure.message, "no answer within 1 s; the process was ended");
        ended_on_request(text);
    }

    #[test]
    fn an_answer_that_never_ends_is_none() {
        let text = "while printf x; do sleep 0.01; done";
        let failure = answer_of(text, Duration::from_secs(1)).expect_err("no end");
        assert_eq!(failure.message, "no answer within 1 s; the process was ended");
        ended_on_request(text);
    }

    #[test]
    fn a_flood_is_read_no_further_than_an_answer_is_long() {
        let mut worker = script("exec yes | tr -d '\\n'");
        let failure = worker
            .receive(LONGEST_TEXT, PATIENCE, &Interrupt::none())
            .expect_err("no answer is so long");
        assert_eq!(
            (failure.kind, failure.message.as_str()),
            (
                FailureKind::Crash,
                "openssl wrote more to the engine than any answer has; the process was ended"
            )
        );
        assert!(worker.process.held_bytes() < 2 * LONGEST_TEXT);
    }

    #[test]
    fn what_a_worker_says_at_length_is_shortened() {
        let text = "printf '{\"Failed\":{\"kind\":\"failed\",\"message\":\"'; \
                    head -c 900000 /dev/zero | tr '\\0' x; echo '\"}}'; exec sleep 600";
        let failure = script(text)
            .ask(&Command::List, PATIENCE, &Interrupt::none())
            .expect_err("it says that it has failed");
        assert!(failure.message.starts_with("xxx") && failure.message.len() < 1000);
    }

    #[test]
    fn one_that_closes_its_pipe_and_lives_is_ended() {
        let failure = answer_of("exec sleep 600 >&-", PATIENCE).expect_err("nobody answers");
        assert_eq!(
            (failure.kind, failure.message.as_str()),
            (
                FailureKind::Crash,
                "openssl closed the worker's way to the engine and went on; the process was ended"
            )
        );
    }

    #[test]
    fn one_that_does_not_read_is_ended() {
        let mut worker = script("exec sleep 600");
        let folder = Some("x".repeat(1 << 20));
        let (algorithm, backend) = (String::new(), String::new());
        let command = Command::Vectors { algorithm, backend, folder };
        let failure = worker
            .ask(&command, Duration::from_secs(1), &Interrupt::none())
            .expect_err("nobody reads");
        assert_eq!(failure.message, "no answer within 1 s; the process was ended");
    }

    #[test]
    fn a_crash_is_seen_though_a_child_holds_the_pipe() {
        let began = Instant::now();
        let failure = answer_of("sleep 30 & kill -SEGV $$", PATIENCE).expect_err("it has crashed");
        assert_eq!(failure.signal.as_deref(), Some("SIGSEGV"));
        assert!(began.elapsed() < PATIENCE / 2);
    }

    #[test]
    fn who_kills_a_worker_is_not_known() {
        let failure = answer_of("kill -KILL $$", PATIENCE).expect_err("it was killed");
        assert_eq!(failure.message, "the worker process of openssl was killed with SIGKILL");
        assert!(was_killed(&failure));
        let opening = while_opening(failure, "openssl");
        assert_eq!(
            opening.message,
            "the worker process of openssl was killed with SIGKILL while it opened the library"
        );
    }
}
