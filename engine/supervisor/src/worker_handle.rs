//! A worker process as the supervisor sees it.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ChildStdin, ChildStdout, Command as Process, Stdio};
use std::time::{Duration, Instant};

use ciphermark_record::description::Provider;
use ciphermark_record::event::{Failure, FailureKind};
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::driver_caches;
use crate::interrupt::Interrupt;
use crate::protocol::{Command, Reply};
use crate::switches;

/// One worker for each of these.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct WorkerKey {
    pub provider: String,
    /// Environment variables of the process (capability masks).
    pub switches: BTreeMap<String, String>,
}

/// What all workers of a run are started with.
#[derive(Clone, Debug)]
pub struct Settings {
    pub cpu: u32,
    pub cpu_seconds: u64,
    pub ticks_per_ns: f64,
    pub libraries: BTreeMap<String, String>,
}

/// Opening a library takes milliseconds; one that takes this long will not come.
const OPEN_TIMEOUT: Duration = Duration::from_secs(20);

/// Between two looks at whether Ctrl-C was pressed.
const LOOK: Timespec = Timespec { tv_sec: 0, tv_nsec: 50_000_000 };

/// A worker that is at work when Ctrl-C is pressed may finish within this time.
const GRACE: Duration = Duration::from_millis(400);

pub struct Worker {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    pub provider: Provider,
}

impl Worker {
    /// Starts the process and waits until its library is open.
    pub fn start(
        key: &WorkerKey,
        settings: &Settings,
        interrupt: &Interrupt,
    ) -> Result<Self, Failure> {
        let child = spawn(key, settings).map_err(|error| {
            failure(FailureKind::Crash, format!("the worker process did not start: {error}"))
        })?;
        let mut worker = Self::speaking_to(child, &key.provider)?;
        let opened = worker.receive(OPEN_TIMEOUT, interrupt);
        match opened.map_err(|failure| while_opening(failure, &key.provider))? {
            Reply::Opened(provider) => {
                let notice = switches::notice(key, |variable| std::env::var_os(variable));
                worker.provider = Provider { notice, ..provider };
                Ok(worker)
            }
            Reply::Failed { kind, message } => Err(failure(kind, message)),
            other => Err(out_of_turn(&other)),
        }
    }

    /// A process that was started with pipes, of which only the provider's name is known so far.
    fn speaking_to(mut child: Child, provider: &str) -> Result<Self, Failure> {
        let (input, output) = (child.stdin.take(), child.stdout.take());
        let (Some(input), Some(output)) = (input, output) else {
            return Err(failure(FailureKind::Crash, "the worker process has no pipes".into()));
        };
        Ok(Self { child, input, output: BufReader::new(output), provider: unknown(provider) })
    }

    /// Sends a command and waits for its answer, at most so long.
    pub fn ask(
        &mut self,
        command: &Command,
        timeout: Duration,
        interrupt: &Interrupt,
    ) -> Result<Reply, Failure> {
        let sent =
            serde_json::to_vec(command).map_err(std::io::Error::from).and_then(|mut line| {
                line.push(b'\n');
                self.input.write_all(&line)
            });
        if sent.is_err() {
            return Err(self.died());
        }
        match self.receive(timeout, interrupt)? {
            Reply::Failed { kind, message } => Err(failure(kind, message)),
            reply => Ok(reply),
        }
    }

    /// Whether the process can take another command after this failure.
    pub fn survives(failure: &Failure) -> bool {
        !matches!(failure.kind, FailureKind::Crash | FailureKind::Timeout)
    }

    fn receive(&mut self, timeout: Duration, interrupt: &Interrupt) -> Result<Reply, Failure> {
        self.wait(timeout, interrupt)?;
        let mut line = String::new();
        match self.output.read_line(&mut line) {
            Ok(0) | Err(_) => Err(self.died()),
            Ok(_) => serde_json::from_str(&line).map_err(|error| {
                failure(
                    FailureKind::Failed,
                    format!("the worker's answer was not understood: {error}"),
                )
            }),
        }
    }

