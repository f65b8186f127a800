//! The devices that the drivers here have, and which one is used.

use std::ffi::c_void;
use std::{env, fmt, ptr};

use opencl_sys::*;

use super::libopencl::Libopencl;
use super::objects::{self, Status, done};
use ciphermark_providers::api::Unusable;

/// The environment variable that chooses a device: numbers of platform and device, `0:1`.
pub const CHOICE: &str = "CIPHERMARK_OPENCL_DEVICE";

/// In the order in which they are preferred.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DeviceKind {
    Gpu,
    Accelerator,
    Cpu,
}

impl DeviceKind {
    fn of(flags: cl_device_type) -> Option<Self> {
        let kinds = [
            (CL_DEVICE_TYPE_GPU, Self::Gpu),
            (CL_DEVICE_TYPE_ACCELERATOR, Self::Accelerator),
            (CL_DEVICE_TYPE_CPU, Self::Cpu),
        ];
        kinds.into_iter().find(|(flag, _)| flags & flag != 0).map(|(_, kind)| kind)
    }

    /// The name of the backend.
    pub fn backend(self) -> &'static str {
        match self {
            Self::Gpu => "gpu",
            Self::Accelerator => "accelerator",
            Self::Cpu => "cpu",
        }
    }
}

impl fmt::Display for DeviceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Gpu => "GPU",
            Self::Accelerator => "accelerator",
            Self::Cpu => "CPU",
        })
    }
}

/// A device that can be used: it is there, has a compiler, and is little-endian.
#[derive(Clone)]
pub struct UsableDevice {
    pub id: cl_device_id,
    /// Of platform and device, as people choose it.
    numbers: (usize, usize),
    pub kind: DeviceKind,
    pub name: String,
    pub platform: String,
    /// As the platform tells: `OpenCL 3.0 PoCL 3.1`.
    pub version: String,
    pub driver: String,
    /// Work items of one group, at most.
    pub group: usize,
    /// Bytes of one buffer, at most.
    pub buffer_bytes: u64,
}

impl fmt::Display for UsableDevice {
    /// `CPU: pthread-skylake (Portable Computing Language, driver 3.1)`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, name, platform, driver, .. } = self;
        write!(f, "{kind}: {name} ({platform}, driver {driver})")
    }
}

/// The device that the user has chosen or, without a choice, the first of the best kind.
pub fn choose(functions: &Libopencl) -> Result<UsableDevice, Unusable> {
    let devices = devices(functions)?;
    match env::var(CHOICE) {
        Ok(choice) => chosen(devices, &choice),
        Err(_) => Ok(devices.into_iter().min_by_key(|found| found.kind).expect("there is one")),
    }
}

fn chosen(devices: Vec<UsableDevice>, choice: &str) -> Result<UsableDevice, Unusable> {
    let number = |found: &UsableDevice| format!("{}:{}", found.numbers.0, found.numbers.1);
    if let Some(found) = devices.iter().find(|found| number(found) == choice) {
        return Ok(found.clone());
    }
    let listed: Vec<_> = devices.iter().map(|it| format!("{} ({it})", number(it))).collect();
    let listed = listed.join(", ");
    Err(Unusable(format!("{CHOICE}={choice} names no device: set it to one of {listed}")))
}

/// All devices that can be used, of which there is at least one.
fn devices(functions: &Libopencl) -> Result<Vec<UsableDevice>, Unusable> {
    let platforms = platforms(functions);
    if platforms.is_empty() {
        return Err(Unusable(
            "no OpenCL platform was found: install the driver of your GPU, or for the CPU Debian's \
             pocl-opencl-icd (apt-get install pocl-opencl-icd)"
                .into(),
        ));
    }
    let platforms_and_devices = platforms.iter().enumerate().flat_map(|(number, platform)| {
        let devices = devices_of(functions, *platform).into_iter().enumerate();
        devices.filter_map(move |(device, id)| {
            found(functions, *platform, id, (number, device)).ok().flatten()
        })
    });
    let devices: Vec<_> = platforms_and_devices.collect();
    if devices.is_empty() {
        return Err(Unusable(
            "no OpenCL device with a compiler was found: look at what clinfo says of your driver \
             (apt-get install clinfo)"
                .into(),
        ));
    }
    Ok(devices)
}

/// Without platforms this is an error of some loaders, and none of others.
fn platforms(functions: &Libopencl) -> Vec<cl_platform_id> {
    listed(|room, platforms, count| {
        // SAFETY: room is given for so many.
        unsafe { (functions.clGetPlatformIDs)(room, platforms, count) }
    })
}

/// Without devices this is an error.
fn devices_of(functions: &Libopencl, platform: cl_platform_id) -> Vec<cl_device_id> {
    listed(|room, devices, count| {
        let all = CL_DEVICE_TYPE_ALL;
        // SAFETY: the platform is there, and room is given for so many.
        unsafe { (functions.clGetDeviceIDs)(platform, all, room, devices, count) }
    })
}

fn listed(ask: impl Fn(cl_uint, *mut *mut c_void, *mut cl_uint) -> cl_int) -> Vec<*mut c_void> {
    let mut count = 0;
    if done(ask(0, ptr::null_mut(), &mut count)).is_err() {
        return Vec::new();
    }
    let mut list = vec![ptr::null_mut(); count as usize];
    match done(ask(count, list.as_mut_ptr(), ptr::null_mut())) {
        Ok(()) => list,
        Err(_) => Vec::new(),
    }
}

/// What a device tells of itself; none where it cannot be used.
fn found(
    functions: &Libopencl,
    platform: cl_platform_id,
    id: cl_device_id,
    numbers: (usize, usize),
) -> Result<Option<UsableDevice>, Status> {
    let device = |which| {
        // SAFETY: the device is there, and room is given for as many bytes as are told.
        objects::told(|bytes, room, needed| unsafe {
            (functions.clGetDeviceInfo)(id, which, bytes, room, needed)
        })
    };
    let platform = |which| {
        // SAFETY: as above.
        objects::told(|bytes, room, needed| unsafe {
            (functions.clGetPlatformInfo)(platform, which, bytes, room, needed)
        })
    };
    for needed in [CL_DEVICE_AVAILABLE, CL_DEVICE_COMPILER_AVAILABLE, CL_DEVICE_ENDIAN_LITTLE] {
        if number(&device(needed)?) == 0 {
            return Ok(None);
        }
    }
    let Some(kind) = DeviceKind::of(number(&device(CL_DEVICE_TYPE)?)) else { return Ok(None) };
    Ok(Some(UsableDevice {
        id,
        numbers,
        kind,
        name: objects::text(device(CL_DEVICE_NAME)?),
        platform: objects::text(platform(CL_PLATFORM_NAME)?),
        version: objects::text(platform(CL_PLATFORM_VERSION)?),
        driver: objects::text(device(CL_DRIVER_VERSION)?),
        group: number(&device(CL_DEVICE_MAX_WORK_GROUP_SIZE)?) as usize,
        buffer_bytes: number(&device(CL_DEVICE_MAX_MEM_ALLOC_SIZE)?),
    }))
}

/// A number of any width as the device tells it, in the byte order of the host.
fn number(figure: &[u8]) -> u64 {
    let mut bytes = [0; 8];
    let known = figure.len().min(bytes.len());
    bytes[..known].copy_from_slice(&figure[..known]);
    u64::from_le_bytes(bytes)
}
