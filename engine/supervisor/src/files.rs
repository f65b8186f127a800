//! The files that workers load: all workers of a run load the same ones.
//!
//! A file may be replaced while a run goes on, by `make install` or an upgrade, and each worker is a process
//! that loads its library anew. Rows of one run are of one build, in two ways:
//!
//! * A library or kernel is copied into memory, and sealed, when its first worker has opened it; that worker
//!   verifies, and the later ones, which measure, open the copy. So a run outlives the replacement of the
//!   file, even where it is overwritten in place. The SHA-256 of the copy is in the record of the run.
//! * All other files whose code a worker has mapped, as those that the library is linked to, are compared
//!   with those of the workers before it by device, inode, length and times. Where one was replaced, the
//!   worker is refused, and with it what is left to measure of its library.
//!
//! A library that looks for others beside its own file (`$ORIGIN`) would look beside the copy, so it is not
//! copied but compared as the others are. The copy is mapped under the name of the file, as
//! `/memfd:libcrypto.so.3`, where a profiler finds no symbols.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use ciphermark_record::event::{Failure, FailureKind};
use memchr::memmem;
use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, memfd_create};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// Bytes of the longest file that is copied; the largest library of cryptography has a tenth of it.
const MOST_BYTES: u64 = 256 << 20;

/// Bytes of a name that the kernel takes for a file in memory, and shows.
const MOST_NAME: usize = 200;

/// Identity of the file at a path, as far as it shows without reading the file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    device: u64,
    inode: u64,
    bytes: u64,
    /// Seconds and nanoseconds.
    modified: (i64, i64),
    changed: (i64, i64),
}

impl Identity {
    fn new(status: &fs::Metadata) -> Self {
        Self {
            device: status.dev(),
            inode: status.ino(),
            bytes: status.size(),
            modified: (status.mtime(), status.mtime_nsec()),
            changed: (status.ctime(), status.ctime_nsec()),
        }
    }
}

/// Files whose code a process has mapped, by their paths. A file that is no longer at its path has no
/// identity.
pub type Mapped = BTreeMap<String, Option<Identity>>;

/// Lists the files whose code this process has mapped, without the engine's own: workers are started from
/// the file that the supervisor runs, wherever that is. Lists none where /proc is not mounted.
pub fn mapped() -> io::Result<Mapped> {
    if !Path::new("/proc/self").exists() {
        return Ok(Mapped::default());
    }
    let own = fs::read_link("/proc/self/exe")?;
    let own = own.to_string_lossy();
    let before = fs::read_to_string("/proc/self/maps")?;
    let identity = |path: &str| fs::metadata(path).ok().map(|status| Identity::new(&status));
    let mut files: Mapped = code(&before).map(|path| (path.to_owned(), identity(path))).collect();
    // What was replaced while it was looked at is marked as deleted by now.
    for path in code(&fs::read_to_string("/proc/self/maps")?) {
        if let Some(gone) = path.strip_suffix(DELETED) {
            files.remove(path);
            files.insert(gone.to_owned(), None);
        }
    }
    files.remove(own.strip_suffix(DELETED).unwrap_or(&own));
    Ok(files)
}

/// The end of the line of a file that is no longer at its path.
const DELETED: &str = " (deleted)";

/// Paths in the lines of `/proc/<number>/maps` that are mapped to execute, without what lies in memory.
fn code(maps: &str) -> impl Iterator<Item = &str> {
    maps.lines().filter_map(|line| {
        let mut words = line.splitn(6, ' ');
        let is_code = words.nth(1)?.contains('x');
        let path = words.nth(3)?.trim_start();
        let is_file = path.starts_with('/')
            && !["/memfd:", "/dev/", "/SYSV"].iter().any(|start| path.starts_with(start));
        (is_code && is_file).then_some(path)
    })
}

/// A copy that workers open in place of a file.
#[derive(Debug)]
pub struct Copy {
    /// Real path of the file.
    pub location: PathBuf,
    memory: File,
}

impl Copy {
    /// Number of the descriptor, which all workers inherit.
    pub fn descriptor(&self) -> RawFd {
        self.memory.as_raw_fd()
    }
}

/// A library's file: what is recorded of it, and its copy where it can be loaded from one.
#[derive(Debug, Default)]
struct Original {
    sha256: String,
    copy: Option<Copy>,
}

/// The files of all workers so far.
#[derive(Default)]
pub struct Files {
    seen: Mapped,
    originals: BTreeMap<String, Original>,
}

