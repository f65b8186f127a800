"""The gateway study: ten functions on one core, beside the two boxes of the post.

The post (2015) asks which of two cheap processors makes the better VPN gateway. Its figures are of
`openssl speed -elapsed -evp` with messages of 1024 bytes; here each function is shown in its
fastest implementation.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec

from ciphermark.analyse.fastest import fastest
from ciphermark.analyse.throughput import throughput
from ciphermark.studies import publication
from ciphermark.studies.study import (
    Cell,
    Claim,
    Column,
    Judge,
    NotTestable,
    Statement,
    Table,
    judge,
)

if TYPE_CHECKING:
    from ciphermark.analyse.row import Row
    from ciphermark.analyse.statistics import Estimate
    from ciphermark.record.run import Run

MESSAGE_BYTES = 1024


class Box(msgspec.Struct, frozen=True):
    """A machine of the post."""

    cpu: str
    """Its name in the published data."""
    title: str
    clock_hz: float
    """As the post's table states it; what the processor ran at was not measured."""


BOXES = (
    Box("intel-atom-n2600-1600", "Atom N2600", 1.6e9),
    Box("amd-g-t40e-1000", "AMD G-T40E", 1.0e9),
)


class Published(msgspec.Struct, kw_only=True):
    """A cell of the post's table."""

    function: str
    cpu: str
    block_bytes: int
    mbytes_per_second: float
    note: str


NOTES = (
    "here: the fastest implementation, with the 95 % interval of the median",
    "published: OpenSSL 1.0.2a; Intel Atom at 1.6 GHz with SSSE3, AMD APU at 1 GHz without",
)

GCM_SLOWER = Statement(
    claim="gcm-slower-than-cbc",
    text=(
        "“GCM is much slower than CBC”, since it “combines encryption and integrity in one step”: "
        "AES-GCM carries less than AES-CBC with the same key, for both key sizes"
    ),
    place="below the table, “So what are we seeing here?”",
    published=(
        "AES-256: GCM 15.02, CBC 18.72 MB/s (Atom); 11.11, 31.24 (AMD). "
        "AES-128: GCM 19.49, CBC 26.22 MB/s (Atom); 14.46, 42.65 (AMD)"
    ),
)

LINK_MBITS_PER_SECOND = 2 * 100.0
"""A symmetric link of 100 Mbit/s in both directions at once."""

LINK_SATURATED = Statement(
    claim="aes-128-gcm-fills-100m-link",
    text=(
        "With AES-128-GCM it is “possible to saturate a symmetric 100M link”: 2 × 100 Mbit/s of "
        "messages of 1024 bytes, the tunnel's own overhead left out"
    ),
    place="“Where do you get the most bang for the buck?”, first paragraph",
    published="2 cores × 19.49 MB/s × 8 bit = 312 Mbit/s on the Atom, 200 Mbit/s needed",
)


def tables(run: Run, rows: list[Row]) -> list[Table]:
    """The post's table in MB/s, and the same in cycles/byte."""
    return [_throughputs(rows), _cycles(rows)]


def claims(run: Run, rows: list[Row]) -> list[Claim]:
    """The statements of the post, judged by the rows of a run."""
    return [judge(statement, decide, rows) for statement, decide in JUDGES.items()]


def _throughputs(rows: list[Row]) -> Table:
    def here(row: Row) -> list[Cell]:
        estimate = throughput(row)
        return [*(estimate or (None, None, None)), _implementation(row)]

    def beside(row: Row | None, box: Box, published: float) -> list[Cell]:
        return [published, _ratio(row and row.mbytes_per_second, published)]

    return _table(
        "Throughput of messages of 1024 bytes on one core (MB is 10^6 bytes)",
        [
            *_estimate_columns("MB/s"),
            Column(heading="fastest", group="here"),
            *_box_columns(Column(heading="MB/s", decimals=2)),
        ],
        rows,
        here,
        beside,
        [*NOTES, "ratio: here / published"],
    )


def _cycles(rows: list[Row]) -> Table:
    def here(row: Row) -> list[Cell]:
        return [row.cycles_per_byte, row.ci_low, row.ci_high]

    def beside(row: Row | None, box: Box, published: float) -> list[Cell]:
        derived = box.clock_hz / (published * 1e6)
        return [derived, _ratio(row and row.cycles_per_byte, derived)]

    return _table(
        "Cost of messages of 1024 bytes on one core",
        [*_estimate_columns("cycles/byte"), *_box_columns(Column(heading="derived"))],
        rows,
        here,
        beside,
        [
            *NOTES,
            "derived: cycles/byte as nominal clock / published MB/s; the post has no cycles",
            "ratio: here / derived",
        ],
    )


