"""The steps of the footprint: what keys and messages beyond the nearest cache cost more."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from ciphermark.workloads.single.cost_card import Step, steps
from ciphermark.workloads.single.row import Row
from on_screen import rows_on_screen
from row_example import a_row
from survey_example import survey_example
from test_cost_card import SIZES


def level(
    a: float, b: float, half: float = 0.0, sizes: tuple[int, ...] = SIZES, **where: Any
) -> list[Row]:
    """Rows that cost a + b·n."""
    return [a_row(n, a + b * n, half, **where) for n in sizes]


def only(rows: list[Row]) -> Step:
    [step] = steps(rows).values()
    return step


def test_keys_and_buffers_show_as_costs_of_messages_and_of_bytes() -> None:
    keys = only(level(600, 0.7) + level(680, 0.7, keys=1000))
    assert keys.per_message.value == pytest.approx(80)
    assert keys.per_byte.value == pytest.approx(0, abs=1e-9)
    stream = only(level(600, 0.7) + level(600, 0.95, buffers="stream"))
    assert stream.per_message.value == pytest.approx(0, abs=1e-6)
    assert stream.per_byte.value == pytest.approx(0.25)
    assert stream.sizes == list(SIZES)


def test_each_level_has_its_step_and_the_nearest_has_none() -> None:
    rows = level(600, 0.7) + level(650, 0.7, keys=1000) + level(700, 0.8, keys=10**6)
    rows += level(710, 0.9, keys=10**6, buffers="stream")
    found = [step.per_message.value for step in steps(rows).values()]
    assert found == pytest.approx([50, 100, 110])


def test_a_step_is_taken_between_rows_that_differ_in_nothing_else() -> None:
    assert steps(level(600, 0.7)) == {}
    assert steps(level(600, 0.7, provider="nettle") + level(680, 0.7, keys=1000)) == {}
    assert steps(level(600, 0.7, pattern="one-shot") + level(680, 0.7, keys=1000)) == {}
    assert steps(level(600, 0.7, keys=10) + level(680, 0.7, keys=1000)) == {}


def test_another_code_path_is_no_other_case() -> None:
    """What was asked is the same; a library may take another path when its keys are many."""
    assert only(level(600, 0.7) + level(680, 0.7, keys=1000, backend="portable"))


def test_of_one_size_all_is_counted_with_the_message() -> None:
    step = only([a_row(1024, 1000.0, 0.003), a_row(1024, 1100.0, 0.004, keys=1000)])
    half = np.hypot(3.0, 4.4)
    assert tuple(step.per_message) == pytest.approx((100, 100 - half, 100 + half))
    assert step.per_byte is None


def test_intervals_cover_the_truth() -> None:
    random = np.random.default_rng(3)
    covered = []
    for _ in range(600):
        rows = level(600, 0.7, 0.01) + level(640, 0.8, 0.01, keys=1000)
        for row in rows:
            row.cycles_per_message *= 1 + random.normal(0, 0.01 / 1.96)
            row.cycles_per_message_low = row.cycles_per_message * 0.99
            row.cycles_per_message_high = row.cycles_per_message * 1.01
        step = only(rows)
        covered.append(
            (
                step.per_message.low <= 40 <= step.per_message.high,
                step.per_byte.low <= 0.1 <= step.per_byte.high,
            )
        )
    assert np.min(np.mean(covered, axis=0)) >= 0.93


def _survey() -> tuple[Any, list[Row]]:
    """SHA-256 of OpenSSL, with one key and with a thousand, 80 cycles dearer."""
    run, rows = survey_example(["sha256"])
    near = [row for row in rows if row.provider == "openssl"]
    _, again = survey_example(["sha256"])
    far = [row for row in again if row.provider == "openssl"]
    for row in far:
        row.keys = 1000
        for name in ("cycles_per_message", "cycles_per_message_low", "cycles_per_message_high"):
            setattr(row, name, getattr(row, name) + 80)
    return run, near + far


def test_the_cost_card_on_a_terminal_gains_the_step() -> None:
    run, rows = _survey()
    text = rows_on_screen(run.context, rows, 200)
    near, far = [line for line in text.splitlines() if line.startswith("sha256")]
    assert re.search(r" \+80\.\d +±\d\.\d +[+−]?0\.\d+ +±0\.\d+ .* 1 000 keys", far)
    assert "keys" not in near and "+80" not in near
    assert "step extra cycles over one key and hot buffers" in text
