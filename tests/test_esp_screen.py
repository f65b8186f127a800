"""The first screen of `ciphermark esp`: a line a suite, which to use, what many keys cost."""

from __future__ import annotations

import msgspec
import pytest
from rich.cells import cell_len

from ciphermark.record.run import Context
from ciphermark.workloads.single.row import Row
from ciphermark.workloads.suites import overview
from ciphermark.workloads.suites.parts import PartsFigure, parts_figures
from on_screen import blocks_on_screen
from row_example import timed_row
from suites_example import all_suites
from synthetic import CRASH, synthetic_run

GCM, CHACHA, CBC = "esp:aes-128-gcm", "esp:chacha20-poly1305", "esp:aes-128-cbc+hmac-sha1-96"
RECORD = "tls13:aes-128-gcm"
HZ = 3e9


def row(suite: str, operation: str, cycles: float, size: int = 1500, **fields: object) -> Row:
    """A call that takes so many cycles, known to ±1 %, at 3 GHz."""
    usual = {"algorithm": suite, "operation": operation, "backend": "aesni", "provider": "openssl"}
    return timed_row(size, cycles, 0.01, HZ, **usual | fields)


def measured() -> list[Row]:
    """Three suites of ESP and one of TLS at both ends and two sizes, one with 1000 keys too."""
    costs = {GCM: 1000.0, CHACHA: 3000.0, CBC: 9000.0, RECORD: 1200.0}
    rows = [
        row(suite, operation, cycles * share, size)
        for suite, cycles in costs.items()
        for operation in ("seal", "open")
        for size, share in ((40, 0.4), (1500, 1.0))
    ]
    many = [row(GCM, operation, 4000, keys=1000) for operation in ("seal", "open")]
    return [*rows, *many]


def context() -> Context:
    return msgspec.structs.replace(synthetic_run().context, algorithms=list(all_suites()))


def printed(rows: list[Row], width: int, parts: list[PartsFigure] | None = None) -> str:
    conclusion = overview.conclusion(context(), rows, parts or [])
    return blocks_on_screen([*overview.blocks(context(), rows), conclusion], width)


@pytest.mark.parametrize("width", [80, 120])
def test_each_suite_has_one_line_the_cheapest_of_a_protocol_first(width: int) -> None:
    text = printed(measured(), width)
    assert all(cell_len(line) <= width for line in text.splitlines())
    names = [line.split()[0] for line in text.splitlines() if ":a" in line or ":c" in line]
    assert names[:4] == [GCM, CHACHA, CBC, RECORD]
    line = next(it for it in text.splitlines() if it.startswith(GCM))
    # 1500 bytes in 1000 cycles at 3 GHz are 36 Gbit/s.
    assert line.split().count("36.0") == 2 and "openssl" in line
    assert "legacy" in next(it for it in text.splitlines() if it.startswith(CBC))


def test_the_conclusion_says_what_to_use_and_what_many_keys_cost() -> None:
    text = " ".join(printed(measured(), 100).split())
    assert "Use One core sends and receives packets of 1500 B" in text
    assert f"{GCM} 36.0 and 36.0 Gbit/s; {RECORD} 30.0 and 30.0 Gbit/s." in text
    assert "with 1 000 keys in use instead of 1" in text
    assert f"up to 4.00 times the cycles ({GCM})" in text


def test_legacy_suites_are_not_recommended() -> None:
    rows = [row(CBC, "seal", 100), row(GCM, "seal", 1000)]
    assert overview.recommendation(overview.suite_lines(context(), rows)).startswith(
        f"One core sends packets of 1500 B: {GCM} 36.0 Gbit/s."
    )
    assert overview.recommendation(overview.suite_lines(context(), rows[:1])) == ""


def test_a_suite_that_cannot_be_distinguished_is_named() -> None:
    rows = [row(GCM, "seal", 1000), row("esp:aes-256-gcm", "seal", 1010)]
    said = overview.recommendation(overview.suite_lines(context(), rows))
    assert "(esp:aes-256-gcm the same within the intervals)" in said


NO_INTERVAL = {"cycles_per_message_low": None, "cycles_per_message_high": None}


def test_a_suite_without_an_interval_is_not_recommended() -> None:
    rows = [row(GCM, "seal", 1000, **NO_INTERVAL), row(CHACHA, "seal", 3000)]
    said = overview.recommendation(overview.suite_lines(context(), rows))
    assert said.startswith(f"One core sends packets of 1500 B: {CHACHA} ")
    assert f"({GCM} the same within the intervals)" in said
    nothing = overview.recommendation(overview.suite_lines(context(), rows[:1]))
    assert nothing == "nothing yet: no suite has an interval; measure on a quieter machine."


def test_each_end_is_shown_by_its_fastest_library() -> None:
    rows = [
        row(GCM, "seal", 1000, provider="aws-lc"),
        row(GCM, "seal", 2000, provider="nettle"),
        row(GCM, "open", 1000, provider="nettle"),
        row(GCM, "open", 2000, provider="aws-lc"),
    ]
    [line] = overview.suite_lines(context(), rows)
    assert [it.provider for it in line.ends] == ["aws-lc", "nettle"]
    assert "aws-lc, nettle" in printed(rows, 100)


def test_parts_are_told_at_the_usual_size() -> None:
    rows = [
        row(CBC, "seal", 9000),
        row("aes-128-cbc", "encrypt", 5000, 1504),
        row("hmac-sha1", "mac", 2500),
    ]
    parts = parts_figures(list(all_suites()), rows)
    assert "Parts" in printed(rows, 100, parts)
    assert f"off by +20 % in packets of 1500 B (most: {CBC}, send)" in overview.around_parts(parts)
    assert overview.around_parts([]) == ""


def test_nothing_is_concluded_from_what_has_no_figure() -> None:
    failed = [
        msgspec.structs.replace(
            it,
            **dict.fromkeys(("cycles_per_message", "cycles_per_byte", "mbytes_per_second")),
            error=CRASH,
        )
        for it in measured()
    ]
    text = printed(failed, 80)
    assert text.strip().startswith("No suite has a figure.") and "failed" in text
    assert "Use" not in text


def test_few_suites_keep_their_whole_table_and_energy_its_columns() -> None:
    assert not overview.is_long(context(), [row(GCM, "seal", 1000), row(GCM, "open", 1000)])
    many = [row(it.name, "seal", 1000) for it in all_suites()[:20]]
    assert overview.is_long(context(), many)
