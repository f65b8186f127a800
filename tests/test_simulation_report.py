"""Runs of simulated processors beyond the terminal: the report, its files, exports, refusals."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from ciphermark import contract
from ciphermark.cli.main import app
from ciphermark.command import measuring
from ciphermark.command.measuring import Kept
from ciphermark.command.report import write_report
from ciphermark.errors import UsageError, WorkError
from ciphermark.record.run import Run
from ciphermark.record.store import Store
from ciphermark.record.table import Table
from ciphermark.workload import rows, rows_table
from ciphermark.workloads.simulation.row import SimulationRow
from ciphermark.workloads.simulation.simulating import exit_code
from packets_example import packets_example
from sessions_example import sessions_example
from simulation_example import simulated_example, simulated_run, simulations

Example = tuple[Run, list[SimulationRow]]


@pytest.fixture(scope="module")
def example() -> Example:
    run = simulated_example()
    return run, rows(run)


@pytest.fixture
def stored(store: Store, example: Example) -> Store:
    run, found = example
    store.save(run, rows_table(found, "simulation"))
    return store


@pytest.mark.slow
def test_a_model_of_a_pipeline_says_what_it_leaves_out(report_of: Callable[[str], Path]) -> None:
    html = report_of("simulation").read_text()
    assert html.count("The model of its pipeline takes for granted") == 2
    assert re.search(r'<td class="unsettled">unverified</td>', html)
    assert "table 3-1: 3 instead of 1" not in html, "the Cortex-M0 is not in the run"


def test_cycles_are_times_at_the_clock_of_the_target_and_instructions_are_none() -> None:
    at_16_mhz, counted = (
        rows(simulated_run(simulations([name])))[0] for name in ("atmega128", "octeon")
    )
    assert at_16_mhz.microseconds == pytest.approx(at_16_mhz.value / 16)
    assert (counted.metric, counted.microseconds) == ("instructions", None)


@pytest.mark.parametrize(
    ("kinds", "code"), [([], 0), (["unsupported"], 0), (["unsupported", "wrong-answer"], 1)]
)
def test_what_a_target_has_no_memory_for_is_no_failure(kinds: list[str], code: int) -> None:
    run = simulated_run(simulations(["sa1110"]))
    found = rows(run)
    for row, kind in zip(found, kinds, strict=False):
        row.error = contract.Failure(kind=kind, message="made up")
    assert exit_code(Kept(run, found, None)) == code


def test_one_target_is_in_the_title(tmp_path: Path) -> None:
    run = simulated_run(simulations(["sa1110"]))
    html = write_report(run, rows(run), tmp_path).read_text()
    assert "What cryptography costs on sa1110, simulated" in html
    assert "not comparable" not in html.partition("<script")[0]


@pytest.mark.slow
def test_a_plot_of_functions_has_one_kind_of_figures(report_of: Callable[[str], Path]) -> None:
    report = report_of("simulation")
    data = json.loads(re.search(r'<script id="plots"[^>]*>(.*?)</script>', report.read_text())[1])
    panels = data["panels"]["functions-cycles-model"]
    assert [panel["spec"]["title"] for panel in panels] == ["cortex-m4", "rv32i"]
    assert all("instructions" not in json.dumps(panel) for panel in panels)


def test_a_run_without_any_figure_has_a_report(tmp_path: Path) -> None:
    html = write_report(simulated_run([]), [], tmp_path).read_text()
    assert "What cryptography costs on 0 simulated processors" in html


def test_commands_show_a_stored_run(stored: Store, example: Example) -> None:
    _, found = example
    shown = _invoke("show", "last", "--runs", str(stored.root))
    assert "core clock" not in shown and "atmega128, cycles (simulated)" in shown
    told = json.loads(_invoke("show", "last", "--json", "--runs", str(stored.root)))
    assert len(told["rows"]) == len(found)
    line = _invoke("list", "runs", "--runs", str(stored.root)).splitlines()[1]
    assert f" {len(found)} " in line and f"/{len(found)}" not in line


def test_simulations_are_not_compared(stored: Store) -> None:
    result = CliRunner().invoke(app, ["compare", "last", "last", "--runs", str(stored.root)])
    assert isinstance(result.exception, UsageError)
    assert "is of simulated processors" in str(result.exception)


def test_all_workloads_are_asked_together(stored: Store, run: Run, run_rows: Table) -> None:
    stored.save(run, run_rows)
    for other, found in (sessions_example(), packets_example()):
        stored.save(other, rows_table(found, other.context.workload))
    answer = stored.query("""
        SELECT runs.workload, count(value) AS simulated, max(message_bytes) AS largest
        FROM runs JOIN rows USING (run) GROUP BY ALL ORDER BY ALL
        """).to_pylist()
    assert [it["workload"] for it in answer] == ["packets", "sessions", "simulation", "single"]
    assert [it["simulated"] > 0 for it in answer] == [False, False, True, False]
    assert all(it["largest"] for it in answer)
    [samples] = stored.query("SELECT count(*) AS n FROM samples")["n"].to_pylist()
    assert samples == run.samples.num_rows


def _invoke(*arguments: str) -> str:
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_an_engine_that_has_died_is_a_failure_of_the_command() -> None:
    run = simulated_run(simulations(["sa1110"]))
    ends = [measuring.exit_code(Kept(run, [], it)) for it in (None, WorkError("it was killed"))]
    assert ends == [0, 1]
