"""Unsettled inputs decide no claim, unless their whole intervals do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ciphermark.statistics.estimate import Estimate
from ciphermark.studies import gateway, kasumi, mac_sessions, umac
from ciphermark.studies.evidence import (
    Figure,
    all_of,
    any_of,
    as_printed,
    difference,
    in_turn,
    is_above,
    is_within,
    least,
    mean_figure,
    of_row,
    opposite,
    quotient,
)
from ciphermark.view.findings import Input, Open, judge
from ciphermark.workloads.packets.row import PacketRow
from ciphermark.workloads.sessions.row import SessionRow
from ciphermark.workloads.single.row import Row
from gateway_example import from_afar, macs, receiving, run_with, suites, without_aes
from gateway_example import rows as gateway_rows
from kasumi_example import around
from kasumi_example import as_printed as thesis
from row_example import timed_row
from synthetic import synthetic_run
from test_study import STATEMENT
from test_study_mac_sessions import by_paper
from test_study_umac import as_in_2000

RUN = synthetic_run()
UNSETTLED = "interval ±7.0 %"


def cost(value: float, half: float, settled: bool = False) -> Figure:
    """A figure of a row, known to a share."""
    why = None if settled else UNSETTLED
    row = timed_row(64, value, half, 1e9, converged=settled, not_converged_reason=why)
    return of_row(Estimate(value, value * (1 - half), value * (1 + half)), row)


class TestComparisons:
    def test_wide_intervals_of_unsettled_inputs_leave_a_claim_open_and_name_them(self) -> None:
        wide = quotient(cost(120.0, 0.15), cost(100.0, 0.15, settled=True))
        found = judge(STATEMENT, lambda _: (is_above(wide, 1.0), "×1.2"), None)
        assert found.holds is None
        assert found.here.startswith("×1.2; 1 of 2 inputs has not settled: ")
        assert f"64 B ({UNSETTLED}); " in found.here
        assert found.here.endswith("; run again without --quick on a quiet machine")

    def test_narrow_intervals_of_unsettled_inputs_decide(self) -> None:
        narrow = quotient(cost(120.0, 0.05), cost(100.0, 0.05))
        assert is_above(narrow, 1.0) is True
        assert is_above(narrow, 1.4) is False

    def test_settled_inputs_that_overlap_leave_a_claim_open_by_their_intervals(self) -> None:
        near = quotient(cost(100.4, 0.004, settled=True), cost(100.0, 0.004, settled=True))
        found = judge(STATEMENT, lambda _: (is_above(near, 1.0), "×1.004"), None)
        assert (found.holds, found.here) == (
            None,
            "×1.004; the intervals of the figures do not decide",
        )

    def test_only_some_of_many_unsettled_inputs_are_named(self) -> None:
        many = Open(tuple(Input(f"case {number}", UNSETTLED) for number in range(9)))
        assert many.reason.startswith("9 of 9 inputs have not settled: case 0 ")
        assert "case 2" in many.reason and "case 3" not in many.reason
        assert "; and 6 more; " in many.reason

    def test_open_comparisons_stay_open_unless_others_decide(self) -> None:
        one, other = Open((Input("one", None),)), Open((Input("other", None),))
        assert opposite(one) == one
        assert all_of([True, one, other]) == any_of([False, one, other])
        assert all_of([one, other]) == Open((*one.inputs, *other.inputs))
        assert all_of([False, one]) is False
        assert any_of([True, one]) is True

    def test_a_figure_without_an_interval_decides_nothing(self) -> None:
        bare = Figure(100.0, inputs=(Input("bare", UNSETTLED),))
        for figure in (quotient(cost(1.0, 0.0), bare), difference(bare, cost(1.0, 0.0))):
            assert isinstance(is_above(figure, 0.0), Open)

    def test_the_fastest_may_be_any_that_the_intervals_allow(self) -> None:
        found = least([cost(10.0, 0.01), cost(12.0, 0.5), cost(30.0, 0.1)])
        assert (found.value, found.low, found.high) == (10.0, 6.0, pytest.approx(10.1))
        assert len(found.inputs) == 1  # all rows have one name here; the third is no candidate
        bare = Figure(9.0, inputs=(Input("bare", UNSETTLED),))
        assert not least([bare, cost(10.0, 0.01)]).has_interval
        assert least([cost(8.0, 0.01), bare]).has_interval

    def test_printed_figures_have_their_rounding_as_interval(self) -> None:
        assert isinstance(is_above(quotient(as_printed(1.1, 1), as_printed(1.0, 1)), 1.1), Open)
        assert is_above(quotient(as_printed(1.2, 1), as_printed(1.0, 1)), 1.0) is True


SHARES = st.floats(0.0, 1.0)
FIGURES = st.tuples(st.floats(0.1, 100.0), st.floats(0.0, 0.6))
FORMULAS: list[Callable[[Sequence[Estimate]], Figure]] = [
    lambda it: quotient(it[0], it[1]),
    lambda it: difference(it[0], quotient(it[1], it[2])),
    lambda it: quotient(in_turn(it[:2]), it[2]),
    least,
    mean_figure,
]


@pytest.mark.parametrize("formula", FORMULAS)
@given(
    st.tuples(FIGURES, FIGURES, FIGURES), st.tuples(SHARES, SHARES, SHARES), st.floats(0.01, 50.0)
)
def test_no_values_within_the_intervals_contradict_a_verdict(
    formula: Callable[[Sequence[Estimate]], Figure],
    figures: tuple[tuple[float, float], ...],
    places: tuple[float, ...],
    limit: float,
) -> None:
    found = formula([cost(value, half) for value, half in figures])
    truth = formula(
        [
            Estimate.exact(value * (1 + half * (2 * place - 1)))
            for (value, half), place in zip(figures, places, strict=True)
        ]
    )
    error = 1e-9 * abs(limit)
    match is_above(found, limit):
        case True:
            assert truth.value > limit - error
        case False:
            assert truth.value <= limit + error
    if (verdict := is_within(found, 0.1)) in (True, False):
        assert verdict is (abs(truth.value - 1) <= 0.1) or abs(truth.value - 1) == (
            pytest.approx(0.1)
        )


def moved(row: Row, share: float, half: float) -> Row:
    """A row of one thread with its cost so much higher, known to a share."""
    cost = (row.cycles_per_message or 0.0) * (1 + share)
    factor, ends = 1 / (1 + share), (cost * (1 - half), cost * (1 + half))
    size = row.message_bytes or 1
    return msgspec.structs.replace(
        row,
        cycles_per_message=cost,
        cycles_per_message_low=ends[0],
        cycles_per_message_high=ends[1],
        cycles_per_byte=cost / size,
        ci_low=ends[0] / size,
        ci_high=ends[1] / size,
        mbytes_per_second=row.mbytes_per_second and row.mbytes_per_second * factor,
        converged=False,
        not_converged_reason=UNSETTLED,
    )


def moved_packets(row: PacketRow, share: float, half: float) -> PacketRow:
    """The same of packets."""
    changes: dict[str, Any] = {}
    for name in ("transfer", "processing", "actual"):
        cycles = getattr(row, f"{name}_cycles") * (1 + share)
        changes |= {f"{name}_cycles": cycles, f"{name}_interval": around(cycles, half)}
    return msgspec.structs.replace(row, **changes, converged=False, not_converged_reason=UNSETTLED)


def moved_sessions(row: SessionRow, share: float, half: float) -> SessionRow:
    """The same of sessions, whose figures have intervals of their own: ±2 %."""
    share = max(-0.02, min(0.02, share))
    names = ("absolute_cycles_per_byte", "apparent_cycles_per_byte")
    return msgspec.structs.replace(row, **{it: getattr(row, it) * (1 + share) for it in names})


def one_thread() -> list[Row]:
    return [*gateway_rows(), *receiving(), *macs(), *suites(), *without_aes(1.1), *from_afar(1.2)]


STUDIES: dict[str, tuple[Callable[[], list[Any]], Callable[..., Any], Callable[..., list[Any]]]] = {
    "kasumi": (thesis, moved_packets, lambda rows: kasumi.claims(RUN, rows)),
    "umac": (lambda: [*as_in_2000()], moved, lambda rows: umac.claims(RUN, rows)),
    "gateway": (one_thread, moved, lambda rows: gateway.claims(run_with(), rows)),
    "mac-sessions": (by_paper, moved_sessions, lambda rows: mac_sessions.claims(RUN, rows)),
}


@pytest.mark.parametrize("name", STUDIES)
@given(st.data(), st.floats(0.001, 0.6))
def test_runs_whose_rows_overlap_never_get_opposite_verdicts(
    name: str, data: st.DataObject, half: float
) -> None:
    make, move, claims = STUDIES[name]
    rows = make()
    places = data.draw(st.lists(st.floats(-1, 1), min_size=len(rows), max_size=len(rows)))
    unsure = {it.claim: it for it in claims([move(row, 0.0, half) for row in rows])}
    sure = [move(row, half * at, 1e-9) for row, at in zip(rows, places, strict=True)]
    for claim in claims(sure):
        assert {claim.holds, unsure[claim.claim].holds} != {True, False}, claim.claim


@pytest.mark.parametrize("name", STUDIES)
def test_wide_intervals_leave_claims_open_with_the_inputs_that_have_not_settled(name: str) -> None:
    make, move, claims = STUDIES[name]
    decided = [it for it in claims(make()) if it.holds is not None and not it.recomputed]
    assert decided
    unsure = {it.claim: it for it in claims([move(row, 0.0, 0.95) for row in make()])}
    if name != "mac-sessions":
        found = [unsure[it.claim] for it in decided]
        by_cost = [it for it in found if "have not settled" in it.here or "has not" in it.here]
        assert len(by_cost) > len(found) / 2
        assert all(it.holds is None for it in by_cost)


def test_sessions_without_a_valid_attempt_decide_no_order_of_functions() -> None:
    rows = [msgspec.structs.replace(row, valid=False) for row in by_paper()]
    found = {it.claim: it for it in mac_sessions.claims(RUN, rows)}
    for name in ("vmac-fastest-with-hardware", "aes-and-sha-boosted", "absolute-rises-with-cores"):
        assert found[name].holds is None
        assert "have not settled" in found[name].here
