//! Sonames in shared objects of ELF, of 32 or 64 bits in either byte order.

/// Dynamic entries with the place of a soname: of a library that is linked, and the object's own.
const NEEDED: u64 = 1;
const SONAME: u64 = 14;
/// The section of dynamic entries.
const DYNAMIC: u64 = 6;

/// The sonames of the libraries that a shared object is linked to; absent where it is none.
pub fn needed(bytes: &[u8]) -> Option<Vec<String>> {
    names(bytes, NEEDED)
}

/// The soname of a shared object.
pub fn soname(bytes: &[u8]) -> Option<String> {
    names(bytes, SONAME)?.pop()
}

fn names(bytes: &[u8], entries: u64) -> Option<Vec<String>> {
    let object = Object::of(bytes)?;
    let sections = object.sections()?;
    let dynamic = sections.iter().find(|section| section.kind == DYNAMIC)?;
    let names = bytes.get(sections.get(dynamic.link)?.start..)?;
    let word = object.word;
    let mut found = Vec::new();
    for entry in bytes.get(dynamic.start..dynamic.start + dynamic.bytes)?.chunks_exact(2 * word) {
        if object.number(entry, 0, word)? == entries {
            let name = names.get(object.number(entry, word, word)? as usize..)?;
            let end = name.iter().position(|byte| *byte == 0)?;
            found.push(String::from_utf8(name[..end].to_vec()).ok()?);
        }
    }
    Some(found)
}

struct Object<'a> {
    bytes: &'a [u8],
    /// Bytes of an address.
    word: usize,
    is_little_endian: bool,
}

struct Section {
    kind: u64,
    start: usize,
    bytes: usize,
    /// Number of the section with its names.
    link: usize,
}

impl<'a> Object<'a> {
    fn of(bytes: &'a [u8]) -> Option<Self> {
        let [0x7f, b'E', b'L', b'F', class, order, ..] = *bytes else { return None };
        let word = if class == 2 { 8 } else { 4 };
        Some(Self { bytes, word, is_little_endian: order == 1 })
    }

    fn number(&self, bytes: &[u8], at: usize, length: usize) -> Option<u64> {
        let digits = bytes.get(at..at + length)?.iter();
        let append = |number, digit: &u8| number << 8 | u64::from(*digit);
        Some(match self.is_little_endian {
            true => digits.rev().fold(0, append),
            false => digits.fold(0, append),
        })
    }

    fn sections(&self) -> Option<Vec<Section>> {
        let (word, short) = (self.word, 2);
        // The header: 24 bytes, three addresses, a number of 4 bytes, six of 2, the last about sections.
        let table = self.number(self.bytes, 24 + 2 * word, word)? as usize;
        let sizes = 24 + 3 * word + 4 + 3 * short;
        let entry_bytes = self.number(self.bytes, sizes, short)? as usize;
        let count = self.number(self.bytes, sizes + short, short)? as usize;
        let section = |i| {
            let entry = self.bytes.get(table + i * entry_bytes..)?;
            Some(Section {
                kind: self.number(entry, 4, 4)?,
                start: self.number(entry, 8 + 2 * word, word)? as usize,
                bytes: self.number(entry, 8 + 3 * word, word)? as usize,
                link: self.number(entry, 8 + 4 * word, 4)? as usize,
            })
        };
        (0..count).map(section).collect()
    }
}
