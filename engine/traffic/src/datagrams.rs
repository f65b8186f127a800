//! Many packets in one system call.

use std::io;
use std::net::UdpSocket;
use std::os::fd::AsRawFd;

use rustix::net::sockopt;

/// Packets of a call. More save nothing: a call costs less than a hundredth of these packets.
pub const BATCH: usize = 64;

/// Buffers for a batch, and what the kernel needs to find them.
pub struct Datagrams {
    buffers: Vec<Vec<u8>>,
    // Both point into `buffers` and into each other, and are boxed so that they stay where they are.
    pieces: Box<[libc::iovec]>,
    messages: Box<[libc::mmsghdr]>,
}

impl Datagrams {
    /// So many buffers as a batch has, each a copy of this one.
    pub fn of(buffer: &[u8]) -> Self {
        let mut buffers = vec![buffer.to_vec(); BATCH];
        let mut pieces: Box<[libc::iovec]> = buffers
            .iter_mut()
            .map(|it| libc::iovec { iov_base: it.as_mut_ptr().cast(), iov_len: it.len() })
            .collect();
        let messages = pieces
            .iter_mut()
            .map(|piece| {
                // SAFETY: all its fields are numbers and pointers, for which zero is allowed: no
                // address, no control data. (The C library's padding differs, hence no literal.)
                let mut message: libc::mmsghdr = unsafe { std::mem::zeroed() };
                message.msg_hdr.msg_iov = piece;
                message.msg_hdr.msg_iovlen = 1;
                message
            })
            .collect();
        Self { buffers, pieces, messages }
    }

    /// The payload of a packet that is to be sent, of so many bytes.
    pub fn payload(&mut self, index: usize, bytes: usize) -> &mut [u8] {
        self.pieces[index].iov_len = bytes;
        &mut self.buffers[index][..bytes]
    }

    /// Sends packets `from..to` on a connected socket, and returns how many the kernel took.
    pub fn send(&mut self, socket: &UdpSocket, from: usize, to: usize) -> io::Result<usize> {
        let messages = &mut self.messages[from..to];
        // SAFETY: each message points to one piece, and that to a buffer of at least its length;
        // nothing of them moves or is freed during the call.
        let sent = unsafe {
            libc::sendmmsg(socket.as_raw_fd(), messages.as_mut_ptr(), messages.len() as u32, 0)
        };
        usize::try_from(sent).map_err(|_| io::Error::last_os_error())
    }

    /// Takes what is there, without waiting, and returns how many packets that are; none where there
    /// is nothing.
    pub fn receive(&mut self, socket: &UdpSocket) -> io::Result<usize> {
        let flags = libc::MSG_DONTWAIT;
        // SAFETY: as in `send`; the kernel writes at most `iov_len` bytes, the length of the buffer.
        let taken = unsafe {
            libc::recvmmsg(
                socket.as_raw_fd(),
                self.messages.as_mut_ptr(),
                BATCH as u32,
                flags as _,
                std::ptr::null_mut(),
            )
        };
        match usize::try_from(taken) {
            Ok(taken) => Ok(taken),
            Err(_) => match io::Error::last_os_error() {
                error if error.kind() == io::ErrorKind::WouldBlock => Ok(0),
                error if error.kind() == io::ErrorKind::Interrupted => Ok(0),
                error => Err(error),
            },
        }
    }

    /// A payload that was received.
    pub fn received(&self, index: usize) -> &[u8] {
        let bytes = self.messages[index].msg_len as usize;
        &self.buffers[index][..bytes.min(self.buffers[index].len())]
    }
}

/// Asks for a receive buffer, above the system's limit where this process may, and returns what there
/// is.
pub fn enlarge_receive_buffer(socket: &UdpSocket, bytes: usize) -> u64 {
    // Failure is seen by what there is.
    let _ = sockopt::set_socket_recv_buffer_size(socket, bytes);
    let _ = sockopt::set_socket_recv_buffer_size_force(socket, bytes); // needs CAP_NET_ADMIN on the host
    sockopt::socket_recv_buffer_size(socket).map_or(0, |given| given as u64)
}
