"""Estimates: what has no interval makes none."""

from __future__ import annotations

import json

import msgspec
import pytest

from ciphermark.statistics.estimate import Estimate, in_threes, total
from ciphermark.statistics.ratio import is_above, is_within, unpaired_ratio

SURE, BARE = Estimate(10.0, 9.0, 11.0), Estimate(10.0)


@pytest.mark.parametrize(
    "found",
    [
        BARE.plus(SURE),
        SURE.plus(BARE),
        BARE.minus(SURE),
        SURE.minus(BARE),
        BARE.by(SURE),
        SURE.by(BARE),
        BARE.under(SURE),
        SURE.under(BARE),
        BARE.wider(0.1),
        BARE.times(2.0),
        BARE.mapped(lambda end: end + 1),
        total([SURE, BARE, SURE]),
        Estimate.around(10.0, None),
        Estimate.of_cost(10.0, None),
        unpaired_ratio(SURE, None, BARE, None),
    ],
)
def test_without_an_interval_there_is_none_and_nothing_is_decided(found: Estimate) -> None:
    assert not found.has_interval
    assert (found.low, found.high, found.half, found.share) == (None,) * 4
    assert is_above(found, 0.0) is None and is_within(found, 100.0) is None


def test_an_interval_with_one_end_is_none() -> None:
    assert not Estimate(10.0, 9.0).has_interval
    assert list(Estimate(10.0, 9.0).times(2.0)) == [20.0, 18.0, None]


def test_a_cost_is_never_below_nothing_and_a_difference_may_be() -> None:
    assert Estimate.of_cost(1.0, 2.0) == Estimate(1.0, 0.0, 3.0)
    assert Estimate.around(1.0, 2.0) == Estimate(1.0, -1.0, 3.0)
    assert SURE.minus(Estimate.exact(20.0)) == Estimate(-10.0, -11.0, -9.0)


def test_in_json_it_has_names_or_three_numbers() -> None:
    document = {"costs": [SURE, BARE]}
    assert json.loads(msgspec.json.encode(document))["costs"][0] == {
        "value": 10.0,
        "low": 9.0,
        "high": 11.0,
    }
    assert in_threes(document) == {"costs": [[10.0, 9.0, 11.0], [10.0, None, None]]}
