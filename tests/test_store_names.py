"""From what a user types to a run."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec
import pytest

from ciphermark.errors import UsageError
from ciphermark.record.run import Run
from ciphermark.record.store import Store
from ciphermark.record.table import Table

RUNS = (
    "20261120-170000-7f3a",
    "20261121-091500-3c1e",
    "20261121-091501-7f3b",
    "20261122-080000-1121",
)


@pytest.fixture
def filled(store: Store) -> Store:
    """Runs of which only the names matter."""
    for run in RUNS:
        store.folder(run).mkdir(parents=True)
    return store


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("last", RUNS[3]),
        (RUNS[0], RUNS[0]),
        ("20261120", RUNS[0]),
        ("20261121-091501", RUNS[2]),
        ("7f3a", RUNS[0]),
        ("3c1", RUNS[1]),
        ("1-7f", RUNS[2]),
    ],
)
def test_unique_parts_are_enough(filled: Store, name: str, found: str) -> None:
    assert filled.resolve(name) == found


def test_four_digits_mean_the_end_even_where_they_are_part_of_a_date(filled: Store) -> None:
    assert filled.resolve("1121") == RUNS[3]


@pytest.mark.parametrize("name", ["20261121", "7f3"])
def test_a_part_of_several_names_them(filled: Store, name: str) -> None:
    with pytest.raises(UsageError) as refusal:
        filled.resolve(name)
    message = str(refusal.value)
    assert "means 2 runs" in message
    assert all(run in message for run in RUNS if name in run)
    assert "ciphermark list runs" in message


def test_of_many_only_some_are_named(store: Store) -> None:
    for number in range(12):
        store.folder(f"20261121-0915{number:02}-{number:04x}").mkdir(parents=True)
    with pytest.raises(UsageError, match=r"means 12 runs \(.*, …\)") as refusal:
        store.resolve("20261121")
    assert str(refusal.value).count("20261121-") == 5


@pytest.mark.parametrize(
    ("name", "near"), [("7f3c", [RUNS[0], RUNS[2]]), ("20261120-170001-7f3a", [RUNS[0]])]
)
def test_a_wrong_name_says_what_is_near(filled: Store, name: str, near: list[str]) -> None:
    with pytest.raises(UsageError, match=f"no run '{name}'; near it") as refusal:
        filled.resolve(name)
    assert all(run in str(refusal.value) for run in near)


@pytest.mark.parametrize("name", ["", "nothing like it", "../..", "\0", "x" * 5000])
def test_nonsense_is_a_wrong_name(filled: Store, name: str) -> None:
    with pytest.raises(UsageError, match="there is no run"):
        filled.resolve(name)


def test_without_runs_it_says_how_to_make_one(store: Store) -> None:
    for name in ("last", "7f3a"):
        with pytest.raises(UsageError, match="ciphermark survey") as refusal:
            store.resolve(name)
        assert str(store.root) in str(refusal.value)


def test_last_of_two_runs_in_one_second_is_the_later(
    store: Store, run: Run, run_rows: Table
) -> None:
    for digits, offset_ns in (("aaaa", 2), ("0000", 3), ("ffff", 1)):
        context = msgspec.structs.replace(
            run.context,
            run=f"20261121-091600-{digits}",
            started_unix_ns=run.context.started_unix_ns + offset_ns,
        )
        store.save(msgspec.structs.replace(run, context=context), run_rows)
    assert store.resolve("last") == store.summaries()[0].run == "20261121-091600-0000"


def test_a_path_names_a_run_outside_the_folder(
    store: Store, tmp_path: Path, run: Run, run_rows: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    Store(tmp_path / "elsewhere").save(run, run_rows).rename(tmp_path / "baseline")
    monkeypatch.chdir(tmp_path)
    for name in ("baseline", "./baseline", f"{tmp_path}{os.sep}baseline{os.sep}"):
        assert store.load(store.resolve(name)).context == run.context
    assert store.folder(store.resolve("baseline")) == tmp_path / "baseline"
