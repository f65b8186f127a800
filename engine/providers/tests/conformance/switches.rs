//! Features of the processor that libraries are told to leave alone.
//!
//! A library reads its switch when it is opened, so it is opened in a process of its own: this test
//! program with another test.

use std::process::Command;

use ciphermark_providers::api::*;
use ciphermark_providers::registry::REGISTRY;

/// Runs one test with features hidden from a provider; returns what it prints.
fn run(test: &str, switches: &Switches, hidden: &[&str]) -> String {
    let program = std::env::current_exe().expect("it is running");
    let mut command = Command::new(program);
    command.args([test, "--exact", "--nocapture", "--include-ignored"]);
    let output = command.env(switches.variable, (switches.hiding)(hidden)).output();
    let output = output.expect("it can be started again");
    let words = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{} without {hidden:?}: {words}{errors}", switches.variable);
    words
}

#[test]
fn answers_are_right_without_any_feature() {
    for switches in REGISTRY.iter().filter_map(|registration| registration.switches.as_ref()) {
        run("vectors::embedded_vectors_pass", switches, switches.features);
    }
}

#[test]
#[ignore = "it only prints, for the test below"]
fn features_of_libgcrypt() {
    let registration = REGISTRY.iter().find(|registration| registration.name == "libgcrypt");
    match (registration.expect("registered").open)(None) {
        Ok(provider) => println!("features {}", provider.library().build),
        Err(why) => println!("skipped: {why}"),
    }
}

/// libgcrypt is the one that says what it uses.
#[cfg(target_arch = "x86_64")]
#[test]
fn a_hidden_feature_is_not_used() {
    let registration = REGISTRY.iter().find(|registration| registration.name == "libgcrypt");
    let switches = registration.and_then(|registration| registration.switches.as_ref());
    let switches = switches.expect("it can be told");
    let features = |hidden| run("switches::features_of_libgcrypt", switches, hidden);
    let (all, less) = (features(&[]), features(&["aes"]));
    if all.contains("intel-aesni") {
        assert!(!less.contains("intel-aesni"), "{less}");
        assert_eq!(less.contains("intel-ssse3"), all.contains("intel-ssse3"), "{less}");
    }
}
