"""What stored runs of several machines say together."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from typer.testing import CliRunner

from ciphermark.answers.machines.figures import matrices
from ciphermark.answers.machines.machine import find, machines
from ciphermark.answers.machines.page import machine_page
from ciphermark.cli.main import app
from ciphermark.errors import UsageError
from ciphermark.record import index
from ciphermark.record.store import Store
from machines_example import few_machines, machine_run, save

GOLDEN = Path(__file__).with_name("golden") / "machines"


@pytest.fixture(scope="module")
def few(tmp_path_factory: pytest.TempPathFactory) -> Store:
    store = Store(tmp_path_factory.mktemp("few") / "runs")
    few_machines(store)
    return store


def said(store: Store, *arguments: str, columns: int = 80) -> str:
    result = CliRunner().invoke(
        app,
        [*arguments, "--runs", str(store.root)],
        env={"COLUMNS": str(columns)},
        catch_exceptions=False,
    )
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.mark.slow
@pytest.mark.parametrize("columns", [80, 120])
@pytest.mark.parametrize(
    ("name", "command"),
    [
        ("list", ("list", "machines")),
        ("matrix", ("machines", "matrix")),
        ("show", ("machines", "show", "epyc-a")),
    ],
)
def test_screens_are_as_they_were_looked_at(
    few: Store, name: str, command: tuple[str, ...], columns: int
) -> None:
    """Renewed like the screens of advice: CIPHERMARK_WRITE_GOLDEN=1, and git diff."""
    screen = "\n".join(it.rstrip() for it in said(few, *command, columns=columns).splitlines())
    golden = GOLDEN / f"{name}-{columns}.txt"
    if os.environ.get("CIPHERMARK_WRITE_GOLDEN"):
        golden.write_text(f"{screen}\n", "utf-8")
    assert screen + "\n" == golden.read_text("utf-8")
    assert max(map(len, screen.splitlines())) <= columns


def test_machines_are_told_apart_and_found(store: Store) -> None:
    save(
        store,
        machine_run(1, "epyc", machine_id="aaaa" * 4),
        machine_run(2, "epyc", machine_id="bbbb" * 4),
        machine_run(3, "epyc", machine_id="bbbb" * 4),
        machine_run(4, "xeon", machine_id="cccc" * 4),
    )
    known = machines(store)
    assert [(it.name, it.runs) for it in known] == [
        ("xeon", 1),
        ("epyc:bbbb", 2),
        ("epyc:aaaa", 1),
    ]
    assert find("xeon", known).machine_id == "cccc" * 4
    assert find("epyc:aaaa", known) == find("aaaa" * 4, known) == find("aa", known)
    with pytest.raises(UsageError, match="means 2 machines"):
        find("epyc", known)
    with pytest.raises(UsageError, match="near it: xeon"):
        find("xeno", known)


def test_other_hardware_is_another_machine(store: Store) -> None:
    before, after = (machine_run(n, "epyc", machine_id="aaaa" * 4) for n in (1, 2))
    after.context.machine_kind = "more cores"
    save(store, before, after)
    names = [it.name for it in machines(store)]
    assert len(set(names)) == 2 and all(it.startswith("epyc:aaaa") for it in names)


def test_what_machines_are_is_read_once(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    few_machines(store)
    first = machines(store)
    monkeypatch.setattr(index, "_machine", lambda folder: pytest.fail("read again"))
    assert machines(store) == first
    assert all(it.cores == 2 and "aes" in (it.features or []) for it in first)


def test_the_matrix_has_the_newest_figure_of_the_fastest(few: Store) -> None:
    [matrix], known = matrices(few, [1024])
    assert matrix.machines == ["epyc-a", "epyc-b", "small", "xeon"]
    assert {it.name for it in known} == set(matrix.machines)
    cells = {(it.machine, it.algorithm): it for it in matrix.cells}
    assert ("small", "aes-128-gcm") not in cells
    # sha256 by rustcrypto is (210 + 1.9 · 1024) / 1024 cycles per byte.
    cell = cells["epyc-a", "sha256"]
    assert cell.provider == "rustcrypto"
    assert cell.cycles_per_byte == pytest.approx(2.105, rel=0.02)
    assert cell.run.endswith("-0002")
    assert cells["xeon", "sha256"].cycles_per_byte == pytest.approx(2 * 2.105, rel=0.02)
    for (machine, algorithm), cell in cells.items():
        rows = [
            it
            for it in few.rows(cell.run).to_pylist()
            if (it["algorithm"], it["message_bytes"]) == (algorithm, 1024)
            and it["operation"] == cell.operation
        ]
        assert cell.cycles_per_byte == min(it["cycles_per_byte"] for it in rows), machine


def test_a_size_that_nothing_is_of_names_those_that_are(few: Store) -> None:
    with pytest.raises(UsageError, match="64, 1024, 16384"):
        matrices(few, [17])


def test_algorithms_are_selected_and_wrong_ones_refused(few: Store) -> None:
    document = json.loads(said(few, "machines", "matrix", "--algorithms", "*sha*", "--json"))
    assert document["matrices"][0]["algorithms"] == ["hmac-sha256", "sha256"]
    result = CliRunner().invoke(
        app, ["machines", "matrix", "--algorithms", "sha265", "--runs", str(few.root)]
    )
    assert isinstance(result.exception, UsageError) and "sha256" in str(result.exception)


def test_a_page_says_how_figures_moved(few: Store) -> None:
    page = machine_page(few, "epyc-a")
    assert [it.run[-4:] for it in page.runs] == ["0002", "0001"]
    moved = {(it.algorithm, it.provider): it for it in page.histories if it.moved}
    assert set(moved) == {("sha256", "openssl"), ("sha256", "rustcrypto")}
    for it in moved.values():
        assert it.ratio == pytest.approx(1 / 1.3, rel=0.02)
        assert [point.run[-4:] for point in it.points] == ["0001", "0002"]


@pytest.mark.slow
def test_the_page_is_one_file_that_has_it_all(few: Store) -> None:
    path = Path(said(few, "machines", "page", "epyc-a").strip())
    assert path.parent == few.root / "machines"
    text = path.read_text("utf-8")
    for part in ("AMD EPYC 9B45", "×0.77", "How the figures moved", "pclmulqdq"):
        assert part in text
    assert "http://" not in text.split("<script>")[0]
    refused = CliRunner().invoke(
        app, ["machines", "page", "epyc-a", "--output", str(path), "--runs", str(few.root)]
    )
    assert isinstance(refused.exception, UsageError)


def test_an_empty_store_is_said(store: Store) -> None:
    assert "No runs are stored here" in said(store, "list", "machines")
    with pytest.raises(UsageError, match="no stored run"):
        matrices(store, None)
