//! Memory for libsodium's states, which callers hold.

use std::ffi::c_void;

use crate::api::CreateError;

/// Room for any state: the largest, of AES-256-GCM, has 512 bytes, and that of BLAKE2b is aligned
/// to 64.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub struct State([u8; State::BYTES]);

impl State {
    const BYTES: usize = 512;

    /// Room for a state of `bytes`; a later version's might be larger.
    pub fn with_room_for(bytes: usize) -> Result<Self, CreateError> {
        if bytes > Self::BYTES {
            return Err(CreateError::Failed(format!("its state has {bytes} bytes")));
        }
        Ok(Self([0; Self::BYTES]))
    }

    /// A state that is the key itself.
    pub fn hold(&mut self, key: &[u8]) {
        self.0[..key.len()].copy_from_slice(key);
    }

    /// Copies the first bytes of another state.
    pub fn copy_from(&mut self, other: &Self, bytes: usize) {
        self.0[..bytes].copy_from_slice(&other.0[..bytes]);
    }

    pub fn as_ptr(&self) -> *const c_void {
        self.0.as_ptr().cast()
    }

    pub fn as_mut_ptr(&mut self) -> *mut c_void {
        self.0.as_mut_ptr().cast()
    }
}
