//! `/proc/cpuinfo`, as x86, Arm and RISC-V write it.

use std::collections::{BTreeMap, BTreeSet};

use super::midr;

/// The processor as it names itself.
#[derive(Debug, PartialEq)]
pub struct Processor {
    pub vendor: String,
    pub name: String,
    pub family: Option<u32>,
    pub model: Option<u32>,
    pub stepping: Option<u32>,
    pub microcode: Option<String>,
    /// Sorted.
    pub features: Vec<String>,
}

/// The lines of one logical CPU.
type Fields<'a> = BTreeMap<&'a str, &'a str>;

/// Which form it is, is seen from the text: under user-mode emulation an arm64 program can be shown
/// its x86 host.
pub fn parse(text: &str) -> Processor {
    let cpus = cpus(text);
    let first = cpus.first().cloned().unwrap_or_default();
    if first.contains_key("CPU implementer") {
        from_arm(&cpus, &first)
    } else if first.contains_key("isa") {
        from_riscv(&first)
    } else {
        from_x86(&first)
    }
}

/// One entry per logical CPU. Boards append a paragraph of their own, which is none.
fn cpus(text: &str) -> Vec<Fields<'_>> {
    text.split("\n\n").map(fields).filter(|fields| fields.contains_key("processor")).collect()
}

fn fields(paragraph: &str) -> Fields<'_> {
    let pairs = paragraph.lines().filter_map(|line| line.split_once(':'));
    pairs.map(|(key, value)| (key.trim(), value.trim())).collect()
}

fn from_x86(fields: &Fields<'_>) -> Processor {
    Processor {
        vendor: text(fields, "vendor_id").unwrap_or_else(unknown),
        name: text(fields, "model name").unwrap_or_else(unknown),
        family: number(fields, "cpu family"),
        model: number(fields, "model"),
        stepping: number(fields, "stepping"),
        microcode: text(fields, "microcode"),
        features: words(fields, "flags"),
    }
}

/// arm64 has numbers where x86 has names: architecture, part, and variant with revision as r0p3.
/// All kinds of cores are named, since which of them is cpu0 says little on a big.LITTLE machine.
fn from_arm(cpus: &[Fields<'_>], first: &Fields<'_>) -> Processor {
    let names: BTreeSet<String> = cpus.iter().filter_map(arm_name).collect();
    let revision = number(first, "CPU revision");
    Processor {
        vendor: number(first, "CPU implementer").map_or_else(unknown, midr::implementer),
        name: if names.is_empty() { unknown() } else { Vec::from_iter(names).join(" + ") },
        family: number(first, "CPU architecture"),
        model: number(first, "CPU part"),
        stepping: number(first, "CPU variant").zip(revision).map(|(r, p)| r << 4 | p),
        microcode: None,
        features: words(first, "Features"),
    }
}

fn arm_name(fields: &Fields<'_>) -> Option<String> {
    Some(midr::part(number(fields, "CPU implementer")?, number(fields, "CPU part")?))
}

/// RISC-V names the core by the device tree, and its extensions in one word: `rv64imafdc_zicsr_zkne`.
fn from_riscv(fields: &Fields<'_>) -> Processor {
    let isa = text(fields, "isa").unwrap_or_default();
    let (base, extensions) = isa.split_once('_').unwrap_or((&isa, ""));
    let letters = base.trim_start_matches(|c: char| c.is_ascii_digit() || "rv".contains(c));
    let mut features: Vec<String> = letters.chars().map(String::from).collect();
    features.extend(extensions.split('_').filter(|it| !it.is_empty()).map(str::to_owned));
    features.sort();
    Processor {
        vendor: text(fields, "mvendorid").unwrap_or_else(unknown),
        name: text(fields, "uarch").unwrap_or_else(|| base.to_owned()),
        family: None,
        model: None,
        stepping: None,
        microcode: None,
        features,
    }
}

fn unknown() -> String {
    "unknown".to_owned()
}

fn text(fields: &Fields<'_>, key: &str) -> Option<String> {
    fields.get(key).filter(|value| !value.is_empty()).map(|value| (*value).to_owned())
}

fn number(fields: &Fields<'_>, key: &str) -> Option<u32> {
    let value = fields.get(key)?;
    match value.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16).ok(),
        None => value.parse().ok(),
    }
}

fn words(fields: &Fields<'_>, key: &str) -> Vec<String> {
    let mut words: Vec<String> = fields
        .get(key)
        .copied()
        .unwrap_or_default()
        .split_whitespace()
        .map(str::to_owned)
        .collect();
    words.sort();
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_kinds_of_cores_are_named() {
        let cpu = |number: u32, part: &str| {
            format!("processor\t: {number}\nCPU implementer\t: 0x41\nCPU part\t: {part}\n\n")
        };
        let text = [cpu(0, "0xd05"), cpu(1, "0xd05"), cpu(2, "0xd0b"), cpu(3, "0xd0b")].concat();
        let processor = parse(&text);
        assert_eq!(processor.name, "Cortex-A55 + Cortex-A76");
        assert_eq!((processor.model, processor.stepping), (Some(0xd05), None));
    }

    #[test]
    fn an_unlisted_part_is_named_by_its_number() {
        let text = "processor: 0\nCPU implementer: 0x99\nCPU part: 0x123\n";
        let processor = parse(text);
        assert_eq!(processor.vendor, "implementer 0x99");
        assert_eq!(processor.name, "part 0x123");
    }

    #[test]
    fn risc_v_has_its_extensions_in_one_word() {
        let text =
            "processor\t: 0\nhart\t: 1\nisa\t: rv64imafdc_zicsr_zkne\nuarch\t: sifive,u74-mc\n";
        let processor = parse(text);
        assert_eq!(processor.name, "sifive,u74-mc");
        assert_eq!(processor.features, ["a", "c", "d", "f", "i", "m", "zicsr", "zkne"]);
        assert_eq!(parse("processor: 0\nisa: rv64imac").name, "rv64imac");
    }

    #[test]
    fn model_and_model_name_are_told_apart() {
        let text = "processor\t: 0\nmodel\t\t: 26\nmodel name\t: A: B\nModel\t: a board\n";
        let processor = parse(text);
        assert_eq!((processor.model, processor.name.as_str()), (Some(26), "A: B"));
    }
}
