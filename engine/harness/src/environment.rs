//! The machine and its state, read from `/proc`, `/sys` and `/etc`.
//!
//! What the kernel does not tell stays absent: nothing here fails, and nothing is measured. All
//! files are read through a [`Root`](root::Root), so that tests lend the trees of other machines.

mod control_groups;
mod cpu_time;
mod cpufreq;
mod cpuinfo;
mod cpus;
#[cfg(test)]
pub(crate) mod fixture;
mod heat;
mod host;
mod identity;
mod memory;
mod midr;
mod os;
pub(crate) mod root;
mod virtualisation;

use ciphermark_record::environment::{Machine, Pmu, State};

pub use control_groups::ControlGroup;
pub use cpu_time::{Ticks, cpu_ticks};
pub use heat::{temperature_c, throttles};
pub use memory::{
    available_bytes, cache_bytes, data_bytes, killed_for_memory, last_level_cache_bytes,
    resident_bytes,
};

use host::Host;
use root::Root;

/// The group of this process for a controller (`cpu`, `memory`).
pub fn control_group(controller: &str) -> Option<ControlGroup> {
    ControlGroup::find(&Root::default(), controller)
}

/// What this machine is.
pub fn machine() -> Machine {
    machine_of(&Host::this())
}

/// What state this machine is in, for measuring on `cpu`.
///
/// To be called before threads are pinned: `cpus_allowed` is the mask that the main thread has now.
pub fn state(cpu: u32, pmu: Pmu) -> State {
    state_of(&Root::default(), cpu, pmu)
}

/// The CPUs of each core that this process may run on; to be called before threads are pinned too.
pub fn core_cpus() -> Vec<Vec<u32>> {
    cpus::by_core(&Root::default())
}

/// Those of `cpus` whose core is of the kind of the last one, as far as the kernel tells.
pub fn of_last_kind(cpus: &[u32]) -> Vec<u32> {
    cpus::of_last_kind(&Root::default(), cpus)
}

/// What the processor has beyond its architecture, as the kernel names it; sorted.
pub fn cpu_features() -> Vec<String> {
    processor(&Root::default()).features
}

fn processor(root: &Root) -> cpuinfo::Processor {
    cpuinfo::parse(&root.text("proc/cpuinfo").unwrap_or_default())
}

fn machine_of(host: &Host) -> Machine {
    let root = &host.root;
    let processor = processor(root);
    let virtualisation = virtualisation::name(host, &processor.features);
    let online = cpus::online(root);
    let cores = cpus::physical_cores(root, &online);
    let kind = identity::kind(&processor, cores.unwrap_or(online.len() as u32), &virtualisation);
    Machine {
        machine_id: identity::id(root, &kind),
        machine_name: identity::name(&processor, &virtualisation),
        machine_kind: kind,
        architecture: host.architecture.to_owned(),
        cpu_vendor: processor.vendor,
        cpu_name: processor.name,
        cpu_family: processor.family,
        cpu_model: processor.model,
        cpu_stepping: processor.stepping,
        microcode: processor.microcode,
        cpu_features: processor.features,
        cpus_online: online.len() as u32,
        cores_physical: cores,
        l1d_cache_bytes: memory::data_cache_bytes(root, 1),
        l2_cache_bytes: memory::data_cache_bytes(root, 2),
        l3_cache_bytes: memory::data_cache_bytes(root, 3),
        memory_bytes: memory::main_bytes(root),
        virtualisation,
        operating_system: os::name(root),
        kernel: os::kernel(root),
    }
}

fn state_of(root: &Root, cpu: u32, pmu: Pmu) -> State {
    State {
        cpus_allowed: cpus::allowed(root),
        cpu,
        smt_siblings: cpus::smt_siblings(root, cpu),
        core_cpus: cpus::by_core(root),
        governor: cpufreq::governor(root, cpu),
        turbo: cpufreq::turbo(root, cpu),
        load_1min: os::load_1min(root),
        steal_share_since_boot: cpu_time::share_since_boot(root),
        perf_event_paranoid: root.parse("proc/sys/kernel/perf_event_paranoid"),
        pmu,
        clocksource: root.text("sys/devices/system/clocksource/clocksource0/current_clocksource"),
    }
}

#[cfg(test)]
mod tests {
    use super::fixture::Tree;
    use super::*;

    const AMD_KVM_GUEST: &str = include_str!("environment/fixtures/amd_kvm_guest.txt");
    const INTEL_LAPTOP: &str = include_str!("environment/fixtures/intel_laptop.txt");
    const RASPBERRY_PI: &str = include_str!("environment/fixtures/raspberry_pi.txt");
    const GRAVITON_CONTAINER: &str = include_str!("environment/fixtures/graviton_container.txt");

    fn machine_from(tree: &Tree, architecture: &'static str, signature: &str) -> Machine {
        let signatures = vec![signature.to_owned()];
        machine_of(&Host { root: tree.root(), architecture, signatures })
    }

    fn state_from(tree: &Tree, cpu: u32) -> State {
        state_of(&tree.root(), cpu, Pmu { usable: true, reason: String::new() })
    }

