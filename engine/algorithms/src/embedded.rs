//! The files of `algorithms/` and `suites/` as `(stem, text)`, collected by `build.rs`.

include!(concat!(env!("OUT_DIR"), "/embedded.rs"));
