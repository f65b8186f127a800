"""The Pareto front: nothing on it is beaten, and all that is not on it is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ciphermark.statistics.pareto import dominates, front

COSTS = st.one_of(st.integers(0, 4).map(float), st.floats(0, 1e6), st.just(float("inf")))
"""Few whole numbers, so that there are ties, and any others."""


def points(dimensions: int) -> st.SearchStrategy[list[tuple[float, ...]]]:
    return st.lists(st.tuples(*[COSTS] * dimensions), max_size=40)


POINTS = st.integers(1, 4).flatmap(points)


@given(POINTS)
def test_no_member_is_dominated(found: list[tuple[float, ...]]) -> None:
    members = front(found)
    assert not any(dominates(point, found[member]) for member in members for point in found)


@given(POINTS)
def test_every_other_is_dominated_by_a_member(found: list[tuple[float, ...]]) -> None:
    members = front(found)
    for place in set(range(len(found))) - set(members):
        assert any(dominates(found[member], found[place]) for member in members)


@pytest.mark.slow
@given(POINTS, st.randoms())
def test_the_order_of_points_does_not_matter(found: list[tuple[float, ...]], random) -> None:
    shuffled = random.sample(found, len(found))
    assert sorted(found[it] for it in front(found)) == sorted(
        shuffled[it] for it in front(shuffled)
    )


def test_equal_points_are_all_members() -> None:
    assert front([(1.0, 2.0), (2.0, 1.0), (1.0, 2.0), (2.0, 2.0)]) == [0, 1, 2]


def test_there_is_a_member_wherever_there_is_a_point() -> None:
    assert front([]) == []
    assert front([(float("inf"),) * 3]) == [0]
