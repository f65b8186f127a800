"""What the rows of all workloads begin with, which case it is; and what makes two rows figures of
the same thing."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from functools import cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import msgspec

if TYPE_CHECKING:
    from ciphermark import contract
    from ciphermark.record.table import Table
    from ciphermark.workloads.single.comparison import Pair
    from ciphermark.workloads.single.cost_card import CostCard


class CaseRow(msgspec.Struct, kw_only=True):
    """One case, as users see it."""

    case: int
    algorithm: str
    operation: str
    provider: str
    backend: str
    """The code path that ran, where that is known."""
    backend_asked: str = "default"
    """What the plan asked for; before format 1.1 nothing else could be."""
    workload: str
    pattern: str
    chunk_bytes: int | None = None
    """Bytes that the library was given at a time; only with the pattern `incremental`."""
    offload: str
    lanes: int
    keys: int
    buffers: str
    after: str | None = None
    """The algorithm that was called before each message."""
    switches: dict[str, str]
    message_bytes: int | None
    """Null for `setup` and with a profile, whose messages have several sizes."""
    profile: str | None = None
    """The mix of message sizes; figures per byte are over all bytes, those per message are of the
    mean message."""

    @property
    def size(self) -> int | str | None:
        """What tells its messages from those of other rows: their bytes, or the profile."""
        return self.profile or self.message_bytes

    @property
    def has_settled(self) -> bool:
        """True if its figures are as sure as the run wanted: GLOSSARY.md, "settled"."""
        return self.why_unsettled is None

    @property
    def why_unsettled(self) -> str | None:
        """Reason why it has not settled."""
        raise NotImplementedError


NOT_REACHED = "it was not reached in the time"


class Settled(NamedTuple):
    """Numbers of a run's cases: settled, not settled, and failed."""

    settled: int
    unsettled: int
    failed: int

    @property
    def cases(self) -> int:
        """Number of all cases."""
        return sum(self)


def count_settled(outcomes: Iterable[tuple[bool, bool]]) -> Settled:
    """Counts cases by whether they have settled and whether they failed.

    The one count of all outputs: of a list, a screen, a report and a site.
    """
    every = [*outcomes]
    failed = sum(has_failed for _, has_failed in every)
    settled = sum(has_settled and not has_failed for has_settled, has_failed in every)
    return Settled(settled, len(every) - failed - settled, failed)


def settled(rows: Iterable[CaseResult]) -> Settled:
    """Counts the rows of a run."""
    return count_settled((row.has_settled, row.error is not None) for row in rows)


COUNTED = ("converged", "valid", "error")
"""Columns of stored rows that `settled_in` reads, as far as a table has them."""


def settled_in(table: Table) -> Settled:
    """Counts the rows of a run in the table that is stored."""
    name = "valid" if "valid" in table.column_names else "converged"
    failed = (error is not None for error in table["error"])
    return count_settled(zip(table[name], failed, strict=True))


class CaseResult(Protocol):
    """A row of whichever workload that has cases: which one it is, and what became of it."""

    case: int
    algorithm: str
    operation: str
    provider: str
    backend: str
    pattern: str
    chunk_bytes: int | None
    offload: str
    lanes: int
    keys: int
    buffers: str
    after: str | None
    switches: dict[str, str]

    @property
    def error(self) -> contract.Failure | None: ...

    @property
    def has_settled(self) -> bool: ...

    @property
    def size(self) -> int | str | None: ...


def identity(case: contract.Case) -> dict[str, Any]:
    """The fields that a case has in common with every row of it."""
    return {name: getattr(case, name) for name in _in_common(type(case))}


@cache
def _in_common(kind: type[msgspec.Struct]) -> list[str]:
    return [name for name in CaseRow.__struct_fields__ if name in kind.__struct_fields__]


CALLING = ("workload", "pattern", "chunk_bytes", "offload", "lanes", "keys", "buffers", "after")
"""How a function is called, whichever implementation it is of."""

PARAMETERS = (*CALLING, "switches")
ASKED = ("algorithm", "operation", "provider", "backend_asked")
"""What the plan names. Which code path then runs is the library's affair."""

IMPLEMENTATION = (*ASKED, "backend")
CASE = (*ASKED, *PARAMETERS, "message_bytes", "profile")
"""Two rows of different runs that agree in these were measured on the same case."""


def key(row: object, fields: Iterable[str]) -> tuple[Hashable, ...]:
    """The values of these fields, as something that can be looked up."""
    return tuple(map(_hashable, _getter(tuple(fields))(row)))


@cache
def _getter(fields: tuple[str, ...]) -> Callable[[object], tuple[object, ...]]:
    if len(fields) > 1:
        return attrgetter(*fields)
    return lambda row: tuple(getattr(row, field) for field in fields)


def way(called: CaseRow | CaseResult | CostCard | Pair | contract.Case) -> str:
    """How something is called where that is not the usual way: `8 lanes · stream`; else empty."""
    chunk = "" if called.chunk_bytes is None else f" {called.chunk_bytes} B"
    parts = [
        f"{called.pattern}{chunk}" if called.pattern != "reused-key" else "",
        called.offload if called.offload != "none" else "",
        f"{called.lanes} lanes" if called.lanes != 1 else "",
        _keys(called),
        called.buffers if called.buffers != "hot" else "",
        f"after {called.after}" if called.after else "",
        "features hidden" if called.switches else "",
    ]
    return " · ".join(filter(None, parts))


def _keys(called: CaseRow | CaseResult | CostCard | Pair | contract.Case) -> str:
    """Usual are one key, and with several lanes one for each; a digest has none."""
    usual = 1 if called.operation == "digest" else called.lanes
    if called.keys == usual:
        return ""
    return "one key" if called.keys == 1 else f"{called.keys:,} keys".replace(",", " ")


def _hashable(value: object) -> Hashable:
    return tuple(sorted(value.items())) if isinstance(value, dict) else value
