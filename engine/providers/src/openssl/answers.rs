//! Taking over objects of libcrypto, and what its calls answer.

use std::ffi::{CStr, c_char, c_int};
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
    pub unsafe fn own<T>(&self, pointer: *mut T, free: Free<T>) -> Result<Owned<T>, CreateError> {
        // SAFETY: the caller vouches for the pointer, and libcrypto's objects are bound to no thread.
        unsafe { Owned::new(pointer, free) }.ok_or_else(|| CreateError::Failed(self.words()))
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
    ) -> Result<Owned<T>, CreateError> {
        // SAFETY: the name is a C string; null means the default context and no property query.
        let pointer = unsafe { fetch(ptr::null_mut(), name.as_ptr(), ptr::null()) };
        // SAFETY: a fetched algorithm is a reference of our own.
        unsafe { self.own(pointer, free) }.map_err(|error| {
            CreateError::Unsupported(format!("{} ({error})", name.to_string_lossy()))
        })
    }

    /// What a timed call's status means.
    pub fn called(&self, status: c_int) -> Result<(), CallError> {
        if status > 0 { Ok(()) } else { Err(self.call_error()) }
    }

    /// What the status of a call within `create` means.
    pub fn created(&self, status: c_int) -> Result<(), CreateError> {
        if status > 0 { Ok(()) } else { Err(CreateError::Failed(self.words())) }
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
    fn take_error(&self) -> i64 {
        // SAFETY: both work on the calling thread's error queue and take nothing.
        unsafe {
            let code = (self.ERR_get_error)();
            (self.ERR_clear_error)();
            // Packed error codes have 32 bits.
            code as i64
        }
    }

    /// The first error in libcrypto's own words.
    pub fn words(&self) -> String {
        let code = self.take_error();
        if code == 0 {
            return "OpenSSL gives no reason".into();
        }
        let mut words: [c_char; 256] = [0; 256];
        // SAFETY: the buffer has the length given, and the function ends what it writes with a
        // null.
        unsafe {
            (self.ERR_error_string_n)(code as _, words.as_mut_ptr(), words.len());
            CStr::from_ptr(words.as_ptr()).to_string_lossy().into_owned()
        }
    }
}
