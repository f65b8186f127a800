//! Who the machine is: an identifier, a name to speak of it, and a kind to compare within.

use sha2::{Digest, Sha256};

use super::cpuinfo::Processor;
use super::root::Root;

/// A machine id must not leave the machine as it is (`man 5 machine-id`); the salt keeps what is
/// published here from matching what another program publishes.
const SALT: &str = "ciphermark machine";

/// Instructions, of x86 and arm64, that decide how fast cryptography can be. Only these make the
/// kind: kernels add and rename other flags, and an updated kernel must leave the machine
/// comparable with itself.
const FEATURES: &str = "\
    ssse3 sse4_1 sse4_2 avx avx2 avx512f avx512bw avx512dq avx512vl avx512ifma avx512vbmi \
    avx512_vbmi2 aes vaes pclmulqdq vpclmulqdq gfni sha_ni bmi1 bmi2 adx \
    asimd pmull sha1 sha2 sha3 sha512 sm3 sm4 sve sve2 sveaes svepmull svesha3 svesm4";

/// Words of processor names that tell nothing apart.
const NOISE: [&str; 6] = ["amd", "intel", "cpu", "processor", "gen", "version"];

/// 16 hex digits that stay with the installation. Without a machine id they are made of the host's
/// name, what firmware says of the board, and the kind.
pub fn id(root: &Root, kind: &str) -> String {
    let id = machine_id(root).unwrap_or_else(|| facts(root, kind));
    let digest = Sha256::new().chain_update(SALT).chain_update(id).finalize();
    format!("{:016x}", leading_bytes(&digest))
}

/// Short readable name, of `a-z`, `0-9` and `-` only: `epyc-9b45-kvm`.
pub fn name(processor: &Processor, virtualisation: &str) -> String {
    let mut words = telling_words(&processor.name);
    if !words.iter().any(|word| word.contains(|c: char| c.is_ascii_digit())) {
        // Guests are often shown a bare family name, such as `AMD EPYC`.
        words.extend(processor.family.zip(processor.model).map(|(f, m)| format!("f{f}m{m}")));
    }
    if virtualisation != "none" {
        words.push(slug(virtualisation));
    }
    words.join("-")
}

/// Vendor, family, model, features (hashed), cores and virtualisation.
pub fn kind(processor: &Processor, cores: u32, virtualisation: &str) -> String {
    let number = |value: Option<u32>| value.map_or_else(|| "?".to_owned(), |n| n.to_string());
    format!(
        "{}/family-{}/model-{}/features-{:08x}/cores-{cores}/{virtualisation}",
        processor.vendor,
        number(processor.family),
        number(processor.model),
        feature_hash(&processor.features),
    )
}

fn feature_hash(features: &[String]) -> u32 {
    let telling = |name: &&str| FEATURES.split_whitespace().any(|telling| telling == *name);
    let relevant: Vec<&str> = features.iter().map(String::as_str).filter(telling).collect();
    (leading_bytes(&Sha256::digest(relevant.join(" "))) >> 32) as u32
}

/// A fresh image holds `uninitialized` in place of an id.
fn machine_id(root: &Root) -> Option<String> {
    ["etc/machine-id", "var/lib/dbus/machine-id"].iter().find_map(|path| {
        root.text(path).filter(|id| id.len() == 32 && id.bytes().all(|b| b.is_ascii_hexdigit()))
    })
}

fn facts(root: &Root, kind: &str) -> String {
    let paths = [
        "proc/sys/kernel/hostname",
        "sys/class/dmi/id/sys_vendor",
        "sys/class/dmi/id/product_name",
        "sys/class/dmi/id/board_name",
        "proc/device-tree/model",
    ];
    let mut facts: Vec<String> = paths.iter().filter_map(|path| root.text(path)).collect();
    facts.push(kind.to_owned());
    facts.join("\n")
}

fn leading_bytes(digest: &[u8]) -> u64 {
    digest.iter().take(8).fold(0, |number, byte| number << 8 | u64::from(*byte))
}

