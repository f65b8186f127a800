//! What the engine demands of the rows of code that it does not know. Of a shim's rows a test sees
//! to it.

use ciphermark_algorithms::Algorithm;

use crate::api::Operation;
use crate::shim::abi::{self, Function, Range};

/// The first thing that is wrong, and what to do.
pub fn check(rows: &[Function]) -> Result<(), String> {
    if rows.is_empty() {
        return Err("has no rows: give its table one for each algorithm and operation".into());
    }
    rows.iter().try_for_each(check_row)?;
    check_order(rows)
}

fn check_row(row: &Function) -> Result<(), String> {
    let facts = facts(row.algorithm())?;
    let name = &facts.name;
    let operation = operation(row, facts)?;
    let wrong = |what: String| {
        format!("has a row of {name} ({operation}) with {what}: see algorithms/{name}.toml")
    };
    check_lengths(row, facts).map_err(wrong)?;
    check_form(row)
        .map_err(|what| format!("has a row of {name} ({operation}) with {what}: see kernel.h"))
}

fn facts(name: &str) -> Result<&'static Algorithm, String> {
    match ciphermark_algorithms::find(name) {
        Some(facts) if facts.name == name => Ok(facts),
        Some(Algorithm { name: own, .. }) => {
            Err(format!("has a row of the algorithm {name}, which is called {own} here"))
        }
        None => Err(format!(
            "has a row of the algorithm {name:?}, which is not known here: `ciphermark list \
             algorithms` says which are"
        )),
    }
}

fn operation(row: &Function, facts: &Algorithm) -> Result<Operation, String> {
    let own = |operation: &Operation| facts.kind.operations().contains(operation);
    abi::operation(row).filter(own).ok_or_else(|| {
        let name = &facts.name;
        format!("has a row of {name} with an operation that {name} does not have: see kernel.h")
    })
}

fn check_lengths(row: &Function, facts: &Algorithm) -> Result<(), String> {
    check_range("keys", row.key_bytes, facts.key_bytes)?;
    check_range("nonces", row.nonce_bytes, facts.nonce_bytes)?;
    match row.tag_bytes == facts.tag_bytes as usize {
        true => Ok(()),
        false => Err(format!("a tag of {} bytes, not {}", row.tag_bytes, facts.tag_bytes)),
    }
}

fn check_range(what: &str, range: Range, bytes: u32) -> Result<(), String> {
    let lengths = range.lengths();
    match lengths.contains(&(bytes as usize)) {
        true => Ok(()),
        false => {
            let (least, most) = lengths.into_inner();
            Err(format!("{what} of {least} to {most} bytes, not {bytes}"))
        }
    }
}

fn check_form(row: &Function) -> Result<(), &'static str> {
    if row.process.is_none() {
        Err("no process")
    } else if row.set_key.is_none() && row.key_bytes.lengths() != (0..=0) {
        Err("keys and no set_key")
    } else if !row.context_alignment.is_power_of_two() {
        Err("an alignment that is no power of two")
    } else if row.process_lanes.is_some() && row.lanes < 1 {
        Err("process_lanes and no lanes")
    } else {
        Ok(())
    }
}

/// Rows of one algorithm stand together, and when they have several backends, each has a name.
fn check_order(rows: &[Function]) -> Result<(), String> {
    let mut seen = Vec::new();
    for rows in rows.chunk_by(|one, other| one.algorithm() == other.algorithm()) {
        let name = rows[0].algorithm();
        if seen.contains(&name) {
            return Err(format!("has rows of {name} in two places: put them together"));
        }
        seen.push(name);
        let backend = rows[0].backend();
        let several = rows.iter().any(|row| row.backend() != backend);
        if several && rows.iter().any(|row| row.backend().is_none()) {
            return Err(format!("has several backends of {name}, one without a name: name it"));
        }
    }
    Ok(())
}
