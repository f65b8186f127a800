"""Runs of every format so far are still read, and say what they said when they were stored."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ciphermark.record import parquet
from ciphermark.record.layout import FORMAT_MAJOR, FORMAT_MINOR
from ciphermark.record.store import Store
from ciphermark.workload import rows_from_table, rows_table

FOLDERS = sorted((Path(__file__).parent / "golden").glob("run-*"))


def contains(now: Any, then: Any) -> bool:
    """Whether all that was known then is the same now; fields may have been added since."""
    if isinstance(then, dict):
        return all(key in now and contains(now[key], value) for key, value in then.items())
    if isinstance(then, list):
        return len(now) == len(then) and all(map(contains, now, then))
    return now == then


@pytest.fixture(params=FOLDERS, ids=lambda folder: folder.name)
def golden(request: pytest.FixtureRequest) -> Path:
    return request.param


@pytest.fixture
def expected(golden: Path) -> dict[str, Any]:
    return json.loads((golden / "expected.json").read_text())


def test_the_present_format_has_a_golden_run() -> None:
    assert f"run-{FORMAT_MAJOR}.{FORMAT_MINOR}" in [folder.name for folder in FOLDERS]


def test_the_run_is_what_was_stored(store: Store, golden: Path, expected: dict[str, Any]) -> None:
    run = store.load(store.resolve(str(golden)))
    for part in ("context", "cases", "warnings"):
        assert contains(msgspec.to_builtins(getattr(run, part)), expected[part]), part
    assert run.samples.num_rows == expected["sample_count"]
    assert contains(run.samples.to_pylist()[:12], expected["samples"])
    assert len(run.sessions) == expected.get("session_count", 0)
    assert contains(msgspec.to_builtins(run.sessions[:2]), expected.get("sessions", []))
    assert len(run.packets) == expected.get("packets_count", 0)
    assert contains(msgspec.to_builtins(run.packets[:2]), expected.get("packets", []))
    for part in ("simulations", "targets", "imported", "variants", "tunnels"):
        assert contains(msgspec.to_builtins(getattr(run, part)), expected.get(part, [])), part
    assert contains(msgspec.to_builtins(run.origin), expected.get("origin")), "origin"


def test_runs_that_belong_to_it_are_what_was_stored(
    store: Store, golden: Path, expected: dict[str, Any]
) -> None:
    run = store.load(store.resolve(str(golden)))
    assert run.given == expected.get("given", {})
    told = expected.get("also", [])
    assert len(run.also) == len(told)
    for other, then in zip(run.also, told, strict=True):
        assert contains(msgspec.to_builtins(other.context), then["context"])
        assert contains(msgspec.to_builtins(other.sessions), then["sessions"])
        # It is a run like any other, and found by the path of its folder.
        within = store.resolve(str(golden / "also" / other.context.run))
        stored = rows_from_table(store.rows(within), other.context.workload)
        assert contains(msgspec.to_builtins(stored), then["rows"])


def test_rows_are_what_was_stored(store: Store, golden: Path, expected: dict[str, Any]) -> None:
    run = store.resolve(str(golden))
    stored = rows_from_table(store.rows(run), store.context(run).workload)
    assert contains(msgspec.to_builtins(stored), expected["rows"])


def test_columns_are_of_the_types_that_they_were_stored_in(store: Store, golden: Path) -> None:
    workload = store.context(store.resolve(str(golden))).workload
    written = parquet.encoded(rows_table([], workload))
    now = pq.read_schema(pa.BufferReader(written))
    then = pq.read_schema(golden / "rows.parquet")
    assert all(_grown(now.field(name).type, then.field(name).type) for name in then.names)


def _grown(now: pa.DataType, then: pa.DataType) -> bool:
    """Whether it is the same; what it consists of may have been added to."""
    if not (pa.types.is_struct(now) and pa.types.is_struct(then)):
        return now == then
    return all(_grown(now.field(it.name).type, it.type) for it in then)
