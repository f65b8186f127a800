"""Progress and what stands around a table."""

from __future__ import annotations

import io
from pathlib import Path

from rich.console import Console

from ciphermark import contract
from ciphermark.view.frame import header, print_footer, stored_header
from ciphermark.view.progress import MeasuringProgress
from ciphermark.view.screen import show
from survey_example import survey_example
from synthetic import synthetic_plan


def _progress(phase: contract.Phase, done: int, converged: int = 0) -> contract.Progress:
    return contract.Progress(
        phase=phase,
        done=done,
        total=40,
        converged=converged,
        round=4,
        elapsed_s=12.4,
        left_s=7.2,
    )


FAILURE = contract.CaseError(case=3, error=contract.Failure(kind="crash", message="died"))
EVENTS = [
    _progress("verifying", 10),
    _progress("verifying", 40),
    _progress("measuring", 0, 12),
    _progress("measuring", 0, 39),
]


PLAN = synthetic_plan()


def _shown(*events: contract.Progress | contract.CaseError, terminal: bool = False) -> str:
    text = io.StringIO()
    console = Console(file=text, width=100, force_terminal=terminal, color_system=None)
    with MeasuringProgress(console, PLAN) as progress:
        for event in events:
            progress.feed(event)
    return text.getvalue()


def test_a_pipe_gets_one_line_for_each_phase() -> None:
    assert _shown(*EVENTS).splitlines() == [
        "Verifying 40/40   all answers right",
        "Measuring 39/40 settled to ±1 %   round 4   12 s",
    ]


def test_failures_are_said_when_verifying_ends() -> None:
    assert "40/40   1 case failed" in _shown(EVENTS[1], FAILURE, EVENTS[2])


def test_a_terminal_gets_the_time_left_and_keeps_the_last_state() -> None:
    shown = _shown(*EVENTS[:3], terminal=True)
    assert "all answers right" in shown
    assert "12/40 settled to ±1 %   round 4   12 s" in shown


def test_an_error_passes_and_the_state_stays() -> None:
    text = io.StringIO()
    try:
        with MeasuringProgress(Console(file=text, width=100), PLAN) as progress:
            progress.feed(EVENTS[0])
            raise KeyboardInterrupt
    except KeyboardInterrupt:
        assert "Verifying 10/40" in text.getvalue()


def test_nothing_is_printed_when_nothing_happened() -> None:
    assert _shown() == ""


def _console() -> tuple[Console, io.StringIO]:
    text = io.StringIO()
    return Console(file=text, width=60), text


def test_the_header_names_machine_doctor_and_plan() -> None:
    console, text = _console()
    hello = survey_example(["md5"])[0].context.hello
    show(console, [header(hello, "fair: steal 0.1 %", "20 algorithms · 360 cases")])
    words = " ".join(text.getvalue().split())
    assert "(kvm guest), 2 of 2 CPUs · core clock 3.82 GHz at the start" in words
    assert "Doctor fair: steal 0.1 % Plan 20 algorithms · 360 cases" in words


def test_the_header_is_silent_where_the_doctor_was_not_asked() -> None:
    console, text = _console()
    hello = survey_example(["md5"])[0].context.engine_hello
    show(console, [header(hello, "", "12 cases")])
    assert "Doctor" not in text.getvalue()


def test_a_stored_run_is_named_with_its_date_and_command() -> None:
    console, text = _console()
    context = survey_example(["md5"])[0].context
    context.interrupted = True
    show(console, [stored_header(context)])
    words = " ".join(text.getvalue().split())
    assert f"{context.run} · 2026-11-21" in words
    assert "ciphermark survey · 12 cases in 42 s, interrupted" in words


def test_the_path_of_the_report_is_alone_on_its_line_however_long() -> None:
    console, text = _console()
    path = Path("/somewhere") / ("long-" * 20) / "report.html"
    print_footer(console, "20261121-091500-7f3a", path, ["ciphermark doctor", "ciphermark show"])
    printed = text.getvalue().splitlines()
    assert str(path) in printed
    assert printed[-2:] == ["Next      ciphermark doctor", "          ciphermark show"]
