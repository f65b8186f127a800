//! Devices with faults, played by a loader that is compiled here: what users and callers are told.

use std::path::{Path, PathBuf};
use std::process::Command;

use ciphermark_providers::api::*;
use ciphermark_registry as registry;
use tempfile::TempDir;

const DRIVER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/opencl/driver.c");

/// A loader whose device has that fault.
fn loader(folder: &TempDir, fault: &str) -> PathBuf {
    let path = folder.path().join(format!("{fault}.so"));
    let mut cc = Command::new("cc");
    cc.args(["-shared", "-fPIC", &format!("-DFAULT={fault}"), DRIVER, "-o"]).arg(&path);
    assert!(cc.status().expect("cc, which also links Rust, is here").success());
    path
}

fn folder() -> TempDir {
    tempfile::tempdir().expect("there is room for temporary files")
}

fn open(path: &Path) -> Opened {
    (registry::find("opencl").expect("registered").open)(Some(path))
}

/// The provider whose device has that fault.
fn with(fault: &str) -> Box<dyn Provider> {
    open(&loader(&folder(), fault)).unwrap_or_else(|why| panic!("{why}"))
}

fn refusal(path: &Path) -> String {
    let Err(Unusable(sentence)) = open(path) else { panic!("it was accepted") };
    sentence
}

fn request(algorithm: &str, operation: Operation) -> Request<'_> {
    Request::usual(algorithm, "gpu", operation)
}

fn digest(device: &mut dyn Device) -> Result<(), CallError> {
    let ticket = device.submit(&[0], &[Message::new(&[], b"abc")], &[32])?;
    device.collect(ticket, &mut [&mut [0; 32]]).map(drop)
}

#[test]
fn without_a_platform_the_user_is_told_what_to_install() {
    let sentence = refusal(&loader(&folder(), "NO_PLATFORM"));
    assert_eq!(
        sentence,
        "no OpenCL platform was found: install the driver of your GPU, or for the CPU Debian's \
         pocl-opencl-icd (apt-get install pocl-opencl-icd)"
    );
}

#[test]
fn a_device_that_kernels_are_not_written_for_is_none() {
    let sentence = refusal(&loader(&folder(), "BIG_ENDIAN"));
    assert!(sentence.starts_with("no OpenCL device with a compiler was found: "), "{sentence}");
}

#[test]
fn a_path_with_nothing_there_is_named() {
    let sentence = refusal(&folder().path().join("libOpenCL.so.1"));
    assert!(sentence.ends_with("name OpenCL's libOpenCL with --library opencl=PATH"));
}

#[test]
fn a_kernel_that_the_compiler_rejects_takes_only_its_algorithm_away() {
    let provider = with("REJECTS");
    for operation in [Operation::Encrypt, Operation::Decrypt] {
        let rejected = provider.create(&request("uea1", operation)).err();
        let words =
            "the compiler of GPU: Brick (Faults, driver 0.1) rejects uea1: line 3: too hard";
        assert_eq!(rejected, Some(CreateError::Failed(words.into())));
    }
    assert!(provider.create(&request("sha256", Operation::Digest)).is_ok());
}

#[test]
fn a_device_that_disappears_is_an_error_of_each_call() {
    for (fault, code) in [("GONE", -2), ("LOST", -5)] {
        let provider = with(fault);
        let created = provider.create_device(&request("sha256", Operation::Digest), 1);
        let mut device = created.unwrap_or_else(|error| panic!("{error}"));
        for _ in 0..10 {
            assert_eq!(digest(device.as_mut()), Err(CallError::Library(code)), "{fault}");
        }
    }
}

#[test]
fn what_cannot_be_released_does_no_harm() {
    let provider = with("NEVER_RELEASED");
    let created = provider.create_device(&request("sha256", Operation::Digest), 1);
    let mut device = created.unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(digest(device.as_mut()), Ok(()));
    let ticket = device.submit(&[0], &[Message::default()], &[32]).expect("there is room");
    let times = device.collect(ticket, &mut [&mut [0; 32]]);
    assert_eq!(times, Ok(DeviceTimes::default()), "it does not tell its times");
}
