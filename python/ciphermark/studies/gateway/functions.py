"""The post's table beside this machine's: in MB/s on one core and on all, and in cycles/byte."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ciphermark.show import figures
from ciphermark.show.findings import Cell, Column, Table
from ciphermark.studies.gateway.measured import Measured
from ciphermark.studies.gateway.paper import BOXES, POST
from ciphermark.studies.measured import implementation, why_none
from ciphermark.workloads.single.row import throughput

if TYPE_CHECKING:
    from ciphermark.workloads.single.row import Row

NOT_VALID = "? no attempt at it was valid, since others used the CPUs; shown is the last"


class Line(NamedTuple):
    """One function of the post."""

    function: str
    row: Row | None
    """The fastest implementation here."""
    published: list[float]
    """MB/s of each of the boxes."""


def throughputs(measured: Measured) -> Table:
    """MB/s: here on one core and on all, and on the boxes."""
    every = figures.counted(measured.cpus, "CPU")
    table = _table(
        measured,
        title="Throughput of messages of 1024 bytes (MB is 10^6 bytes)",
        columns=[
            Column(heading="function"),
            Column(heading="MB/s", group="one core"),
            Column(heading="±%", group="one core", digits=2),
            *_interval("MB/s"),
            Column(heading="MB/s", group=every),
            Column(heading="times", group=every),
            *_of_boxes(Column(heading="MB/s", decimals=2), Column(heading="ratio")),
        ],
        notes=[
            "one core: the fastest implementation here, with half of its 95 % interval",
            f"{every}: a session of its own on each, by the same library; times: of one session",
            "published: OpenSSL 1.0.2a on one core; the Atom with SSSE3, the AMD without",
            "ratio: one core here / published",
            *_remarks(measured),
        ],
    )
    for place, (function, row, published) in enumerate(_lines(measured)):
        value, low, high = (row and throughput(row)) or (None, None, None)
        all_cores = measured.on(measured.cpus, function)
        if all_cores is not None and not all_cores.valid:
            table.doubtful.append((place, 5))
        table.rows.append(
            [
                function,
                *(value, None if low is None else 50 * (high - low) / value, low, high),
                all_cores and all_cores.mbytes_per_second,
                measured.scaling(function),
                *_beside(published, [value and value / it for it in published]),
            ]
        )
    if table.doubtful:
        table.notes.append(NOT_VALID)
    return table


def cycles(measured: Measured) -> Table:
    """Cycles per byte, in which clocks do not show, and by which implementation."""
    table = _table(
        measured,
        title="The same in cycles/byte on one core",
        columns=[
            Column(heading="function"),
            Column(heading="here", group="cycles/byte"),
            *_interval("cycles/byte"),
            *(Column(heading=box.title, group="cycles/byte") for box in BOXES),
            *(Column(heading=box.title, group="here/there", detail=True) for box in BOXES),
            Column(heading="fastest here"),
        ],
        notes=[
            "of the boxes: nominal clock / published MB/s; the post itself has no cycles",
        ],
    )
    for function, row, published in _lines(measured):
        here = (row.cycles_per_byte, row.ci_low, row.ci_high) if row else (None, None, None)
        there = [box.clock_hz / (at * 1e6) for box, at in zip(BOXES, published, strict=True)]
        ratios = [here[0] and here[0] / it for it in there]
        table.rows.append([function, *here, *there, *ratios, row and implementation(row)])
    return table


def _lines(measured: Measured) -> list[Line]:
    return [Line(name, measured.row(name), published) for name, published in POST.items()]


def _table(measured: Measured, **fields: Any) -> Table:
    unsettled = [
        place
        for place, line in enumerate(_lines(measured))
        if line.row is not None and not line.row.converged
    ]
    return Table(unsettled=unsettled, **fields)


def _interval(unit: str) -> list[Column]:
    """Its ends, for reports and programs."""
    return [
        Column(heading=heading, group=unit, digits=4, detail=True) for heading in ("low", "high")
    ]


def _of_boxes(*columns: Column) -> list[Column]:
    """The same columns for each box."""
    return [
        Column(heading=it.heading, group=box.title, decimals=it.decimals)
        for box in BOXES
        for it in columns
    ]


def _beside(published: list[float], ratios: list[float | None]) -> list[Cell]:
    """The figure of each box, and how many times it the figure here is."""
    return [cell for pair in zip(published, ratios, strict=True) for cell in pair]


def _remarks(measured: Measured) -> list[str]:
    """Why a figure is not there, once for all functions with the same reason, or not firm."""
    missing: dict[str, list[str]] = {}
    unsettled = []
    for function, row, _ in _lines(measured):
        if row is None:
            missing.setdefault(why_none(measured.rows(function)), []).append(function)
        elif not row.converged:
            unsettled.append(f"{function} ({row.not_converged_reason})")
    notes = [f"no figure ({reason}): {', '.join(names)}" for reason, names in missing.items()]
    return notes + ([f"did not settle: {', '.join(unsettled)}"] if unsettled else [])
