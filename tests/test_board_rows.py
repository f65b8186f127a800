"""Figures of a board beside those of the simulation of its target: tables, reports, models."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ciphermark.answers.models.backtests import backtests, by_processor
from ciphermark.answers.models.observations import simulated
from ciphermark.answers.models.operation_model import OperationModel
from ciphermark.contract.others import board_label, target_of_board
from ciphermark.errors import UsageError
from ciphermark.record.run import Run
from ciphermark.record.store import Store
from ciphermark.run.targets.board_image import BoardImage
from ciphermark.run.targets.target import FOLDER, TARGETS, on_board, read
from ciphermark.workload import rows, rows_table
from ciphermark.workloads.simulation.comparison import compared, ratio_lines, verdicts
from engine_fixture import Command
from simulation_example import on_a_board, simulated_run, simulations

BOARD = board_label("atmega128")


def run_with_board(factor: float) -> Run:
    found = simulations()
    return simulated_run([*on_a_board(found, "atmega128", factor), *found])


def test_a_label_names_its_target() -> None:
    assert BOARD == "atmega128@board"
    assert target_of_board(BOARD) == "atmega128"
    assert target_of_board("atmega128") is None


def test_each_cell_of_the_board_stands_beside_its_simulation() -> None:
    cells = compared(rows(run_with_board(1.25)))
    own = [it for it in simulations() if it.case.target == "atmega128"]
    assert [(it.target, it.simulated) for it in cells] == [("atmega128", it.value) for it in own]
    assert all(it.ratio == pytest.approx(1.25, rel=0.01) for it in cells)
    line = next(
        it for it in ratio_lines(rows(run_with_board(1.25))) if it.function == "md5 reference"
    )
    assert line.at(0) == pytest.approx(1.25, rel=0.01)


def test_where_a_simulation_is_off_is_said() -> None:
    assert list(verdicts(rows(run_with_board(1)))) == [
        "the board with atmega128 counts the same as its simulation, in each of 14 calls"
    ]
    run = run_with_board(1.25)
    run.simulations[0].value = 2 * (run.simulations[0].value or 0)
    told, farthest = verdicts(rows(run))
    assert told.startswith(
        "the board with atmega128 takes cycles for each of its simulation, over 14"
    )
    assert farthest.startswith("farthest from that median: idea-ecb setup ")


def test_a_run_with_a_board_is_kept_shown_and_reported(store: Store, command: Command) -> None:
    run = run_with_board(1.25)
    store.save(run, rows_table(rows(run), "simulation"))
    loaded = store.load(run.context.run)
    assert loaded.simulations == run.simulations
    shown = command("show", "last", "--runs", str(store.place))
    assert shown.code == 0, shown.messages
    assert "atmega128@board, cycles (measured)" in shown.output
    assert "×1.25" in shown.output
    assert len(ratio_lines(rows(loaded))) == 5
    written = command("report", "last", "--runs", str(store.place))
    assert written.code == 0, written.messages
    report = (Path(str(store.place)) / run.context.run / "report.html").read_text("utf-8")
    assert "The board over its simulation" in report
    board = report.partition(f'id="target-{BOARD}"')[2].partition("</details>")[0]
    assert "<dt>Figures</dt><dd>cycles (measured)" in board


def test_a_board_is_a_processor_of_models_and_left_out_with_its_target() -> None:
    run = run_with_board(1.25)
    observed = simulated("made up", run.simulations, run.targets)
    assert observed.processors[BOARD].processor.metric == "cycles-measured"
    assert {it.metric for it in observed.observations if it.processor == BOARD} == {
        "cycles-measured"
    }
    tested = by_processor(observed, OperationModel(observed))
    alone = simulated_run(simulations())
    without = simulated("made up", alone.simulations, alone.targets)
    usual = by_processor(without, OperationModel(without))
    # What a board says of a target tells nothing to whoever predicts the target.
    assert [it for it in tested if it.processor == "atmega128"] != []
    assert prices(tested, "atmega128") == pytest.approx(prices(usual, "atmega128"))
    assert prices(tested, BOARD) == pytest.approx(prices(usual, "atmega128"))
    assert BOARD in {it.of for it in backtests(observed).compared if it.part == "processor"}


def prices(tested: list[Any], processor: str) -> list[float]:
    return [it.predicted["paper-model"] for it in tested if it.processor == processor]


def test_commands_of_flashing_name_image_and_port() -> None:
    target = on_board(TARGETS.named("cortex-m4"), ["reference"])
    assert target.board is not None
    image = BoardImage(Path("/tmp/a folder/board.elf"), "0123")
    (words,) = image.commands(target.board, "/dev/ttyACM0")
    assert words[-1] == "program /tmp/a folder/board.elf verify reset exit"
    assert (target.name, target.simulator, target.data_bytes) == ("cortex-m4@board", None, None)


def test_a_target_without_a_board_is_refused_with_those_that_have_one() -> None:
    with pytest.raises(UsageError, match="has no table .board., as atmega328p, cortex-m4, "):
        on_board(TARGETS.named("cortex-a8"), ["reference"])


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("baud = 57600", "baud = 12345", "baud"),
        ('hal = "avr"', 'hal = "linux"', "board"),
        ('flash = ["avrdude', 'flush = ["avrdude', "flush"),
    ],
)
def test_a_table_of_a_board_that_cannot_be_is_refused(
    tmp_path: Path, old: str, new: str, sentence: str
) -> None:
    text = (FOLDER / "atmega328p.toml").read_text("utf-8")
    assert old in text
    file = tmp_path / "board.toml"
    file.write_text(text.replace(old, new), "utf-8")
    with pytest.raises(UsageError, match=sentence):
        read(file)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], "name the target once"),
        (["cortex-m4", "--target", "cortex-m4"], "name the target once"),
        (["cortex-m4", "--flash"], "--flash goes with --serial DEVICE"),
        (["cortex-m4,rp2040", "--serial", "/dev/null"], "is one board, and 2 targets are named"),
        (["cortex-a8", "--serial", "/dev/null"], "has no table [board]"),
        (["--target", "cortex-m4", "--serial", "/dev/no-such"], "cannot be opened"),
    ],
)
def test_bad_input_is_one_sentence(command: Command, arguments: list[str], sentence: str) -> None:
    ended = command("simulate", *arguments, "--algorithms", "md5")
    assert ended.code == 2
    assert sentence in ended.sentence
