"""What else than the code differs between two runs, and bears on their figures."""

from __future__ import annotations

from ciphermark.errors import UsageError
from ciphermark.record.imported_run import UNKNOWN_MACHINE
from ciphermark.record.run import Context
from ciphermark.workload import workload_of
from ciphermark.workloads.single.comparison import LibraryChange


def check_machines(a: Context, b: Context, across_machines: bool) -> None:
    """Refuses, as a `UsageError`, runs of unlike machines unless that is what is wanted."""
    if across_machines:
        return
    for context in (a, b):
        if context.machine_name == UNKNOWN_MACHINE:
            raise UsageError(
                f"run {context.run} was imported, and of which machine is not known; import it"
                " with --machine NAME, a name that ciphermark list runs shows, or add"
                " --across-machines to compare it all the same"
            )
    if a.machine_kind != b.machine_kind:
        raise UsageError(
            f"run {a.run} was measured on {a.machine_name} ({a.machine_kind}) and run {b.run} on"
            f" {b.machine_name} ({b.machine_kind}), machines of different kinds; add"
            " --across-machines to compare them all the same"
        )


def library_changes(a: Context, b: Context, used: set[str]) -> list[LibraryChange]:
    """The libraries among those used that are in both runs and not of the same version."""
    of_a, of_b = (
        {library.name: library.version for library in context.hello.providers}
        if context.hello
        else {}
        for context in (a, b)
    )
    return [
        LibraryChange(provider=name, version_a=of_a[name], version_b=of_b[name])
        for name in sorted(used & of_a.keys() & of_b.keys())
        if of_a[name] != of_b[name]
    ]


def notes(a: Context, b: Context) -> list[str]:
    """A sentence for everything that could be taken for a difference of the libraries."""
    found = []
    if a.machine_kind != b.machine_kind:
        found.append(f"the machines are of different kinds: {a.machine_name}, {b.machine_name}")
    imported = [
        context.run for context in (a, b) if not workload_of(context.workload).measured_here
    ]
    if imported:
        found += [f"run {run} is of another program: times are compared" for run in imported]
    elif a.cycle_source != b.cycle_source:
        found.append(f"cycles are {a.cycle_source} in {a.run} and {b.cycle_source} in {b.run}")
    if a.hello and b.hello and a.hello.engine != b.hello.engine:
        found.append("the engines differ, and with them the libraries compiled into them")
    interrupted = {context.run for context in (a, b) if context.interrupted}
    return found + [f"run {run} was interrupted" for run in sorted(interrupted)]
