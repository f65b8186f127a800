//! A process that answers lines with lines. Nothing here waits beyond its deadline.
//!
//! Its pipes alone tell too little: one that has closed them may live on, and one that has died may
//! have left a child that holds them. So the process itself is looked at as well, by its descriptor
//! (pidfd_open(2)) where the kernel has that.

use std::os::fd::{AsFd, OwnedFd};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, ioctl_fionbio, read, write};
use rustix::process::{Pid, PidfdFlags, WaitId, WaitIdOptions, pidfd_open, waitid};

use crate::interrupt::{Interrupt, LOOK};

/// What is read at a time.
const CHUNK_BYTES: usize = 1 << 16;

/// A process that was killed is gone by then, unless the kernel cannot end it.
const KILLED_WITHIN: Duration = Duration::from_secs(1);

/// Where the kernel has no descriptors of processes, this is slept between two looks.
const BETWEEN_LOOKS: Duration = Duration::from_millis(1);

/// Why there is no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Silence {
    /// The deadline has passed.
    Late,
    /// The user has asked to stop.
    OnRequest,
    /// The process has died, or closed its pipes.
    Gone,
    TooLong,
}

/// How long an answer is waited for.
#[derive(Clone, Copy)]
pub struct Patience<'a> {
    pub deadline: Instant,
    pub interrupt: &'a Interrupt,
}

impl Patience<'_> {
    fn is_over(&self) -> Result<(), Silence> {
        self.interrupt.request_if_unread();
        if self.interrupt.is_due() {
            return Err(Silence::OnRequest);
        }
        if Instant::now() >= self.deadline {
            return Err(Silence::Late);
        }
        Ok(())
    }
}

pub struct LineProcess {
    child: Child,
    input: ChildStdin,
    output: ChildStdout,
    /// Becomes readable when the process dies.
    death: Option<OwnedFd>,
    received: Vec<u8>,
    /// Bytes of these in which there is no end of a line.
    searched: usize,
}

impl LineProcess {
    /// Starts the command with pipes for its standard input and output.
    pub fn start(command: &mut Command) -> std::io::Result<Self> {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(std::io::Error::other("it has no pipes"));
        };
        ioctl_fionbio(&input, true)?;
        ioctl_fionbio(&output, true)?;
        let death = pidfd_open(Pid::from_child(&child), PidfdFlags::empty()).ok();
        Ok(Self { child, input, output, death, received: Vec::new(), searched: 0 })
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Writes a line, which may be more than its pipe holds.
    pub fn send(&mut self, line: &[u8], patience: Patience<'_>) -> Result<(), Silence> {
        let mut rest = line;
        while !rest.is_empty() {
            match write(&self.input, rest) {
                Ok(count) => rest = &rest[count..],
                Err(Errno::AGAIN) => {
                    self.wait_for(&self.input, PollFlags::OUT);
                    if self.is_dead() {
                        return Err(Silence::Gone);
                    }
                    patience.is_over()?;
                }
                Err(Errno::INTR) => {}
                Err(_) => return Err(Silence::Gone),
            }
        }
        Ok(())
    }

    /// The next line, without its end, of at most so many bytes.
    pub fn receive(
        &mut self,
        most_bytes: usize,
        patience: Patience<'_>,
    ) -> Result<Vec<u8>, Silence> {
        loop {
            if let Some(line) = self.line() {
                return Ok(line);
            }
            // Looked at before the pipe: what it wrote before it died is in there then.
            let is_dead = self.is_dead();
            match self.read_on() {
                Ok(0) => return Err(Silence::Gone),
                Ok(_) if self.is_longer_than(most_bytes) => return Err(Silence::TooLong),
                // A little now and then is no answer either.
                Ok(_) if !self.has_line() => patience.is_over()?,
                Ok(_) | Err(Errno::INTR) => {}
                Err(Errno::AGAIN) if is_dead => return Err(Silence::Gone),
                Err(Errno::AGAIN) => {
                    if !self.wait_for(&self.output, PollFlags::IN) {
                        patience.is_over()?;
                    }
                }
                Err(_) => return Err(Silence::Gone),
            }
        }
    }

    /// Whether a whole line has come, which then ends where the search has.
    fn has_line(&mut self) -> bool {
        let end = self.received[self.searched..].iter().position(|&byte| byte == b'\n');
        self.searched = end.map_or(self.received.len(), |end| self.searched + end);
        end.is_some()
    }

    /// Whether the next line is, as far as it has come.
    fn is_longer_than(&mut self, bytes: usize) -> bool {
        self.has_line();
        self.searched > bytes
    }

    fn line(&mut self) -> Option<Vec<u8>> {
        if !self.has_line() {
            return None;
        }
        let rest = self.received.split_off(self.searched + 1);
        let mut line = std::mem::replace(&mut self.received, rest);
        line.truncate(self.searched);
        self.searched = 0;
        Some(line)
    }

    /// Bytes that have come and were not asked for yet.
    #[cfg(test)]
    pub fn held_bytes(&self) -> usize {
        self.received.len()
    }

    fn read_on(&mut self) -> Result<usize, Errno> {
        let before = self.received.len();
        self.received.resize(before + CHUNK_BYTES, 0);
        let result = read(&self.output, &mut self.received[before..]);
        self.received.truncate(before + result.unwrap_or(0));
        result
    }

    /// Waits for the pipe or for the death of the process, until the next look at all else. Whether
    /// anything has happened.
    fn wait_for(&self, pipe: &impl AsFd, flags: PollFlags) -> bool {
        let pipe = PollFd::new(pipe, flags);
        let happened = match &self.death {
            Some(death) => poll(&mut [pipe, PollFd::new(death, PollFlags::IN)], Some(&LOOK)),
            None => poll(&mut [pipe], Some(&LOOK)),
        };
        happened.is_ok_and(|count| count > 0)
    }

    /// Whether it has died; says so again and again, as its status is left for [`Self::ended_within`].
    fn is_dead(&self) -> bool {
        let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        !matches!(waitid(WaitId::Pid(Pid::from_child(&self.child)), look), Ok(None))
    }

    /// How it has ended; none when it lives on for so long, or the kernel does not tell.
    pub fn ended_within(&mut self, time: Duration) -> Option<ExitStatus> {
        let deadline = Instant::now() + time;
        loop {
            match self.child.try_wait() {
                Ok(Some(status)) => return Some(status),
                Ok(None) => {}
                Err(_) => return None,
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return None;
            }
            match &self.death {
                Some(death) => {
                    let left = Timespec::try_from(left).unwrap_or(LOOK);
                    let _ = poll(&mut [PollFd::new(death, PollFlags::IN)], Some(&left));
                }
                None => std::thread::sleep(BETWEEN_LOOKS.min(left)),
            }
        }
    }

    /// Asks the kernel to end it, and does not wait.
    pub fn kill(&mut self) {
        // A process that is gone already needs no ending.
        let _ = self.child.kill();
    }
}

impl Drop for LineProcess {
    fn drop(&mut self) {
        self.kill();
        self.ended_within(KILLED_WITHIN);
    }
}
