"""Stored runs whose fields are missing, of another type or not possible: what is read can be
analysed, and what cannot be is one sentence that names the file; other runs are shown as before."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from itertools import cycle, islice, product
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ciphermark.answers.models.observations import measured, simulated
from ciphermark.command.stored import stored_rows
from ciphermark.errors import UsageError, WorkError
from ciphermark.record.layout import table_file
from ciphermark.record.store import Store
from ciphermark.workload import rows, rows_table

GOLDEN = Path(__file__).parent / "golden"
OTHERS = ["run-1.1", *sorted(path.name for path in GOLDEN.glob("run-1.8-*"))]
RUNS = ["run-1.8", *OTHERS]
DEEP = "[" * 10_000
"""Ten times as deep as Python goes."""

Harm = Callable[[pa.Table, str], pa.Table | None]
"""What becomes of a table whose column is harmed; None where another harm does the same to it."""


def replaced(table: pa.Table, name: str, values: pa.Array) -> pa.Table:
    return table.set_column(table.column_names.index(name), name, values)


def filled(value: Any, *, of_any_type: bool = True) -> Harm:
    """With a value in every row, of the type that the column has, where it can have it; else of
    the value's own."""

    def fill(table: pa.Table, name: str) -> pa.Table | None:
        kind = table.schema.field(name).type
        kind = getattr(kind, "storage_type", kind)
        try:
            values = pa.array([value] * table.num_rows, kind)
        except (pa.ArrowException, OverflowError, TypeError, ValueError):
            if not of_any_type:
                return None
            values = pa.array([value] * table.num_rows)
        return replaced(table, name, values)

    return fill


def without(table: pa.Table, name: str) -> pa.Table:
    return table.drop_columns([name])


def null(table: pa.Table, name: str) -> pa.Table:
    return replaced(table, name, pa.nulls(table.num_rows, table.schema.field(name).type))


def bytes_that_are_no_text(table: pa.Table, name: str) -> pa.Table:
    return replaced(table, name, pa.array([b"\xff"] * table.num_rows, pa.binary()))


HARMS: dict[str, Harm] = {
    "missing": without,
    "null": null,
    "a text": filled("x"),
    "a whole number": filled(-(2**63)),
    "a large number": filled(2**63 - 1, of_any_type=False),
    "an infinite number": filled(float("inf"), of_any_type=False),
    "no number": filled(float("nan")),
    "a list": filled([1]),
    "no text": bytes_that_are_no_text,
    "deep JSON": filled(DEEP, of_any_type=False),
    "an empty object": filled("{}", of_any_type=False),
    "JSON of nothing": filled("null", of_any_type=False),
}

IN_TURN = "one after the other"


def in_turn(run: str) -> Harm:
    """All harms, from column to column another one. Runs begin with different ones, so that a
    column that all of them have meets most harms."""
    turn = cycle(HARMS.values())
    next(islice(turn, RUNS.index(run), None))

    def harm(table: pa.Table, name: str) -> pa.Table | None:
        changes = (harm(table, name) for harm in islice(turn, len(HARMS)))
        return next((changed for changed in changes if changed is not None), None)

    return harm


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of runs for each of these runs, of which some have one name."""
    root = tmp_path_factory.mktemp("fields")
    for name in RUNS:
        shutil.copytree(GOLDEN / name, root / name / named(name))
    return root


def named(name: str) -> str:
    return pq.read_table(table_file(GOLDEN / name, "context"))["run"][0].as_py()


def harmed(file: Path, harm: Harm) -> Iterator[str]:
    """Each column of a file in turn, with this harm; at the end the file is as it was."""
    content, table = file.read_bytes(), pq.read_table(file)
    try:
        for name in table.column_names if table.num_rows else ():
            try:
                if (changed := harm(table, name)) is None:
                    continue
                pq.write_table(changed, file)
            except pa.ArrowException:
                continue  # what Parquet cannot hold
            yield name
    finally:
        file.write_bytes(content)


def analysed(store: Store, run: str, table: str) -> None:
    """What commands do with a run before they show it, as far as they read this table."""
    if table != "rows":
        loaded = store.load(run)
        rows_table(rows(loaded), loaded.context.workload)
        if loaded.simulations and loaded.context.workload == "simulation":
            simulated(f"run {run}", loaded.simulations, loaded.targets, None)
    if table in ("context", "rows"):
        context = store.context(run)
        found = stored_rows(store, run, context.workload)
        if context.workload == "single":
            measured(context, found)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "kind"),
    [
        *((name, IN_TURN) for name in RUNS),
        # All harms to one run, and to the others those that find what is read of them alone.
        *(
            pytest.param(*harmed, marks=pytest.mark.deep)
            for harmed in (
                *(("run-1.8", kind) for kind in HARMS),
                *product(OTHERS, ("missing", "null", "a text")),
            )
        ),
    ],
)
@pytest.mark.filterwarnings("ignore:invalid value encountered in cast")
def test_a_field_that_is_not_as_it_was_written(stored: Path, name: str, kind: str) -> None:
    run, wrong = named(name), []
    store, harm = Store(stored / name), in_turn(name) if kind == IN_TURN else HARMS[kind]
    for file in sorted((stored / name / run).glob("*.parquet")):
        analysed(store, run, file.stem)
        for column in harmed(file, harm):
            try:
                analysed(store, run, file.stem)
            except (UsageError, WorkError) as told:
                sentence = str(told)
                is_named = run in sentence or "stored description of the target" in sentence
                if not is_named or "\n" in sentence or len(sentence) > 1000:
                    wrong.append(f"{file.name} {column}: {sentence}")
            except Exception as error:  # all of them, to see them at once
                wrong.append(f"{file.name} {column}: {type(error).__name__} {error}"[:200])
    assert wrong == []


@pytest.mark.slow
@pytest.mark.parametrize("kind", HARMS)
def test_other_runs_are_listed_beside_it(stored: Path, kind: str) -> None:
    root, run = stored / "run-1.8", named("run-1.8")
    other = "20200101-000000-abcd"
    shutil.copytree(GOLDEN / "run-1.8", root / other, dirs_exist_ok=True)
    try:
        for _ in harmed(table_file(root / run, "context"), HARMS[kind]):
            (root / "index.json").unlink(missing_ok=True)
            assert other in [it.run for it in Store(root).summaries()]
    finally:
        shutil.rmtree(root / other)