impl Files {
    /// The copy of a provider's library.
    pub fn copy(&self, provider: &str) -> Option<&Copy> {
        self.originals.get(provider)?.copy.as_ref()
    }

    /// SHA-256 of the library that a provider has opened; empty where it was not read.
    pub fn sha256(&self, provider: &str) -> &str {
        self.originals.get(provider).map_or("", |original| &original.sha256)
    }

    /// Leaves out a copy that cannot be opened though its file was.
    pub fn drop_copy(&mut self, provider: &str) {
        self.originals.entry(provider.to_owned()).or_default().copy = None;
    }

    /// Compares the files of a worker with those of the workers before it.
    pub fn compare(&mut self, mapped: Mapped) -> Result<(), Failure> {
        for (path, identity) in mapped {
            if self.seen.get(&path).is_some_and(|seen| *seen != identity) {
                return Err(replaced(&path));
            }
            self.seen.insert(path, identity);
        }
        Ok(())
    }

    /// Copies the file that the first worker of a provider has opened.
    pub fn keep(&mut self, provider: &str, path: &Path) -> Result<(), Failure> {
        if self.originals.contains_key(provider) {
            return Ok(());
        }
        let original = match self.read(path) {
            Ok(original) => original,
            Err(Unread::Replaced(path)) => return Err(replaced(&path)),
            // It is compared as all other files are.
            Err(Unread::Unreadable) => Original::default(),
        };
        self.originals.insert(provider.to_owned(), original);
        Ok(())
    }

