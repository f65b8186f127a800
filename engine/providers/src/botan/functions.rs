//! The functions of Botan's C interface that are called, as one table of typed pointers.
//!
//! Names, types and numbers are those of `ffi.h` of Botan 2.14, which later versions keep.

use std::ffi::{CStr, c_char, c_int};
use std::ptr;

use crate::api::*;
use crate::shared_library::{Owned, function_table, opaque_types, text};

opaque_types! { botan_cipher_struct botan_block_cipher_struct botan_mac_struct botan_hash_struct }

/// What gives an object back.
type Destroy<T> = unsafe extern "C" fn(*mut T) -> c_int;

/// Object to make, name, flags.
type Init<T> = unsafe extern "C" fn(*mut *mut T, *const c_char, u32) -> c_int;

/// An object and bytes that are read: key, nonce or data.
pub type Give<T> = unsafe extern "C" fn(*mut T, *const u8, usize) -> c_int;

/// An object, and room for what is asked.
type Ask<T, A> = unsafe extern "C" fn(*mut T, *mut A) -> c_int;

/// Object, input, output, number of blocks.
pub type Blocks =
    unsafe extern "C" fn(*mut botan_block_cipher_struct, *const u8, *mut u8, usize) -> c_int;

function_table! {
    Botan {
        botan_version_major: unsafe extern "C" fn() -> u32,
        botan_version_string: unsafe extern "C" fn() -> *const c_char,
        botan_error_description: unsafe extern "C" fn(c_int) -> *const c_char,
        botan_constant_time_compare: unsafe extern "C" fn(*const u8, *const u8, usize) -> c_int,

        botan_cipher_init: Init<botan_cipher_struct>,
        botan_cipher_destroy: Destroy<botan_cipher_struct>,
        botan_cipher_valid_nonce_length: unsafe extern "C" fn(*mut botan_cipher_struct, usize) -> c_int,
        botan_cipher_get_update_granularity: Ask<botan_cipher_struct, usize>,
        botan_cipher_reset: unsafe extern "C" fn(*mut botan_cipher_struct) -> c_int,
        botan_cipher_set_key: Give<botan_cipher_struct>,
        botan_cipher_set_associated_data: Give<botan_cipher_struct>,
        botan_cipher_start: Give<botan_cipher_struct>,
        botan_cipher_update: unsafe extern "C" fn(
            *mut botan_cipher_struct,
            u32,
            *mut u8,
            usize,
            *mut usize,
            *const u8,
            usize,
            *mut usize,
        ) -> c_int,

        botan_block_cipher_init:
            unsafe extern "C" fn(*mut *mut botan_block_cipher_struct, *const c_char) -> c_int,
        botan_block_cipher_destroy: Destroy<botan_block_cipher_struct>,
        botan_block_cipher_set_key: Give<botan_block_cipher_struct>,
        botan_block_cipher_encrypt_blocks: Blocks,
        botan_block_cipher_decrypt_blocks: Blocks,

        botan_mac_init: Init<botan_mac_struct>,
        botan_mac_destroy: Destroy<botan_mac_struct>,
        botan_mac_output_length: Ask<botan_mac_struct, usize>,
        botan_mac_set_key: Give<botan_mac_struct>,
        botan_mac_update: Give<botan_mac_struct>,
        botan_mac_final: Ask<botan_mac_struct, u8>,

        botan_hash_init: Init<botan_hash_struct>,
        botan_hash_destroy: Destroy<botan_hash_struct>,
        botan_hash_output_length: Ask<botan_hash_struct, usize>,
        botan_hash_update: Give<botan_hash_struct>,
        botan_hash_final: Ask<botan_hash_struct, u8>,
    }
    optional {
        // Since Botan 3.0.
        botan_mac_set_nonce: Give<botan_mac_struct>,
    }
}

/// `BOTAN_FFI_ERROR_BAD_MAC`: the tag is wrong.
const WRONG_TAG: c_int = -2;

/// `BOTAN_FFI_ERROR_NULL_POINTER`
const NULL_POINTER: c_int = -31;

/// `BOTAN_FFI_ERROR_NOT_IMPLEMENTED`: this version or build does not have the algorithm.
const NOT_IMPLEMENTED: c_int = -40;

/// An object of Botan that belongs to us.
pub type Object<T> = Owned<T, c_int>;

impl Botan {
    /// Makes an object with an `…_init` function.
    ///
    /// # Safety
    ///
    /// `init` fills the pointer that it is given when it returns 0, and `destroy` gives the object
    /// back.
    pub unsafe fn make<T>(
        name: &CStr,
        init: impl FnOnce(*mut *mut T, *const c_char) -> c_int,
        destroy: Destroy<T>,
    ) -> Result<Object<T>, c_int> {
        let mut object = ptr::null_mut();
        match init(&mut object, name.as_ptr()) {
            // SAFETY: the object is ours; Botan's objects hold no state of a thread.
            0 => unsafe { Owned::new(object, destroy) }.ok_or(NULL_POINTER),
            status => Err(status),
        }
    }

    /// What [`Botan::make`] within `create` means.
    pub fn made<T>(
        &self,
        name: &CStr,
        object: Result<Object<T>, c_int>,
    ) -> Result<Object<T>, CreateError> {
        object.map_err(|status| match status {
            NOT_IMPLEMENTED => CreateError::Unsupported(name.to_string_lossy().into_owned()),
            _ => CreateError::Failed(self.words(status)),
        })
    }

    /// What the status of a call within `create` means.
    pub fn created(&self, status: c_int) -> Result<(), CreateError> {
        if status == 0 { Ok(()) } else { Err(CreateError::Failed(self.words(status))) }
    }

    /// The error in Botan's own words.
    fn words(&self, status: c_int) -> String {
        // SAFETY: takes any number, and gives a string that lives as long as the library.
        unsafe { text((self.botan_error_description)(status)) }
    }
}

/// Puts a new object in the place of one that is kept, and destroys that. When none can be had the
/// old one stays.
pub fn remake<T>(
    what: Renewed,
    kept: &mut Object<T>,
    make: impl FnOnce() -> Result<Object<T>, c_int>,
) -> Result<(), CallError> {
    match what {
        Renewed::Algorithm => *kept = make().map_err(error)?,
        // Objects are always made by the name of their algorithm.
        Renewed::Context => return Err(CallError::Unsupported),
    }
    Ok(())
}

/// Calls one of the functions that read bytes.
pub fn give<T>(object: &Object<T>, function: Give<T>, bytes: &[u8]) -> c_int {
    // SAFETY: the object is alive, and the function reads so many bytes.
    unsafe { function(object.as_ptr(), bytes.as_ptr(), bytes.len()) }
}

/// What a timed call's status means.
pub fn called(status: c_int) -> Result<(), CallError> {
    if status == 0 { Ok(()) } else { Err(error(status)) }
}

fn error(status: c_int) -> CallError {
    match status {
        WRONG_TAG => CallError::Refused,
        code => CallError::Library(code.into()),
    }
}
