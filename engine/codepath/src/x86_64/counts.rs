//! How many instructions of each kind were executed.

use std::io;

use iced_x86::{Instruction, InstructionInfoFactory, OpAccess, OpKind, Register};

use super::executed::{Executed, executed};
use super::memory::Memory;
use super::single_step::Steps;
use crate::counts::{Counts, Kind};

/// Beginnings of names of vector instructions, without their `v`, by kind; the first that fits
/// counts. What fits none is logic.
const KINDS: &[(Kind, &[&str])] = &[
    (Kind::Aes, &["aes"]),
    (Kind::CarrylessMultiply, &["pclmul"]),
    (Kind::Multiply, &["pmul", "pmadd", "pdp"]),
    (Kind::Shift, &["psll", "psrl", "psra", "prol", "pror", "pshld", "pshrd"]),
    (Kind::Add, &["padd", "psub", "pcmp", "pmin", "pmax", "pabs", "psign", "pavg"]),
    (Kind::Logic, &["pxor", "pand", "por", "ptern", "xor", "and", "or", "ptest"]),
    (Kind::Carry, &["movdq", "movup", "movap", "movnt", "lddqu"]),
    (Kind::Shuffle, SHUFFLES),
];

const SHUFFLES: &[&str] = &[
    "blend",
    "broadcast",
    "extract",
    "gf2p8",
    "insert",
    "mov",
    "pack",
    "palignr",
    "pblend",
    "pbroadcast",
    "perm",
    "pextr",
    "pinsr",
    "pmovb2m",
    "pmovmskb",
    "pmovm2b",
    "pshuf",
    "punpck",
    "shuf",
    "unpck",
];

pub fn count(mut steps: Steps) -> io::Result<Counts> {
    let memory = Memory::of_this_process()?;
    steps.addresses.sort_unstable();
    let mut accesses = InstructionInfoFactory::new();
    let mut counts = Counts { cut: steps.cut, ..Counts::default() };
    for Executed { instruction, times, .. } in executed(&steps.addresses, &memory)? {
        let times = times as u64;
        let kind = kind(&instruction);
        *counts.of_kind.entry(kind).or_default() += times;
        if !matches!(kind, Kind::General | Kind::GeneralMultiply) {
            let used = accesses.info(&instruction).used_memory().first().map(|it| it.access());
            counts.loads += times * u64::from(used == Some(OpAccess::Read));
            counts.stores += times * u64::from(used == Some(OpAccess::Write));
        }
    }
    Ok(counts)
}

fn kind(instruction: &Instruction) -> Kind {
    let mnemonic = format!("{:?}", instruction.mnemonic()).to_lowercase();
    let registers = (0..instruction.op_count()).map(|operand| instruction.op_register(operand));
    if !registers.into_iter().any(Register::is_vector_register) {
        let multiplies = mnemonic.starts_with("mul") || mnemonic.starts_with("imul");
        return if multiplies { Kind::GeneralMultiply } else { Kind::General };
    }
    let name = mnemonic.strip_prefix('v').unwrap_or(&mnemonic);
    if name.contains("broadcast") && instruction.op1_kind() == OpKind::Memory {
        return Kind::Carry;
    }
    let begins = |names: &[&str]| names.iter().any(|beginning| name.starts_with(beginning));
    KINDS.iter().find(|(_, names)| begins(names)).map_or(Kind::Logic, |(kind, _)| *kind)
}