    /// Reads a file that a worker has mapped. One that it has not, as what is compiled in, is none.
    fn read(&self, path: &Path) -> Result<Original, Unread> {
        let location = fs::canonicalize(path)?;
        let name = location.display().to_string();
        let Some(seen) = self.seen.get(&name) else { return Ok(Original::default()) };
        let file = File::open(&location)?;
        let is_same =
            |file: &File| Ok::<_, io::Error>(*seen == Some(Identity::new(&file.metadata()?)));
        if !is_same(&file)? {
            return Err(Unread::Replaced(name));
        }
        let mut bytes = Vec::new();
        (&file).take(MOST_BYTES + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > MOST_BYTES {
            return Ok(Original::default());
        }
        if !is_same(&file)? {
            return Err(Unread::Replaced(name));
        }
        let sha256 = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        let memory =
            if looks_beside_itself(&bytes) { None } else { sealed(&location, &bytes).ok() };
        let copy = memory.map(|memory| Copy { location, memory });
        Ok(Original { sha256, copy })
    }
}

/// Why a file was not read.
enum Unread {
    Replaced(String),
    Unreadable,
}

impl From<io::Error> for Unread {
    fn from(_: io::Error) -> Self {
        Self::Unreadable
    }
}

fn replaced(path: &str) -> Failure {
    let message = format!("{path} was replaced while it was measured: measure again");
    Failure { kind: FailureKind::Unusable, message, signal: None }
}

/// Whether a file has the word by which the loader looks for libraries in the folder of the file.
fn looks_beside_itself(bytes: &[u8]) -> bool {
    ["$ORIGIN", "${ORIGIN}"].iter().any(|word| memmem::find(bytes, word.as_bytes()).is_some())
}

/// A file in memory that nothing can change any more. Workers inherit its descriptor.
fn sealed(location: &Path, bytes: &[u8]) -> io::Result<File> {
    let name = location.file_name().map_or(&b"library"[..], OsStr::as_bytes);
    let name = &name[..name.len().min(MOST_NAME)];
    let mut memory = File::from(memfd_create(name, MemfdFlags::ALLOW_SEALING)?);
    memory.write_all(bytes)?;
    fcntl_add_seals(
        &memory,
        SealFlags::WRITE | SealFlags::GROW | SealFlags::SHRINK | SealFlags::SEAL,
    )?;
    Ok(memory)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAPS: &str = "\
        1000-2000 r--p 00000000 fe:00 7      /lib/one.so\n\
        2000-3000 r-xp 00001000 fe:00 7      /lib/one.so\n\
        3000-4000 r-xp 00000000 fe:00 8      /lib/my lib.so (deleted)\n\
        4000-5000 r-xp 00000000 00:01 9      /memfd:libcrypto.so.3 (deleted)\n\
        5000-6000 r-xs 00000000 00:06 10     /dev/nvidia0\n\
        6000-7000 rwxp 00000000 00:00 0 \n\
        7000-8000 r-xp 00000000 00:00 0      [vdso]\n";

    #[test]
    fn files_are_those_whose_code_is_mapped() {
        assert_eq!(code(MAPS).collect::<Vec<_>>(), ["/lib/one.so", "/lib/my lib.so (deleted)"]);
    }

    #[test]
    fn this_process_has_mapped_the_c_library_and_is_not_in_its_own_list() {
        let files = mapped().expect("the kernel lists them");
        let own = std::env::current_exe().expect("it has a path").display().to_string();
        assert!(!files.contains_key(&own), "{files:?}");
        if !ciphermark_providers::shared_library::IS_STATIC {
            assert!(files.keys().any(|path| path.contains("libc.")), "{files:?}");
        }
    }

    fn file(folder: &Path, text: &str) -> (PathBuf, Mapped) {
        let path = folder.join("libnone.so");
        fs::write(&path, text).expect("the folder is ours");
        let path = path.canonicalize().expect("it was written");
        let identity = Identity::new(&path.metadata().expect("it was written"));
        (path.clone(), [(path.display().to_string(), Some(identity))].into())
    }

    fn folder() -> PathBuf {
        static COUNT: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
        let number = COUNT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let name = format!("ciphermark-files-{}-{number}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        fs::create_dir(&folder).expect("no other test has it");
        folder
    }

    fn kept(text: &str) -> (Files, Result<(), Failure>) {
        let (folder, mut files) = (folder(), Files::default());
        let (path, mapped) = file(&folder, text);
        files.compare(mapped).expect("it is the first");
        let result = files.keep("none", &path);
        fs::remove_dir_all(folder).expect("it is ours");
        (files, result)
    }

    #[test]
    fn a_copy_has_the_bytes_and_the_hash_of_its_file_and_cannot_be_changed() {
        let (files, result) = kept("abc");
        result.expect("nothing was replaced");
        let sha256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(files.sha256("none"), sha256);
        let copy = files.copy("none").expect("it can be copied");
        assert!(copy.location.ends_with("libnone.so"));
        let path = format!("/proc/self/fd/{}", copy.descriptor());
        assert_eq!(fs::read(&path).expect("it is open"), b"abc");
        assert!((&copy.memory).write_all(b"d").is_err() && copy.memory.set_len(0).is_err());
        assert!(
            fs::OpenOptions::new()
                .write(true)
                .open(path)
                .and_then(|mut it| it.write(b"d"))
                .is_err()
        );
    }

    #[test]
    fn a_library_that_looks_beside_itself_is_not_copied() {
        for text in ["..$ORIGIN/../lib..", "${ORIGIN}", "$ $LIB $ORIGIN"] {
            let (files, result) = kept(text);
            result.expect("nothing was replaced");
            assert!(files.copy("none").is_none() && files.sha256("none").len() == 64, "{text}");
        }
        assert!(kept("ORIGIN $LIB $").0.copy("none").is_some());
    }

    #[test]
    fn what_no_worker_has_mapped_is_not_copied() {
        let mut files = Files::default();
        files
            .keep("none", Path::new("compiled into the engine"))
            .expect("there is nothing to read");
        assert!(files.copy("none").is_none() && files.sha256("none").is_empty());
    }

    #[test]
    fn a_file_that_was_replaced_before_it_was_copied_is_refused() {
        let (folder, mut files) = (folder(), Files::default());
        let (_, mapped) = file(&folder, "old");
        files.compare(mapped).expect("it is the first");
        fs::remove_file(folder.join("libnone.so")).expect("it is ours");
        let (path, mapped) = file(&folder, "newer");
        let sentence =
            format!("{} was replaced while it was measured: measure again", path.display());
        for result in [files.keep("none", &path), files.compare(mapped)] {
            assert_eq!(result.expect_err("it is another").message, sentence);
        }
        fs::remove_dir_all(folder).expect("it is ours");
    }

    #[test]
    fn a_file_that_is_gone_is_none_that_comes_later() {
        let (folder, mut files) = (folder(), Files::default());
        let (path, mapped) = file(&folder, "new");
        let gone: Mapped = [(path.display().to_string(), None)].into();
        files.compare(gone.clone()).expect("it is the first");
        files.compare(gone).expect("it is the same");
        files.compare(mapped).expect_err("it is another");
        fs::remove_dir_all(folder).expect("it is ours");
    }
}
