//! How this binary was built; the facts come from the build script.

use ciphermark_record::description::EngineBuild;

pub fn build() -> EngineBuild {
    EngineBuild {
        version: env!("CARGO_PKG_VERSION").into(),
        target: env!("CIPHERMARK_TARGET").into(),
        rustc: env!("CIPHERMARK_RUSTC").into(),
        profile: env!("CIPHERMARK_PROFILE").into(),
        rustflags: env!("CIPHERMARK_RUSTFLAGS").into(),
    }
}
