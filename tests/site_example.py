"""Stores of which sites are made: runs of several machines and workloads, and hostile ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any, get_type_hints

import msgspec

import sensor_example
from ciphermark.cli import main as main  # fills in what reports say beside their workloads
from ciphermark.record.anonymous.run import _literals
from ciphermark.record.run import Run
from ciphermark.record.run_folder import counted
from ciphermark.record.store import Store
from ciphermark.site.build import Built, build
from ciphermark.workload import rows, rows_table
from imports_example import imported_example
from machines_example import few_machines
from synthetic import synthetic_cases, synthetic_run
from workload_examples import EXAMPLES

HOSTILE = (
    "<script>window.hit=1</script><img src=x onerror=window.hit=1>\"'><b>&amp;`${window.hit=1}`"
    "</script><!--\u2028\u2029\x1b[31m\x07\x00\ufeff\u202e"
)
"""What must stay text wherever it is shown: elements, attributes, ends of scripts and comments,
control characters, and marks that turn the direction of writing."""


def add(store: Store, *runs: Run) -> None:
    """Stores runs with their rows, their cases counted as those of measured runs are."""
    for run in runs:
        table = rows_table(rows(run), run.context.workload)
        run.context = counted(run.context, table)
        store.save(run, table)


def team(root: Path) -> Store:
    """Machines with surveys, and a run of each other workload and of a study."""
    store = Store(root)
    few_machines(store)
    for number, (workload, example) in enumerate(EXAMPLES.items()):
        if workload != "single":
            run, its_rows = example()
            run.context = msgspec.structs.replace(
                run.context, run=f"20261120-0915{number:02}-{number:04x}"
            )
            store.save(run, rows_table(its_rows, workload))
    add(store, imported_example("botan-2.19.json"), sensor_example.as_here())
    return store


def hostile(store: Store, seed: int = 99) -> Run:
    """A survey with hostile text in every field that a run has texts in, but what says of which
    workload it is, and what it is found by."""
    run = synthetic_run(synthetic_cases(sizes=(64, 1024)), rounds=8, seed=seed)
    name, samples = run.context.run, run.samples
    tainted = _tainted(msgspec.structs.replace(run, samples=None))
    tainted.samples = samples
    tainted.context.run, tainted.context.workload = name, "single"
    store.save(tainted, rows_table(rows(tainted), "single"))
    return tainted


def _tainted(value: Any) -> Any:
    """The same with hostile text in place of every text that is not one of a closed set."""
    if isinstance(value, msgspec.Struct):
        hints = {} if isinstance(value, Run) else get_type_hints(type(value))
        changed = {
            field: _field(getattr(value, field), _literals(hints.get(field)))
            for field in value.__struct_fields__
        }
        return msgspec.structs.replace(value, **changed)
    return _field(value, frozenset())


def _field(value: Any, closed: frozenset[str]) -> Any:
    if isinstance(value, str):
        return value if value in closed else f"{HOSTILE}{value}"
    if isinstance(value, list):
        return [_field(it, closed) for it in value]
    if isinstance(value, dict):
        return {f"{HOSTILE}{key}": _field(it, closed) for key, it in value.items()}
    if isinstance(value, msgspec.Struct):
        return _tainted(value)
    return value


def built(store: Store, out: Path, reports: int | None = 2) -> Built:
    """The site of a store, with few reports, each of which takes a second."""
    return build(store, str(store.root), out, reports)


def files(out: Path) -> dict[str, tuple[int, int]]:
    """Each file of a site with its inode and when it was written, which change with every write."""
    return {
        path.relative_to(out).as_posix(): (path.stat().st_ino, path.stat().st_mtime_ns)
        for path in out.rglob("*")
        if path.is_file()
    }
