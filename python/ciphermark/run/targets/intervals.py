"""What runners write of the intervals between an image's marks: counts, and which blocks of
instructions followed which.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import msgspec


class Block(msgspec.Struct, frozen=True):
    """Instructions that are always executed together, in the order in which they are."""

    address: int
    instructions: tuple[tuple[int, bytes], ...]
    """Address and code of each; a delay slot stands behind its branch."""
    function: str = ""
    """The symbol that it lies in."""


class Trace(msgspec.Struct, kw_only=True):
    """The execution of one call."""

    blocks: dict[int, Block]
    """By numbers that the runner gave them; shared by all traces of an image."""
    edges: dict[tuple[int, int], int]
    """How often a block (the second number) followed another (the first)."""

    def times(self) -> dict[int, int]:
        """How often each block was executed."""
        times: dict[int, int] = {}
        for (_, block), count in self.edges.items():
            times[block] = times.get(block, 0) + count
        return times


_INTERVAL = re.compile(
    r"interval \d+ instructions (\d+|-) cycles (\d+|-) loads (\d+|-) stores (\d+|-) stack (\d+|-)"
    r"(?: code (\d+) data (\d+) evicted (\d+))?"
)


class Interval(NamedTuple):
    """What was counted between two marks; None where the runner does not see it."""

    instructions: int | None
    cycles: int | None
    loads: int | None
    stores: int | None
    stack_bytes: int | None
    instruction_misses: int | None
    data_misses: int | None
    evictions: int | None
    edges: dict[tuple[int, int], int]
    """How often a block followed another, by their numbers; empty unless it was asked for."""

    def beyond(self, baseline: Interval) -> Interval:
        """What a call took beyond one of a kernel that does nothing."""
        counts = zip(self[:-1], baseline[:-1], strict=True)
        beyond = (None if a is None or b is None else a - b for a, b in counts)
        edges = dict(self.edges)
        for edge, times in baseline.edges.items():
            edges[edge] = edges.get(edge, 0) - times
        kept = {edge: times for edge, times in edges.items() if times}
        return Interval._make((*beyond, kept))


class Read(NamedTuple):
    """All that a runner wrote."""

    intervals: list[Interval]
    blocks: dict[int, Block]


def read(lines: Iterable[str], functions: Functions) -> Read:
    """The intervals in their order, and the blocks that their edges speak of."""
    intervals: list[Interval] = []
    blocks: dict[int, Block] = {}
    for line in lines:
        kind, *words = line.split()
        if kind == "edge":
            before, block, times = map(int, words)
            intervals[-1].edges[before, block] = times
        elif kind == "block":
            blocks[int(words[0])] = _block(words[1:], functions)
        elif found := _INTERVAL.match(line):
            counts = (None if it in ("-", None) else int(it) for it in found.groups())
            intervals.append(Interval._make((*counts, {})))
    return Read(intervals, blocks)


def trace(interval: Interval, blocks: dict[int, Block]) -> Trace:
    """An interval as models of pipelines read it."""
    return Trace(blocks=blocks, edges=interval.edges)


class Functions:
    """Which function an address lies in."""

    def __init__(self, symbols: dict[str, int]) -> None:
        """Addresses of functions by their names."""
        self._sorted = sorted((address, name) for name, address in symbols.items())

    def at(self, address: int) -> str:
        """Its name; empty before the first."""
        place = bisect_right(self._sorted, (address, "\U0010ffff"))
        return self._sorted[place - 1][1] if place else ""


def _block(words: Sequence[str], functions: Functions) -> Block:
    address, *instructions = words
    pairs = (it.split(":") for it in instructions)
    return Block(
        int(address, 16),
        tuple((int(place, 16), bytes.fromhex(code)) for place, code in pairs),
        functions.at(int(address, 16)),
    )
