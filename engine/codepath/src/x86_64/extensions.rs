//! Which extension of the processor an instruction computes with.

use iced_x86::CpuidFeature::{self, *};
use iced_x86::{Instruction, Register};

/// What an extension's instructions compute in.
#[derive(Clone, Copy, PartialEq)]
enum In {
    General,
    Vectors,
}

/// The extensions, from the plainest to the most special, by the names of
/// `ciphermark_providers::features`; what all processors have together with one is counted to it.
const EXTENSIONS: &[(&str, In, &[CpuidFeature])] = &[
    ("sse2", In::Vectors, &[SSE, SSE2, SSE3]),
    ("ssse3", In::Vectors, &[SSSE3]),
    ("sse4_1", In::Vectors, &[SSE4_1, SSE4_2]),
    ("movbe", In::General, &[MOVBE]),
    ("pclmulqdq", In::Vectors, &[PCLMULQDQ]),
    ("aes", In::Vectors, &[AES]),
    ("avx", In::Vectors, &[AVX]),
    ("bmi2", In::General, &[BMI2]),
    ("adx", In::General, &[ADX]),
    ("avx2", In::Vectors, &[AVX2, FMA]),
    ("sha_ni", In::Vectors, &[SHA]),
    ("gfni", In::Vectors, &[GFNI]),
    ("vpclmulqdq", In::Vectors, &[VPCLMULQDQ]),
    ("vaes", In::Vectors, &[VAES]),
    ("avx512", In::Vectors, AVX512),
];

const AVX512: &[CpuidFeature] = &[
    AVX512F,
    AVX512BW,
    AVX512CD,
    AVX512DQ,
    AVX512VL,
    AVX512_IFMA,
    AVX512_VBMI,
    AVX512_VBMI2,
    AVX512_VNNI,
    AVX512_BITALG,
    AVX512_VPOPCNTDQ,
];

/// Beginnings of the names of vector instructions that only carry data from one place to another,
/// without the `v` of their newer encodings. Compilers use them for copies and constants in any
/// code.
const CARRYING: &[&str] = &[
    "broadcast",
    "extract",
    "insert",
    "lddqu",
    "mov",
    "pbroadcast",
    "perm2",
    "pextr",
    "pinsr",
    "pshufd",
    "pshufhw",
    "pshuflw",
    "punpck",
    "shufp",
    "unpck",
];

/// Beginnings of the names of those that make a constant when both sources are one register.
const CONSTANT: &[&str] = &["pcmpeq", "pxor", "xorp"];

/// All names that [`of`] may give, from the plainest to the most special.
pub fn names() -> impl Iterator<Item = &'static str> {
    EXTENSIONS.iter().map(|(name, ..)| *name)
}

/// The extensions that an instruction computes with; none for one that only carries data.
pub fn of(instruction: &Instruction) -> impl Iterator<Item = &'static str> {
    let vectors = registers(instruction).any(|register| register.is_vector_register());
    let computes_in = match (vectors, vectors && only_carries(instruction)) {
        (_, true) => None,
        (true, false) => Some(In::Vectors),
        (false, _) => Some(In::General),
    };
    let features = instruction.cpuid_features();
    EXTENSIONS
        .iter()
        .filter(move |(_, place, _)| computes_in == Some(*place))
        .filter(|(.., group)| group.iter().any(|feature| features.contains(feature)))
        .map(|(name, ..)| *name)
}

fn registers(instruction: &Instruction) -> impl DoubleEndedIterator<Item = Register> {
    (0..instruction.op_count()).map(|operand| instruction.op_register(operand))
}

fn only_carries(instruction: &Instruction) -> bool {
    let mnemonic = format!("{:?}", instruction.mnemonic()).to_lowercase();
    let name = mnemonic.strip_prefix('v').unwrap_or(&mnemonic);
    let begins =
        |beginnings: &[&str]| beginnings.iter().any(|beginning| name.starts_with(beginning));
    let mut sources = registers(instruction).rev();
    begins(CARRYING) || begins(CONSTANT) && sources.next() == sources.next()
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_names_are_those_of_the_providers() {
        assert!(super::names().eq(ciphermark_providers::features::X86_64.iter().copied()));
    }
}
