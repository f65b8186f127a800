"""The first screen of a survey: one line per algorithm, what to use, what is odd, what changed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import msgspec
import pytest
from rich.cells import cell_len

from broad_example import broad_example
from ciphermark.record.run import Context
from ciphermark.workloads.single import overview
from ciphermark.workloads.single.code_paths import Choice
from ciphermark.workloads.single.left_behind import LeftBehind
from ciphermark.workloads.single.overview import Leader
from ciphermark.workloads.single.ratio import ratio_of_rows
from ciphermark.workloads.single.row import Row
from on_screen import blocks_on_screen
from survey_example import COSTS, survey_example
from synthetic import CRASH


def _leaders(rows: list[Row], context: Context) -> dict[str, Leader]:
    return {it.algorithm.name: it for it in overview.leaders(context, rows, ratio_of_rows)}


def _printed(context: Context, rows: list[Row], width: int, **said: Any) -> str:
    found = overview.leaders(context, rows, ratio_of_rows)
    odd = said.get("odd", overview.oddities(found, [], []))
    what = (context, rows, found, odd, said.get("since"))
    return blocks_on_screen(overview.blocks(*what), width)


def test_each_algorithm_has_one_line_by_its_fastest_library() -> None:
    run, rows = survey_example()
    found = _leaders(rows, run.context)
    assert set(found) == set(COSTS)
    for name, it in found.items():
        figures = [
            row.cycles_per_message
            for row in rows
            if (row.algorithm, row.operation, row.message_bytes)
            == (name, it.operation, it.best.message_bytes)
            and row.cycles_per_message is not None
        ]
        assert it.best.cycles_per_message == min(figures)
        assert {row.provider for row in it.by_size.values()} == {it.best.provider}
    printed = _printed(run.context, rows, 120)
    table = printed.partition("\n~")[0]
    lines = [line.split()[0] for line in table.splitlines()]
    assert all(lines.count(name) == 1 for name in COSTS)


def test_a_survey_without_any_figure_says_so_and_names_the_bounds() -> None:
    run, rows = survey_example()
    nothing = {
        name: None for name in ("cycles_per_message", "cycles_per_byte", "mbytes_per_second")
    }
    bounded = [
        msgspec.structs.replace(
            row, **nothing, cycles_upper_bound=1e4, cycles_per_byte_upper_bound=9
        )
        for row in rows
    ]
    printed = " ".join(_printed(run.context, bounded, 80).split())
    assert printed.startswith("No case has a figure: every sample was disturbed")
    assert "ciphermark show last" in printed
    without = [msgspec.structs.replace(row, **nothing, error=CRASH) for row in rows]
    printed = " ".join(_printed(run.context, without, 80).split())
    assert printed.startswith("No case has a figure.") and "failed" in printed


def test_what_has_no_interval_is_not_recommended() -> None:
    run, rows = survey_example()
    none = {
        name: None
        for name in ("cycles_per_message_low", "cycles_per_message_high", "ci_low", "ci_high")
    }
    lucky = [
        msgspec.structs.replace(row, **none) if row.algorithm == "aes-128-gcm" else row
        for row in rows
    ]
    assert "aes-128-gcm" in overview.recommendation([*_leaders(rows, run.context).values()])
    said = overview.recommendation([*_leaders(lucky, run.context).values()])
    chosen, _, open_ones = said.partition(". ")
    assert "aes-128-gcm" not in chosen
    assert open_ones == "aes-128-gcm seems cheaper, but its figure has no interval yet."
    bare = [msgspec.structs.replace(row, **none, converged=False) for row in rows]
    said = overview.recommendation([*_leaders(bare, run.context).values()])
    assert said.startswith("nothing yet: no figure of these has an interval")


def test_libraries_are_compared_where_most_have_converged() -> None:
    run, rows = survey_example()
    largest = {name: it.best.message_bytes for name, it in _leaders(rows, run.context).items()}
    given_up = [
        msgspec.structs.replace(row, converged=row.message_bytes != largest[row.algorithm])
        for row in rows
    ]
    for name, it in _leaders(given_up, run.context).items():
        assert it.best.message_bytes < largest[name]


def test_openssl_is_the_measure() -> None:
    run, rows = survey_example()
    found = _leaders(rows, run.context)
    assert found["aes-128-gcm"].times_openssl == 1.0  # it is the fastest itself
    chacha = found["aes-128-ctr"]
    assert chacha.openssl is not None and chacha.best.cycles_per_message is not None
    assert chacha.openssl.cycles_per_message is not None
    expected = chacha.openssl.cycles_per_message / chacha.best.cycles_per_message
    assert chacha.times_openssl == pytest.approx(expected)


def test_what_cannot_be_told_apart_is_a_tie() -> None:
    run, rows = survey_example(["sha256"])
    wide = [
        msgspec.structs.replace(
            row,
            cycles_per_message_low=(row.cycles_per_message or 0) * 0.5,
            cycles_per_message_high=(row.cycles_per_message or 0) * 2,
            groups=60,
            processes=6,
        )
        for row in rows
    ]
    it = _leaders(wide, run.context)["sha256"]
    assert [row.provider for row in it.ties] == ["openssl"]
    assert "≈" in _printed(run.context, wide, 120)


@pytest.mark.parametrize("width", [60, 80, 120])
def test_no_line_of_the_table_is_wider_than_the_terminal(width: int) -> None:
    run, rows = broad_example(algorithms=40)
    printed = _printed(run.context, rows, width, since="since yesterday: no change beyond chance")
    assert max(map(cell_len, printed.splitlines())) <= width


def test_the_code_path_is_on_a_screen_of_80_columns() -> None:
    run, rows = broad_example(algorithms=40)
    path = "vaes-vpclmul-avx512"
    named = [msgspec.structs.replace(row, backend=path) for row in rows]
    usual, narrow = (
        _printed(run.context, named, width).partition("\nUse ")[0] for width in (80, 50)
    )
    lines = [line.split()[0] for line in usual.splitlines() if "vaes…avx512" in line]
    assert lines == [it.algorithm.name for it in _leaders(named, run.context).values()]
    assert max(map(cell_len, usual.splitlines())) <= 80
    assert "avx512" not in narrow


def test_a_screen_is_as_long_as_its_algorithms_whatever_is_installed() -> None:
    run, rows = broad_example(algorithms=24, share=1.0)
    measured = {row.algorithm for row in rows}
    lines = _printed(run.context, rows, 120).splitlines()
    assert len(lines) <= len(measured) + 20
    assert overview.is_long(run.context, rows, [])


def test_short_runs_and_other_ways_of_calling_have_the_whole_table() -> None:
    run, rows = survey_example(["sha256"])
    assert not overview.is_long(run.context, rows, [])
    run, rows = broad_example(algorithms=40)
    after = msgspec.structs.replace(rows[0], after="aes-128-gcm")
    assert not overview.is_long(run.context, [after, *rows], [])


def test_what_is_broken_is_never_advised() -> None:
    run, rows = survey_example(["md5", "sha1"])
    found = overview.leaders(run.context, rows, ratio_of_rows)
    assert overview.recommendation(found) == ""
    run, rows = survey_example(["md5", "sha256", "aes-128-gcm", "aes-128-ctr"])
    said = overview.recommendation(overview.leaders(run.context, rows, ratio_of_rows))
    assert "aes-128-gcm" in said and "sha256" in said
    assert "md5" not in said and "aes-128-ctr" not in said


def test_failures_are_on_the_screen_and_the_rest_is_counted() -> None:
    run, rows = broad_example(algorithms=40)
    printed = _printed(run.context, rows, 120)
    failed = sum(row.error is not None for row in rows)
    assert f"! {failed} case" in printed
    many = [
        msgspec.structs.replace(row, error=CRASH, cycles_per_message=None, cycles_per_byte=None)
        if row.provider == "openssl"
        else row
        for row in rows
    ]
    assert "more, in the report" in _printed(run.context, many, 120)


def test_oddities() -> None:
    run, rows = survey_example(["aes-128-gcm"])
    [it] = overview.leaders(run.context, rows, ratio_of_rows)
    assert overview.oddities([it], [], []) == []
    choice = Choice(
        algorithm="aes-128-gcm",
        provider="openssl",
        operation="seal",
        message_bytes=1024,
        default="aesni",
        fastest="vaes-avx512",
        flagged=True,
        gain=1.8,
        paths=[],
    )
    left = LeftBehind(
        provider="openssl",
        algorithm="chacha20-poly1305",
        path=None,
        sizes=[],
        times_after=None,
        change_cycles=None,
    )
    [slow] = overview.oddities([it], [choice], [])
    assert "1.80 times" in slow and "aesni" in slow and "vaes-avx512" in slow
    [dirty] = overview.oddities([it], [], [left])
    assert "vector registers dirty" in dirty
    fast = msgspec.structs.replace(it.best, features=["aes"])
    plain = msgspec.structs.replace(it.rivals[1], backend="scalar", provider="wolfssl")
    [scalar] = overview.oddities([replace(it, best=fast, rivals=[fast, plain])], [], [])
    assert "wolfssl (1)" in scalar and "plain code" in scalar
