//! An algorithm of the kernel with its key, and the socket that takes its requests.

use ciphermark_algorithms::Algorithm;
use ciphermark_record::description::Kind;
use nix::errno::Errno;

use super::socket::{Address, Bound, Requests, Type, failed};
use ciphermark_providers::api::*;
use ciphermark_providers::checks;

pub struct Context {
    address: Address,
    bound: Bound,
    /// `None` where a key may have any length: HMAC hashes long ones first.
    key_bytes: Option<usize>,
    /// Only of authenticated encryption.
    tag_bytes: Option<usize>,
    most_bytes: usize,
    /// Absent without a key.
    requests: Option<Requests>,
}

impl Context {
    pub fn new(address: Address, facts: &Algorithm) -> Result<Self, CreateError> {
        let is_hmac = address.name.starts_with("hmac(");
        let is_aead = address.algorithm_type == Type::Aead;
        let tag_bytes = is_aead.then_some(facts.tag_bytes as usize);
        let refused = |errno| refused(address, errno);
        let bound = bind(address, tag_bytes).map_err(refused)?;
        let mut new = Self {
            address,
            most_bytes: bound.most_bytes().map_err(refused)?,
            bound,
            key_bytes: (!is_hmac).then_some(facts.key_bytes as usize),
            tag_bytes,
            requests: None,
        };
        if facts.kind == Kind::Hash {
            new.accept().map_err(refused)?;
        }
        Ok(new)
    }

    pub fn set_key(&mut self, key: &[u8]) -> Result<(), CallError> {
        checks::check_length(key.len(), self.key_bytes.unwrap_or(key.len()))?;
        self.requests = None;
        self.bound.set_key(key).and_then(|()| self.accept()).map_err(failed)
    }

    /// Binding looks the algorithm up, so that there is no context of one that is at hand.
    pub fn renew(&mut self, what: Renewed) -> Result<(), CallError> {
        if what == Renewed::Algorithm {
            return Err(CallError::Unsupported);
        }
        self.bound = bind(self.address, self.tag_bytes).map_err(failed)?;
        self.requests = None;
        if self.key_bytes == Some(0) { self.accept().map_err(failed) } else { Ok(()) }
    }

    fn accept(&mut self) -> Result<(), Errno> {
        self.requests = Some(self.bound.accept()?);
        Ok(())
    }

    /// Bytes of a request, and of its answer, that the kernel holds at once.
    pub fn most_bytes(&self) -> usize {
        self.most_bytes
    }

    /// The socket for requests, for who makes them himself.
    pub fn take(&mut self) -> Option<Requests> {
        self.requests.take()
    }

    /// Another socket for requests under the key.
    pub fn another(&self) -> Result<Requests, Errno> {
        self.bound.accept()
    }

    /// Makes a request. One that failed may leave data behind in its socket, which is then given up;
    /// not so a tag that was refused.
    pub fn request<T>(
        &mut self,
        call: impl FnOnce(&Requests) -> Result<T, CallError>,
    ) -> Result<T, CallError> {
        let answer = call(self.requests.as_ref().ok_or(CallError::Unsupported)?);
        if matches!(answer, Err(CallError::Library(_))) {
            self.accept().map_err(failed)?;
        }
        answer
    }
}

fn bind(address: Address, tag_bytes: Option<usize>) -> Result<Bound, Errno> {
    let bound = Bound::new(address)?;
    tag_bytes.map_or(Ok(()), |bytes| bound.set_tag_bytes(bytes))?;
    Ok(bound)
}

fn refused(address: Address, errno: Errno) -> CreateError {
    let Address { name, .. } = address;
    match errno {
        Errno::ENOENT => CreateError::Unsupported(format!("{name} by this kernel")),
        errno => CreateError::Failed(format!("the kernel refuses {name}: {}", errno.desc())),
    }
}
