//! OpenSSL's named parameters: lists of at most two, since no call here needs more.

use std::ffi::{CStr, c_char, c_uint, c_void};
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::ptr;

use crate::scalar::scalar;

const UNSIGNED_INTEGER: c_uint = 2;
const UTF8_STRING: c_uint = 4;
const OCTET_STRING: c_uint = 5;

/// `struct ossl_param_st` of `openssl/core.h`.
#[allow(non_camel_case_types)]
#[derive(Clone, Copy)]
#[repr(C)]
pub struct OSSL_PARAM {
    key: *const c_char,
    data_type: c_uint,
    data: *mut c_void,
    data_bytes: usize,
    return_bytes: usize,
}

/// Ends a list. Of what follows the last parameter only the key is read, and no more is written, as that
/// would be done by vector instructions (see [`crate::scalar`]).
#[inline(always)]
fn end(place: &mut MaybeUninit<OSSL_PARAM>) {
    // SAFETY: the place has room for a parameter, of which the key is a part.
    unsafe { (&raw mut (*place.as_mut_ptr()).key).write(ptr::null()) };
}

/// One parameter whose value a call reads; it borrows the value.
#[derive(Clone, Copy)]
pub struct Parameter<'a> {
    parameter: OSSL_PARAM,
    value: PhantomData<&'a [u8]>,
}

impl<'a> Parameter<'a> {
    /// The name of an algorithm within another: the hash of an HMAC, the cipher of a CMAC.
    pub fn name(key: &'static CStr, value: &'a CStr) -> Self {
        Self::new(key, UTF8_STRING, value.as_ptr().cast_mut().cast(), value.count_bytes())
    }

    /// A number that OpenSSL holds as `unsigned int`.
    pub fn unsigned(key: &'static CStr, value: &'a c_uint) -> Self {
        Self::number(key, value)
    }

    /// A number that OpenSSL holds as `size_t`.
    pub fn size(key: &'static CStr, value: &'a usize) -> Self {
        Self::number(key, value)
    }

    fn number<T>(key: &'static CStr, value: &'a T) -> Self {
        let data = ptr::from_ref(value).cast_mut().cast();
        Self::new(key, UNSIGNED_INTEGER, data, size_of::<T>())
    }

    /// Bytes.
    pub fn bytes(key: &'static CStr, value: &'a [u8]) -> Self {
        Self::new(key, OCTET_STRING, value.as_ptr().cast_mut().cast(), value.len())
    }

    /// How many bytes there will be, without them.
    pub fn length(key: &'static CStr, bytes: usize) -> Self {
        Self::new(key, OCTET_STRING, ptr::null_mut(), bytes)
    }

    fn new(key: &'static CStr, data_type: c_uint, data: *mut c_void, data_bytes: usize) -> Self {
        // `OSSL_PARAM_UNMODIFIED`, which a getting call replaces.
        let return_bytes = usize::MAX;
        let parameter = OSSL_PARAM { key: key.as_ptr(), data_type, data, data_bytes, return_bytes };
        Self { parameter, value: PhantomData }
    }
}

/// A list of parameters whose values a call reads.
pub struct Parameters<'a> {
    list: [MaybeUninit<OSSL_PARAM>; 3],
    values: PhantomData<&'a [u8]>,
}

impl<'a> Parameters<'a> {
    #[inline]
    pub fn one(parameter: Parameter<'a>) -> Self {
        let mut list = [const { MaybeUninit::uninit() }; 3];
        list[0].write(parameter.parameter);
        end(&mut list[1]);
        Self { list, values: PhantomData }
    }

    pub fn two(first: Parameter<'a>, second: Parameter<'a>) -> Self {
        let mut list = [const { MaybeUninit::uninit() }; 3];
        list[0].write(first.parameter);
        list[1].write(second.parameter);
        end(&mut list[2]);
        Self { list, values: PhantomData }
    }

    pub fn as_ptr(&self) -> *const OSSL_PARAM {
        self.list.as_ptr().cast()
    }
}

/// A list of one parameter, whose value a getting call fills. A caller keeps it, as the call asks for the
/// same again and again: then only the place of the value is written before each call.
pub struct Answer([OSSL_PARAM; 2]);

// SAFETY: of the pointers the first leads to a name that is never changed; the other is used by the call
// alone before which it is set.
unsafe impl Send for Answer {}

impl Answer {
    /// Asks for bytes.
    pub fn bytes(key: &'static CStr) -> Self {
        const END: OSSL_PARAM = OSSL_PARAM {
            key: ptr::null(),
            data_type: 0,
            data: ptr::null_mut(),
            data_bytes: 0,
            return_bytes: 0,
        };
        Self([Parameter::new(key, OCTET_STRING, ptr::null_mut(), 0).parameter, END])
    }

    /// The list for a call that fills this value. It must not be used when the value's borrow has ended.
    #[inline]
    pub fn into(&mut self, value: &mut [u8]) -> *mut OSSL_PARAM {
        let [parameter, _] = &mut self.0;
        parameter.data = value.as_mut_ptr().cast();
        parameter.data_bytes = scalar(value.len());
        self.0.as_mut_ptr()
    }
}
