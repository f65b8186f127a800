//! The rows of all kernels.

use alloc::vec::Vec;
use core::ffi::c_int;

use crate::abi::Function;

/// `struct ciphermark_kernels` of `kernels.h`.
#[repr(C)]
struct Group {
    rows: *const Function,
    count: usize,
    /// It looks at the processor and touches nothing.
    run_here: Option<extern "C" fn() -> c_int>,
}

unsafe extern "C" {
    // A constant.
    safe static ciphermark_kernels_count: usize;
    // As many as the count says.
    static ciphermark_kernels: *const Group;
}

/// The rows that this processor can run. Those of one algorithm stand together, and of several
/// backends the default is the first.
pub fn rows() -> Vec<Function> {
    let all: Vec<Function> = listed().collect();
    let mut rows = Vec::with_capacity(all.len());
    for row in &all {
        if !rows.iter().any(|known: &Function| known.algorithm() == row.algorithm()) {
            rows.extend(all.iter().filter(|other| other.algorithm() == row.algorithm()));
        }
    }
    rows
}

/// The rows that this processor can run, as the C lists them: of one algorithm, the default first.
pub(crate) fn listed() -> impl Iterator<Item = Function> {
    groups().filter(|it| it.runs_here()).flat_map(Group::rows)
}

fn groups() -> impl Iterator<Item = &'static Group> {
    let first = &raw const ciphermark_kernels;
    // SAFETY: the C has an array of so many pointers, each to a constant.
    (0..ciphermark_kernels_count).map(move |index| unsafe { &**first.add(index) })
}

impl Group {
    fn runs_here(&self) -> bool {
        self.run_here.is_none_or(|run_here| run_here() != 0)
    }

    fn rows(&self) -> impl Iterator<Item = Function> + use<> {
        // SAFETY: a constant array of so many rows.
        unsafe { core::slice::from_raw_parts(self.rows, self.count) }.iter().copied()
    }
}
