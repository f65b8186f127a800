//! Objects of OpenCL that are released when dropped, and calls that are safe.

use std::ffi::{CStr, c_void};
use std::ptr;

use opencl_sys::*;

use super::libopencl::{Libopencl, Release};
use ciphermark_providers::api::CallError;

/// A status of OpenCL that is not success.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Status(pub cl_int);

impl From<Status> for CallError {
    fn from(Status(code): Status) -> Self {
        CallError::Library(code.into())
    }
}

/// What a call's status means.
pub fn done(status: cl_int) -> Result<(), Status> {
    if status == CL_SUCCESS { Ok(()) } else { Err(Status(status)) }
}

/// Bytes of a figure that an object tells, by its `clGet…Info` with all but the last three arguments.
pub fn told(ask: impl Fn(usize, *mut c_void, *mut usize) -> cl_int) -> Result<Vec<u8>, Status> {
    let mut bytes = 0;
    done(ask(0, ptr::null_mut(), &mut bytes))?;
    let mut figure = vec![0; bytes];
    done(ask(bytes, figure.as_mut_ptr().cast(), ptr::null_mut()))?;
    Ok(figure)
}

/// A reference to an object that belongs to us.
pub struct Held<T: Copy> {
    handle: T,
    release: Release<T>,
}

// SAFETY: handles may be used by any thread, and by several at once (OpenCL 1.2, appendix A.2), but
// for those of kernels, whose arguments are set only by whoever has the `Kernel` to himself.
unsafe impl<T: Copy> Send for Held<T> {}
// SAFETY: as above.
unsafe impl<T: Copy> Sync for Held<T> {}

impl<T: Copy> Held<T> {
    /// Takes over what a call made that leaves a status.
    ///
    /// # Safety
    ///
    /// Where the status is success the object is ours, and `release` gives it back.
    unsafe fn made(
        release: Release<T>,
        make: impl FnOnce(*mut cl_int) -> T,
    ) -> Result<Self, Status> {
        let mut status = CL_SUCCESS;
        let handle = make(&mut status);
        done(status)?;
        Ok(Self { handle, release })
    }

    pub fn handle(&self) -> T {
        self.handle
    }
}

impl<T: Copy> Drop for Held<T> {
    fn drop(&mut self) {
        // SAFETY: it was ours, and this is its only end. The status is let pass: nothing can be done
        // for an object of a device that is gone.
        unsafe { (self.release)(self.handle) };
    }
}

/// A device with a context of its own.
pub struct Context {
    pub functions: &'static Libopencl,
    pub device: cl_device_id,
    context: Held<cl_context>,
}

// SAFETY: identifiers of devices are never given back, and may be used by any thread.
unsafe impl Send for Context {}
// SAFETY: as above.
unsafe impl Sync for Context {}

impl Context {
    pub fn new(functions: &'static Libopencl, device: cl_device_id) -> Result<Self, Status> {
        // SAFETY: one device is named, nobody is told of errors, and the context is ours.
        let context = unsafe {
            Held::made(functions.clReleaseContext, |status| {
                let (nothing, nobody) = (ptr::null_mut(), ptr::null());
                (functions.clCreateContext)(ptr::null(), 1, &device, nobody, nothing, status)
            })
        }?;
        Ok(Self { functions, device, context })
    }

    /// Compiles a program; the error is the compiler's own words.
    pub fn build(&self, source: &str, options: &CStr) -> Result<Program, String> {
        let (text, bytes) = (source.as_ptr().cast(), source.len());
        // SAFETY: one text of so many bytes is given, and the program is ours.
        let program = unsafe {
            Held::made(self.functions.clReleaseProgram, |status| {
                let handle = self.context.handle();
                (self.functions.clCreateProgramWithSource)(handle, 1, &text, &bytes, status)
            })
        };
        let program = program.map_err(|Status(code)| format!("error {code}"))?;
        // SAFETY: options are a C string, and nobody is told of the end: the call waits for it.
        let built = unsafe {
            let (build, nothing) = (self.functions.clBuildProgram, ptr::null_mut());
            build(program.handle(), 1, &self.device, options.as_ptr(), ptr::null(), nothing)
        };
        match done(built) {
            Ok(()) => Ok(Program(program)),
            Err(Status(code)) => Err(self.build_log(&program).unwrap_or(format!("error {code}"))),
        }
    }

