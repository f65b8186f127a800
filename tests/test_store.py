"""What is stored is what is read."""

from __future__ import annotations

import tempfile
from pathlib import Path

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ciphermark import contract
from ciphermark.errors import UsageError, WorkError
from ciphermark.record import tables
from ciphermark.record.layout import FORMAT_MAJOR, FORMAT_MINOR, TABLES, table_file
from ciphermark.record.parquet import read, write
from ciphermark.record.run import CaseRecord, Context, Outline, Run, Summary
from ciphermark.record.store import Store
from ciphermark.record.table import INTEGER, Schema, Table
from ciphermark.workload import rows_table
from workload_examples import EXAMPLES

COUNTS = st.integers(0, 2**31)
BIG_COUNTS = st.integers(0, 2**63 - 1)
NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
FAILURES = st.builds(
    contract.Failure,
    kind=st.sampled_from(["crash", "failed", "wrong-answer"]),
    message=st.text(),
    signal=st.none() | st.text(),
)
CASES = st.builds(
    contract.Case,
    case=COUNTS,
    algorithm=st.text(),
    operation=st.sampled_from(["setup", "seal", "digest"]),
    provider=st.text(),
    backend=st.text(),
    message_bytes=st.none() | BIG_COUNTS,
    lanes=COUNTS,
    keys=COUNTS,
    switches=st.dictionaries(st.text(), st.text(), max_size=3),
)
IMPLEMENTATIONS = st.builds(
    contract.Implementation,
    algorithm=st.text(),
    provider=st.text(),
    backend=st.text(),
    default=st.booleans(),
    backend_evidence=st.sampled_from(["reported", "unknown"]),
    constant_time=st.none() | st.booleans(),
    operations=st.lists(st.sampled_from(["seal", "open"])),
)
RECORDS = st.builds(
    CaseRecord,
    case=CASES,
    implementation=st.none() | IMPLEMENTATIONS,
    vectors_passed=COUNTS,
    agrees_with=st.lists(st.text(), max_size=3),
    error=st.none() | FAILURES,
)
WARNINGS = st.builds(contract.Warning, kind=st.text(), message=st.text(), case=st.none() | COUNTS)
SAMPLES = st.fixed_dictionaries(
    {
        name: BIG_COUNTS if kind == INTEGER else NUMBERS
        for name, kind in tables.SAMPLES.items()
        if name != "disturbed"
    }
    | {"disturbed": st.lists(st.sampled_from(["clock", "switch", "steal"]), max_size=3)}
)
FACTS = st.fixed_dictionaries(
    {
        "command": st.text(),
        "started_unix_ns": BIG_COUNTS,
        "core_hz": st.floats(min_value=0, allow_nan=False, allow_infinity=False),
        "interrupted": st.booleans(),
        "notes": st.lists(st.text(), max_size=3),
        "bye": st.none(),
    }
)


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(
    facts=FACTS,
    cases=st.lists(RECORDS, max_size=4, unique_by=lambda record: record.case.case),
    warnings=st.lists(WARNINGS, max_size=3),
    samples=st.lists(SAMPLES, max_size=5),
)
def test_a_run_comes_back_as_it_was(
    run: Run, run_rows: Table, facts: dict, cases: list, warnings: list, samples: list
) -> None:
    stored = Run(
        context=msgspec.structs.replace(run.context, **facts),
        cases=cases,
        samples=Table.of_rows(samples, schema=tables.SAMPLES),
        warnings=warnings,
    )
    with tempfile.TemporaryDirectory() as folder:
        store = Store(Path(folder))
        store.save(stored, run_rows)
        back = store.load(stored.context.run)
        outline = store.outline(stored.context.run)
    assert back.context == stored.context
    for name in outline.__struct_fields__:
        assert getattr(outline, name) == getattr(stored.context, name), name
    assert back.cases == stored.cases
    assert back.samples == stored.samples
    assert back.warnings == stored.warnings


@pytest.mark.parametrize("workload", ["sessions", "packets", "simulation"])
def test_what_a_workload_has_measured_comes_back_as_it_was(store: Store, workload: str) -> None:
    run, rows = EXAMPLES[workload]()
    store.save(run, rows_table(rows, workload))
    back = store.load(run.context.run)
    for part in ("cases", "warnings", "sessions", "packets", "simulations", "targets"):
        assert getattr(back, part) == getattr(run, part), part


def test_a_run_has_these_files_and_no_others(store: Store, run: Run, run_rows: Table) -> None:
    folder = store.save(run, run_rows)
    assert folder == store.folder(run.context.run) == store.root / run.context.run
    assert sorted(path.name for path in folder.iterdir()) == sorted(f"{t}.parquet" for t in TABLES)


