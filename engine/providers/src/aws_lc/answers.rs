//! Taking over objects of AWS-LC, and what its calls answer.

use std::ffi::{CStr, c_char, c_int};

use aws_lc_sys::{ERR_clear_error, ERR_error_string_n, ERR_get_error};

use crate::api::{CallError, CreateError};
use crate::shared_library::Owned;

/// Takes over what a `…_new` function returned.
///
/// # Safety
///
/// `pointer` is null or a reference that nobody else will give back, and `free` does that.
pub unsafe fn own<T>(
    pointer: *mut T,
    free: unsafe extern "C" fn(*mut T),
) -> Result<Owned<T>, CreateError> {
    // SAFETY: the caller vouches for the pointer, and AWS-LC's objects are bound to no thread.
    unsafe { Owned::new(pointer, free) }.ok_or_else(|| CreateError::Failed(words()))
}

/// What a timed call's status means.
pub fn called(status: c_int) -> Result<(), CallError> {
    if status == 1 { Ok(()) } else { Err(call_error()) }
}

/// What the status of a call within `create` means.
pub fn created(status: c_int) -> Result<(), CreateError> {
    if status == 1 { Ok(()) } else { Err(CreateError::Failed(words())) }
}

#[cold]
fn call_error() -> CallError {
    CallError::Library(take_error().into())
}

/// The tag was wrong: forgets the error that AWS-LC noted for it.
#[cold]
pub fn refused() -> CallError {
    take_error();
    CallError::Refused
}

/// The code of the first error since the queue was last emptied, 0 for none; empties it.
fn take_error() -> u32 {
    // SAFETY: both work on the calling thread's error queue and take nothing.
    unsafe {
        let code = ERR_get_error();
        ERR_clear_error();
        code
    }
}

/// The first error in AWS-LC's own words.
fn words() -> String {
    let code = take_error();
    if code == 0 {
        return "AWS-LC gives no reason".into();
    }
    let mut words: [c_char; 256] = [0; 256];
    // SAFETY: the buffer has the length given, and the function ends what it writes with a null.
    unsafe {
        ERR_error_string_n(code, words.as_mut_ptr(), words.len());
        CStr::from_ptr(words.as_ptr()).to_string_lossy().into_owned()
    }
}
