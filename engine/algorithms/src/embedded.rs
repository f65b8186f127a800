//! The files of `algorithms/` as `(stem, text)`, collected by `build.rs`.

include!(concat!(env!("OUT_DIR"), "/embedded.rs"));
