"""Ratios of rows: what is paired with what, what decides nothing, and what many of them say."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from ciphermark.record.table import Table
from ciphermark.record.tables import SAMPLES
from ciphermark.statistics.estimate import Estimate
from ciphermark.statistics.quantiles import ONE_LOOK, SEVERAL_LOOKS, estimate_median
from ciphermark.statistics.ratio import (
    OrderStatistics,
    Ratio,
    is_above,
    is_within,
    paired_logs,
    surprising,
    unpaired_ratio,
)
from ciphermark.workloads.single.groups import groups_by_case
from ciphermark.workloads.single.ratio import (
    fastest_at_all,
    order_statistics,
    ratio_of_rows,
    ratio_of_times,
    ratios_within,
)
from ciphermark.workloads.single.row import Row
from row_example import a_row

WIDE = Estimate(100.0, 90.0, 110.0)
BARE = Estimate(100.0)


def samples(*cases: dict[tuple[int, int], float]) -> Table:
    """One sample for each (round, process) of each case, of so many cycles."""
    found = [
        {
            "case": case,
            "round": number,
            "process": process,
            "at_ns": 1000 * number + case,
            "messages": 1,
            "wall_ns": cycles,
            "cycles": cycles,
            "loop_cycles": 0.0,
            "core_hz": 1e9,
            "disturbed": [],
        }
        for case, by_round in enumerate(cases)
        for (number, process), cycles in by_round.items()
    ]
    return Table.of_rows(found, SAMPLES)


def paired(*cases: dict[tuple[int, int], float]) -> Ratio | str:
    table = samples(*cases)
    one, other = (a_row(64, 100.0, case=case) for case in (0, 1))
    return ratios_within(groups_by_case(table))(one, other)


@pytest.mark.slow
def test_a_pair_of_processes_is_one_observation_however_many_rounds_it_has() -> None:
    """Six processes that differ by 2 %, each of which agrees with itself to within 0.01 %."""
    random = np.random.default_rng(1)
    covered = {"processes": 0, "rounds": 0}
    for _ in range(400):
        one, other, by_round = {}, {}, {}
        for process in range(6):
            a, b = 100 * np.exp(random.normal(0, 0.02, 2))
            for number in range(20 * process, 20 * process + 20):
                noise = np.exp(random.normal(0, 1e-4))
                one[number, process] = a * noise
                other[number, process + 100] = b
                by_round[number, 0] = a * noise / b
        found = paired(one, other)
        covered["processes"] += found.low <= 1 <= found.high
        bare = estimate_median(np.array([*by_round.values()]))
        covered["rounds"] += bare.low <= 1 <= bare.high
    assert covered["processes"] >= 0.935 * 400
    assert covered["rounds"] < 0.5 * 400


def test_what_drifts_from_process_to_process_hits_both() -> None:
    steps = {number: 100.0 * 1.5**number for number in range(6)}
    one = {(number, number): 1.1 * it for number, it in steps.items()}
    other = {(number, number): it for number, it in steps.items()}
    found = paired(one, other)
    assert tuple(found) == pytest.approx((1.1, 1.1, 1.1))


def test_a_process_that_stood_beside_several_is_one_observation() -> None:
    one = {(number, number // 2): 110.0 + number for number in range(14)}
    other = {(number, 100 + number): 100.0 for number in range(14)}
    found = paired(one, other)
    # Medians of the seven processes of the first: 1.105, 1.125, … 1.225.
    assert tuple(found) == pytest.approx((1.165, 1.105, 1.225), rel=1e-4)


def test_fewer_than_six_pairs_of_processes_decide_nothing() -> None:
    one = {(number, number): 110.0 for number in range(9)}
    other = {(number + 4, number + 4): 100.0 for number in range(9)}
    assert paired(one, other) == "5 of 6 pairs of processes in common"


def test_older_runs_are_paired_by_round() -> None:
    one = {(number, number // 3): 110.0 for number in range(9)}
    other = {(number, number // 3): 100.0 for number in range(9)}
    assert paired(one, other).value == pytest.approx(1.1)


@pytest.mark.parametrize("sides", [(BARE, WIDE), (WIDE, BARE), (BARE, BARE)])
def test_a_ratio_with_a_bare_figure_decides_nothing(sides: tuple[Estimate, Estimate]) -> None:
    found = unpaired_ratio(
        sides[0],
        OrderStatistics(6),
        Estimate(10.0, sides[1].low, sides[1].high),
        OrderStatistics(6),
    )
    assert (found.value, found.low, found.high) == (10.0, None, None)
    assert is_above(found, 1.0) is None
    assert is_within(found, 100.0) is None
    assert surprising([found.chance]) == [False]


def test_a_cost_that_may_be_nothing_bounds_no_ratio() -> None:
    found = unpaired_ratio(
        Estimate.exact(100.0), None, Estimate(10.0, -1.0, 20.0), OrderStatistics(8)
    )
    assert found.high == np.inf
    assert found.low > 5
    assert (
        unpaired_ratio(
            Estimate(10.0, -1.0, 20.0), OrderStatistics(8), Estimate.exact(100.0), None
        ).low
        == 0
    )


def test_the_arm_towards_one_says_how_likely_a_ratio_is_by_chance() -> None:
    """Logarithms with their median at 0.05: the first reach far up, the others far down."""
    up = np.array([0.045, 0.046, 0.047, 0.048, 0.05, 0.06, 0.07, 0.08, 0.09])
    down = 0.1 - up
    assert paired_logs(up).chance < 0.1 * paired_logs(down).chance
    assert paired_logs(-up).chance == pytest.approx(paired_logs(up).chance)


def test_printed_figures_have_no_error() -> None:
    found = unpaired_ratio(Estimate.exact(3.0), None, Estimate.exact(2.0), None)
    assert (found.low, found.high, found.chance) == (1.5, 1.5, 0.0)
    assert is_above(found, 1.4) is True


def test_the_observations_are_processes_where_there_are_six() -> None:
    def row(**counts: Any) -> Row:
        return a_row(64, 100.0, 0.01, **counts)

    assert order_statistics(row(processes=7, groups=14)) == (7, SEVERAL_LOOKS)
    assert order_statistics(row(processes=3, groups=14)) == (14, ONE_LOOK)
    assert order_statistics(row(processes=0, groups=0)) is None
    found = ratio_of_rows(row(processes=6, groups=12), row(processes=6, groups=12))
    assert found.low < 1 < found.high


@pytest.mark.parametrize("count", [7, 9, 12, 24])
def test_an_interval_of_several_looks_is_no_wider_in_a_ratio(count: int) -> None:
    """The same values say the same of their ratio, by whichever rank their interval is told."""
    values = np.exp(np.random.default_rng(count).normal(0, 0.01, (2000, 2, count)))

    def mean_width(tail: Fraction) -> float:
        of = OrderStatistics(count, tail)
        found = [
            unpaired_ratio(estimate_median(a, tail), of, estimate_median(b, tail), of)
            for a, b in values
        ]
        return float(np.mean([math.log(it.high / it.low) for it in found]))

    assert mean_width(SEVERAL_LOOKS) == pytest.approx(mean_width(ONE_LOOK), rel=0.15)


class TestManyRows:
    """Rows that are all the same, and some that are not."""

    @staticmethod
    def ratios(spread: float, processes: int, count: int, change: float = 0.0) -> list[Ratio]:
        random = np.random.default_rng(round(1e4 * spread) + processes)

        def side(change: float = 0.0) -> Estimate:
            values = 100 * np.exp(change + random.normal(0, spread, processes))
            return estimate_median(values, SEVERAL_LOOKS)

        of = OrderStatistics(processes, SEVERAL_LOOKS)
        return [unpaired_ratio(side(change), of, side(), of) for _ in range(count)]

    @pytest.mark.slow
    @pytest.mark.parametrize("spread", [0.005, 0.02])
    @pytest.mark.parametrize("processes", [6, 12, 24])
    def test_of_what_is_the_same_at_most_one_in_a_hundred_is_called_changed(
        self, spread: float, processes: int
    ) -> None:
        found = [
            sum(surprising([it.chance for it in self.ratios(spread, processes, 300)]))
            for _ in range(7)
        ]
        assert sum(found) <= 0.01 * 300 * len(found)
        alone = [it for it in self.ratios(spread, processes, 2000) if is_above(it, 1.0) is not None]
        assert len(alone) > 0.01 * 2000  # by their intervals alone it would be more

    @pytest.mark.parametrize("processes", [6, 12])
    def test_a_change_of_five_times_the_spread_is_seen_among_many(self, processes: int) -> None:
        same = self.ratios(0.005, processes, 270)
        changed = self.ratios(0.005, processes, 30, change=0.05)
        found = surprising([it.chance for it in [*same, *changed]])
        assert sum(found[270:]) >= 27
        assert sum(found[:270]) <= 3

    def test_one_row_is_judged_by_its_own_interval(self) -> None:
        assert surprising([0.04]) == [True]
        assert surprising([0.06]) == [False]
        assert surprising([0.04, 0.9, None, 0.8]) == [False] * 4
        assert surprising([]) == []


def test_a_time_of_nothing_divides_nothing() -> None:
    some, none = (a_row(64, 100.0, ns_per_message=ns) for ns in (50.0, 0.0))
    assert ratio_of_times(some, none) == ratio_of_times(none, some) == "one side has no time"
    found = ratio_of_times(some, a_row(64, 100.0, ns_per_message=25.0))
    assert isinstance(found, Ratio) and found.value == 2.0


def test_a_time_of_another_program_has_the_interval_that_is_assumed() -> None:
    """±10 % of each side: a factor of 15 decides, and a difference of a tenth does not."""
    here, slow, alike = (a_row(64, None, ns_per_message=ns) for ns in (10.0, 150.0, 11.0))
    assert is_above(ratio_of_times(slow, here), 10.0) is True
    assert is_above(ratio_of_times(here, slow), 0.1) is False
    assert is_above(ratio_of_times(alike, here), 1.0) is None


def test_the_library_of_a_suite_is_the_fastest_at_both_ends_together() -> None:
    costs = {("seal", "one"): 10, ("open", "one"): 50, ("seal", "two"): 20, ("open", "two"): 20}
    rows = [
        a_row(64, float(cost), algorithm="esp:aes-128-gcm", operation=operation, provider=provider)
        for (operation, provider), cost in costs.items()
    ]
    both = {("esp:aes-128-gcm", "seal"): "two", ("esp:aes-128-gcm", "open"): "two"}
    assert fastest_at_all(rows) == both
    # One that cannot do both is none of a tunnel.
    sender = a_row(64, 1.0, algorithm="esp:aes-128-gcm", operation="seal", provider="three")
    assert fastest_at_all([*rows, sender]) == both
    # One whose every sample was disturbed takes at most so much.
    bounded = [
        a_row(
            64,
            None,
            algorithm="esp:aes-128-gcm",
            operation=operation,
            provider="four",
            cycles_upper_bound=5.0,
        )
        for operation in ("seal", "open")
    ]
    assert set(fastest_at_all([*rows, *bounded]).values()) == {"four"}


def test_a_library_of_which_one_end_is_known_does_both_where_no_other_is_known() -> None:
    rows = [
        a_row(64, None, operation="seal", provider="one"),
        a_row(64, 20.0, operation="open", provider="one"),
        a_row(64, None, operation="seal", provider="two"),
        a_row(64, None, operation="open", provider="two"),
    ]
    assert set(fastest_at_all(rows).values()) == {"one"}
    assert fastest_at_all(rows[2:]) == {}


def test_where_no_library_has_both_ends_each_has_its_fastest() -> None:
    rows = [
        a_row(64, 10.0, operation="seal", provider="one"),
        a_row(64, 20.0, operation="open", provider="two"),
    ]
    assert fastest_at_all(rows) == {("sha256", "seal"): "one", ("sha256", "open"): "two"}
