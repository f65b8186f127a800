"""Cost card: cost of a function for each message and for each byte of it; and the footprint: its
extra cost where keys and messages do not lie in the nearest cache.

Over the measured sizes n, cycles per message are fitted by a + b·n so that the weighted sum of
squared *relative* errors is least, as people read costs in per cent; by two such lines where these
fit far better. `line` has the weights and the intervals.

A *level* is a number of keys and a place of the buffers. Its *step* is its extra cost over one key
and hot buffers: the differences of cycles per message at the sizes that both have, fitted by a line
over size as the cost card is, so that keys show as a cost of the message and buffers as one of its
bytes. A row's error goes into the difference as half of its interval, both rows' being independent.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator
from typing import NamedTuple

import msgspec
import numpy as np

from ciphermark.record.case_row import ASKED, IMPLEMENTATION, PARAMETERS, key
from ciphermark.statistics.estimate import Estimate, is_cost
from ciphermark.statistics.line import Line, fitted, pieces
from ciphermark.statistics.quantiles import Floats
from ciphermark.view import figures
from ciphermark.view.problems import FAILED, UNSETTLED, cost
from ciphermark.workloads.single.row import Row, cycles

STRAIGHT_WITHIN = 0.1
"""A fit that is off by more at some size is not to be trusted between the sizes."""


class CostCard(msgspec.Struct, kw_only=True):
    """Fit of cycles_per_message = fixed + slope·message_bytes, with 95 % intervals."""

    algorithm: str
    operation: str
    provider: str
    backend: str
    backend_asked: str
    workload: str
    pattern: str
    chunk_bytes: int | None
    offload: str
    lanes: int
    keys: int
    buffers: str
    after: str | None
    switches: dict[str, str]
    sizes: list[int]
    """Message sizes that were fitted, bytes, ascending; beyond them the card is a guess."""
    lines: list[Line]
    """Lines in cycles; one, or two that meet at a measured size."""
    largest_residual: float
    """Largest distance of a row from its line, as a share of the row."""
    largest_residual_bytes: int
    """The size at which it is."""

    @property
    def is_curved(self) -> bool:
        """Returns whether it must not be read between the measured sizes."""
        return self.largest_residual > STRAIGHT_WITHIN

    @property
    def long(self) -> Line:
        """Returns the line of the longest messages, which is the only one of most cards."""
        return self.lines[-1]


def cost_cards(rows: list[Row], *, imported: bool = False) -> list[CostCard]:
    """Returns a card for each implementation, operation and manner with several sizes.

    Imported rows have no intervals: their cards need three sizes instead of two, and only the
    misfit of the line shows their error.
    """
    alike: dict[Key, dict[int, Row]] = defaultdict(dict)
    for size, row in _fitted(rows, imported):
        alike[key(row, (*IMPLEMENTATION, *PARAMETERS))][size] = row
    return [_card(by_size) for by_size in alike.values() if len(by_size) >= (3 if imported else 2)]


def _fitted(rows: Iterable[Row], imported: bool = False) -> Iterator[tuple[int, Row]]:
    """Yields the rows that can be fitted, each with its size.

    Relative errors need a positive figure, and the method needs its interval.
    """
    for row in rows:
        if row.message_bytes is None or (row.cycles_per_message or 0) <= 0:
            continue
        if imported or row.cycles_per_message_low is not None:
            yield row.message_bytes, row


def _card(by_size: dict[int, Row]) -> CostCard:
    """Returns the card of rows that differ in nothing but their size."""
    sizes = sorted(by_size)
    rows = [by_size[size] for size in sizes]
    costs = _costs(rows)
    errors = _half_widths(rows) / costs
    fit = pieces(np.array(sizes, dtype=float), costs, units=costs, errors=errors)
    worst = int(np.argmax(fit.residuals))
    return CostCard(
        **{field: getattr(rows[0], field) for field in (*IMPLEMENTATION, *PARAMETERS)},
        sizes=sizes,
        lines=fit.lines,
        largest_residual=float(fit.residuals[worst]),
        largest_residual_bytes=sizes[worst],
    )


def _costs(rows: list[Row]) -> Floats:
    return np.array([row.cycles_per_message for row in rows], dtype=float)


def _half_widths(rows: list[Row]) -> Floats:
    """Returns the longer side of each row's 95 % interval, cycles per message; 0 if none."""
    return np.array([_half_width(cycles(row)) for row in rows])


