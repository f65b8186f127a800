//! The document that `make generate` writes.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::json;

use crate::version::SCHEMA;

/// Every type of the contract in one place, so that one JSON Schema holds them all.
/// Nothing is ever sent in this form.
#[derive(JsonSchema)]
#[allow(dead_code)]
pub struct Contract {
    plan: crate::plan::Plan,
    event: crate::event::Event,
    description: crate::description::Description,
    verification: crate::verification::Verification,
    limits: crate::limits::Limits,
    question: crate::question::Question,
    environment: crate::environment::Environment,
    sent: crate::traffic::Sent,
    received: crate::traffic::Received,
    readings: crate::energy::Readings,
    bench: crate::bench::BenchHead,
}

/// The JSON Schema of the whole contract, as it is written: every key is there, null where
/// undefined.
pub fn contract_schema() -> schemars::Schema {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let mut schema = settings.into_generator().into_root_schema_for::<Contract>();
    schema.insert("version".into(), json!(SCHEMA));
    schema
}
