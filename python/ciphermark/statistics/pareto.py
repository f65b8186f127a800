"""The Pareto front: what nothing else beats in every respect."""

from __future__ import annotations

from collections.abc import Sequence

Point = tuple[float, ...]
"""Costs, each the less the better; all points of a front have the same ones."""


def dominates(one: Point, other: Point) -> bool:
    """Whether one is nowhere worse and somewhere better."""
    return one != other and all(a <= b for a, b in zip(one, other, strict=True))


def front(points: Sequence[Point]) -> list[int]:
    """The places of those points that no other dominates, in their order; of equal points all."""
    # What dominates a point comes before it in the order of tuples, and what dominates that
    # dominates the point too: so the members found so far are all that need be asked.
    members: list[int] = []
    for place in sorted(range(len(points)), key=lambda it: points[it]):
        if not any(dominates(points[member], points[place]) for member in members):
            members.append(place)
    return sorted(members)
