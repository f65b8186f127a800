"""Lists, screens, reports and sites have one count of settled cases for a run."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import msgspec
import pytest
from typer.testing import CliRunner

from ciphermark.cli.main import app
from ciphermark.command import measuring
from ciphermark.command.report import document
from ciphermark.files import rebuildable
from ciphermark.record import index, layout
from ciphermark.record.case_row import Settled, count_settled, settled, settled_in
from ciphermark.record.run import Summary
from ciphermark.record.run_folder import read_counted, read_summary
from ciphermark.record.store import Store
from ciphermark.site import build as site
from ciphermark.view import stored
from ciphermark.workload import rows, rows_table, workload_of
from packets_example import load, packet_case, packets_run, pairs_of, passed
from synthetic import synthetic_run

OF_SCREENS = re.compile(r"(\d+) of (\d+) cases? (?:did not settle|is not valid|are not valid)")
OF_OVERVIEWS = re.compile(r"did not settle to ±[\d.]+ % \((\d+) of (\d+) cases?\)")


@pytest.fixture(scope="module")
def golden(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """A folder of runs with every golden run."""
    root, number = tmp_path_factory.mktemp("golden"), count(10)
    for folder in sorted((Path(__file__).parent / "golden").glob("run-*")):
        shutil.copytree(folder, root / f"20261121-0915{next(number)}-{next(number):04x}")
    yield Store(root)


def listed(store: Store) -> dict[str, Summary]:
    """The runs whose cases settle."""
    every = {it.run: it for it in store.summaries()}
    assert len(every) == len(layout.run_ids(store.root)) > 30
    return {name: it for name, it in every.items() if workload_of(it.workload).settles}


def test_every_golden_run_has_one_count_in_all_outputs(golden: Store, tmp_path: Path) -> None:
    site.build(golden, str(golden.root), tmp_path / "site", reports=0)
    lines = {line[0]: line for line in written(tmp_path / "site")}
    found = listed(golden)
    assert {it.workload for it in found.values()} == {"single", "packets", "sessions"}
    for name, summary in found.items():
        run = golden.load(golden.resolve(name))
        analysed = rows(run)
        counted = settled(analysed)
        assert on_list(summary) == (counted.settled, counted.cases), summary
        assert (lines[name][7], lines[name][6]) == (counted.settled, counted.cases)
        assert on_screen(name, golden) == (counted.unsettled, counted.cases), name
        glance = document(run, analysed).facts
        assert glance is not None
        told = [re.search(r"(\d+) of (\d+)", f"{it.value} {it.note}") for it in glance.facts]
        counts = [(int(it[1]), int(it[2])) for it in told if it]
        assert (counted.settled, counted.cases) in counts


def written(folder: Path) -> list[list[Any]]:
    """The lines of the list of a site."""
    texts = [file.read_text() for file in (folder / "data" / "list").glob("*.js*")]
    parts = [json.loads(text[text.index("[") : text.rindex("]") + 1]) for text in texts]
    return [line for part in parts for line in part]


def on_list(summary: Summary) -> tuple[int, int]:
    [cell] = re.findall(r"(\d+)/(\d+)", stored._settled(summary))
    return int(cell[0]), int(cell[1])


def on_screen(name: str, store: Store) -> tuple[int, int]:
    arguments = ["show", name, "--runs", str(store.root)]
    text = " ".join(CliRunner().invoke(app, arguments, env={"COLUMNS": "120"}).output.split())
    said = OF_SCREENS.search(text) or OF_OVERVIEWS.search(text)
    assert said is not None, text
    return int(said[1]), int(said[2])


def test_a_failed_case_has_not_settled_and_is_no_unsettled_one() -> None:
    assert count_settled([(True, False), (False, False), (True, True)]) == Settled(1, 1, 1)


def test_packets_that_were_delivered_have_not_settled_where_passes_disagree(
    store: Store,
) -> None:
    """The engine counts delivered cases as converged."""
    cases = [packet_case(number, load()) for number in range(2)]
    few = passed(load(), pairs_of(load(), count=3))
    run = packets_run(cases, [passed(load()), msgspec.structs.replace(few, case=1)])
    run.context.converged = 2
    kept = measuring.keep(store, run)
    assert (kept.run.context.converged, kept.run.context.cases) == (1, 2)
    assert [it.converged for it in store.summaries()] == [1]
    stored_context = read_summary(store.folder(kept.id))
    assert stored_context.converged == 1, "a shared store lists runs by their contexts alone"


def test_an_index_with_the_counts_of_the_engine_is_not_used(store: Store) -> None:
    cases = [packet_case(0, load())]
    run = packets_run(cases, [passed(load(), pairs_of(load(), count=3))])
    run.context.converged = 1
    store.save(run, rows_table(rows(run), "packets"))
    [summary] = store.summaries()
    written = rebuildable.read(store.root / index.INDEX_FILE, index._Content)
    stale = msgspec.structs.replace(
        written,
        fields=Summary.__struct_fields__,
        summaries=[msgspec.structs.replace(summary, converged=1)],
    )
    rebuildable.write(store.root / index.INDEX_FILE, stale)
    assert [it.converged for it in Store(store.root).summaries()] == [0]


def test_contexts_of_older_runs_are_counted_by_their_rows(store: Store) -> None:
    run = synthetic_run(rounds=6)
    table = rows_table(rows(run), run.context.workload)
    folder = store.save(run, table)
    assert read_counted(folder).converged == settled_in(table).settled
    (folder / "rows.parquet").write_bytes(b"damaged")
    assert read_counted(folder) == read_summary(folder)