def test_format_numbers_are_stored(store: Store, run: Run, run_rows: Table) -> None:
    store.save(run, run_rows)
    context = store.context(run.context.run)
    assert (context.format_major, context.format_minor) == (FORMAT_MAJOR, FORMAT_MINOR)


@pytest.mark.parametrize(
    ("schema", "types"),
    [
        (tables.SUMMARY, [Summary]),
        (tables.CONTEXT, [Context]),
        (tables.OUTLINE, [Outline]),
        (tables.CASES, [contract.Case, CaseRecord]),
        (tables.SAMPLES, [contract.Sample]),
        (tables.WARNINGS, [contract.Warning]),
    ],
    ids=["summary", "context", "outline", "cases", "samples", "warnings"],
)
def test_every_field_has_its_column(schema: Schema, types: list[type[msgspec.Struct]]) -> None:
    fields = dict.fromkeys(name for kind in types for name in kind.__struct_fields__)
    assert [*schema] == list(fields)


def test_unknown_columns_are_ignored(store: Store, run: Run, run_rows: Table) -> None:
    folder = store.save(run, run_rows)
    for name in ("context", "cases", "samples", "warnings"):
        file = table_file(folder, name)
        table = read(file)
        _rewrite(file, table.with_column("new", [None] * table.num_rows, INTEGER))
    _set(table_file(folder, "context"), "format_minor", FORMAT_MINOR + 1)
    back = store.load(run.context.run)
    assert back.cases == run.cases
    assert back.samples == run.samples


def test_columns_that_an_older_minor_lacks_get_defaults(
    store: Store, run: Run, run_rows: Table
) -> None:
    folder = store.save(run, run_rows)
    for name, column in (("cases", "lanes"), ("samples", "loop_cycles")):
        file = table_file(folder, name)
        _rewrite(file, read(file).without(column))
    back = store.load(run.context.run)
    assert back.cases == run.cases
    assert back.samples["loop_cycles"].null_count == run.samples.num_rows
    assert back.samples["cycles"].to_pylist() == run.samples["cycles"].to_pylist()


def test_a_newer_major_is_refused(store: Store, run: Run, run_rows: Table) -> None:
    file = table_file(store.save(run, run_rows), "context")
    _set(file, "format_major", FORMAT_MAJOR + 1)
    # What a newer format means by its other columns is not looked at.
    _rewrite(file, read(file).without("plan", "machine_kind"))
    for reading in (store.load, store.context, store.outline, store.rows):
        with pytest.raises(WorkError) as refusal:
            reading(run.context.run)
        for part in (str(file), f"{FORMAT_MAJOR + 1}.{FORMAT_MINOR}", "upgrade"):
            assert part in str(refusal.value)
        assert f"reads up to {FORMAT_MAJOR}.{FORMAT_MINOR}" in str(refusal.value)


def test_nothing_is_overwritten(store: Store, run: Run, run_rows: Table) -> None:
    store.save(run, run_rows)
    with pytest.raises(WorkError, match=run.context.run):
        store.save(run, run_rows.taken(np.arange(1)))
    assert store.rows(run.context.run) == run_rows


def test_an_empty_folder_in_the_way_is_not_replaced(
    store: Store, run: Run, run_rows: Table
) -> None:
    folder = store.folder(run.context.run)
    folder.mkdir(parents=True)
    with pytest.raises(WorkError, match=run.context.run):
        store.save(run, run_rows)
    assert list(folder.iterdir()) == []


def test_folder_of_the_runs_is_chosen_in_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.delenv("CIPHERMARK_RUNS", raising=False)
    assert Store.default().root == tmp_path / "data" / "ciphermark" / "runs"
    monkeypatch.setenv("CIPHERMARK_RUNS", str(tmp_path / "named"))
    assert Store.default().root == tmp_path / "named"
    assert Store.default(tmp_path / "given").root == tmp_path / "given"


def test_check_makes_the_folder_and_leaves_nothing_in_it(store: Store) -> None:
    store.check_writable()
    assert list(store.root.iterdir()) == []


def test_a_folder_that_cannot_be_made_is_told_before_work(tmp_path: Path) -> None:
    """Permissions do not bind root, so the way is barred by a file."""
    (tmp_path / "file").write_text("")
    store = Store(tmp_path / "file" / "runs")
    with pytest.raises(UsageError) as refusal:
        store.check_writable()
    assert str(store.root) in str(refusal.value)
    assert "--runs DIR" in str(refusal.value)


def _rewrite(file: Path, table: Table) -> None:
    file.unlink()
    write(table, file)


def _set(file: Path, column: str, value: int) -> None:
    table = read(file)
    _rewrite(file, table.with_column(column, [value]))
