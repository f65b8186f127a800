"""The table of many sessions: what it shows at which width, and what its marks say."""

from __future__ import annotations

import io
import re

import msgspec
import pytest
from rich.console import Console

from ciphermark import contract
from ciphermark.record.run import Run
from ciphermark.view.plan import plan_line
from ciphermark.view.progress import MeasuringProgress
from ciphermark.workloads.sessions import remarks as session_words
from ciphermark.workloads.sessions.figures import session_rows
from ciphermark.workloads.sessions.row import SessionRow
from on_screen import rows_on_screen
from sessions_example import (
    execution,
    load,
    session_case,
    sessions_example,
    sessions_run,
    soak_example,
)


def printed(run: Run, rows: list[SessionRow], width: int = 200) -> str:
    return rows_on_screen(run.context, rows, width)


@pytest.fixture(scope="module")
def example() -> tuple[Run, list[SessionRow]]:
    return sessions_example()


def test_a_device_has_a_column_and_a_sentence_where_there_is_one(
    example: tuple[Run, list[SessionRow]],
) -> None:
    run, rows = example
    assert "device" not in printed(run, rows)
    changes = {"offload": "cores", "device": "CPU 3 of this machine", "device_cpu_ns": 10**9}
    shown = printed(run, [*rows[1:], msgspec.structs.replace(rows[0], **changes)])
    assert "device" in shown.splitlines()[0] + shown.splitlines()[1]
    assert "cores is CPU 3 of this machine: absolute cycles exclude its work" in shown


def test_the_cells_of_a_line(example: tuple[Run, list[SessionRow]]) -> None:
    run, rows = example
    line = next(it for it in printed(run, rows).splitlines() if it.startswith("16 KiB"))
    row = next(it for it in rows if it.message_bytes == 16384)
    cells = re.split(r" {2,}", line.strip())
    assert cells[:3] == ["16 KiB", "100", "0"]
    assert float(cells[3]) == pytest.approx(row.absolute_cycles_per_byte, rel=0.01)
    assert float(cells[4]) == pytest.approx(row.apparent_cycles_per_byte, rel=0.01)
    assert float(cells[5]) == pytest.approx(row.wall_cycles_per_byte, rel=0.01)


def test_marks_say_what_is_doubtful(example: tuple[Run, list[SessionRow]]) -> None:
    text = printed(*example)
    assert "~11.4" in text and "in turns" in text
    assert "~ 1 of 14 cases is not valid; the reasons are below" in text
    assert "1 000 sessions take turns on a thread for each CPU" in text
    assert "! 1 case failed" in text and "crash (SIGSEGV)" in text


def test_each_rejected_attempt_has_its_reason(example: tuple[Run, list[SessionRow]]) -> None:
    lines = [line.strip() for line in printed(*example).splitlines()]
    place = lines.index("hmac-sha256 mac 64 B, 100 sessions on CPUs 0-1: not valid")
    assert lines[place + 1].startswith("1: 100 sessions, window 0.20–1.20 s of 1.30 s: never ran, ")
    place = lines.index("hmac-sha256 mac 64 B, 100 sessions on CPU 0: attempt 2 is valid")
    assert "uneven, CPU time differs by 31 %" in lines[place + 1]


def test_attempts_that_were_rejected_alike_are_one_line() -> None:
    row = sessions_example()[1][0]
    rejected = row.attempts[0]
    longer = msgspec.structs.replace(rejected, closes_ms=2200.0, execution_ms=2300.0)
    troubled = msgspec.structs.replace(row, attempts=[rejected, rejected, longer], valid=False)
    together = session_words.rejected_together(troubled)
    assert [it.partition(":")[0] for it in together] == ["1–2", "3"]
    assert len(session_words.rejected(troubled)) == 3


def test_nothing_is_said_where_nothing_is_to_say() -> None:
    case = session_case(0, load(2))
    run = sessions_run([case], [execution(load(2), [1000, 1000], [980_000_000] * 2)])
    lines = printed(run, session_rows(run)).splitlines()
    assert len(lines) == 7, "a title, two headings, a section, a line, and the marks"


