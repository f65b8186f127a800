//! Standard output that nobody may read: a full pipe holds up whoever writes to it, for ever, and so
//! does a terminal that was stopped.

use std::fs::File;
use std::io::{self, ErrorKind, Write};
use std::os::fd::AsFd;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;

use crate::interrupt::{Interrupt, LOOK};

/// A pipe that can be written to takes so many bytes without waiting (`PIPE_BUF` of Linux).
const AT_ONCE: usize = 4096;

/// A file whose writes end with an error soon after the user has asked to stop, while nobody reads.
pub struct Output<'a> {
    file: File,
    interrupt: &'a Interrupt,
}

impl<'a> Output<'a> {
    /// Writes to a copy of this descriptor.
    pub fn to(descriptor: &impl AsFd, interrupt: &'a Interrupt) -> io::Result<Self> {
        Ok(Self { file: descriptor.as_fd().try_clone_to_owned()?.into(), interrupt })
    }

    fn wait(&self) -> io::Result<()> {
        loop {
            match poll(&mut [PollFd::new(&self.file, PollFlags::OUT)], Some(&LOOK)) {
                Ok(0) | Err(Errno::INTR) => {}
                Ok(_) => return Ok(()),
                Err(error) => return Err(error.into()),
            }
            if self.interrupt.is_due() {
                return Err(io::Error::new(ErrorKind::TimedOut, "nobody reads what is printed"));
            }
        }
    }
}

impl Write for Output<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.wait()?;
        self.file.write(&bytes[..bytes.len().min(AT_ONCE)])
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_reads_ends_on_request() {
        let (_reader, writer) = io::pipe().expect("there are pipes");
        let interrupt = Interrupt::none();
        interrupt.request();
        let mut output = Output::to(&writer, &interrupt).expect("it can be copied");
        let error = output.write_all(&[b'x'; 1 << 21]).expect_err("the pipe is full");
        assert_eq!(error.kind(), ErrorKind::TimedOut);
    }

    #[test]
    fn what_is_read_is_written_whole() {
        let (mut reader, writer) = io::pipe().expect("there are pipes");
        let reading = std::thread::spawn(move || {
            let mut read = Vec::new();
            io::Read::read_to_end(&mut reader, &mut read).map(|_| read)
        });
        let interrupt = Interrupt::none();
        interrupt.request();
        let mut output = Output::to(&writer, &interrupt).expect("it can be copied");
        output.write_all(&[b'x'; 1 << 18]).expect("somebody reads");
        drop((output, writer));
        assert_eq!(reading.join().expect("it ends").expect("it reads").len(), 1 << 18);
    }
}
