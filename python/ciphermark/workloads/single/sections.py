"""The rows of a run as they are shown: one section for each kind and operation, one line for each
implementation in it.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ciphermark import contract
from ciphermark.record.case_row import IMPLEMENTATION, PARAMETERS, key, way
from ciphermark.view import figures
from ciphermark.workloads.single.cost_card import Step, step_key, steps
from ciphermark.workloads.single.row import Row

if TYPE_CHECKING:
    from ciphermark.record.run import Context
    from ciphermark.workloads.single.cost_card import CostCard

KINDS: dict[contract.Kind, str] = {
    "suite": "Protected packets",
    "aead": "AEAD",
    "cipher": "Ciphers",
    "stream": "Keystreams",
    "mac": "MACs",
    "hash": "Hashes",
}
"""Kinds in the order in which they are shown, with their titles."""

OPERATIONS: tuple[contract.Operation, ...] = (
    "seal",
    "encrypt",
    "keystream",
    "mac",
    "digest",
    "open",
    "decrypt",
    "verify",
    "setup",
)
"""Operations in the order in which the sections of a kind are shown."""

PACKET_BYTES = 1500
"""The message at which throughput is shown: what an Ethernet frame carries."""

_LINE = tuple(field for field in (*IMPLEMENTATION, *PARAMETERS) if field != "operation")
_PREPARED = tuple(field for field in _LINE if field != "backend")
"""Fields that a key setup and the lines that it prepares have in common: a library may set keys up
by another code path than it processes messages with.
"""


@dataclass(frozen=True)
class Line:
    """One implementation and operation at all its sizes."""

    algorithm: contract.Algorithm
    operation: str
    provider: str
    backend: str
    way: str
    """Unusual manner of calling: `8 lanes`; else empty."""
    by_size: dict[int | str, Row]
    """Rows by bytes of the message, or by the name of a profile."""
    card: CostCard | None
    step: Step | None
    """Extra cost over one key and hot buffers, where those were measured too."""
    setup: Row | None

    @property
    def section(self) -> str:
        """Returns the title of its section."""
        return f"{KINDS[self.algorithm.kind]} · {self.operation}"

    @property
    def implementation(self) -> str:
        """Returns provider, backend and manner of calling in one."""
        return " · ".join(filter(None, (self.provider, self.backend, self.way)))

    def of_sizes(self) -> list[tuple[int, Row]]:
        """Returns the rows of a single size each, ascending, for an axis."""
        sizes = sorted(size for size in self.by_size if isinstance(size, int))
        return [(size, self.by_size[size]) for size in sizes]

    def packet_row(self, packet_bytes: int) -> Row | None:
        """Returns the row of the largest message that is not larger than a packet."""
        rows = [row for size, row in self.of_sizes() if size <= packet_bytes]
        return rows[-1] if rows else None


@dataclass(frozen=True)
class Section:
    """All implementations of one kind and operation, in the order of the plan."""

    kind: contract.Kind
    operation: str
    lines: list[Line] = field(default_factory=list)

    @property
    def title(self) -> str:
        return f"{KINDS[self.kind]} · {self.operation}"


def sections(context: Context, rows: list[Row], cards: list[CostCard]) -> list[Section]:
    """Returns rows without errors in sections; key setup is with the lines it prepares.

    A setup that prepares none of them gets a line of its own.
    """
    measured = [row for row in rows if row.error is None]
    facts = {algorithm.name: algorithm for algorithm in context.algorithms}
    setups = {key(row, _PREPARED): row for row in measured if row.operation == "setup"}
    stepped = steps(measured)
    fitted = {(card.operation, _line(card)): card for card in cards}
    by_title: dict[tuple[str, str], Section] = {}
    for (operation, line), alike in _grouped(_shown(measured)).items():
        kind = facts[alike[0].algorithm].kind
        section = by_title.setdefault((kind, operation), Section(kind, operation))
        section.lines.append(
            Line(
                algorithm=facts[alike[0].algorithm],
                operation=operation,
                provider=alike[0].provider,
                backend=alike[0].backend,
                way=called(alike[0]),
                by_size={row.size: row for row in alike if row.size is not None},
                card=fitted.get((operation, line)),
                step=stepped.get(step_key(alike[0])),
                setup=setups.get(key(alike[0], _PREPARED)),
            )
        )
    return sorted(by_title.values(), key=_order)


def sizes(shown: Iterable[Section]) -> list[int | str]:
    """Returns all message sizes of some sections, ascending, then their profiles."""
    measured = {size for section in shown for line in section.lines for size in line.by_size}
    return sorted(measured, key=figures.size_order)


def packet_bytes(measured: Sequence[int | str]) -> int | None:
    """Returns the size for throughput: the largest up to a packet, if there is one."""
    return max((it for it in measured if isinstance(it, int) and it <= PACKET_BYTES), default=None)


def lines(shown: Iterable[Section]) -> list[Line]:
    """Returns the lines of some sections in their order."""
    return [line for section in shown for line in section.lines]


def called(row: Row) -> str:
    """Returns the manner of calling, and the request where it is not the default."""
    asked = ""
    if row.backend_asked != "default":
        same = row.backend_asked == row.backend
        asked = "on request" if same else f"{row.backend_asked} requested"
    return " · ".join(filter(None, (asked, way(row))))


def _shown(measured: list[Row]) -> list[Row]:
    """Returns rows for lines: all but the setups that go with another line."""
    prepared = {key(row, _PREPARED) for row in measured if row.operation != "setup"}
    return [
        row for row in measured if row.operation != "setup" or key(row, _PREPARED) not in prepared
    ]


def _grouped(rows: list[Row]) -> dict[tuple[str, Hashable], list[Row]]:
    """Rows that differ in size only, by operation and line; an algorithm's lines stay together."""
    grouped: dict[tuple[str, Hashable], list[Row]] = {}
    first_seen = {row.algorithm: place for place, row in reversed(list(enumerate(rows)))}
    for row in sorted(rows, key=lambda row: first_seen[row.algorithm]):
        grouped.setdefault((row.operation, _line(row)), []).append(row)
    return grouped


def _line(row: Row | CostCard) -> Hashable:
    return key(row, _LINE)


def _order(section: Section) -> tuple[int, int]:
    return list(KINDS).index(section.kind), OPERATIONS.index(section.operation)
