//! From addresses that were executed to the code path.

use std::collections::BTreeMap;
use std::io;

use iced_x86::{Decoder, DecoderOptions, Instruction};

use super::extensions;
use super::memory::{Mapping, Memory};
use super::single_step::Steps;
use crate::{Code, CodePath};

/// What every x86-64 processor has, so that compilers use it in any code.
const BASELINE: &str = "sse2";

/// Share of the instructions from which on it is the method. Of the 560 implementations of nine
/// libraries (1024 bytes, 5000 steps), those that are not made with it have up to 0.02, those that
/// are from 0.36 on.
const BASELINE_FROM: f64 = 0.1;

/// An instruction of a provider.
pub struct Executed<'a> {
    pub instruction: Instruction,
    mapping: &'a Mapping,
    pub times: usize,
}

pub fn code_path(mut steps: Steps) -> io::Result<CodePath> {
    let memory = Memory::of_this_process()?;
    steps.addresses.sort_unstable();
    let executed = executed(&steps.addresses, &memory)?;
    Ok(CodePath {
        features: features(&executed),
        steps: steps.addresses.len() as u32,
        cut: steps.cut,
        code: code(&executed),
    })
}

/// The providers' instructions at these addresses, which are sorted.
pub fn executed<'a>(addresses: &[u64], memory: &'a Memory) -> io::Result<Vec<Executed<'a>>> {
    let mut executed = Vec::new();
    for same in addresses.chunk_by(|one, next| one == next) {
        let mapping = memory.mapping(same[0]).filter(|mapping| mapping.may_be_a_providers());
        if let Some(mapping) = mapping {
            let instruction = decode(same[0], memory)?;
            executed.push(Executed { instruction, mapping, times: same.len() });
        }
    }
    Ok(executed)
}

fn decode(address: u64, memory: &Memory) -> io::Result<Instruction> {
    let bytes = memory.instruction(address)?;
    Ok(Decoder::with_ip(64, &bytes, address, DecoderOptions::NONE).decode())
}

/// The extensions that these instructions compute with.
fn features(executed: &[Executed]) -> Vec<String> {
    let mut times: BTreeMap<&str, usize> = BTreeMap::new();
    for Executed { instruction, times: more, .. } in executed {
        extensions::of(instruction).for_each(|name| *times.entry(name).or_default() += more);
    }
    let all: usize = executed.iter().map(|executed| executed.times).sum();
    extensions::names()
        .filter(|name| match times.get(name) {
            Some(times) => *name != BASELINE || *times as f64 >= all as f64 * BASELINE_FROM,
            None => false,
        })
        .map(str::to_owned)
        .collect()
}

/// The pieces of code that these instructions make up, per file.
fn code(executed: &[Executed]) -> Vec<Code> {
    let mut files: BTreeMap<&str, Vec<(u64, u64)>> = BTreeMap::new();
    for Executed { instruction, mapping, .. } in executed {
        let start = mapping.offset(instruction.ip());
        files.entry(&mapping.file).or_default().push((start, start + instruction.len() as u64));
    }
    files
        .into_iter()
        .map(|(file, instructions)| Code { file: file.to_owned(), pieces: joined(instructions) })
        .collect()
}

/// Pieces that touch each other as one.
fn joined(mut pieces: Vec<(u64, u64)>) -> Vec<(u64, u64)> {
    pieces.sort_unstable();
    pieces.dedup_by(|next, piece| {
        let touches = next.0 <= piece.1;
        if touches {
            piece.1 = piece.1.max(next.1);
        }
        touches
    });
    pieces
}
