//! Whether a hypervisor is below, and which.
//!
//! On x86 the processor's `hypervisor` flag decides whether, and what follows only which. Arm has
//! no such flag: there the firmware's words decide.

use super::host::Host;
use super::root::Root;

const SIGNATURES: [(&str, &str); 8] = [
    ("KVMKVMKVM", "kvm"),
    ("TCGTCGTCG", "tcg"),
    ("Microsoft Hv", "hyper-v"),
    ("VMwareVMware", "vmware"),
    ("XenVMMXenVMM", "xen"),
    ("VBoxVBoxVBox", "virtualbox"),
    ("bhyve bhyve", "bhyve"),
    (" lrpepyh", "parallels"),
];

/// Words of the firmware's vendor and product names, in this order: `Google Compute Engine` and the
/// clouds after it run KVM, and QEMU alone does not say whether it emulates.
const FIRMWARE: [(&str, &str); 13] = [
    ("VirtualBox", "virtualbox"),
    ("VMware", "vmware"),
    ("Xen", "xen"),
    ("Parallels", "parallels"),
    ("BHYVE", "bhyve"),
    ("Microsoft Corporation Virtual Machine", "hyper-v"),
    ("Apple Virtualization", "apple"),
    ("KVM", "kvm"),
    ("Amazon EC2", "kvm"),
    ("Google Compute Engine", "kvm"),
    ("OpenStack", "kvm"),
    ("DigitalOcean", "kvm"),
    ("QEMU", "qemu"),
];

/// `linux,dummy-virt` is the board that KVM's virtual machine monitors show on Arm.
const DEVICE_TREE: [(&str, &str); 4] =
    [("linux,kvm", "kvm"), ("xen,xen", "xen"), ("vmware", "vmware"), ("linux,dummy-virt", "kvm")];

const CLOCKSOURCES: [(&str, &str); 3] =
    [("kvm-clock", "kvm"), ("hyperv_clocksource", "hyper-v"), ("xen", "xen")];

/// `none`, a hypervisor's name, or `vm` where there is one that has no known name.
pub fn name(host: &Host, features: &[String]) -> String {
    let flagged = features.iter().any(|feature| feature == "hypervisor");
    let named = match host.architecture {
        "x86_64" if !flagged => None,
        "x86_64" => by_signature(host).or_else(|| by_files(&host.root)).or(Some("vm")),
        _ => by_files(&host.root),
    };
    named.unwrap_or("none").to_owned()
}

fn by_signature(host: &Host) -> Option<&'static str> {
    host.signatures.iter().find_map(|signature| {
        SIGNATURES.iter().find(|(known, _)| signature.starts_with(known)).map(|(_, name)| *name)
    })
}

fn by_files(root: &Root) -> Option<&'static str> {
    let firmware = ["sys_vendor", "product_name", "board_vendor", "bios_vendor"]
        .map(|name| root.text(&format!("sys/class/dmi/id/{name}")).unwrap_or_default())
        .join(" ");
    if firmware.contains(".metal") {
        // The cloud's name for a whole machine: `c7g.metal`.
        return None;
    }
    let device_tree = ["hypervisor/compatible", "compatible"]
        .map(|name| root.text(&format!("proc/device-tree/{name}")).unwrap_or_default())
        .join(" ");
    let clocksources = root
        .text("sys/devices/system/clocksource/clocksource0/available_clocksource")
        .unwrap_or_default();
    word_in(&firmware, &FIRMWARE)
        .or_else(|| word_in(&device_tree, &DEVICE_TREE))
        .or_else(|| word_in(&clocksources, &CLOCKSOURCES))
}

fn word_in(text: &str, words: &[(&str, &'static str)]) -> Option<&'static str> {
    words.iter().find(|(word, _)| text.contains(word)).map(|(_, name)| *name)
}

#[cfg(test)]
mod tests {
    use super::super::fixture::Tree;
    use super::*;

    fn x86_guest(tree: &str, signatures: &[&str]) -> String {
        let tree = Tree::new(tree);
        let signatures = signatures.iter().map(|text| (*text).to_owned()).collect();
        name(
            &Host { root: tree.root(), architecture: "x86_64", signatures },
            &["hypervisor".to_owned()],
        )
    }

    fn arm(tree: &str) -> String {
        let tree = Tree::new(tree);
        name(&Host { root: tree.root(), architecture: "aarch64", signatures: vec![] }, &[])
    }

    #[test]
    fn the_hypervisors_own_name_comes_before_the_one_it_poses_as() {
        assert_eq!(x86_guest("", &["KVMKVMKVM\0\0\0", "Microsoft Hv"]), "kvm");
        assert_eq!(x86_guest("", &["\0\0\0\0\0\0\0\0\0\0\0\0", "Microsoft Hv"]), "hyper-v");
        assert_eq!(x86_guest("", &["?", "TCGTCGTCGTCG"]), "tcg");
    }

    #[test]
    fn files_name_a_hypervisor_without_signature() {
        let clock = "=== sys/devices/system/clocksource/clocksource0/available_clocksource\n";
        assert_eq!(x86_guest(&[clock, "tsc kvm-clock"].concat(), &[]), "kvm");
        let azure = "=== sys/class/dmi/id/sys_vendor\nMicrosoft Corporation\n\
            === sys/class/dmi/id/product_name\nVirtual Machine\n";
        assert_eq!(x86_guest(azure, &[]), "hyper-v");
        assert_eq!(x86_guest("", &[]), "vm");
    }

    #[test]
    fn without_the_flag_an_x86_machine_is_bare_whatever_its_firmware_says() {
        let tree = Tree::new("=== sys/class/dmi/id/sys_vendor\nAmazon EC2\n");
        let signatures = vec!["KVMKVMKVM".to_owned()];
        let host = Host { root: tree.root(), architecture: "x86_64", signatures };
        assert_eq!(name(&host, &["aes".to_owned()]), "none");
    }

    #[test]
    fn arm_is_judged_by_firmware_and_device_tree() {
        let amazon = "=== sys/class/dmi/id/sys_vendor\nAmazon EC2\n\
            === sys/class/dmi/id/product_name\n";
        assert_eq!(arm(&[amazon, "c7g.large\n"].concat()), "kvm");
        assert_eq!(arm(&[amazon, "c7g.metal\n"].concat()), "none");
        assert_eq!(arm("=== proc/device-tree/compatible\nlinux,dummy-virt\0"), "kvm");
        assert_eq!(arm("=== proc/device-tree/compatible\nraspberrypi,4-model-b\0"), "none");
    }
}