def _half_width(cost: Estimate) -> float:
    if cost.low is None or cost.high is None:
        return 0.0
    return max(cost.high - cost.value, cost.value - cost.low)


NEAREST = (1, "hot")
"""The level that the others are measured from."""

_LEVEL = ("keys", "buffers")
_CALLED = (*ASKED, *(field for field in PARAMETERS if field not in _LEVEL))

Key = tuple[Hashable, ...]
"""Common fields of rows: implementation, operation, manner of calling, and of steps the level."""


class Step(NamedTuple):
    """Extra cost of one level, core cycles, with 95 % intervals."""

    per_message: Estimate
    per_byte: Estimate | None
    """Nothing where only one size was measured: then all is counted with the message."""
    sizes: list[int]
    """Message sizes that it was worked out from, bytes."""


def step_key(row: Row) -> Key:
    """Returns the common fields of rows of one step."""
    return key(row, (*_CALLED, *_LEVEL))


def steps(rows: list[Row]) -> dict[Key, Step]:
    """Returns the step of each level beyond the nearest, by `step_key` of its rows."""
    called: dict[Key, dict[tuple[int, str], dict[int, Row]]] = {}
    for size, row in _fitted(rows):
        levels = called.setdefault(key(row, _CALLED), {})
        levels.setdefault((row.keys, row.buffers), {})[size] = row
    return {
        (*called_so, *level): step
        for called_so, levels in called.items()
        for level, beyond in levels.items()
        if level != NEAREST and (step := _step(levels.get(NEAREST, {}), beyond))
    }


def _step(nearest: dict[int, Row], beyond: dict[int, Row]) -> Step | None:
    """Returns a step; None where the nearest level was measured at none of the sizes."""
    sizes = sorted(nearest.keys() & beyond.keys())
    if not sizes:
        return None
    near, far = [nearest[size] for size in sizes], [beyond[size] for size in sizes]
    costs = _costs(near)
    extra = _costs(far) - costs
    errors = np.hypot(_half_widths(near), _half_widths(far))
    if len(sizes) == 1:
        return Step(Estimate.around(float(extra[0]), float(errors[0])), None, sizes)
    line = fitted(np.array(sizes, dtype=float), extra, units=costs, errors=errors / costs)
    return Step(line.fixed, line.slope, sizes)


FROM = "from"
"""Before the size from which on a card holds."""


def remark(card: CostCard) -> str:
    """Returns where a card that is no straight line is off, and by how much."""
    if not card.is_curved:
        return ""
    return (
        f"the line is off by {100 * card.largest_residual:.0f} % at "
        f"{card.largest_residual_bytes} bytes: do not use it between the measured sizes"
    )


def fixed_cost(card: CostCard, separator: str = " ") -> str:
    """Formats cycles per message, marked where the card is curved; `!` where it is withheld."""
    text = fixed(card.long, separator)
    return UNSETTLED + text if card.is_curved and text != FAILED else text


def fixed(line: Line, separator: str = " ") -> str:
    """Formats the fixed cost of a line; `!` where it or the slope cannot be true."""
    return cost(line.fixed, separator) if is_cost(line.slope) else FAILED


def half_width(of: Estimate, separator: str = " ") -> str:
    """Formats half of the interval; empty where there is none, or no cost."""
    if of.low is None or of.high is None or not is_cost(of):
        return ""
    return figures.half_width(of.value, of.low, of.high, separator)


def start(card: CostCard) -> str:
    """Returns the smallest size of the line of long messages, if there are two lines."""
    return figures.message_size(int(card.long.start)) if len(card.lines) > 1 else ""


def legend(cards: Iterable[CostCard | None]) -> Iterator[tuple[str, str]]:
    """Yields the marks in the lines of long messages, each with its meaning."""
    shown = [card for card in cards if card is not None]
    if any(card.long.fixed.low is None for card in shown):
        yield "no ±", "a cost card needs four sizes to say how wrong it may be"
    if any(len(card.lines) > 1 for card in shown):
        yield FROM, "the line holds from this size on; the report also has that of shorter messages"
    if any(not is_cost(card.long.slope) for card in shown):
        yield FAILED, "no cost card: a longer message would cost less than a shorter one"
    if any(not is_cost(card.long.fixed) for card in shown):
        yield (
            FAILED,
            "no fixed cost: short messages cost less than the line of the longer ones says",
        )
    if any(card.is_curved for card in shown):
        yield (
            UNSETTLED,
            (
                "cost is no straight line over size: do not interpolate it between the "
                "measured sizes"
            ),
        )