    /// What the compiler said, where it said something.
    fn build_log(&self, program: &Held<cl_program>) -> Option<String> {
        // SAFETY: room is given for as many bytes as are said.
        let log = told(|bytes, room, needed| unsafe {
            let ask = self.functions.clGetProgramBuildInfo;
            ask(program.handle(), self.device, CL_PROGRAM_BUILD_LOG, bytes, room, needed)
        });
        let log = text(log.ok()?);
        (!log.is_empty()).then_some(log)
    }

    /// A queue in which one command follows the other, and which takes the time of each.
    pub fn queue(&self) -> Result<Queue, Status> {
        let functions = self.functions;
        // SAFETY: the device is the context's, and the queue is ours.
        let queue = unsafe {
            Held::made(functions.clReleaseCommandQueue, |status| {
                let (handle, timed) = (self.context.handle(), CL_QUEUE_PROFILING_ENABLE);
                (functions.clCreateCommandQueue)(handle, self.device, timed, status)
            })
        }?;
        Ok(Queue { functions, queue })
    }

    /// Memory of the device, of at least one byte.
    pub fn buffer(&self, flags: cl_mem_flags, bytes: usize) -> Result<Buffer, Status> {
        // SAFETY: no memory of the host is named, and the buffer is ours.
        let memory = unsafe {
            Held::made(self.functions.clReleaseMemObject, |status| {
                let (create, nothing) = (self.functions.clCreateBuffer, ptr::null_mut());
                create(self.context.handle(), flags, bytes.max(1), nothing, status)
            })
        }?;
        Ok(Buffer { memory, bytes })
    }

    pub fn kernel(&self, program: &Program, name: &CStr) -> Result<Kernel, Status> {
        let functions = self.functions;
        // SAFETY: the name is a C string, and the kernel is ours.
        let kernel = unsafe {
            Held::made(functions.clReleaseKernel, |status| {
                (functions.clCreateKernel)(program.0.handle(), name.as_ptr(), status)
            })
        }?;
        Ok(Kernel { functions, kernel })
    }
}

pub struct Program(Held<cl_program>);

pub struct Buffer {
    memory: Held<cl_mem>,
    bytes: usize,
}

impl Buffer {
    pub fn bytes(&self) -> usize {
        self.bytes
    }
}

pub struct Kernel {
    functions: &'static Libopencl,
    kernel: Held<cl_kernel>,
}

impl Kernel {
    pub fn set_buffer(&mut self, index: cl_uint, buffer: &Buffer) -> Result<(), Status> {
        self.set(index, &buffer.memory.handle())
    }

    pub fn set_number(&mut self, index: cl_uint, number: u32) -> Result<(), Status> {
        self.set(index, &number)
    }

    fn set<T>(&mut self, index: cl_uint, value: &T) -> Result<(), Status> {
        let set = self.functions.clSetKernelArg;
        // SAFETY: the value is copied. One of another size than the argument's is refused.
        done(unsafe {
            set(self.kernel.handle(), index, size_of::<T>(), ptr::from_ref(value).cast())
        })
    }
}

pub struct Queue {
    functions: &'static Libopencl,
    queue: Held<cl_command_queue>,
}

impl Queue {
    /// Writes the start of a buffer, and waits until that is done.
    pub fn write_now(&self, buffer: &Buffer, from: &[u8]) -> Result<(), Status> {
        // SAFETY: it is waited for.
        done(unsafe { self.enqueue_write(buffer, CL_TRUE, from, ptr::null_mut()) })
    }

    /// Begins to write the start of a buffer.
    ///
    /// # Safety
    ///
    /// `from` stays as it is until the event is complete or [`Queue::finish`] has returned.
    pub unsafe fn write(&self, buffer: &Buffer, from: &[u8]) -> Result<Event, Status> {
        // SAFETY: the caller vouches for the time.
        self.event(|event| unsafe { self.enqueue_write(buffer, CL_FALSE, from, event) })
    }

    /// # Safety
    ///
    /// As of [`Queue::write`], where it is not waited for. `event` is null or has room for one.
    unsafe fn enqueue_write(
        &self,
        buffer: &Buffer,
        wait: cl_bool,
        from: &[u8],
        event: *mut cl_event,
    ) -> cl_int {
        assert!(from.len() <= buffer.bytes, "it is made large enough");
        let (queue, memory) = (self.queue.handle(), buffer.memory.handle());
        let (write, start) = (self.functions.clEnqueueWriteBuffer, from.as_ptr().cast());
        // SAFETY: so many bytes are there on both sides, and the caller vouches for the rest.
        unsafe { write(queue, memory, wait, 0, from.len(), start, 0, ptr::null(), event) }
    }

