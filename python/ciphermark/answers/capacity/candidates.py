"""Implementations of a suite in a run: their rows, by operation, in the usual way of calling.

Costs are nanoseconds on one core. Where a row has cycles they are divided by the clock of the whole
run, since cycles do not feel the clock drifting between two cases; imported rows have times only.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable
from statistics import median
from typing import NamedTuple

from ciphermark.answers.capacity.size_costs import UNKNOWN_SHARE, SizeCost, SizeCosts
from ciphermark.plan.naming import UNDOING
from ciphermark.statistics.estimate import Estimate
from ciphermark.workloads.single.row import Row

BOTH_WAYS = UNDOING | {"digest": "digest"}
"""What is done to packets that go out, and to those that come in."""

SENDING = ("seal", "encrypt", "mac", "digest", "keystream")
"""Operations on what goes out, in the order in which they are asked for."""


class Candidate(NamedTuple):
    """One implementation of an algorithm, with its rows."""

    algorithm: str
    provider: str
    backend_asked: str
    keys: int
    """Distinct keys in use: of a suite the security associations that were looked up."""
    rows: tuple[Row, ...]
    hz: float | None
    """Core clock of the run."""

    @property
    def backend(self) -> str:
        """The code path that ran."""
        return self.rows[0].backend

    @property
    def operations(self) -> set[str]:
        """Those with messages."""
        return {it.operation for it in self.rows if it.size is not None}

    def costs(self, operation: str, buffers: str = "hot") -> SizeCosts | None:
        """Nanoseconds by size; None where no size was measured."""
        found = [
            SizeCost(it.message_bytes, self.ns(it))
            for it in self.rows
            if (it.operation, it.buffers) == (operation, buffers) and it.message_bytes is not None
        ]
        return SizeCosts(found) if found else None

    def of_profile(self, operation: str, profile: str) -> Row | None:
        """The row of a mix."""
        alike = (it for it in self.rows if (it.operation, it.profile) == (operation, profile))
        return next(alike, None)

    def setup(self) -> Estimate | None:
        """Nanoseconds from the bytes of a key to a context that is ready."""
        row = next((it for it in self.rows if it.operation == "setup"), None)
        return None if row is None else self.ns(row)

    def ns(self, row: Row) -> Estimate:
        """Nanoseconds of a message."""
        if row.cycles_per_message is None or self.hz is None:
            return Estimate.of_cost(row.ns_per_message, UNKNOWN_SHARE * row.ns_per_message)
        value = row.cycles_per_message / self.hz * 1e9
        low, high = row.cycles_per_message_low, row.cycles_per_message_high
        if low is None or high is None:
            return Estimate.of_cost(value, UNKNOWN_SHARE * value)
        return Estimate(value, max(0.0, low / self.hz * 1e9), high / self.hz * 1e9)


def candidates(rows: Iterable[Row], algorithm: str, tunnels: int = 1) -> list[Candidate]:
    """The implementations of an algorithm that have figures; of each the rows whose number of keys
    in use is nearest to that of the tunnels. Of several runs the first that has a size stands."""
    usual = [row for row in rows if _is_usual(row)]
    hz = median_hz(usual)
    alike: dict[tuple[str, str], dict[int, list[Row]]] = defaultdict(lambda: defaultdict(list))
    for row in usual:
        if row.algorithm == algorithm:
            alike[row.provider, row.backend_asked][row.keys].append(row)
    found = []
    for names, by_keys in alike.items():
        keys = min(by_keys, key=lambda it: abs(math.log(it / tunnels)))
        setups = [row for row in by_keys.get(1, []) if row.operation == "setup" and keys != 1]
        found.append(Candidate(algorithm, *names, keys, _once([*by_keys[keys], *setups]), hz))
    return [it for it in found if it.operations]


def median_hz(rows: Iterable[Row]) -> float | None:
    """The clock of a run; None where nothing tells it."""
    clocks = [row.core_hz for row in rows if row.core_hz is not None]
    return median(clocks) if clocks else None


def operations(names: Iterable[str], both_ways: bool) -> list[str]:
    """What is done to a packet on its way out, and to one on its way in."""
    there = set(names)
    first = next((it for it in SENDING if it in there), None)
    if first is None:
        return []
    back = BOTH_WAYS.get(first)
    if not both_ways:
        return [first]
    return [first, back] if back in there else []


def _once(rows: Iterable[Row]) -> tuple[Row, ...]:
    """The first row of each operation and size."""
    first: dict[tuple[object, ...], Row] = {}
    for row in rows:
        first.setdefault((row.operation, row.buffers, row.size), row)
    return tuple(first.values())


def _is_usual(row: Row) -> bool:
    """One message a call, its key at hand, on the calling core."""
    usual = (row.lanes, row.pattern, row.offload, row.chunk_bytes, row.after, row.switches)
    return (
        usual == (1, "reused-key", "none", None, None, {})
        and row.buffers in ("hot", "stream")
        and bool(row.ns_per_message)
        and row.ns_per_message > 0
        and (row.cycles_per_message is None or row.cycles_per_message > 0)
    )
