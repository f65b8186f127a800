//! Writing events: one JSON object a line, flushed as it happens.

use std::collections::BTreeMap;
use std::io::{self, BufWriter, Write};

use ciphermark_record::event::{CaseError, Event, FailureKind, Warning};

/// Where events go. The first error is kept and ends the run: nobody is listening any more.
pub struct Events<W: Write> {
    output: BufWriter<W>,
    /// Of each case that has failed, why.
    failed: BTreeMap<u32, FailureKind>,
}

impl<W: Write> Events<W> {
    pub fn to(output: W) -> Self {
        Self { output: BufWriter::new(output), failed: BTreeMap::new() }
    }

    pub fn write(&mut self, event: &Event) -> io::Result<()> {
        self.write_all(std::slice::from_ref(event))
    }

    /// Writes several events and flushes once.
    pub fn write_all(&mut self, events: &[Event]) -> io::Result<()> {
        for event in events {
            if let Event::Error(CaseError { case, error }) = event {
                self.failed.insert(*case, error.kind);
            }
            serde_json::to_writer(&mut self.output, event)?;
            self.output.write_all(b"\n")?;
        }
        self.output.flush()
    }

    /// Why a case has failed, where it has.
    pub fn failure(&self, case: u32) -> Option<FailureKind> {
        self.failed.get(&case).copied()
    }

    pub fn warn(&mut self, kind: &str, message: String, case: Option<u32>) -> io::Result<()> {
        self.write(&Event::Warning(Warning { kind: kind.into(), message, case }))
    }
}
