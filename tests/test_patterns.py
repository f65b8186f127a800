"""Calling patterns: what each costs beside the best, in figures and in sentences."""

from __future__ import annotations

from typing import Any

import pytest

from ciphermark.workloads.single.patterns import pattern_blocks, pattern_costs, sentences, verdict
from ciphermark.workloads.single.row import Row
from on_screen import blocks_on_screen
from row_example import a_row


def called(pattern: str, cycles: dict[int, float], **changes: Any) -> list[Row]:
    return [a_row(size, value, pattern=pattern, **changes) for size, value in cycles.items()]


NO_INTERVAL = {"cycles_per_message_low": None, "cycles_per_message_high": None}
REUSED = called("reused-key", {16: 100.0, 1024: 1000.0})
ONE_SHOT = called("one-shot", {16: 610.0, 1024: 1500.0})


def printed(rows: list[Row], width: int = 100) -> str:
    return blocks_on_screen(pattern_blocks(rows), width)


def test_each_pattern_is_held_against_the_best_of_its_size() -> None:
    incremental = called("incremental", {16: 90.0, 1024: 1100.0}, chunk_bytes=64)
    [costs] = pattern_costs(REUSED + ONE_SHOT + incremental)
    found = {
        cost.row.pattern: {n: times.value for n, (_, times) in cost.by_size.items()}
        for cost in costs
    }
    assert found == {
        "reused-key": {16: pytest.approx(100 / 90), 1024: 1.0},
        "one-shot": {16: pytest.approx(610 / 90), 1024: 1.5},
        "incremental": {16: 1.0, 1024: 1.1},
    }
    assert [list(cost.dear()) for cost in costs] == [[], [16, 1024], []]


def test_chunks_of_another_size_are_another_pattern() -> None:
    chunks = [
        row
        for chunk in (16, 64)
        for row in called("incremental", {1024: 9000.0 / chunk}, chunk_bytes=chunk)
    ]
    [costs] = pattern_costs(chunks)
    assert [cost.row.chunk_bytes for cost in costs] == [16, 64]


def test_one_pattern_has_nothing_to_be_held_against() -> None:
    assert pattern_costs(REUSED) == []
    elsewhere = called("one-shot", {16: 600.0}, provider="nettle")
    assert pattern_costs(REUSED + elsewhere) == []
    other_size = called("one-shot", {64: 600.0})
    assert pattern_costs(REUSED + other_size) == []
    setup = [a_row(None, 400.0, operation="setup", pattern=it) for it in ("reused-key", "one-shot")]
    assert pattern_costs(setup) == []


def test_keys_and_buffers_are_not_mixed() -> None:
    many = called("one-shot", {16: 600.0}, keys=1000)
    assert pattern_costs(REUSED + many) == []


def test_a_size_that_only_one_pattern_has_is_left_out() -> None:
    [costs] = pattern_costs(REUSED + called("one-shot", {16: 610.0}))
    assert [list(cost.by_size) for cost in costs] == [[16], [16]]


def test_a_dear_pattern_is_named_with_its_worst_and_its_largest_size() -> None:
    costs = pattern_costs(REUSED + ONE_SHOT)
    assert sentences(costs) == [
        "sha256 digest, openssl · shani: one-shot costs 6.10 times the best at 16 B, "
        "still 1.50 at 1 KiB"
    ]
    assert verdict(costs) == "1 pattern costs more than 1.2 times the best:"


def test_the_dearest_comes_first_and_what_is_not_dear_not_at_all() -> None:
    fetched = called("fetched", {16: 990.0, 1024: 1190.0})
    rekeyed = called("rekeyed", {16: 119.0, 1024: 1010.0})
    costs = pattern_costs(REUSED + ONE_SHOT + fetched + rekeyed)
    assert [text.split(": ")[1].split()[0] for text in sentences(costs)] == ["fetched", "one-shot"]
    cheap = pattern_costs(REUSED + rekeyed)
    assert sentences(cheap) == []
    assert verdict(cheap) == "No pattern costs more than 1.2 times the best."


@pytest.mark.parametrize(
    ("half", "words"),
    [
        (0.02, "1 pattern costs more than 1.2 times the best:"),
        (0.2, "No pattern is known to cost more than 1.2 times the best."),
    ],
)
def test_a_pattern_is_dear_beyond_the_intervals_only(half: float, words: str) -> None:
    rows = [
        a_row(16, cost, half, pattern=name, converged=False, processes=8)
        for name, cost in (("reused-key", 100.0), ("one-shot", 130.0))
    ]
    assert verdict(pattern_costs(rows)) == words
    bare = [a_row(16, 100.0, pattern=it, **NO_INTERVAL) for it in ("reused-key", "one-shot")]
    assert verdict(pattern_costs(bare)).startswith("No pattern is known to cost")


def test_a_terminal_shows_every_pattern_with_its_cost() -> None:
    text = printed(REUSED + ONE_SHOT)
    [line] = [line for line in text.splitlines() if line.startswith("one-shot")]
    assert line.split() == ["one-shot", "610", "×6.10", "1", "500", "×1.50"]
    assert "sha256 digest, openssl · shani\n" in text
    assert "6.10 times the best at 16 B, still 1.50 at 1 KiB" in " ".join(text.split())


def test_a_narrow_terminal_keeps_the_smallest_and_the_largest_size() -> None:
    sizes = {16: 100.0, 64: 110.0, 256: 150.0, 1024: 400.0, 1500: 500.0, 16384: 5000.0}
    text = printed(called("reused-key", sizes) + called("one-shot", sizes), width=60)
    heading = text.splitlines()[1]
    assert "16 B" in heading and "16 KiB" in heading and "1500 B" not in heading
    assert "Left out at 60 columns" in text


def test_a_run_of_one_pattern_says_nothing_of_patterns() -> None:
    assert printed(REUSED) == ""
