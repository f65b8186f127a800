//! Taking over objects of libcrypto, and what its calls answer.

use std::ffi::{CStr, c_char, c_int, c_ulong};
use std::ptr;

use super::libcrypto::{Fetch, Free, Libcrypto};
use crate::api::{CallError, CreateError};
use crate::shared_library::Owned;

impl Libcrypto {
    /// Takes over what a `…_new` function returned.
    ///
    /// # Safety
    ///
    /// `pointer` is null or a reference that nobody else will give back, and `free` does that.
    pub unsafe fn own<T>(&self, pointer: *mut T, free: Free<T>) -> Result<Owned<T>, CallError> {
        // SAFETY: the caller vouches for the pointer, and libcrypto's objects are bound to no
        // thread.
        unsafe { Owned::new(pointer, free) }.ok_or_else(|| self.call_error())
    }

    /// Fetches the algorithm of that name from the default library context.
    ///
    /// # Safety
    ///
    /// `fetch` and `free` are libcrypto's functions for `T`.
    pub unsafe fn fetch<T>(
        &self,
        fetch: Fetch<T>,
        free: Free<T>,
        name: &CStr,
    ) -> Result<Owned<T>, CallError> {
        // SAFETY: the name is a C string; null means the default context and no property query. A
        // fetched algorithm is a reference of our own.
        unsafe { self.own(fetch(ptr::null_mut(), name.as_ptr(), ptr::null()), free) }
    }

    /// What a call's status means.
    pub fn called(&self, status: c_int) -> Result<(), CallError> {
        if status > 0 { Ok(()) } else { Err(self.call_error()) }
    }

    #[cold]
    fn call_error(&self) -> CallError {
        CallError::Library(self.take_error())
    }

    /// The tag was wrong: forgets the error that libcrypto noted for it.
    #[cold]
    pub fn refused(&self) -> CallError {
        self.take_error();
        CallError::Refused
    }

    /// The code of the first error since the queue was last emptied, 0 for none; empties it.
    pub fn take_error(&self) -> i64 {
        // SAFETY: both work on the calling thread's error queue and take nothing.
        unsafe {
            let code = (self.ERR_get_error)();
            (self.ERR_clear_error)();
            // Packed error codes have 32 bits.
            code as i64
        }
    }

    /// The refusal of what cannot be fetched by that name.
    pub fn not_there(&self, name: &CStr, error: CallError) -> CreateError {
        let (name, words) = (name.to_string_lossy(), self.words(error));
        CreateError::Unsupported(format!("{name} ({words})"))
    }

    /// What an error within `create` means.
    pub fn failed(&self, error: CallError) -> CreateError {
        CreateError::Failed(self.words(error))
    }

    /// An error in libcrypto's own words.
    fn words(&self, error: CallError) -> String {
        let code = match error {
            CallError::Library(0) => return "OpenSSL gives no reason".into(),
            CallError::Library(code) => code as c_ulong,
            other => return other.to_string(),
        };
        let mut words: [c_char; 256] = [0; 256];
        // SAFETY: the buffer has the length given, and the function ends what it writes with a
        // null.
        unsafe {
            (self.ERR_error_string_n)(code, words.as_mut_ptr(), words.len());
            CStr::from_ptr(words.as_ptr()).to_string_lossy().into_owned()
        }
    }
}
