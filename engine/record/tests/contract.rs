//! The contract's other sides: the generated schema, and the JSON that Python reads and writes.
//! `tests/test_generated.py` reads the same golden files.

use ciphermark_record::event::Event;
use ciphermark_record::plan::Plan;
use ciphermark_record::schema::contract_schema;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

const SCHEMA: &str = include_str!("../../../schema/ciphermark.schema.json");
const PLAN: &str = include_str!("../../../tests/golden/contract/plan.json");
const EVENTS: &str = include_str!("../../../tests/golden/contract/events.jsonl");

/// Asserts that what is read as a `T` and written again is unchanged: no key lost, none added.
fn assert_unchanged<T: Serialize + DeserializeOwned>(json: &str) {
    let read: T = serde_json::from_str(json).unwrap();
    let expected: Value = serde_json::from_str(json).unwrap();
    assert_eq!(serde_json::to_value(read).unwrap(), expected);
}

#[test]
fn the_schema_file_is_what_the_types_say() {
    let stored: Value = serde_json::from_str(SCHEMA).unwrap();
    assert!(
        &stored == contract_schema().as_value(),
        "schema/ciphermark.schema.json is not what engine/record says; run: make generate"
    );
}

#[test]
fn a_plan_written_by_python_is_understood() {
    assert_unchanged::<Plan>(PLAN);
}

#[test]
fn events_are_written_as_python_reads_them() {
    assert_eq!(EVENTS.lines().count(), 9, "one line for each kind of event");
    EVENTS.lines().for_each(assert_unchanged::<Event>);
}