def test_sessions_that_never_ran_and_estimates_are_said() -> None:
    case = session_case(0, load(3))
    apart = [
        contract.CoreClock(cpu=cpu, alone_hz=1e9, loaded_hz=1e9, offset_ns=20_000.0 * cpu)
        for cpu in (0, 1)
    ]
    seen = execution(load(3), [1000, 1000, 0], [900_000_000, 900_000_000, 0], core_clocks=apart)
    run = sessions_run([case], [seen])
    text = printed(run, session_rows(run))
    assert "1 of 3 sessions never ran within the window: hmac-sha256 mac 1000 B, 3 sessions" in text
    assert "clocks of the CPUs disagree, so absolute figures are estimated" in text
    assert "~" in text


def test_what_one_cpu_did_beside_is_said() -> None:
    """Apparent and absolute cycles should be the same there."""
    wanted = load(2, cpus=[0])
    shares = contract.CpuShares(busy=0.97, workload=0.8, steal=0.01, idle=0.02)
    seen = execution(wanted, [1000, 1000], [400_000_000] * 2, shares=shares)
    run = sessions_run([session_case(0, wanted)], [seen])
    rows = session_rows(run)
    assert rows[0].gap == pytest.approx(0.25)
    assert (
        "on one CPU apparent figures are up to 25 % above absolute ones: in the worst case other "
        "work had 17 % of it, the hypervisor 1.0 %, and 2.0 % was idle"
    ) in printed(run, rows)
    assert msgspec.structs.replace(rows[0], offered_per_s=10.0).gap is None


def test_neighbours_on_the_core_are_spoken_of() -> None:
    _, rows = sessions_example()
    crowded = [msgspec.structs.replace(row, crowded_share=0.31, leaves_out=True) for row in rows]
    (said,) = [it for _, it in session_words.remarks(crowded) if "other guests or programs" in it]
    assert "up to 31 % of the sessions' time" in said and "absolute cycles exclude" in said
    sharing = [msgspec.structs.replace(row, crowded_share=0.9, shares_core=True) for row in rows]
    (said,) = [it for _, it in session_words.remarks(sharing) if "threads of one core" in it]
    assert "CPUs 0-1" in said
    assert not any("guests" in it or "one core" in it for _, it in session_words.remarks(rows))


def test_conditions_that_are_not_usual_are_named() -> None:
    wanted = load(
        2,
        placement="fixed",
        contexts="shared",
        policy="batch",
        nice=5,
        quota_cpus=0.5,
        neighbours=1,
        offered_per_s=1000.0,
        life=contract.Life(shortest_ms=500.0, longest_ms=2000.0),
    )
    run = sessions_run(
        [session_case(0, wanted, pattern="rekeyed")],
        [execution(wanted, [1000, 1000], [980_000_000] * 2)],
    )
    assert (
        "rekeyed · fixed · shared context · batch · nice 5 · quota 0.5 CPU · 1 neighbour · "
        "1 000/s offered · lives of 0.5–2 s" in printed(run, session_rows(run))
    )


def test_the_plan_is_told_in_a_line() -> None:
    run, _ = sessions_example()
    assert plan_line(run.context.plan) == (
        "2 algorithms · 2 providers · 3 sizes · 100–1 000 sessions · CPUs 0, 0-1 · 14 cases · "
        "about 20 s · at most 60 s"
    )


def test_progress_counts_what_is_done_and_valid() -> None:
    run, _ = soak_example()
    bye = run.context.bye
    assert bye is not None
    seen = contract.Progress(
        phase="measuring", done=3, total=4, converged=2, round=0, elapsed_s=9.0, left_s=3.0
    )

    def said(*events: contract.Progress | contract.Bye) -> str:
        text = io.StringIO()
        with MeasuringProgress(Console(file=text, width=100), run.context.plan) as progress:
            for event in events:
                progress.feed(event)
        return text.getvalue()

    assert said(seen) == "Measuring 3/4   2 valid   9 s\n"
    assert said(seen, bye) == "Measuring 4/4   1 valid   12 s\n", "the last case ends after it"
    stopped = msgspec.structs.replace(bye, interrupted=True)
    assert said(seen, stopped) == "Measuring 3/4   1 valid   12 s\n"
