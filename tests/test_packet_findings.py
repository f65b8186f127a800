"""What is asked of a run of packets besides its rows."""

from __future__ import annotations

from pathlib import Path

import pytest

from ciphermark.errors import UsageError
from ciphermark.workloads.packets.findings import Question, question
from ciphermark.workloads.packets.options import QuestionOptions


def asked(
    *,
    sweep: bool = False,
    break_even: bool = False,
    plan: Path | None = None,
    rate: str | None = None,
    p99: str | None = None,
) -> Question:
    options = QuestionOptions(sweep=sweep, break_even=break_even)
    return question(options, plan, rate, p99)


def test_each_question_has_a_plan_of_its_own() -> None:
    assert asked().plan == "packets"
    assert asked(sweep=True).plan == "packets-sweep"


def test_a_rate_is_wanted_of_cores_where_devices_are_compared() -> None:
    wishes = asked(break_even=True, rate="1000000", p99="50us").wishes
    assert wishes.rate_per_s == 1e6
    assert wishes.p99_ns == pytest.approx(50_000)


def test_else_a_rate_is_what_is_offered() -> None:
    assert asked(rate="1000000").wishes.rate_per_s is None


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"sweep": True, "break_even": True}, "exclude each other"),
        ({"break_even": True, "plan": Path("x.toml")}, "exclude each other"),
        ({"p99": "50us"}, "--p99 goes with --break-even only"),
        ({"break_even": True, "rate": "fast"}, "--rate"),
        ({"break_even": True, "p99": "soon"}, "--p99"),
    ],
)
def test_what_cannot_be_asked_is_refused(options: dict[str, object], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        asked(**options)
