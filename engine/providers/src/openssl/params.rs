//! OpenSSL's named parameters: a list of one, since no call here needs more.

use std::ffi::{CStr, c_char, c_uint, c_void};
use std::marker::PhantomData;
use std::ptr;

const UNSIGNED_INTEGER: c_uint = 2;
const UTF8_STRING: c_uint = 4;
const OCTET_STRING: c_uint = 5;

/// `struct ossl_param_st` of `openssl/core.h`.
#[allow(non_camel_case_types)]
#[repr(C)]
pub struct OSSL_PARAM {
    key: *const c_char,
    data_type: c_uint,
    data: *mut c_void,
    data_bytes: usize,
    return_bytes: usize,
}

/// A parameter whose value a call reads, and the end of the list; it borrows the value.
pub struct Parameter<'a> {
    list: [OSSL_PARAM; 2],
    value: PhantomData<&'a mut [u8]>,
}

impl<'a> Parameter<'a> {
    /// The name of an algorithm within another: the hash of an HMAC, the cipher of a CMAC.
    pub fn name(key: &'static CStr, value: &'a CStr) -> Self {
        Self::new(key, UTF8_STRING, value.as_ptr().cast_mut().cast(), value.count_bytes())
    }

    /// A number that OpenSSL holds as `unsigned int`.
    pub fn unsigned(key: &'static CStr, value: &'a c_uint) -> Self {
        let data = ptr::from_ref(value).cast_mut().cast();
        Self::new(key, UNSIGNED_INTEGER, data, size_of::<c_uint>())
    }

    /// Bytes that a setting call reads.
    pub fn bytes(key: &'static CStr, value: &'a [u8]) -> Self {
        Self::new(key, OCTET_STRING, value.as_ptr().cast_mut().cast(), value.len())
    }

    fn new(key: &'static CStr, data_type: c_uint, data: *mut c_void, data_bytes: usize) -> Self {
        let end = OSSL_PARAM {
            key: ptr::null(),
            data_type: 0,
            data: ptr::null_mut(),
            data_bytes: 0,
            return_bytes: 0,
        };
        // `OSSL_PARAM_UNMODIFIED`, which a getting call replaces.
        let return_bytes = usize::MAX;
        let parameter = OSSL_PARAM { key: key.as_ptr(), data_type, data, data_bytes, return_bytes };
        Self { list: [parameter, end], value: PhantomData }
    }

    pub fn as_ptr(&self) -> *const OSSL_PARAM {
        self.list.as_ptr()
    }
}

/// A parameter whose value a getting call fills.
pub struct Answer<'a>(Parameter<'a>);

impl<'a> Answer<'a> {
    pub fn bytes(key: &'static CStr, value: &'a mut [u8]) -> Self {
        Self(Parameter::new(key, OCTET_STRING, value.as_mut_ptr().cast(), value.len()))
    }

    pub fn as_mut_ptr(&mut self) -> *mut OSSL_PARAM {
        self.0.list.as_mut_ptr()
    }
}
