//! This process's memory: which file is mapped where, and the bytes of its code.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt;

/// Bytes of the longest instruction (Intel's manual, volume 2, section 2.3.11).
const LONGEST_INSTRUCTION: usize = 15;

/// Beginnings of the names of files whose code is no provider's: the C library, glibc's and musl's,
/// in the spellings of old and new versions, the dynamic linker, and what the kernel maps.
const SYSTEM: [&str; 9] =
    ["libc.so", "libc-", "libm.so", "libm-", "libpthread", "ld-", "ld.so", "[vdso]", "[vsyscall]"];

/// A part of a file in memory.
pub struct Mapping {
    start: u64,
    end: u64,
    /// Of `start` in the file.
    offset: u64,
    /// Empty for memory without a file.
    pub file: String,
}

impl Mapping {
    /// Of a line of `/proc/self/maps`: addresses, permissions, offset, device, inode, path.
    fn parse(line: &str) -> Option<Self> {
        let hexadecimal = |digits| u64::from_str_radix(digits, 16).ok();
        let mut words = line.splitn(6, ' ');
        let (start, end) = words.next()?.split_once('-')?;
        let (_permissions, offset) = (words.next()?, words.next()?);
        let file = words.nth(2).unwrap_or_default().trim_start().to_owned();
        let (start, end) = (hexadecimal(start)?, hexadecimal(end)?);
        Some(Self { start, end, offset: hexadecimal(offset)?, file })
    }

    /// Whether code here may be a provider's.
    pub fn may_be_a_providers(&self) -> bool {
        let name = self.file.rsplit('/').next().unwrap_or_default();
        !SYSTEM.iter().any(|beginning| name.starts_with(beginning))
    }

    /// Where an address in this mapping lies in the file.
    pub fn offset(&self, address: u64) -> u64 {
        address - self.start + self.offset
    }
}

pub struct Memory {
    mappings: Vec<Mapping>,
    bytes: File,
}

impl Memory {
    pub fn of_this_process() -> io::Result<Self> {
        let mappings =
            fs::read_to_string("/proc/self/maps")?.lines().filter_map(Mapping::parse).collect();
        Ok(Self { mappings, bytes: File::open("/proc/self/mem")? })
    }

    pub fn mapping(&self, address: u64) -> Option<&Mapping> {
        self.mappings.iter().find(|mapping| (mapping.start..mapping.end).contains(&address))
    }

    /// The bytes from an address on: one instruction and what follows it.
    ///
    /// Through the file, since what was executed may have been unmapped by now.
    pub fn instruction(&self, address: u64) -> io::Result<[u8; LONGEST_INSTRUCTION]> {
        let mut bytes = [0; LONGEST_INSTRUCTION];
        self.bytes.read_at(&mut bytes, address)?;
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mappings_are_read_with_their_file() {
        let line = "7f00000a0000-7f00000b0000 r-xp 00026000 fe:00 326269     /usr/lib/my lib.so.6";
        let mapping = Mapping::parse(line).expect("the line is valid");
        assert_eq!(mapping.file, "/usr/lib/my lib.so.6");
        assert_eq!(mapping.offset(0x7f00_000a_0010), 0x26010);
        let nameless = Mapping::parse("1000-2000 rwxp 00000000 00:00 0 ").expect("it is valid");
        assert_eq!(nameless.file, "");
    }

    #[test]
    fn code_of_the_system_is_told_from_that_of_libraries() {
        let may_be_a_providers = |file: &str| {
            let line = format!("1000-2000 r-xp 00000000 fe:00 1 {file}");
            Mapping::parse(&line).expect("the line is valid").may_be_a_providers()
        };
        for file in [
            "/usr/lib/x86_64-linux-gnu/libc.so.6",
            "/lib64/libc-2.31.so",
            "/lib/ld-musl-x86_64.so.1",
            "/usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2",
            "/usr/lib/x86_64-linux-gnu/libm.so.6",
            "[vdso]",
        ] {
            assert!(!may_be_a_providers(file), "{file}");
        }
        for file in ["/usr/lib/x86_64-linux-gnu/libcrypto.so.3", "/opt/ciphermark-engine", ""] {
            assert!(may_be_a_providers(file), "{file}");
        }
    }
}
