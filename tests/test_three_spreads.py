"""What more cores bring in the three ways to use them, from rows made up for it."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from break_even_example import packet_row
from ciphermark import contract
from ciphermark.show.terminal import output_console
from ciphermark.workloads.cores import table as shown
from ciphermark.workloads.cores.spreads import (
    Spread,
    flow_spreads,
    message_spreads,
    pays,
    reason,
    tunnel_spreads,
    verdicts,
)
from ciphermark.workloads.single.row import Row
from row_example import NO_COST, timed_row
from scaling_example import session_row
from synthetic import CRASH

CHAINED = contract.Failure(
    kind="unsupported",
    message="not supported: encrypt of AES-128-CBC split over cores: each block needs the one "
    "before",
)
GCM = {"algorithm": "aes-128-gcm", "operation": "seal"}
CBC = {"algorithm": "aes-128-cbc", "operation": "encrypt"}
CORE_HZ = 2e9


def row(message_bytes: int, cycles: float, half: float = 0.01, **fields: Any) -> Row:
    """A settled row of AES-128-GCM by OpenSSL that takes so many cycles, known to such a share."""
    facts = {**GCM, "backend": "aesni", "samples": 60, "groups": 12}
    return timed_row(message_bytes, cycles, half, CORE_HZ, **facts | fields)


def failed(message_bytes: int, error: contract.Failure, **fields: Any) -> Row:
    """A row of a split function without figures."""
    nothing = dict.fromkeys(f"cycles_per_message{it}" for it in ("", "_low", "_high")) | {
        "mbytes_per_second": None,
        "samples": 0,
        "groups": 0,
        "converged": False,
    }
    return row(message_bytes, 1.0, offload="split", error=error, **nothing | fields)


def split(cycles: float, **fields: Any) -> Row:
    return row(1 << 20, cycles, offload="split", **fields)


def only(found: Sequence[Spread]) -> Spread:
    (one,) = found
    return one


def test_a_split_message_is_as_much_faster_as_its_time_is_shorter() -> None:
    found = only(message_spreads([row(1 << 20, 1e6), split(5.2e5)], cores=2))
    assert found.speedup == pytest.approx(1e6 / 5.2e5)
    assert found.low < 1e6 / 5.2e5 < found.high
    assert found.mbytes_per_second == (
        pytest.approx((1 << 20) * CORE_HZ / 1e6 / 1e6),
        pytest.approx((1 << 20) * CORE_HZ / 5.2e5 / 1e6),
    )
    assert found.gain == "multiplies" and found.why_not is None


@given(st.integers(0, 2**32 - 1))
def test_the_interval_of_a_speed_up_has_both_sides_of_it(seed: int) -> None:
    """By the method of variance estimates recovery, with arms of equal confidence: the logarithms'
    half-widths add up in squares."""
    random = np.random.default_rng(seed)
    half = float(random.uniform(0.001, 0.02))
    found = only(message_spreads([row(1 << 20, 1e6, half), split(5e5, half=half)], cores=2))
    width = math.log(found.high / found.low) / 2
    assert width == pytest.approx(math.sqrt(2) * half, rel=0.2)


def test_what_cannot_be_split_says_why_and_gains_nothing() -> None:
    rows = [row(1 << 20, 1e6, **CBC), failed(1 << 20, CHAINED, **CBC)]
    found = only(message_spreads(rows, cores=2))
    assert (found.speedup, found.cannot, found.gain) == (None, True, "nothing")
    assert found.why_not == "each block needs the one before"
    assert found.mbytes_per_second[0] is not None


def test_what_has_failed_is_no_answer() -> None:
    found = only(message_spreads([row(1 << 20, 1e6), failed(1 << 20, CRASH)], cores=2))
    assert (found.cannot, found.gain, found.why_not) == (False, "unknown", "the library crashed")
    rows = [row(1 << 20, 1e6), split(5e5, samples=0, mbytes_per_second=None)]
    assert only(message_spreads(rows, cores=2)).gain == "unknown"


def test_only_the_same_implementation_at_the_same_size_is_compared() -> None:
    others = [
        split(5e5, provider="botan"),
        row(1 << 19, 2e5, offload="split"),
        split(5e5, operation="open"),
    ]
    assert message_spreads([row(1 << 20, 1e6), *others], cores=2) == []


@pytest.mark.parametrize(
    ("speedup", "gain"),
    [(1.95, "multiplies"), (1.81, "multiplies"), (1.5, "some"), (1.0, "nothing"), (0.5, "nothing")],
)
def test_gains_are_told_by_the_interval(speedup: float, gain: str) -> None:
    found = only(message_spreads([row(1 << 20, 1e6), split(1e6 / speedup)], cores=2))
    assert found.gain == gain
    unsettled = split(1e6 / speedup, converged=False)
    assert only(message_spreads([row(1 << 20, 1e6), unsettled], cores=2)).gain == "unknown"


def passed(cycles: float, cpus: list[int], **fields: Any) -> Any:
    return packet_row(1024, cycles, cpus=cpus, delivery="ordered", keys=1, **fields)


def test_packets_of_a_flow_count_in_their_order_only() -> None:
    rows = [passed(1000, [1]), passed(520, [0, 1])]
    found = only(flow_spreads(rows, cores=2))
    assert found.speedup == pytest.approx(1000 / 520) and found.gain == "multiplies"
    anyhow = [packet_row(1024, cycles, cpus=cpus) for cycles, cpus in ((1000, [1]), (520, [0, 1]))]
    assert flow_spreads(anyhow, cores=2) == []
    assert flow_spreads(rows, cores=3) == []


def test_a_flow_without_intervals_has_a_figure_and_no_gain() -> None:
    rows = [passed(1000, [1], processing_interval=None), passed(520, [0, 1])]
    found = only(flow_spreads(rows, cores=2))
    assert found.speedup == pytest.approx(1000 / 520)
    assert (found.low, found.gain) == (None, "unknown")


def executed(rates: Sequence[float], cpus: list[int], **fields: Any) -> list[Any]:
    """Executions of so many messages a second."""
    attempt = {"attempts": [{}]}
    return [
        session_row(
            cpus=cpus, messages_per_second=it, mbytes_per_second=it / 1e3, **attempt | fields
        )
        for it in rates
    ]


def test_tunnels_are_known_by_what_their_executions_differ_by() -> None:
    ones, severals = executed([1e6, 1.02e6, 0.98e6], [0]), executed([2e6, 1.98e6, 2.02e6], [0, 1])
    found = only(tunnel_spreads([*ones, *severals], cores=2))
    ratios = [2.0, 1.98 / 1.02, 2.02 / 0.98]
    assert found.speedup == pytest.approx(math.prod(ratios) ** (1 / 3))
    # Student's 97.5 % quantile for 2 degrees of freedom (tables): 4.303.
    half = 4.303 * np.std(np.log(ratios), ddof=1) / math.sqrt(3)
    assert math.log(found.high / found.speedup) == pytest.approx(half, rel=1e-3)
    assert found.gain == "multiplies"


def test_executions_that_do_not_count_leave_it_open() -> None:
    ones = executed([1e6, 1e6], [0], valid=False)
    found = only(tunnel_spreads([*ones, *executed([2e6, 2e6], [0, 1])], cores=2))
    assert not found.settled and found.gain == "unknown"


def test_more_than_the_cores_can_do_is_withheld() -> None:
    found = only(tunnel_spreads([*executed([1e6] * 2, [0]), *executed([2.91e6] * 2, [0, 1])], 2))
    assert (found.speedup, found.low, found.gain) == (None, None, "unknown")
    assert "more than 2 CPUs can do" in found.why_not


def test_rates_are_of_the_executions_that_the_gain_is_of() -> None:
    ones, severals = executed([1e6, 1e6, 3e6], [0]), executed([2e6, 2e6], [0, 1])
    found = only(tunnel_spreads([*ones, *severals], cores=2))
    one, several = found.mbytes_per_second
    assert several / one == pytest.approx(found.speedup)


def spread(way: str, function: dict[str, str], speedup: float | None, **fields: Any) -> Spread:
    interval = {} if speedup is None else {"low": 0.99 * speedup, "high": 1.01 * speedup}
    facts = dict(provider="openssl", backend="aesni", message_bytes=1024, cores=2)
    return Spread(way=way, **function, speedup=speedup, **facts | interval | fields)


CASES = [
    (1.95, None, True, True),
    (1.95, 1.0, False, True),
    (1.95, 1.9, False, False),
    (1.4, None, True, False),
    (None, None, True, None),
    (1.95, None, False, None),
    (None, 1.9, False, False),
]


@pytest.mark.parametrize(("gcm", "cbc", "cannot", "holds"), CASES)
def test_the_statement_is_asked_of_each_way(
    gcm: float | None, cbc: float | None, cannot: bool, holds: bool | None
) -> None:
    found = [spread("message", GCM, gcm), spread("message", CBC, cbc, cannot=cannot)]
    (verdict,) = verdicts(found)
    assert verdict.holds is holds
    both = [*found, spread("flow", GCM, 1.9), spread("flow", CBC, 1.9)]
    assert [(it.way, it.holds) for it in verdicts(both)] == [("message", holds), ("flow", False)]


def test_gcm_doubles_only_where_sealing_and_opening_do() -> None:
    opening = spread("message", GCM | {"operation": "open"}, 1.3)
    cbc = spread("message", CBC, None, cannot=True)
    (verdict,) = verdicts([spread("message", GCM, 1.95), opening, cbc])
    assert (verdict.gcm, verdict.cbc, verdict.holds) == ("some", "nothing", False)


def test_the_largest_size_decides() -> None:
    cbc = spread("message", CBC, None, cannot=True)
    short = spread("message", GCM, 0.4, message_bytes=64)
    (verdict,) = verdicts([spread("message", GCM, 1.95), short, cbc])
    assert verdict.holds is True


def over_sizes(fixed: float, share: float) -> list[Row]:
    """A whole message costs 300 + n cycles, a split one `fixed` more and such a share of n."""
    rows = []
    for size in (1024, 4096, 16384, 65536):
        rows += [row(size, 300 + size), row(size, 300 + fixed + share * size, offload="split")]
    return rows


def test_splitting_pays_from_where_the_costs_cross() -> None:
    (found,) = pays(over_sizes(fixed=5000, share=0.5))
    assert found.reach == "from" and found.measured == (1024, 65536)
    assert found.message_bytes == pytest.approx(10_000)
    assert found.low < 10_000 < found.high


@pytest.mark.parametrize(
    ("fixed", "share", "reach", "words"),
    [
        (0, 0.5, "everywhere", "1 KiB or less"),
        (5000, 1.0, "nowhere", "not up to 64 KiB"),
        (0, 1.0, "even", "cannot be told"),
        (5000, 0.5, "from", "10 000 B ("),
    ],
)
def test_where_it_pays_is_said_in_words(fixed: float, share: float, reach: str, words: str) -> None:
    (found,) = pays(over_sizes(fixed, share))
    assert found.reach == reach
    assert shown.pays_words(found).startswith(words)


def test_nothing_is_said_of_where_it_pays_without_figures() -> None:
    assert pays([row(1024, 1e3, **CBC), failed(1024, CHAINED, **CBC)]) == []
    # All samples of all sizes were disturbed.
    silent = dict.fromkeys(("cycles_per_message", "cycles_per_byte", "mbytes_per_second"))
    assert pays(msgspec.structs.replace(it, **silent) for it in over_sizes(5000, 0.5)) == []


def test_reasons_are_what_an_engine_says_last() -> None:
    assert reason(CHAINED.message) == "each block needs the one before"
    assert reason("the library crashed") == "the library crashed"


@pytest.mark.parametrize("width", [80, 120])
def test_the_table_has_every_way_and_fits(
    width: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    ways = ("message", "flow", "tunnels")
    functions = [(GCM, 1.9, {}), (CBC, None, {"cannot": True, "why_not": reason(CHAINED.message)})]
    spreads = [
        spread(way, function, speedup, **fields)
        for way, (function, speedup, fields) in itertools.product(ways, functions)
    ]
    where = pays(over_sizes(5000, 0.5))
    shown.print_cores(output_console(), spreads, where, verdicts(spreads))
    printed = capsys.readouterr().out
    assert max(map(len, printed.splitlines())) <= width
    assert printed.count("✓") == 3 and printed.count("×1.90") == 3
    assert all(title in printed for title in shown.TITLES.values())
    assert "10 000 B" in printed and "each block needs the one before" in printed
    assert "has not settled" not in printed


def test_a_side_all_of_whose_samples_were_disturbed_has_no_speed_up() -> None:
    alone = msgspec.structs.replace(row(1024, 2000.0), **NO_COST, samples=30)
    [found] = message_spreads([alone, row(1024, 1200.0, offload="split")], 2)
    assert (found.speedup, found.why_not) == (None, "all samples were disturbed")
    assert found.gain == "unknown" and not found.cannot
