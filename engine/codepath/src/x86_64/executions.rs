//! How often each instruction was executed, by the files that they lie in.

use std::collections::BTreeMap;
use std::io;

use super::memory::Memory;
use super::single_step::Steps;
use crate::{ExecutedFile, Executions};

pub fn executions(mut steps: Steps) -> io::Result<Executions> {
    let memory = Memory::of_this_process()?;
    steps.addresses.sort_unstable();
    let mut files: BTreeMap<&str, Vec<(u64, u64)>> = BTreeMap::new();
    for same in steps.addresses.chunk_by(|one, next| one == next) {
        let (file, address) = memory.in_file(same[0]);
        files.entry(file).or_default().push((address, same.len() as u64));
    }
    let file = |(file, instructions): (&str, _)| ExecutedFile { file: file.into(), instructions };
    Ok(Executions { files: files.into_iter().map(file).collect(), cut: steps.cut })
}
