"""The gateway study: ten functions on one core, beside the two boxes of the post.

The post (2015) asks which of two cheap processors makes the better VPN gateway. Its figures are of
`openssl speed -elapsed -evp` with messages of 1024 bytes; here each function is shown in its
fastest implementation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import msgspec

from ciphermark.analyse.fastest import fastest
from ciphermark.analyse.throughput import throughput
from ciphermark.studies import publication
from ciphermark.studies.measured import implementation, why_none
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


def _post() -> dict[str, list[float]]:
    """MB/s of each function in the order of the post, on each of `BOXES`."""
    found: dict[str, dict[str, float]] = {}
    for cell in publication.read("ipfire-2015", Published):
        found.setdefault(cell.function, {})[cell.cpu] = cell.mbytes_per_second
    return {name: [by_cpu[box.cpu] for box in BOXES] for name, by_cpu in found.items()}


POST = _post()


def _in_post(key_bits: int) -> str:
    gcm, cbc = (
        " and ".join(f"{mbytes:.2f}" for mbytes in POST[f"aes-{key_bits}-{mode}"])
        for mode in ("gcm", "cbc")
    )
    return f"AES-{key_bits}: GCM {gcm}, CBC {cbc} MB/s"


GCM_SLOWER = Statement(
    claim="gcm-slower-than-cbc",
    text=(
        "“GCM is much slower than CBC”, since it “combines encryption and integrity in one step”: "
        "AES-GCM carries less than AES-CBC with the same key, for both key sizes"
    ),
    place="below the table, “So what are we seeing here?”",
    published=f"{_in_post(256)}. {_in_post(128)} ({BOXES[0].title} and {BOXES[1].title})",
)

LINK_MBITS_PER_SECOND = 2 * 100
"""A symmetric link of 100 Mbit/s in both directions at once."""

LINK_SATURATED = Statement(
    claim="aes-128-gcm-fills-100m-link",
    text=(
        "With AES-128-GCM it is “possible to saturate a symmetric 100M link”: 2 × 100 Mbit/s of "
        "messages of 1024 bytes, the tunnel's own overhead left out"
    ),
    place="“Where do you get the most bang for the buck?”, first paragraph",
    published=(
        f"2 cores × {POST['aes-128-gcm'][0]:.2f} MB/s × 8 bit = "
        f"{2 * 8 * POST['aes-128-gcm'][0]:.0f} Mbit/s on {BOXES[0].title}, "
        f"{LINK_MBITS_PER_SECOND} Mbit/s needed"
    ),
)


def tables(run: Run, rows: list[Row]) -> list[Table]:
    """The post's table in MB/s, and the same in cycles/byte."""
    lines = _lines(rows)
    return [_throughputs(lines, _remarks(rows)), _cycles(lines)]


def claims(run: Run, rows: list[Row]) -> list[Claim]:
    """The statements of the post, judged by the rows of a run."""
    return [judge(statement, decide, rows) for statement, decide in JUDGES.items()]


class _Line(NamedTuple):
    """One function of the post."""

    function: str
    row: Row | None
    """The fastest implementation here."""
    published: list[float]
    """MB/s of each of `BOXES`."""


def _lines(rows: list[Row]) -> list[_Line]:
    return [_Line(name, fastest(_of(name, rows)), published) for name, published in POST.items()]


def _of(function: str, rows: list[Row]) -> list[Row]:
    return [row for row in rows if (row.algorithm, row.message_bytes) == (function, MESSAGE_BYTES)]


def _throughputs(lines: list[_Line], remarks: list[str]) -> Table:
    table = Table(
        title="Throughput of messages of 1024 bytes on one core (MB is 10^6 bytes)",
        columns=[
            *_columns_here("MB/s"),
            Column(heading="fastest", group="here"),
            *_columns_beside(Column(heading="MB/s", decimals=2)),
        ],
        unsettled=_unsettled(lines),
        notes=[
            "here: the fastest implementation, with the 95 % interval of the median",
            "published: OpenSSL 1.0.2a; Intel Atom at 1.6 GHz with SSSE3, AMD APU at 1 GHz without",
            "ratio: here / published",
            *remarks,
        ],
    )
    for function, row, published in lines:
        here = (row and throughput(row)) or (None, None, None)
        table.rows.append(
            [function, *here, row and implementation(row), *_beside(here[0], published)]
        )
    return table


def _cycles(lines: list[_Line]) -> Table:
    table = Table(
        title="The same in cycles/byte",
        columns=[
            *_columns_here("cycles/byte"),
            *_columns_beside(Column(heading="derived")),
        ],
        unsettled=_unsettled(lines),
        notes=[
            "derived: nominal clock / published MB/s; the post itself has no cycles",
            "ratio: here / derived",
        ],
    )
    for function, row, published in lines:
        here = (row.cycles_per_byte, row.ci_low, row.ci_high) if row else (None, None, None)
        derived = [box.clock_hz / (at * 1e6) for box, at in zip(BOXES, published, strict=True)]
        table.rows.append([function, *here, *_beside(here[0], derived)])
    return table


def _columns_here(unit: str) -> list[Column]:
    headings = (unit, "low", "high")
    figures = [Column(heading=heading, group="here", digits=4) for heading in headings]
    return [Column(heading="function"), *figures]


def _columns_beside(figure: Column) -> list[Column]:
    """The figure of each box and its ratio."""
    return [
        msgspec.structs.replace(column, group=box.title)
        for box in BOXES
        for column in (figure, Column(heading="ratio"))
    ]


def _beside(here: float | None, of_boxes: list[float]) -> list[Cell]:
    """The figure of each box, and how many times it the figure here is."""
    return [cell for of_box in of_boxes for cell in (of_box, here and here / of_box)]


def _unsettled(lines: list[_Line]) -> list[int]:
    return [
        place for place, line in enumerate(lines) if line.row is not None and not line.row.converged
    ]


def _remarks(rows: list[Row]) -> list[str]:
    """Why a figure is not there or not firm, once for all functions with the same reason."""
    found: dict[str, list[str]] = {}
    for function, row, _ in _lines(rows):
        if row is None:
            found.setdefault(f"no figure ({why_none(_of(function, rows))})", []).append(function)
        elif not row.converged:
            found.setdefault(f"did not settle ({row.not_converged_reason})", []).append(function)
    return [f"{reason}: {', '.join(functions)}" for reason, functions in found.items()]


def _settled(function: str, rows: list[Row]) -> Estimate:
    """MB/s of the fastest implementation with its interval; NotTestable without a firm one."""
    row = fastest(_of(function, rows))
    estimate = row and throughput(row)
    if estimate is None:
        raise NotTestable(f"{function} has no figure ({why_none(_of(function, rows))})")
    if not row.converged:
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
        f"{LINK_MBITS_PER_SECOND} Mbit/s needed"
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
