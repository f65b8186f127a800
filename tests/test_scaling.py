"""Curves over cores and sessions: which rows make one, and where the knee is."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from ciphermark.statistics.estimate import in_threes
from ciphermark.statistics.scaling_law import Point
from ciphermark.workloads.sessions.row import SessionRow
from ciphermark.workloads.sessions.scaling import Scaling, measured_knee, scalings
from scaling_example import by_law, session_row

CORES = [[0], [1], [2], [3], [4], [5], [6], [7]]
SIBLINGS = [[0, 4], [1, 5], [2, 6], [3, 7]]


OFF = (1.002, 0.998, 0.999, 1.001)
"""How far the rows over cores are off the law, so that there is a scatter."""


def over_cores(sigma: float = 0.05, kappa: float = 0.0, **fields: Any) -> list[SessionRow]:
    return [
        session_row(
            case=case,
            sessions=100,
            cpus=list(range(2**case)),
            messages_per_second=off * by_law(2**case, sigma, kappa),
            **fields,
        )
        for case, off in enumerate(OFF)
    ]


def over_sessions(counts: list[int], per_second: list[float]) -> list[SessionRow]:
    return [
        session_row(case=case, sessions=count, cpus=[0, 1], messages_per_second=value)
        for case, (count, value) in enumerate(zip(counts, per_second, strict=True))
    ]


def only(rows: list[SessionRow], core_cpus: list[list[int]] = CORES) -> Scaling:
    (found,) = scalings(rows, core_cpus)
    return found


def test_rows_over_cores_give_the_laws_that_they_were_made_of() -> None:
    found = only(over_cores())
    assert (found.over, found.sessions, found.cores) == ("cores", 100, None)
    assert found.cases == [0, 1, 2, 3]
    assert found.amdahl.sigma.value == pytest.approx(0.05, rel=0.01)
    assert found.usl.kappa.low == 0
    assert found.law is found.amdahl
    assert found.refusals == []


def test_a_cost_of_agreement_that_is_told_from_nothing_makes_the_law() -> None:
    found = only(over_cores(kappa=0.01))
    assert found.law is found.usl
    assert found.law.kappa.value == pytest.approx(0.01, rel=0.05)


def test_two_numbers_of_cores_tell_no_interval_and_no_second_law() -> None:
    found = only(over_cores()[:2])
    assert found.usl is None
    assert found.amdahl.sigma.value == pytest.approx(0.05, rel=0.2)
    assert len(found.refusals) == 2
    assert "needs 4 different numbers, and 2 were measured" in found.refusals[0]
    assert "without its uncertainty" in found.refusals[1]


def test_one_number_makes_no_curve() -> None:
    assert scalings(over_cores()[:1], CORES) == []
    assert scalings([], CORES) == []


def test_cpus_without_a_session_are_not_counted() -> None:
    rows = over_cores()
    for row in rows:
        row.sessions = 2
    found = only(rows)
    assert [point.number for point in found.points] == [1, 2]


@pytest.mark.parametrize(
    "change",
    [
        {"valid": False},
        {"error": "any"},
        {"messages_per_second": None},
        {"offered_per_s": 1000.0},
        {"life": "any"},
    ],
)
def test_what_does_not_count_is_left_out(change: dict[str, Any]) -> None:
    rows = over_cores()
    for field, value in change.items():
        setattr(rows[2], field, value)
    assert [point.number for point in only(rows).points] == [1, 2, 8]


def test_an_offered_load_decides_the_throughput_by_itself() -> None:
    assert scalings(over_cores(offered_per_s=1000.0), CORES) == []


def test_what_differs_in_anything_else_makes_curves_of_its_own() -> None:
    ways: list[dict[str, Any]] = [
        {},
        {"provider": "rustcrypto"},
        {"message_bytes": 64},
        {"policy": "batch"},
        {"neighbours": 1},
        {"switches": {"OPENSSL_ia32cap": "0"}},
    ]
    found = scalings([row for way in ways for row in over_cores(**way)], CORES)
    assert len(found) == len(ways)
    assert all(len(it.points) == 4 for it in found)


def test_cores_with_and_without_their_siblings_are_two_curves() -> None:
    cores = over_cores()[:3]
    siblings = [
        session_row(sessions=100, cpus=cpus, messages_per_second=0.6 * by_law(len(cpus)))
        for cpus in ([0, 4], [0, 1, 4, 5])
    ]
    apart, together = scalings([*cores, *siblings], SIBLINGS)
    assert (apart.siblings, together.siblings) == (False, True)
    assert [point.number for point in apart.points] == [1, 2, 4]
    assert [point.number for point in together.points] == [1, 2, 4]
    assert together.points[1].per_second == pytest.approx(1.2e5)


def test_one_core_with_two_siblings_has_a_curve() -> None:
    found = only(over_cores()[:2], [[0, 1]])
    assert found.siblings
    assert [point.number for point in found.points] == [1, 2]


def test_rows_over_sessions_make_a_curve_of_one_set_of_cpus() -> None:
    rows = over_sessions([1, 2, 5, 10], [1e5, 1.9e5, 1.9e5, 1.88e5])
    found = only([*rows, session_row(sessions=1)])
    assert (found.over, found.sessions, found.cores) == ("sessions", None, 2)
    assert found.knee == 2


def test_the_knee_of_points() -> None:
    def knee(*throughputs: float) -> int | None:
        return measured_knee([Point(2**step, value) for step, value in enumerate(throughputs)])

    assert knee(100, 200, 400) is None
    assert knee(100, 109) == 1
    assert knee(100, 111) is None
    assert knee(100, 200, 210, 211) == 2
    assert knee(100, 90) == 1


def test_the_knee_is_between_points_where_the_double_was_not_measured() -> None:
    assert measured_knee([Point(1, 100), Point(3, 300), Point(4, 310), Point(12, 320)]) == 3
    assert measured_knee([Point(3, 300), Point(5, 301)]) is None


def test_repeated_points_have_their_median_as_throughput() -> None:
    repeated = [Point(1, 100.0), Point(1, 101.0), Point(1, 10.0), Point(2, 105.0)]
    assert measured_knee(repeated) == 1


def test_the_knee_of_the_law_is_where_doubling_gains_a_tenth() -> None:
    found = only(over_cores(sigma=0.1))
    assert found.knee is None
    assert found.knee_of_law == pytest.approx(4.5 * 0.9 / 0.1, rel=0.02)
    assert found.largest == 8


def test_a_scaling_can_be_written_as_json() -> None:
    scaling = only(over_cores())
    found = msgspec.json.decode(msgspec.json.encode(in_threes(scaling)))
    assert found["points"][1] == [2, scaling.points[1].per_second]
    assert found["amdahl"]["sigma"] == list(scaling.amdahl.sigma)