    /// Begins to read the start of a buffer.
    ///
    /// # Safety
    ///
    /// Nobody looks at `to` until the event is complete or [`Queue::finish`] has returned.
    pub unsafe fn read(&self, buffer: &Buffer, to: &mut [u8]) -> Result<Event, Status> {
        assert!(to.len() <= buffer.bytes, "it is made large enough");
        let read = self.functions.clEnqueueReadBuffer;
        let (memory, bytes) = (buffer.memory.handle(), to.len());
        self.event(|event| {
            let (queue, to) = (self.queue.handle(), to.as_mut_ptr().cast());
            // SAFETY: so many bytes are there on both sides, and the caller vouches for the time.
            unsafe { read(queue, memory, CL_FALSE, 0, bytes, to, 0, ptr::null(), event) }
        })
    }

    /// Begins to run a kernel in groups of `group` work items.
    ///
    /// # Safety
    ///
    /// All arguments are set, and with them so many work items stay within the buffers, which are kept
    /// until the event is complete or [`Queue::finish`] has returned.
    pub unsafe fn run(&self, kernel: &Kernel, items: usize, group: usize) -> Result<Event, Status> {
        let (run, nothing) = (self.functions.clEnqueueNDRangeKernel, ptr::null());
        self.event(|event| {
            let (queue, kernel, free) = (self.queue.handle(), kernel.kernel.handle(), ptr::null());
            // SAFETY: one dimension is named, and the caller vouches for the kernel.
            unsafe { run(queue, kernel, 1, nothing, &items, &group, 0, free, event) }
        })
    }

    fn event(&self, enqueue: impl FnOnce(*mut cl_event) -> cl_int) -> Result<Event, Status> {
        let functions = self.functions;
        let mut event = ptr::null_mut();
        done(enqueue(&mut event))?;
        let release = functions.clReleaseEvent;
        Ok(Event { functions, event: Held { handle: event, release } })
    }

    /// Has the device begin with what was enqueued.
    pub fn flush(&self) -> Result<(), Status> {
        // SAFETY: the queue is there.
        done(unsafe { (self.functions.clFlush)(self.queue.handle()) })
    }

    /// Waits until nothing is enqueued.
    pub fn finish(&self) -> Result<(), Status> {
        // SAFETY: the queue is there.
        done(unsafe { (self.functions.clFinish)(self.queue.handle()) })
    }
}

/// The end of one command.
pub struct Event {
    functions: &'static Libopencl,
    event: Held<cl_event>,
}

impl Event {
    /// Whether the command has ended; does not wait. An error where it failed.
    pub fn is_complete(&self) -> Result<bool, Status> {
        let mut status: cl_int = 0;
        let room = ptr::from_mut(&mut status).cast();
        let ask = self.functions.clGetEventInfo;
        // SAFETY: room is given for the one number.
        let asked = unsafe {
            let (event, bytes) = (self.event.handle(), size_of_val(&status));
            ask(event, CL_EVENT_COMMAND_EXECUTION_STATUS, bytes, room, ptr::null_mut())
        };
        done(asked)?;
        if status < 0 { Err(Status(status)) } else { Ok(status == CL_COMPLETE) }
    }

    /// Sleeps until the command has ended. An error where it failed.
    pub fn wait(&self) -> Result<(), Status> {
        // SAFETY: one event is named.
        let waited = unsafe { (self.functions.clWaitForEvents)(1, &self.event.handle()) };
        // What failed is told by the event itself, where waiting says only that something has.
        self.is_complete().and(done(waited))
    }

    /// Nanoseconds that the command took, where the device tells.
    pub fn took_ns(&self) -> Option<f64> {
        let start = self.time_ns(CL_PROFILING_COMMAND_START)?;
        Some(self.time_ns(CL_PROFILING_COMMAND_END)?.saturating_sub(start) as f64)
    }

    fn time_ns(&self, which: cl_profiling_info) -> Option<u64> {
        let mut ns: u64 = 0;
        let (bytes, room) = (size_of_val(&ns), ptr::from_mut(&mut ns).cast());
        let ask = self.functions.clGetEventProfilingInfo;
        // SAFETY: room is given for the one number.
        let asked = unsafe { ask(self.event.handle(), which, bytes, room, ptr::null_mut()) };
        done(asked).ok().map(|()| ns)
    }
}

/// The text of a figure, without the null at its end.
pub fn text(figure: Vec<u8>) -> String {
    let text = String::from_utf8_lossy(&figure);
    text.trim_end_matches('\0').trim().to_owned()
}