    /// Waits until there is something to read.
    fn wait(&mut self, timeout: Duration, interrupt: &Interrupt) -> Result<(), Failure> {
        let deadline = Instant::now() + timeout;
        while !self.readable() {
            interrupt.request_if_unread();
            let late = Instant::now() >= deadline;
            if late || interrupt.since().is_some_and(|since| since > GRACE) {
                self.end();
                let message = if late {
                    format!("no answer within {} s; the process was ended", timeout.as_secs())
                } else {
                    "ended on request".into()
                };
                return Err(failure(FailureKind::Timeout, message));
            }
        }
        Ok(())
    }

    fn readable(&self) -> bool {
        if !self.output.buffer().is_empty() {
            return true;
        }
        let mut ready = [PollFd::new(self.output.get_ref(), PollFlags::IN)];
        matches!(poll(&mut ready, Some(&LOOK)), Ok(count) if count > 0)
    }

    /// The process is gone: says how it ended.
    fn died(&mut self) -> Failure {
        match self.child.wait() {
            Ok(status) => match status.signal() {
                Some(signal) => Failure {
                    kind: FailureKind::Crash,
                    message: format!(
                        "{} crashed the worker process with {}",
                        self.provider.name,
                        signal_name(signal)
                    ),
                    signal: Some(signal_name(signal)),
                },
                None => failure(
                    FailureKind::Crash,
                    format!("{} ended the worker process ({status})", self.provider.name),
                ),
            },
            Err(error) => failure(FailureKind::Crash, error.to_string()),
        }
    }

    fn end(&mut self) {
        // A process that is gone already needs no ending.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.end();
    }
}

fn spawn(key: &WorkerKey, settings: &Settings) -> std::io::Result<Child> {
    let mut process = Process::new(std::env::current_exe()?);
    process
        .arg("worker")
        .args(["--provider", &key.provider])
        .args(["--cpu", &settings.cpu.to_string()])
        .args(["--cpu-seconds", &settings.cpu_seconds.to_string()])
        .args(["--ticks-per-ns", &settings.ticks_per_ns.to_string()])
        .envs(driver_caches::variables())
        .envs(&key.switches)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    if let Some(path) = settings.libraries.get(&key.provider) {
        process.args(["--library", path]);
    }
    process.spawn()
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
        build: String::new(),
        notice: String::new(),
        switches: BTreeMap::new(),
    }
}

fn while_opening(failure: Failure, provider: &str) -> Failure {
    let cure = format!("name another library with --library {provider}=PATH");
    Failure { message: format!("{} when it was opened; {cure}", failure.message), ..failure }
}

/// The failure of a worker that answers something else than it was asked.
pub fn out_of_turn(reply: &Reply) -> Failure {
    failure(FailureKind::Failed, format!("the worker answered out of turn: {reply:?}"))
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
        let child = Process::new("sh")
            .args(["-c", text])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("there is a shell");
        Worker::speaking_to(child, "openssl").expect("it has pipes")
    }

    fn answer_of(text: &str, timeout: Duration) -> Result<Reply, Failure> {
        script(text).receive(timeout, &Interrupt::none())
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
        let failure = worker.receive(Duration::from_secs(1), &Interrupt::none()).expect_err("late");
        assert_eq!(failure.kind, FailureKind::Timeout);
        assert_eq!(failure.message, "no answer within 1 s; the process was ended");
        assert!(!Worker::survives(&failure));
        assert!(worker.child.try_wait().expect("it is ours").is_some());
    }

    #[test]
    fn one_that_hangs_is_ended_on_request() {
        let interrupt = Interrupt::none();
        interrupt.request();
        let failure = script("exec sleep 600").receive(PATIENCE, &interrupt).expect_err("ended");
        assert_eq!(failure.message, "ended on request");
    }

    #[test]
    fn an_answer_that_comes_soon_after_a_request_counts() {
        let interrupt = Interrupt::none();
        interrupt.request();
        let answer = script("echo '\"Done\"'; exec sleep 600").receive(PATIENCE, &interrupt);
        assert!(matches!(answer, Ok(Reply::Done)), "{answer:?}");
    }
}
