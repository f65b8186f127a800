"""The most sessions that hold what is wanted, and the fewest cores."""

from __future__ import annotations

import pytest

from ciphermark.workloads.latency import Latencies
from ciphermark.workloads.sessions.limits import Limit, fewest_cores, most_sessions
from ciphermark.workloads.sessions.row import SessionRow
from scaling_example import session_row

CORES = [[0], [1], [2], [3]]


def with_latency(p99: dict[int, int | None]) -> list[SessionRow]:
    return [
        session_row(
            sessions=sessions,
            latency_ns=None if ns is None else Latencies(p50=ns, p90=ns, p99=ns, p999=ns),
            messages_per_second=1e6,
        )
        for sessions, ns in p99.items()
    ]


def within_latency(p99: dict[int, int | None], wanted: float) -> Limit:
    (found,) = most_sessions(with_latency(p99), CORES, "p99", wanted)
    return found


def test_between_two_numbers_a_power_law_is_followed() -> None:
    # p99 = 1000 · n, in which the law is exact.
    found = within_latency({1: 1000, 10: 10_000, 100: 100_000}, 37_500)
    assert (found.number, found.reach) == (37, "within")
    assert found.holds == (10, 10_000)
    assert found.fails == (100, 100_000)


def test_what_is_measured_to_hold_exactly_holds() -> None:
    assert within_latency({1: 1000, 10: 10_000, 100: 100_000}, 10_000).number == 10
    assert within_latency({1: 1000, 10: 10_000}, 10_000).reach == "all"


def test_beyond_what_was_measured_nothing_is_said() -> None:
    all_hold = within_latency({1: 1000, 10: 10_000}, 50_000)
    assert (all_hold.number, all_hold.reach, all_hold.fails) == (10, "all", None)
    none_holds = within_latency({1: 1000, 10: 10_000}, 500)
    assert (none_holds.number, none_holds.reach, none_holds.holds) == (None, "none", None)
    assert none_holds.fails == (1, 1000)


def test_the_first_number_that_fails_bounds_the_answer() -> None:
    found = within_latency({1: 1000, 2: 9000, 4: 1000, 8: 9000}, 5000)
    assert found.number == 1
    assert found.fails == (2, 9000)


def test_repeated_rows_count_by_their_median_and_rows_without_latency_not_at_all() -> None:
    rows = with_latency({1: 1000, 2: 2000, 4: None}) + with_latency({2: 2100}) * 2
    (found,) = most_sessions(rows, CORES, "p99", 2100)
    assert (found.number, found.reach, found.holds) == (2, "all", (2, 2100))
    assert most_sessions(with_latency({1: None, 2: None}), CORES, "p99", 1) == []


@pytest.mark.parametrize(("rate", "number"), [(1e4, 100), (3e4, 33), (1e5, 10)])
def test_sessions_that_hold_a_rate_each(rate: float, number: int) -> None:
    rows = with_latency({1: 1, 10: 1, 100: 1})
    (found,) = most_sessions(rows, CORES, "rate-per-session", rate)
    assert found.number == number


def over_cores(per_second: dict[int, float]) -> list[SessionRow]:
    return [
        session_row(sessions=100, cpus=list(range(cores)), messages_per_second=value)
        for cores, value in per_second.items()
    ]


@pytest.mark.parametrize(
    ("rate", "number", "reach"),
    [
        (4e5, 4, "within"),
        (2.5e5, 3, "within"),
        (2e5, 2, "within"),
        (0.5e5, 1, "all"),
        (5e5, None, "none"),
    ],
)
def test_the_fewest_cores_that_reach_a_rate(rate: float, number: int, reach: str) -> None:
    (found,) = fewest_cores(over_cores({1: 1e5, 2: 2e5, 4: 4e5}), CORES, rate)
    assert (found.number, found.reach) == (number, reach)
    assert found.sessions == 100


def test_a_set_of_cores_that_does_worse_than_a_smaller_one_is_not_an_answer() -> None:
    (found,) = fewest_cores(over_cores({1: 3e5, 2: 1e5, 4: 4e5}), CORES, 2.5e5)
    assert found.number == 4
