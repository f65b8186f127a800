//! The functions of libgcrypt that are called, as one table of typed pointers.
//!
//! Names, types and numbers are those of `gcrypt.h` of libgcrypt 1.8, which later versions keep.

use std::ffi::{c_char, c_int, c_uint, c_void};
use std::ptr;

use crate::api::*;
use crate::shared_library::{Owned, function_table, opaque_types, text};

opaque_types! { gcry_cipher_handle gcry_mac_handle gcry_md_handle }

/// `gcry_error_t`: 0, or an error code with its source.
pub type Status = c_uint;

/// Handle to open, algorithm, mode or flags, flags or context.
type OpenMd = unsafe extern "C" fn(*mut *mut gcry_md_handle, c_int, c_uint) -> Status;
type OpenCipher =
    unsafe extern "C" fn(*mut *mut gcry_cipher_handle, c_int, c_int, c_uint) -> Status;
type OpenMac =
    unsafe extern "C" fn(*mut *mut gcry_mac_handle, c_int, c_uint, *mut c_void) -> Status;

/// A handle and bytes that are read: key, nonce, data or tag.
pub type Give<T> = unsafe extern "C" fn(*mut T, *const c_void, usize) -> Status;

/// A handle, a command, its data and their length.
type Control<T> = unsafe extern "C" fn(*mut T, c_int, *mut c_void, usize) -> Status;

/// `gcry_cipher_encrypt` and its mirror: handle, output, its length, input, its length.
pub type Transform = unsafe extern "C" fn(
    *mut gcry_cipher_handle,
    *mut c_void,
    usize,
    *const c_void,
    usize,
) -> Status;

function_table! {
    Libgcrypt {
        gcry_check_version: unsafe extern "C" fn(*const c_char) -> *const c_char,
        gcry_control: unsafe extern "C" fn(c_int, ...) -> Status,
        gcry_get_config: unsafe extern "C" fn(c_int, *const c_char) -> *mut c_char,
        gcry_free: unsafe extern "C" fn(*mut c_void),
        gcry_strerror: unsafe extern "C" fn(Status) -> *const c_char,

        gcry_cipher_open: OpenCipher,
        gcry_cipher_close: unsafe extern "C" fn(*mut gcry_cipher_handle),
        gcry_cipher_ctl: Control<gcry_cipher_handle>,
        gcry_cipher_setkey: Give<gcry_cipher_handle>,
        gcry_cipher_setiv: Give<gcry_cipher_handle>,
        gcry_cipher_setctr: Give<gcry_cipher_handle>,
        gcry_cipher_authenticate: Give<gcry_cipher_handle>,
        gcry_cipher_encrypt: Transform,
        gcry_cipher_decrypt: Transform,
        gcry_cipher_gettag: unsafe extern "C" fn(*mut gcry_cipher_handle, *mut c_void, usize) -> Status,
        gcry_cipher_checktag: Give<gcry_cipher_handle>,

        gcry_mac_open: OpenMac,
        gcry_mac_close: unsafe extern "C" fn(*mut gcry_mac_handle),
        gcry_mac_ctl: Control<gcry_mac_handle>,
        gcry_mac_setkey: Give<gcry_mac_handle>,
        gcry_mac_setiv: Give<gcry_mac_handle>,
        gcry_mac_write: Give<gcry_mac_handle>,
        gcry_mac_read: unsafe extern "C" fn(*mut gcry_mac_handle, *mut c_void, *mut usize) -> Status,
        gcry_mac_verify: Give<gcry_mac_handle>,
        gcry_mac_get_algo_maclen: unsafe extern "C" fn(c_int) -> c_uint,

        gcry_md_open: OpenMd,
        gcry_md_close: unsafe extern "C" fn(*mut gcry_md_handle),
        gcry_md_reset: unsafe extern "C" fn(*mut gcry_md_handle),
        gcry_md_write: unsafe extern "C" fn(*mut gcry_md_handle, *const c_void, usize),
        gcry_md_read: unsafe extern "C" fn(*mut gcry_md_handle, c_int) -> *const u8,
        gcry_md_get_algo_dlen: unsafe extern "C" fn(c_int) -> c_uint,
    }
}

/// `GCRYCTL_RESET`: back to the state after the key was set.
pub const RESET: c_int = 4;

/// `GPG_ERR_CHECKSUM`: the tag is wrong.
const WRONG_TAG: Status = 10;

/// The part of a status that is not its source.
const ERROR_CODE: Status = 0xffff;

impl Libgcrypt {
    /// Makes a handle with an `…_open` function.
    ///
    /// # Safety
    ///
    /// `open` fills the pointer that it is given when it returns 0, and `close` gives the handle
    /// back.
    pub unsafe fn open<T>(
        open: impl FnOnce(*mut *mut T) -> Status,
        close: unsafe extern "C" fn(*mut T),
    ) -> Result<Owned<T>, Status> {
        let mut handle = ptr::null_mut();
        let status = open(&mut handle);
        // SAFETY: the handle is ours; handles hold no state of a thread.
        unsafe { Owned::new(handle, close) }.ok_or(status)
    }

    /// What the status of an `…_open` within `create` means.
    pub fn opened<T>(&self, handle: Result<Owned<T>, Status>) -> Result<Owned<T>, CreateError> {
        handle.map_err(|status| CreateError::Unsupported(self.words(status)))
    }

    /// The error in libgcrypt's own words.
    fn words(&self, status: Status) -> String {
        // SAFETY: takes any number, and gives a string that lives as long as the library.
        unsafe { text((self.gcry_strerror)(status)) }
    }

    /// What the status of a call within `create` means.
    pub fn created(&self, status: Status) -> Result<(), CreateError> {
        if status == 0 { Ok(()) } else { Err(CreateError::Failed(self.words(status))) }
    }
}

/// Puts a new handle in the place of one that is kept, and closes that. When none can be had the old
/// one stays.
pub fn reopen<T>(
    what: Renewed,
    kept: &mut Owned<T>,
    open: impl FnOnce() -> Result<Owned<T>, Status>,
) -> Result<(), CallError> {
    match what {
        Renewed::Context => *kept = open().map_err(error)?,
        // Algorithms have numbers, so that nothing is looked up.
        Renewed::Algorithm => return Err(CallError::Unsupported),
    }
    Ok(())
}

/// What a timed call's status means.
pub fn called(status: Status) -> Result<(), CallError> {
    if status & ERROR_CODE == 0 { Ok(()) } else { Err(error(status)) }
}

fn error(status: Status) -> CallError {
    match status & ERROR_CODE {
        WRONG_TAG => CallError::Refused,
        code => CallError::Library(code.into()),
    }
}
