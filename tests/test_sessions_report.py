"""The report of many sessions: what it says, which files it has, and the other formats."""

from __future__ import annotations

from pathlib import Path

import pytest

from ciphermark.command.report import write_report
from sessions_example import sessions_example, soak_example

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    run, rows = sessions_example()
    return write_report(run, rows, tmp_path_factory.mktemp("run"))


def test_it_says_what_the_run_has_found(report: Path) -> None:
    html = report.read_text()
    assert "12 of 13" in html, "valid cases"
    assert "100 sessions on CPUs 0-1</strong>: not valid" in html
    assert "CPU time differs by 31 %" in html
    assert "crash (SIGSEGV)" in html
    assert "Core clock with sessions, against alone" in html
    assert "1 000 sessions take turns on a thread for each CPU" in html


def test_each_plot_is_a_file_too(report: Path) -> None:
    names = {path.name for path in report.with_name("plots").iterdir()}
    plots = ("cycles-over-size", "cycles-over-cpus", "scaling", "fairness", "latency")
    assert names == {f"{name}.{kind}" for name in plots for kind in ("svg", "png")}


def test_figures_whose_executions_are_lost_are_drawn_without_latency(tmp_path: Path) -> None:
    run, rows = sessions_example()
    run.sessions = []
    write_report(run, rows, tmp_path)
    names = {path.stem for path in (tmp_path / "plots").iterdir()}
    assert "scaling" in names and "latency" not in names


def test_a_soak_is_drawn_over_time(tmp_path: Path) -> None:
    run, rows = soak_example()
    html = write_report(run, rows, tmp_path).read_text()
    assert (tmp_path / "plots" / "over-time.svg").exists()
    assert "core clock from 3.80 GHz to 3.40 GHz" in html
