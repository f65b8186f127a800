//! The file that a run is written to while it is measured, and where the events go on from there.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use ciphermark_record::bench::BenchHead;
use ciphermark_record::event::Event;

/// Files of the same machine that lie in a folder.
const MOST_OF_A_MACHINE: u32 = 99;

/// Longest part of a name that the machine gives.
const LONGEST_MACHINE: usize = 40;

/// Where a run is written, or the reason why it is not.
pub struct RunFile<'a> {
    output: Option<Box<dyn Write + 'a>>,
    /// Empty for standard output.
    pub path: PathBuf,
    pub bytes: u64,
    /// A sentence where no run, or no whole one, was written.
    pub refused: Option<String>,
}

impl<'a> RunFile<'a> {
    /// Writes to standard output.
    pub fn to(output: impl Write + 'a) -> Self {
        Self { output: Some(Box::new(output)), path: PathBuf::new(), bytes: 0, refused: None }
    }

    /// Opens the file that the user has named. The error is a sentence.
    pub fn named(path: &Path) -> Result<Self, String> {
        if path.metadata().is_ok_and(|it| it.is_file() && it.len() > 0) {
            return Err(format!("{} is there already: give --output another name", path.display()));
        }
        let file = OpenOptions::new().write(true).create(true).truncate(true).open(path);
        let file =
            file.map_err(|error| format!("{} cannot be written ({error})", path.display()))?;
        Ok(Self { path: path.into(), ..Self::to(file) })
    }

    /// Makes a file in this folder that is named after the machine.
    pub fn of_machine(folder: &Path, machine: &str) -> Self {
        let name: String = machine.chars().take(LONGEST_MACHINE).collect();
        let mut error = io::Error::from(ErrorKind::AlreadyExists);
        for number in 1..=MOST_OF_A_MACHINE {
            let suffix = if number == 1 { String::new() } else { format!("-{number}") };
            let path = folder.join(format!("ciphermark-{name}{suffix}.jsonl"));
            match File::create_new(&path) {
                Ok(file) => return Self { path, ..Self::to(file) },
                Err(refused) => error = refused,
            }
            if error.kind() != ErrorKind::AlreadyExists {
                break;
            }
        }
        let refused = format!(
            "no run is written: this folder takes no file ({}); for a run give --output FILE, or \
             --output - for standard output",
            described(&error)
        );
        Self { output: None, path: PathBuf::new(), bytes: 0, refused: Some(refused) }
    }

    /// Writes the first line.
    pub fn begin(&mut self, head: &BenchHead) -> io::Result<()> {
        let mut line = serde_json::to_vec(head)?;
        line.push(b'\n');
        self.add(&line);
        Ok(())
    }

    /// Writes whole lines. What has no place any more ends the file, not the run.
    fn add(&mut self, lines: &[u8]) {
        let Some(output) = &mut self.output else { return };
        match output.write_all(lines).and_then(|()| output.flush()) {
            Ok(()) => self.bytes += lines.len() as u64,
            Err(error) => {
                self.output = None;
                let reason = described(&error);
                self.refused = Some(format!("the run was written in part alone ({reason})"));
            }
        }
    }

    /// Removes a file of a run in which nothing was measured.
    pub fn forget(self) {
        if self.path.is_file() {
            // Where it stays, it is refused when it is imported.
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

/// An error without its number.
fn described(error: &io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or_default().to_owned()
}

/// Output of a run: events go to a file, and each is handed on.
pub struct Tee<'a, 'b, F: FnMut(Event)> {
    pub file: &'a mut RunFile<'b>,
    pub each: F,
    /// The begin of a line whose end has not come.
    pub begun: Vec<u8>,
}

impl<F: FnMut(Event)> Write for Tee<'_, '_, F> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.begun.extend_from_slice(bytes);
        if let Some(end) = self.begun.iter().rposition(|&it| it == b'\n') {
            let rest = self.begun.split_off(end + 1);
            let lines = std::mem::replace(&mut self.begun, rest);
            for line in lines.split(|&it| it == b'\n').filter(|it| !it.is_empty()) {
                (self.each)(serde_json::from_slice(line)?);
            }
            self.file.add(&lines);
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = r#"{"event":"warning","kind":"steal","message":"m","case":null}"#;

    #[test]
    fn events_are_handed_on_and_written_line_by_line() {
        let (mut written, mut seen) = (Vec::new(), 0);
        let mut file = RunFile::to(&mut written);
        let mut tee = Tee { file: &mut file, each: |_| seen += 1, begun: vec![] };
        let (first, second) = LINE.split_at(20);
        tee.write_all(first.as_bytes()).unwrap();
        tee.write_all(second.as_bytes()).unwrap();
        tee.write_all(format!("\n{LINE}\n{{").as_bytes()).unwrap();
        drop(tee);
        drop(file);
        assert_eq!((seen, String::from_utf8(written).unwrap()), (2, format!("{LINE}\n{LINE}\n")));
    }

    #[test]
    fn a_full_disk_ends_the_file_and_not_the_run() {
        let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
        let mut file = RunFile::to(full);
        let mut seen = 0;
        let mut tee = Tee { file: &mut file, each: |_| seen += 1, begun: vec![] };
        tee.write_all(format!("{LINE}\n{LINE}\n").as_bytes()).unwrap();
        drop(tee);
        assert_eq!((seen, file.bytes), (2, 0));
        let refused = file.refused.unwrap();
        assert_eq!(refused, "the run was written in part alone (No space left on device)");
    }

    #[test]
    fn no_file_takes_the_place_of_another() {
        let folder = std::env::temp_dir().join(format!("ciphermark-bench-{}", std::process::id()));
        std::fs::create_dir(&folder).unwrap();
        let names = [1, 2].map(|_| {
            let file = RunFile::of_machine(&folder, "cortex-a7");
            file.path.file_name().unwrap().to_string_lossy().into_owned()
        });
        assert_eq!(names, ["ciphermark-cortex-a7.jsonl", "ciphermark-cortex-a7-2.jsonl"]);
        let used = folder.join("used");
        std::fs::write(&used, "x").unwrap();
        let Err(refused) = RunFile::named(&used) else { panic!("it is there") };
        assert!(refused.ends_with("is there already: give --output another name"), "{refused}");
        let nowhere = RunFile::of_machine(&folder.join("none"), "a");
        assert!(
            nowhere.refused.unwrap().starts_with("no run is written: this folder takes no file")
        );
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
