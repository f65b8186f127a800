//! Writes the JSON Schema of the contract to the path given; `make generate` runs it.

use ciphermark_record::schema::contract_schema;

fn main() -> std::io::Result<()> {
    let path = std::env::args().nth(1).expect("the path to write to");
    std::fs::write(path, format!("{:#}\n", contract_schema().as_value()))
}
