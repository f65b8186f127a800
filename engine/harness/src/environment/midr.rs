//! Names for the numbers of Arm's main identification register (MIDR).
//!
//! Source: the implementer table of the Arm Architecture Reference Manual and the part numbers in
//! Linux' `arch/arm64/include/asm/cputype.h` and `arch/arm/include/asm/cputype.h`. A number that is missing here is shown as a number.

const ARM: u32 = 0x41;
const APPLE: u32 = 0x61;
const AMPERE: u32 = 0xc0;

const IMPLEMENTERS: [(u32, &str); 13] = [
    (ARM, "ARM"),
    (0x42, "Broadcom"),
    (0x43, "Cavium"),
    (0x46, "Fujitsu"),
    (0x48, "HiSilicon"),
    (0x4e, "NVIDIA"),
    (0x50, "APM"),
    (0x51, "Qualcomm"),
    (0x53, "Samsung"),
    (APPLE, "Apple"),
    (0x6d, "Microsoft"),
    (0x70, "Phytium"),
    (AMPERE, "Ampere"),
];

const PARTS: [(u32, u32, &str); 45] = [
    (ARM, 0xc05, "Cortex-A5"),
    (ARM, 0xc07, "Cortex-A7"),
    (ARM, 0xc08, "Cortex-A8"),
    (ARM, 0xc09, "Cortex-A9"),
    (ARM, 0xc0d, "Cortex-A12"),
    (ARM, 0xc0e, "Cortex-A17"),
    (ARM, 0xc0f, "Cortex-A15"),
    (ARM, 0xd03, "Cortex-A53"),
    (ARM, 0xd04, "Cortex-A35"),
    (ARM, 0xd05, "Cortex-A55"),
    (ARM, 0xd07, "Cortex-A57"),
    (ARM, 0xd08, "Cortex-A72"),
    (ARM, 0xd09, "Cortex-A73"),
    (ARM, 0xd0a, "Cortex-A75"),
    (ARM, 0xd0b, "Cortex-A76"),
    (ARM, 0xd0c, "Neoverse-N1"),
    (ARM, 0xd0d, "Cortex-A77"),
    (ARM, 0xd40, "Neoverse-V1"),
    (ARM, 0xd41, "Cortex-A78"),
    (ARM, 0xd42, "Cortex-A78AE"),
    (ARM, 0xd44, "Cortex-X1"),
    (ARM, 0xd46, "Cortex-A510"),
    (ARM, 0xd47, "Cortex-A710"),
    (ARM, 0xd48, "Cortex-X2"),
    (ARM, 0xd49, "Neoverse-N2"),
    (ARM, 0xd4a, "Neoverse-E1"),
    (ARM, 0xd4b, "Cortex-A78C"),
    (ARM, 0xd4d, "Cortex-A715"),
    (ARM, 0xd4e, "Cortex-X3"),
    (ARM, 0xd4f, "Neoverse-V2"),
    (ARM, 0xd80, "Cortex-A520"),
    (ARM, 0xd81, "Cortex-A720"),
    (ARM, 0xd82, "Cortex-X4"),
    (ARM, 0xd84, "Neoverse-V3"),
    (ARM, 0xd85, "Cortex-X925"),
    (ARM, 0xd87, "Cortex-A725"),
    (ARM, 0xd8e, "Neoverse-N3"),
    (0x43, 0x0af, "ThunderX2"),
    (0x46, 0x001, "A64FX"),
    (0x48, 0xd01, "Kunpeng-920"),
    (0x4e, 0x004, "Carmel"),
    (APPLE, 0x022, "M1-Icestorm"),
    (APPLE, 0x023, "M1-Firestorm"),
    (AMPERE, 0xac3, "Ampere-1"),
    (AMPERE, 0xac4, "Ampere-1A"),
];

pub fn implementer(number: u32) -> String {
    match IMPLEMENTERS.iter().find(|(known, _)| *known == number) {
        Some((_, name)) => (*name).to_owned(),
        None => format!("implementer {number:#04x}"),
    }
}

pub fn part(implementer: u32, number: u32) -> String {
    match PARTS.iter().find(|(by, known, _)| (*by, *known) == (implementer, number)) {
        Some((_, _, name)) => (*name).to_owned(),
        None => format!("part {number:#05x}"),
    }
}
