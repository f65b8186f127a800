//! The functions of OpenCL that are called, as one table of typed pointers, and the loader that has
//! them (`libOpenCL.so.1`), which finds the drivers.
//!
//! All are of OpenCL 1.2, which drivers of phones have too. The loader is opened as other libraries
//! are, so that one that is missing is refused in the same words and another can be named. Where an
//! object cannot be released, as those of a device that is gone, that is let pass: who made it can do
//! nothing about it. Safe bindings for Rust stop the program there.

use std::ffi::{c_char, c_void};
use std::path::Path;

use opencl_sys::*;

use ciphermark_providers::api::Unusable;
use ciphermark_providers::shared_library::{Loaded, OpenedLibrary, SharedLibrary};

static LIBRARY: SharedLibrary = SharedLibrary {
    provider: super::NAME,
    title: super::TITLE,
    library: "libOpenCL",
    oldest: "1.2",
    sonames: &["libOpenCL.so.1"],
    package: "ocl-icd-libopencl1",
};

/// Object, which figure, room in bytes, room, bytes that it takes.
type Info<T> = unsafe extern "C" fn(T, cl_uint, usize, *mut c_void, *mut usize) -> cl_int;

/// Queue, buffer, whether to wait, offset, bytes, memory of the host, events to wait for, the event.
type Transfer<P> = unsafe extern "C" fn(
    cl_command_queue,
    cl_mem,
    cl_bool,
    usize,
    usize,
    P,
    cl_uint,
    *const cl_event,
    *mut cl_event,
) -> cl_int;

/// What gives an object back.
pub type Release<T> = unsafe extern "C" fn(T) -> cl_int;

/// Defines the table, and how its functions are found.
macro_rules! function_table {
    ($table:ident { $($name:ident: $type:ty,)* }) => {
        #[allow(non_snake_case)]
        pub struct $table {
            $(pub $name: $type,)*
        }

        impl $table {
            /// Finds the functions; the refusal names the first that is missing.
            ///
            /// # Safety
            ///
            /// Where `library` has functions of these names they have these types, and it stays open
            /// while the table is in use.
            unsafe fn find(library: &OpenedLibrary) -> Result<Self, Unusable> {
                // SAFETY: the caller vouches for the types.
                Ok(Self { $($name: unsafe { library.function::<$type>(stringify!($name)) }?,)* })
            }
        }
    };
}

function_table! {
    Libopencl {
        clGetPlatformIDs: unsafe extern "C" fn(cl_uint, *mut cl_platform_id, *mut cl_uint) -> cl_int,
        clGetPlatformInfo: Info<cl_platform_id>,
        clGetDeviceIDs: unsafe extern "C" fn(
            cl_platform_id,
            cl_device_type,
            cl_uint,
            *mut cl_device_id,
            *mut cl_uint,
        ) -> cl_int,
        clGetDeviceInfo: Info<cl_device_id>,
        clCreateContext: unsafe extern "C" fn(
            *const cl_context_properties,
            cl_uint,
            *const cl_device_id,
            *const c_void, // no function to be told of errors
            *mut c_void,
            *mut cl_int,
        ) -> cl_context,
        clReleaseContext: Release<cl_context>,
        clCreateProgramWithSource: unsafe extern "C" fn(
            cl_context,
            cl_uint,
            *const *const c_char,
            *const usize,
            *mut cl_int,
        ) -> cl_program,
        clBuildProgram: unsafe extern "C" fn(
            cl_program,
            cl_uint,
            *const cl_device_id,
            *const c_char,
            *const c_void, // no function to be told of the end
            *mut c_void,
        ) -> cl_int,
        clGetProgramBuildInfo: unsafe extern "C" fn(
            cl_program,
            cl_device_id,
            cl_uint,
            usize,
            *mut c_void,
            *mut usize,
        ) -> cl_int,
        clReleaseProgram: Release<cl_program>,
        clCreateKernel: unsafe extern "C" fn(cl_program, *const c_char, *mut cl_int) -> cl_kernel,
        clSetKernelArg: unsafe extern "C" fn(cl_kernel, cl_uint, usize, *const c_void) -> cl_int,
        clReleaseKernel: Release<cl_kernel>,
        clCreateCommandQueue: unsafe extern "C" fn(
            cl_context,
            cl_device_id,
            cl_command_queue_properties,
            *mut cl_int,
        ) -> cl_command_queue,
        clFlush: unsafe extern "C" fn(cl_command_queue) -> cl_int,
        clFinish: unsafe extern "C" fn(cl_command_queue) -> cl_int,
        clReleaseCommandQueue: Release<cl_command_queue>,
        clCreateBuffer: unsafe extern "C" fn(
            cl_context,
            cl_mem_flags,
            usize,
            *mut c_void,
            *mut cl_int,
        ) -> cl_mem,
        clReleaseMemObject: Release<cl_mem>,
        clEnqueueWriteBuffer: Transfer<*const c_void>,
        clEnqueueReadBuffer: Transfer<*mut c_void>,
        clEnqueueNDRangeKernel: unsafe extern "C" fn(
            cl_command_queue,
            cl_kernel,
            cl_uint,
            *const usize,
            *const usize,
            *const usize,
            cl_uint,
            *const cl_event,
            *mut cl_event,
        ) -> cl_int,
        clWaitForEvents: unsafe extern "C" fn(cl_uint, *const cl_event) -> cl_int,
        clGetEventInfo: Info<cl_event>,
        clGetEventProfilingInfo: Info<cl_event>,
        clReleaseEvent: Release<cl_event>,
    }
}

/// Opens the installed loader, or the one at `path`.
pub fn load(path: Option<&Path>) -> Result<Loaded<Libopencl>, Unusable> {
    let library = LIBRARY.open(path)?;
    // SAFETY: functions of these names have these types in all versions of OpenCL, whose headers
    // `opencl_sys` repeats, and the library is kept.
    let functions = unsafe { Libopencl::find(&library) }?;
    let inside = functions.clGetPlatformIDs as *const c_void;
    Ok(library.keep(functions, inside))
}
