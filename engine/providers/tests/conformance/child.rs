//! This test program again, with one of its tests: a library reads its switch when it is opened, so
//! features are hidden from it in a process of its own.
//!
//! The test that a child runs is marked to be ignored, since on its own it checks nothing.

use std::env;
use std::process::Command;

use ciphermark_providers::api::Registration;

use crate::subjects::*;

/// Tells a child which provider is meant.
const PROVIDER: &str = "CIPHERMARK_TEST_PROVIDER";

/// What a line begins with that is meant for the parent.
const MARK: &str = "to the parent: ";

/// Whether a child could open the library; says why not.
pub fn can_be_used(registration: &Registration) -> bool {
    let opened = (registration.open)(None);
    if let Err(why) = &opened {
        eprintln!("skipped {}: {why}", registration.name);
    }
    opened.is_ok()
}

/// Runs one test with features hidden from a provider, and returns what it tells.
pub fn run(test: &str, registration: &Registration, hidden: &[&str]) -> Vec<String> {
    let name = registration.name;
    let switches = registration.switches.as_ref().expect("a provider with switches");
    let mut child = Command::new(env::current_exe().expect("a test knows its file"));
    child.args([test, "--exact", "--nocapture", "--include-ignored"]).env(PROVIDER, name);
    match hidden {
        [] => child.env_remove(switches.variable),
        _ => child.env(switches.variable, (switches.hiding)(hidden)),
    };
    let child = child.output().expect("it can be started");
    let printed = String::from_utf8(child.stdout).expect("it prints text");
    let errors = String::from_utf8_lossy(&child.stderr);
    assert!(child.status.success(), "{name} without {hidden:?}: {printed}{errors}");
    printed.lines().filter_map(|line| line.strip_prefix(MARK)).map(str::to_owned).collect()
}

/// In a child: the provider that is meant.
pub fn provider() -> Usable {
    let wanted = env::var(PROVIDER).expect("run by another test");
    let usable = usable_providers().into_iter().find(|usable| usable.name == wanted);
    usable.expect("the parent could open it")
}

/// In a child: tells the parent a line.
pub fn tell(line: &str) {
    // The test's own name stands before it, without an end of line.
    println!("\n{MARK}{line}");
}
