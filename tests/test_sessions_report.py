"""The report of many sessions: what it says, which files it has, and the other formats."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from ciphermark.command.report import write_report
from pictures import drawn
from sessions_example import sessions_example, soak_example

pytestmark = pytest.mark.slow


def test_figures_whose_executions_are_lost_are_drawn_without_latency(tmp_path: Path) -> None:
    run, rows = sessions_example()
    run.sessions = []
    write_report(run, rows, tmp_path)
    names = {path.stem for path in (tmp_path / "plots").iterdir()}
    assert "scaling" in names and "latency" not in names


def test_a_soak_is_drawn_over_time(tmp_path: Path) -> None:
    run, rows = soak_example()
    with drawn():
        write_report(run, rows, tmp_path)
    picture = (tmp_path / "plots" / "over-time.svg").read_text()
    assert picture.startswith("<svg")
    assert "Core clock, GHz" in picture and "Temperature, °C" in picture


def test_sessions_of_empty_messages_have_their_cpu_time(tmp_path: Path) -> None:
    run, rows = sessions_example()
    row = next(it for it in rows if it.most_scheduled is not None)
    row.most_scheduled = msgspec.structs.replace(row.most_scheduled, apparent_cycles_per_byte=None)
    page = write_report(run, rows, tmp_path, with_files=False).read_text()
    assert "The sessions that were served most and least" in page
