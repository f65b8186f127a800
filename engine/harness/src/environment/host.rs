//! The machine that facts are read from: its files, and what only instructions tell.

use super::root::Root;

pub struct Host {
    pub root: Root,
    pub architecture: &'static str,
    /// What hypervisors call themselves, 12 characters each, the most telling first; meaningless
    /// unless the processor has the `hypervisor` flag.
    pub signatures: Vec<String>,
}

impl Host {
    pub fn this() -> Self {
        Self {
            root: Root::default(),
            architecture: std::env::consts::ARCH,
            signatures: hypervisor_signatures(),
        }
    }
}

/// A hypervisor that also speaks Hyper-V's interface shows that at 0x40000000 and its own name at
/// 0x40000100, as Linux' `hypervisor_cpuid_base` expects.
#[cfg(target_arch = "x86_64")]
fn hypervisor_signatures() -> Vec<String> {
    [0x4000_0100, 0x4000_0000].map(signature).into()
}

#[cfg(not(target_arch = "x86_64"))]
fn hypervisor_signatures() -> Vec<String> {
    Vec::new()
}

#[cfg(target_arch = "x86_64")]
fn signature(leaf: u32) -> String {
    // Newer compilers have `__cpuid` as a safe function, the oldest supported one does not.
    #[allow(unused_unsafe)]
    // SAFETY: every x86-64 processor has CPUID; for a leaf that it lacks it answers with the data
    // of another one, which matches no known name.
    let answer = unsafe { std::arch::x86_64::__cpuid(leaf) };
    let bytes = [answer.ebx, answer.ecx, answer.edx].map(u32::to_le_bytes).concat();
    String::from_utf8_lossy(&bytes).into_owned()
}
