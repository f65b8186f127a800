//! What is hidden from a library changes the code that runs, and nothing that it answers.

use std::process::Command;

use ciphermark_providers::api::Switches;
use ciphermark_providers::registry::{self, REGISTRY};

use crate::subjects::*;

/// Tells [`prints_what_it_is_and_answers`] which provider is meant.
const PROVIDER: &str = "CIPHERMARK_TEST_PROVIDER";

#[test]
fn answers_do_not_depend_on_features() {
    for registration in REGISTRY {
        let Some(switches) = &registration.switches else { continue };
        if let Err(why) = (registration.open)(None) {
            eprintln!("skipped {}: {why}", registration.name);
            continue;
        }
        let without = |hidden| said_and_answered(registration.name, switches, hidden).1;
        let all = without(None);
        for feature in switches.features {
            assert!(without(Some(feature)) == all, "{} without {feature}", registration.name);
        }
    }
}

#[test]
fn cryptopp_says_which_features_it_uses() {
    let registration = registry::find("cryptopp").expect("registered");
    if let Err(why) = (registration.open)(None) {
        eprintln!("skipped: {why}");
        return;
    }
    let switches = registration.switches.as_ref().expect("it has some");
    let used = |hidden| -> Vec<String> {
        let (build, _) = said_and_answered("cryptopp", switches, hidden);
        let (_, features) = build.split_once("features:").expect("it lists them");
        features.split_whitespace().map(str::to_owned).collect()
    };
    let all = used(None);
    for (index, feature) in switches.features.iter().enumerate() {
        let mut rest = all.clone();
        // What is first is the base of all others.
        rest.retain(|other| index > 0 && other != feature);
        assert_eq!(used(Some(feature)), rest, "without {feature}");
    }
}

/// What the library says of itself, and all that it answers, in a process where the feature is
/// hidden from it.
fn said_and_answered(
    provider: &str,
    switches: &Switches,
    hidden: Option<&&'static str>,
) -> (String, String) {
    let mut child = Command::new(std::env::current_exe().expect("a test knows its file"));
    child.args(["--exact", "hidden_features::prints_what_it_is_and_answers"]);
    child.args(["--ignored", "--nocapture"]).env(PROVIDER, provider);
    match hidden {
        Some(feature) => child.env(switches.variable, (switches.hiding)(&[*feature])),
        None => child.env_remove(switches.variable),
    };
    let child = child.output().expect("it can be started");
    let printed = String::from_utf8(child.stdout).expect("it prints text");
    assert!(child.status.success(), "{provider} without {hidden:?}: {printed}");
    let marked = |mark: &str| -> String {
        let lines = printed.lines().filter_map(|line| line.strip_prefix(mark));
        lines.collect::<Vec<_>>().join("\n")
    };
    (marked("build "), marked("answer "))
}

#[test]
#[ignore = "run by the tests above, in a process of its own"]
fn prints_what_it_is_and_answers() {
    let wanted = std::env::var(PROVIDER).expect("run by another test");
    let usable = usable_providers().into_iter().find(|usable| usable.name == wanted);
    let usable = usable.expect("the library could be opened");
    println!("\nbuild {}", usable.provider.library().build);
    for subject in usable.subjects() {
        let answer = subject.sent(&subject.key(11), &subject.text(11, 1000));
        println!("answer {} {answer:02x?}", subject.label());
    }
}