def _estimate_columns(unit: str) -> list[Column]:
    headings = (unit, "low", "high")
    return [Column(heading=heading, group="here", digits=4) for heading in headings]


def _box_columns(figure: Column) -> list[Column]:
    """A figure of each box and its ratio."""
    return [
        msgspec.structs.replace(column, group=box.title)
        for box in BOXES
        for column in (figure, Column(heading="ratio"))
    ]


def _table(
    title: str,
    columns: list[Column],
    rows: list[Row],
    here: Callable[[Row], list[Cell]],
    beside: Callable[[Row | None, Box, float], list[Cell]],
    notes: list[str],
) -> Table:
    """A line for each function of the post.

    `here` gives the cells of what was measured, `beside` those of a box, given what it published.
    """
    table = Table(title=title, columns=[Column(heading="function"), *columns], rows=[], notes=notes)
    nothing: list[Cell] = [None] * sum(column.group == "here" for column in columns)
    for function, published in _published().items():
        alike = _of(function, rows)
        row = fastest(alike)
        if row is None:
            table.notes.append(f"{function} has no figure here: {_why_none(alike)}")
        elif not row.converged:
            table.unsettled.append(len(table.rows))
            table.notes.append(f"{function} did not settle: {row.not_converged_reason}")
        cells = [cell for box in BOXES for cell in beside(row, box, published[box.cpu])]
        table.rows.append([function, *(here(row) if row else nothing), *cells])
    return table


def _published() -> dict[str, dict[str, float]]:
    """MB/s of each function in the order of the post, by processor."""
    found: dict[str, dict[str, float]] = {}
    for cell in publication.read("ipfire-2015", Published):
        found.setdefault(cell.function, {})[cell.cpu] = cell.mbytes_per_second
    return found


def _of(function: str, rows: list[Row]) -> list[Row]:
    return [row for row in rows if (row.algorithm, row.message_bytes) == (function, MESSAGE_BYTES)]


def _why_none(alike: list[Row]) -> str:
    reasons = [
        f"{row.provider}: {row.error.message if row.error else 'not measured'}" for row in alike
    ]
    return "; ".join(reasons) or "no provider has it"


def _implementation(row: Row) -> str:
    return row.provider if row.backend == "default" else f"{row.provider} {row.backend}"


def _ratio(here: float | None, published: float) -> float | None:
    return None if here is None else here / published


def _settled(function: str, rows: list[Row]) -> Estimate:
    """MB/s of the fastest implementation with its interval; NotTestable without a firm one."""
    alike = _of(function, rows)
    row = fastest(alike)
    estimate = row and throughput(row)
    if row is None or estimate is None:
        raise NotTestable(f"{function} has no figure ({_why_none(alike)})")
    if not row.converged or estimate.low is None:
        raise NotTestable(f"{function} did not settle ({row.not_converged_reason})")
    return estimate


def _gcm_is_slower(rows: list[Row]) -> tuple[bool, str]:
    """Slower means that the intervals do not overlap; with equal speeds it does not hold."""
    slower, found = [], []
    for key_bits in (256, 128):
        gcm = _settled(f"aes-{key_bits}-gcm", rows)
        cbc = _settled(f"aes-{key_bits}-cbc", rows)
        slower.append(gcm.high < cbc.low)
        found.append(f"AES-{key_bits}: GCM {_interval(gcm)}, CBC {_interval(cbc)} MB/s")
    return all(slower), ". ".join(found)


def _link_is_saturated(rows: list[Row]) -> tuple[bool | None, str]:
    """One core decides where it suffices, or where even twice its figure is too little.

    In between it needs the second core, which the post counts in full and this study does not
    measure.
    """
    mbytes = _settled("aes-128-gcm", rows)
    low, value, high = (8 * it for it in (mbytes.low, mbytes.value, mbytes.high))
    here = (
        f"1 core × {mbytes.value:.2f} MB/s × 8 bit = {value:.0f} Mbit/s, "
        f"{LINK_MBITS_PER_SECOND:.0f} Mbit/s needed"
    )
    if low >= LINK_MBITS_PER_SECOND:
        return True, here
    if 2 * high < LINK_MBITS_PER_SECOND:
        return False, f"{here}; two cores would not do either"
    raise NotTestable(f"{here}; two cores may do, but one is measured")


def _interval(estimate: Estimate) -> str:
    return f"{estimate.value:.2f} ({estimate.low:.2f} to {estimate.high:.2f})"


JUDGES: dict[Statement, Judge] = {
    GCM_SLOWER: _gcm_is_slower,
    LINK_SATURATED: _link_is_saturated,
}
STATEMENTS = tuple(JUDGES)
