//! The engine's reader of plans, on any bytes: JSON, types, and whether such a plan can be run.
#![no_main]

use ciphermark_record::plan::Plan;
use ciphermark_supervisor::validate;

/// CPUs that plans may name.
const ALLOWED: [u32; 2] = [0, 1];

libfuzzer_sys::fuzz_target!(|text: &[u8]| {
    let Ok(plan) = serde_json::from_slice::<Plan>(text) else { return };
    if let Err(sentence) = validate(&plan, &ALLOWED) {
        assert!(!sentence.is_empty());
    }
    let written = serde_json::to_vec(&plan).expect("what was read can be written");
    let again: Plan = serde_json::from_slice(&written).expect("what was written can be read");
    assert_eq!(plan, again);
});
