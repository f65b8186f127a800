//! Sockets of the family AF_ALG.

use std::io::IoSliceMut;
use std::mem;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};

use libc::{c_int, iovec, msghdr};
use nix::errno::Errno;
use nix::sys::socket::{self, AddressFamily, AlgAddr, SockFlag, SockType, setsockopt, sockopt};
use nix::sys::uio;
use nix::unistd;

use ciphermark_providers::api::CallError;

/// The kernel's types of algorithms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    Skcipher,
    Aead,
    Hash,
}

/// What a socket is bound to: `skcipher`, `cbc(aes)`.
#[derive(Clone, Copy, Debug)]
pub struct Address {
    pub algorithm_type: Type,
    pub name: &'static str,
}

/// Whether the kernel gives sockets of the family at all.
pub fn try_family() -> Result<(), Errno> {
    family_socket().map(drop)
}

fn family_socket() -> Result<OwnedFd, Errno> {
    socket::socket(AddressFamily::Alg, SockType::SeqPacket, SockFlag::SOCK_CLOEXEC, None)
}

/// An algorithm of the kernel, with the key.
pub struct Bound(OwnedFd);

impl Bound {
    pub fn new(address: Address) -> Result<Self, Errno> {
        let bound = family_socket()?;
        let algorithm_type = match address.algorithm_type {
            Type::Skcipher => "skcipher",
            Type::Aead => "aead",
            Type::Hash => "hash",
        };
        socket::bind(bound.as_raw_fd(), &AlgAddr::new(algorithm_type, address.name))?;
        Ok(Self(bound))
    }

    /// Refused while there are [`Requests`] under another key.
    pub fn set_key(&self, key: &[u8]) -> Result<(), Errno> {
        setsockopt(&self.0, sockopt::AlgSetKey::default(), &key)
    }

    pub fn set_tag_bytes(&self, bytes: usize) -> Result<(), Errno> {
        setsockopt(&self.0, sockopt::AlgSetAeadAuthSize, &bytes)
    }

    /// Bytes of a request, and of its answer, that the kernel holds at once for each of [`Requests`].
    pub fn most_bytes(&self) -> Result<usize, Errno> {
        const PAGE: usize = 4096;
        let sent = socket::getsockopt(&self.0, sockopt::SndBuf)?;
        let received = socket::getsockopt(&self.0, sockopt::RcvBuf)?;
        // It takes whole pages, and data only where a page is free.
        Ok((sent.min(received) / PAGE * PAGE).saturating_sub(PAGE))
    }

    pub fn accept(&self) -> Result<Requests, Errno> {
        let flags = SockFlag::SOCK_CLOEXEC | SockFlag::SOCK_NONBLOCK;
        let accepted = socket::accept4(self.0.as_raw_fd(), flags)?;
        // SAFETY: it was opened just now, and nobody else knows it.
        Ok(Requests(unsafe { OwnedFd::from_raw_fd(accepted) }))
    }
}

/// What takes requests under the key of a [`Bound`], one at a time.
pub struct Requests(OwnedFd);

impl Requests {
    /// Sends a part of a request, of two pieces; the first part comes with its control messages.
    pub fn send(&self, control: &[u8], pieces: [&[u8]; 2], more: bool) -> Result<(), CallError> {
        let vector =
            |it: &[u8]| iovec { iov_base: it.as_ptr().cast_mut().cast(), iov_len: it.len() };
        let mut vectors = pieces.map(vector);
        // SAFETY: of zeros it is an empty message.
        let mut header: msghdr = unsafe { mem::zeroed() };
        header.msg_iov = vectors.as_mut_ptr();
        header.msg_iovlen = vectors.len() as _;
        header.msg_control = control.as_ptr().cast_mut().cast();
        header.msg_controllen = control.len() as _;
        // SAFETY: the header's pointers have the lengths beside them, and all are only read. The safe
        // wrapper would allocate the control messages anew for each call, which is timed here.
        let sent = unsafe { libc::sendmsg(self.0.as_raw_fd(), &header, flags(more)) };
        let sent = Errno::result(sent).map_err(failed)? as usize;
        let all: usize = pieces.iter().map(|piece| piece.len()).sum();
        if sent == all { Ok(()) } else { Err(failed(Errno::EMSGSIZE)) }
    }

    /// Receives an answer of that length.
    pub fn receive(&self, answer: &mut [u8]) -> Result<(), CallError> {
        let received = unistd::read(&self.0, answer).map_err(failed)?;
        whole(received, answer.len())
    }

    /// Receives an answer in two pieces.
    pub fn receive_pieces(&self, pieces: [&mut [u8]; 2]) -> Result<usize, CallError> {
        let mut pieces = pieces.map(IoSliceMut::new);
        uio::readv(&self.0, &mut pieces).map_err(failed)
    }

    pub fn as_raw_fd(&self) -> RawFd {
        self.0.as_raw_fd()
    }
}

fn flags(more: bool) -> c_int {
    libc::MSG_NOSIGNAL | if more { libc::MSG_MORE } else { 0 }
}

/// Refuses an answer of which a part is missing.
pub fn whole(received: usize, expected: usize) -> Result<(), CallError> {
    if received == expected { Ok(()) } else { Err(failed(Errno::EIO)) }
}

/// The kernel's error as that of a call.
pub fn failed(errno: Errno) -> CallError {
    match errno {
        Errno::EBADMSG => CallError::Refused,
        other => CallError::Library(other as i64),
    }
}