fn telling_words(cpu_name: &str) -> Vec<String> {
    let name = cpu_name.to_lowercase().replace("(r)", "").replace("(tm)", "");
    // A nominal clock follows the @, a graphics unit the `with`.
    let name = ["@", " with ", " w/"]
        .iter()
        .fold(name.as_str(), |name, mark| name.split_once(mark).map_or(name, |(before, _)| before));
    name.split_whitespace()
        .filter(|word| !is_noise(word))
        .map(slug)
        .filter(|s| !s.is_empty())
        .collect()
}

/// `64-core` and `12th` (of `12th Gen`) are noise too.
fn is_noise(word: &str) -> bool {
    let ordinal = word.strip_suffix("th").is_some_and(|n| n.bytes().all(|b| b.is_ascii_digit()));
    NOISE.contains(&word) || word.ends_with("-core") || ordinal
}

fn slug(word: &str) -> String {
    let parts = word.split(|c: char| !c.is_ascii_alphanumeric()).filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join("-").to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::super::fixture::Tree;
    use super::*;

    fn processor(name: &str, features: &[&str]) -> Processor {
        Processor {
            vendor: "GenuineIntel".to_owned(),
            name: name.to_owned(),
            family: Some(6),
            model: Some(85),
            stepping: None,
            microcode: None,
            features: features.iter().map(|name| (*name).to_owned()).collect(),
        }
    }

    #[test]
    fn names_keep_what_tells_processors_apart() {
        let cases = [
            ("AMD EPYC 9B45 128-Core Processor", "epyc-9b45"),
            ("Intel(R) Xeon(R) Platinum 8375C CPU @ 2.90GHz", "xeon-platinum-8375c"),
            ("12th Gen Intel(R) Core(TM) i7-12700K", "core-i7-12700k"),
            ("AMD Ryzen 7 PRO 7840U w/ Radeon 780M Graphics", "ryzen-7-pro-7840u"),
            ("AMD Ryzen 5 3400G with Radeon Vega Graphics", "ryzen-5-3400g"),
            ("Quad-Core AMD Opteron(tm) Processor 2356", "opteron-2356"),
            ("QEMU Virtual CPU version 2.5+", "qemu-virtual-2-5"),
            ("Intel Xeon Processor (Skylake, IBRS)", "xeon-skylake-ibrs-f6m85"),
            ("Cortex-A55 + Cortex-A76", "cortex-a55-cortex-a76"),
            ("", "f6m85"),
        ];
        for (cpu_name, expected) in cases {
            assert_eq!(name(&processor(cpu_name, &[]), "none"), expected);
        }
    }

    #[test]
    fn the_hypervisor_ends_the_name() {
        assert_eq!(name(&processor("AMD EPYC", &[]), "hyper-v"), "epyc-f6m85-hyper-v");
    }

    #[test]
    fn the_kind_changes_with_instructions_and_not_with_other_flags() {
        let kind_of = |features: &[&str]| kind(&processor("x", features), 4, "kvm");
        assert_eq!(kind_of(&["aes", "avx2", "cpuid"]), kind_of(&["aes", "avx2", "fsrm", "ibrs"]));
        assert_ne!(kind_of(&["aes", "avx2"]), kind_of(&["aes", "avx2", "vaes"]));
        assert!(kind_of(&[]).starts_with("GenuineIntel/family-6/model-85/features-"));
    }

    #[test]
    fn the_id_is_salted() {
        let id_of = |tree: &str| id(&Tree::new(tree).root(), "kind");
        let direct = "=== etc/machine-id\n0123456789abcdef0123456789abcdef\n";
        let dbus = "=== var/lib/dbus/machine-id\n0123456789abcdef0123456789abcdef\n";
        // printf 'ciphermark machine0123456789abcdef0123456789abcdef' | sha256sum
        assert_eq!(id_of(direct), "7e9d6f86c6c8e3a1");
        assert_eq!(id_of(direct), id_of(dbus));
    }

    #[test]
    fn without_a_machine_id_the_host_and_its_board_make_one() {
        let id_of = |tree: &str| id(&Tree::new(tree).root(), "kind");
        let host = |name: &str| {
            format!("=== etc/machine-id\nuninitialized\n=== proc/sys/kernel/hostname\n{name}\n")
        };
        assert_eq!(id_of(&host("a")), id_of(&host("a")));
        assert_ne!(id_of(&host("a")), id_of(&host("b")));
    }
}
