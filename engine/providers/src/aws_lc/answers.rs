//! Taking over objects of AWS-LC, and what its calls answer.

use std::ffi::{CStr, c_char, c_int};

use aws_lc_sys::{ERR_clear_error, ERR_error_string_n, ERR_get_error};

use crate::api::{CallError, CreateError, Renewed};
use crate::shared_library::Owned;

/// Takes over what a `…_new` function returned.
///
/// # Safety
///
/// `pointer` is null or a reference that nobody else will give back, and `free` does that.
pub unsafe fn own<T>(
    pointer: *mut T,
    free: unsafe extern "C" fn(*mut T),
) -> Result<Owned<T>, CallError> {
    // SAFETY: the caller vouches for the pointer, and AWS-LC's objects are bound to no thread.
    unsafe { Owned::new(pointer, free) }.ok_or_else(call_error)
}

/// Puts a new context in the place of one that is kept, and gives that back. When none can be had
/// the old one stays.
pub fn renew<T>(
    kept: &mut Owned<T>,
    what: Renewed,
    new: impl FnOnce() -> Result<Owned<T>, CallError>,
) -> Result<(), CallError> {
    match what {
        Renewed::Context => *kept = new()?,
        // Algorithms are functions of their own, so that nothing is looked up by name.
        Renewed::Algorithm => return Err(CallError::Unsupported),
    }
    Ok(())
}

/// What a call's status means.
pub fn called(status: c_int) -> Result<(), CallError> {
    if status == 1 { Ok(()) } else { Err(call_error()) }
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

/// What an error within `create` means, in AWS-LC's own words.
pub fn failed(error: CallError) -> CreateError {
    let code = match error {
        CallError::Library(0) => return CreateError::Failed("AWS-LC gives no reason".into()),
        CallError::Library(code) => code as u32,
        other => return CreateError::Failed(other.to_string()),
    };
    let mut words: [c_char; 256] = [0; 256];
    // SAFETY: the buffer has the length given, and the function ends what it writes with a null.
    let words = unsafe {
        ERR_error_string_n(code, words.as_mut_ptr(), words.len());
        CStr::from_ptr(words.as_ptr())
    };
    CreateError::Failed(words.to_string_lossy().into_owned())
}