    #[test]
    fn amd_guest_shows_no_frequency_and_is_named_by_family_and_model() {
        let tree = Tree::new(AMD_KVM_GUEST);
        let machine = machine_from(&tree, "x86_64", "KVMKVMKVM\0\0\0");
        assert_eq!(machine.machine_name, "epyc-f25m1-kvm");
        assert_eq!(machine.virtualisation, "kvm");
        assert_eq!(machine.cpu_vendor, "AuthenticAMD");
        assert_eq!((machine.cpu_family, machine.cpu_model), (Some(25), Some(1)));
        assert_eq!((machine.cpus_online, machine.cores_physical), (2, Some(2)));
        assert_eq!(machine.l1d_cache_bytes, Some(32 << 10));
        assert_eq!(machine.l3_cache_bytes, Some(32 << 20));
        assert_eq!(machine.memory_bytes, Some(24_684_092 * 1024));
        assert_eq!(machine.operating_system, "Debian GNU/Linux 12 (bookworm)");
        assert_eq!(machine.kernel, "Linux 6.18.44");

        let state = state_from(&tree, 1);
        assert_eq!(state.cpus_allowed, [0, 1]);
        assert!(state.smt_siblings.is_empty());
        assert_eq!(state.core_cpus, [[0], [1]]);
        assert_eq!((state.governor, state.turbo), (None, None));
        assert_eq!(state.steal_share_since_boot, Some(0.25));
        assert_eq!(state.clocksource.as_deref(), Some("tsc"));
        assert_eq!(state.perf_event_paranoid, Some(2));
        assert_eq!(state.load_1min, Some(0.1));
    }

    #[test]
    fn intel_laptop_shows_governor_turbo_and_siblings() {
        let tree = Tree::new(INTEL_LAPTOP);
        let machine = machine_from(&tree, "x86_64", "");
        assert_eq!(machine.machine_name, "core-i7-8650u");
        assert_eq!(machine.virtualisation, "none");
        assert_eq!(machine.microcode.as_deref(), Some("0xf4"));
        assert_eq!((machine.cpus_online, machine.cores_physical), (4, Some(2)));
        assert_eq!(machine.l2_cache_bytes, Some(256 << 10));

        let state = state_from(&tree, 3);
        assert_eq!(state.smt_siblings, [1]);
        assert_eq!(state.core_cpus, [[0, 2], [1, 3]]);
        assert_eq!(state.governor.as_deref(), Some("powersave"));
        assert_eq!(state.turbo, Some(true));
        assert_eq!(state.perf_event_paranoid, Some(3));
    }

    #[test]
    fn raspberry_pi_is_named_from_its_part_numbers() {
        let tree = Tree::new(RASPBERRY_PI);
        let machine = machine_from(&tree, "aarch64", "");
        assert_eq!(machine.machine_name, "cortex-a72");
        assert_eq!((machine.cpu_vendor.as_str(), machine.cpu_name.as_str()), ("ARM", "Cortex-A72"));
        assert_eq!((machine.cpu_family, machine.cpu_model), (Some(8), Some(0xd08)));
        assert_eq!(machine.cpu_stepping, Some(0x03));
        assert_eq!(machine.cpu_features, ["asimd", "cpuid", "crc32", "evtstrm", "fp"]);
        assert_eq!(machine.virtualisation, "none");
        assert_eq!(machine.l1d_cache_bytes, None);
        assert_eq!(machine.cores_physical, Some(4));

        let state = state_from(&tree, 0);
        assert_eq!(state.governor.as_deref(), Some("ondemand"));
        assert_eq!(state.turbo, Some(false));
        assert_eq!(state.clocksource.as_deref(), Some("arch_sys_counter"));
        assert_eq!(state.perf_event_paranoid, None);
    }

    #[test]
    fn container_shows_the_cpus_it_may_use_and_is_still_the_same_kind_of_machine() {
        let tree = Tree::new(GRAVITON_CONTAINER);
        let machine = machine_from(&tree, "aarch64", "");
        assert_eq!(machine.machine_name, "neoverse-v1-kvm");
        assert_eq!(machine.operating_system, "Alpine Linux v3.20, in docker");
        assert!(machine.machine_kind.ends_with("/cores-4/kvm"), "{}", machine.machine_kind);
        assert_eq!(machine.cpus_online, 4);
        assert_eq!(state_from(&tree, 2).cpus_allowed, [1, 2]);
    }

    #[test]
    fn a_machine_that_tells_nothing_is_still_described() {
        let tree = Tree::new("");
        let machine = machine_from(&tree, "x86_64", "");
        assert_eq!(machine.machine_name, "unknown");
        assert_eq!(machine.machine_kind, "unknown/family-?/model-?/features-e3b0c442/cores-1/none");
        assert_eq!(machine.cpus_online, 1);
        assert_eq!(machine.operating_system, "Linux");
        let state = state_from(&tree, 7);
        assert_eq!((state.cpu, state.load_1min, state.steal_share_since_boot), (7, None, None));
        assert!(state.core_cpus.is_empty());
    }

    #[test]
    fn this_machine_has_an_identity_that_stays() {
        let machine = machine();
        assert_eq!(machine.machine_id.len(), 16);
        assert_eq!(machine.machine_id, super::machine().machine_id);
        let allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        assert!(machine.machine_name.chars().all(allowed), "{}", machine.machine_name);
    }
}
