//! How many instructions of each kind were executed.

use std::io;

use iced_x86::{Instruction, InstructionInfoFactory, OpAccess, OpKind, Register};

use super::executed::{Executed, executed};
use super::memory::Memory;
use super::single_step::Steps;
use crate::counts::{Bits, Counts, Kind};

/// Beginnings of names of vector instructions, without their `v`, by kind; the first that fits
/// counts. What fits none is logic, the kind of which every processor executes the most, so that a
/// limit by counts is at most too low.
const KINDS: &[(Kind, &[&str])] = &[
    (Kind::Aes, &["aes"]),
    (Kind::Carry, CARRIES),
    (Kind::CarrylessMultiply, &["pclmul"]),
    (Kind::Multiply52, &["pmadd52"]),
    (Kind::Logic, &["pmultishift", "pblend", "blend", "movd", "movq", "pmovm2"]),
    (Kind::Multiply, &["pmul", "pmadd", "pdp"]),
    (Kind::FloatMultiply, &["mulp", "fmadd", "fmsub", "fnmadd", "fnmsub"]),
    (Kind::Affine, &["gf2p8affine"]),
    (Kind::Shift, &["psll", "psrl", "psra", "prol", "pror", "pshld", "pshrd"]),
    (Kind::Minimum, &["pmin", "pmax", "pcmp"]),
    (Kind::Add, &["padd", "psub", "pabs", "psign", "pavg"]),
    (Kind::PermuteTwo, &["permi2b", "permt2b", "permi2w", "permt2w"]),
    (
        Kind::Permute,
        &["perm", "pexpand", "pcompress", "align", "extract", "insert", "shufi", "shuff"],
    ),
    (
        Kind::Shuffle,
        &["broadcast", "pack", "palignr", "pbroadcast", "pshuf", "punpck", "shufp", "unpck"],
    ),
];

/// `movdqa` and others. `movd` and `movq`, which carry between kinds of registers, come later.
const CARRIES: &[&str] = &["movdqa", "movdqu", "movup", "movap", "movnt", "lddqu"];

pub fn count(mut steps: Steps) -> io::Result<Counts> {
    let memory = Memory::of_this_process()?;
    steps.addresses.sort_unstable();
    let mut accesses = InstructionInfoFactory::new();
    let mut counts = Counts { cut: steps.cut, ..Counts::default() };
    for Executed { instruction, times, .. } in executed(&steps.addresses, &memory)? {
        let (times, bits) = (times as u64, bits(&instruction));
        *counts.by_kind.entry((kind(&instruction), bits)).or_default() += times;
        for used in accesses.info(&instruction).used_memory() {
            match used.access() {
                OpAccess::Read => *counts.loads.entry(bits).or_default() += times,
                OpAccess::Write => *counts.stores.entry(bits).or_default() += times,
                OpAccess::ReadWrite => {
                    *counts.loads.entry(bits).or_default() += times;
                    *counts.stores.entry(bits).or_default() += times;
                }
                _ => {}
            }
        }
    }
    Ok(counts)
}

fn registers(instruction: &Instruction) -> impl Iterator<Item = Register> {
    (0..instruction.op_count()).map(|operand| instruction.op_register(operand))
}

fn bits(instruction: &Instruction) -> Bits {
    let vectors = registers(instruction).filter(|register| register.is_vector_register());
    vectors.map(|register| 8 * register.size() as Bits).max().unwrap_or(64)
}

fn kind(instruction: &Instruction) -> Kind {
    let mnemonic = format!("{:?}", instruction.mnemonic()).to_lowercase();
    if !registers(instruction).any(|register| register.is_vector_register()) {
        let multiplies = mnemonic.starts_with("mul") || mnemonic.starts_with("imul");
        return if multiplies { Kind::GeneralMultiply } else { Kind::General };
    }
    let name = mnemonic.strip_prefix('v').unwrap_or(&mnemonic);
    if name.contains("broadcast") && instruction.op1_kind() == OpKind::Memory {
        return Kind::Carry;
    }
    if instruction.op0_register().is_k() {
        return Kind::Mask;
    }
    let begins = |names: &[&str]| names.iter().any(|beginning| name.starts_with(beginning));
    KINDS.iter().find(|(_, names)| begins(names)).map_or(Kind::Logic, |(kind, _)| *kind)
}
