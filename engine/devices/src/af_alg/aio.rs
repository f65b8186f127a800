//! Asynchronous reads by `io_submit`: the one way in which the kernel hands a request of AF_ALG to its
//! driver and goes on.
//!
//! A read from such a socket is asynchronous when the kernel is told where to note its end, which
//! `io_submit` does, as `io_uring` does for plain reads. The former is older than AF_ALG itself, and
//! is not forbidden where `io_uring` often is (containers, hardened kernels).

use std::ffi::{c_long, c_ulong};
use std::os::fd::RawFd;
use std::ptr;

use libc::timespec;
use nix::errno::Errno;

/// `struct iocb` of `linux/aio_abi.h`. The two fields whose places depend on the byte order are zero.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct Read {
    data: u64,
    key_and_flags: [u32; 2],
    operation: u16,
    priority: i16,
    file: u32,
    buffer: u64,
    bytes: u64,
    offset: i64,
    reserved: u64,
    flags: u32,
    event_file: u32,
}

/// `IOCB_CMD_PREAD`
const READ: u16 = 0;

impl Read {
    /// A read into `room`; `data` comes back with its end.
    pub fn new(file: RawFd, room: &mut [u8], data: u64) -> Self {
        let (buffer, bytes) = (room.as_mut_ptr() as u64, room.len() as u64);
        Self { data, operation: READ, file: file as u32, buffer, bytes, ..Self::default() }
    }
}

/// The end of a read: `struct io_event`.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct End {
    pub data: u64,
    read: u64,
    /// Bytes that were read or, negative, the error.
    pub result: i64,
    second_result: i64,
}

/// Reads that are under way.
pub struct Queue(c_ulong);

impl Queue {
    /// A queue for at most so many reads at once.
    pub fn new(most: usize) -> Result<Self, Errno> {
        let mut context: c_ulong = 0;
        // SAFETY: there is room for the context, which is zero as it must be.
        let status = unsafe {
            libc::syscall(libc::SYS_io_setup, most as c_long, ptr::from_mut(&mut context))
        };
        Errno::result(status).map(|_| Self(context))
    }

    /// Begins reads; says how many, from the first on.
    ///
    /// # Safety
    ///
    /// The rooms stay where they are, and nobody touches them, until their ends came or the queue is
    /// dropped.
    pub unsafe fn begin(&self, reads: &mut [Read]) -> Result<usize, Errno> {
        let mut pointers: Vec<*mut Read> = reads.iter_mut().map(ptr::from_mut).collect();
        // SAFETY: the context is alive, there are so many pointers, each to a read that the kernel
        // copies, and the caller vouches for the rooms.
        let begun = unsafe {
            libc::syscall(
                libc::SYS_io_submit,
                self.0,
                pointers.len() as c_long,
                pointers.as_mut_ptr(),
            )
        };
        Errno::result(begun).map(|begun| begun as usize)
    }

    /// Waits for `least` ends and takes those that are there; fewer when `seconds` are over.
    pub fn ends(&self, least: usize, ends: &mut [End], seconds: i64) -> Result<usize, Errno> {
        let mut time = timespec { tv_sec: seconds as _, tv_nsec: 0 };
        // SAFETY: the context is alive, and there is room for so many ends.
        let count = unsafe {
            libc::syscall(
                libc::SYS_io_getevents,
                self.0,
                least as c_long,
                ends.len() as c_long,
                ends.as_mut_ptr(),
                ptr::from_mut(&mut time),
            )
        };
        Errno::result(count).map(|count| count as usize)
    }
}

impl Drop for Queue {
    /// Waits for all reads that are under way.
    fn drop(&mut self) {
        // SAFETY: the context is alive, and this is its only end.
        unsafe { libc::syscall(libc::SYS_io_destroy, self.0) };
    }
}
