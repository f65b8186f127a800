"""Figures 4–7 as tables: absolute cycles per byte over message size, by build."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from ciphermark.show import figures
from ciphermark.show.findings import Column, Table
from ciphermark.studies.mac_sessions.builds import BUILDS, FULL, LIBRARY, PLAIN, SIMD, SWITCH, Build
from ciphermark.studies.mac_sessions.measured import NOT_VALID, PER_MESSAGE, Measured
from ciphermark.studies.mac_sessions.paper import (
    FUNCTIONS,
    LARGEST,
    PACKET,
    SESSIONS,
    SMALLEST,
    Function,
)

SHOWN = {SMALLEST, PACKET, LARGEST}
"""Sizes that a terminal has room for."""


class Leader(NamedTuple):
    """The quickest and the slowest function at one size."""

    message_bytes: int
    fastest: Function
    cycles: float
    second: Function
    second_cycles: float
    slowest: Function
    slowest_cycles: float


def by_size(measured: Measured) -> Table:
    """All functions at all sizes in the three builds."""
    table = Table(
        title=(
            f"Absolute cycles/byte of {SESSIONS} sessions on {_cpus(measured)} by build "
            "(figures 4–7)"
        ),
        columns=[Column(heading="function")],
        notes=_how_built(measured),
    )
    for build in BUILDS:
        table.columns += [_column(size, build) for size in measured.sizes]
    for function in FUNCTIONS:
        rows = [measured.row(function, size, build) for build in BUILDS for size in measured.sizes]
        table.doubtful += [
            (len(table.rows), place)
            for place, row in enumerate(rows, 1)
            if row is not None and not row.valid
        ]
        table.rows.append([function.name, *(it and it.absolute_cycles_per_byte for it in rows)])
    table.notes += _objections(measured)
    return table


def leaders(measured: Measured, build: Build) -> Iterator[Leader]:
    """Who leads at each size, of the functions that have a figure there."""
    for size in measured.sizes:
        costs = {
            function: row.absolute_cycles_per_byte
            for function in FUNCTIONS
            if (row := measured.row(function, size, build))
        }
        if len(costs) > 1:
            first, second, *_ = order = sorted(costs, key=costs.__getitem__)
            last = order[-1]
            yield Leader(size, first, costs[first], second, costs[second], last, costs[last])


def crossings(measured: Measured) -> Table:
    """Which function is the fastest, and which the slowest, from which size on."""
    table = Table(
        title="Crossing points: the fastest and the slowest function from which size on",
        columns=[
            Column(heading="build"),
            Column(heading="from"),
            Column(heading="fastest"),
            Column(heading="c/B"),
            Column(heading="next"),
            Column(heading="c/B"),
            Column(heading="slowest"),
            Column(heading="c/B"),
        ],
        notes=["a line for each size at which the fastest or the slowest is another than before"],
    )
    for build in BUILDS:
        before = None
        for leader in leaders(measured, build):
            if (leader.fastest, leader.slowest) != before:
                message_bytes, *of_functions = leader
                names = [it.name if isinstance(it, Function) else it for it in of_functions]
                table.rows.append([build.title, figures.message_size(message_bytes), *names])
            before = (leader.fastest, leader.slowest)
    return table


def gains(measured: Measured) -> Table:
    """What vectors, and instructions for AES and SHA, bring for long messages."""
    table = Table(
        title=f"What hardware brings at {figures.message_size(LARGEST)}",
        columns=[
            Column(heading="function"),
            *(Column(heading="c/B", group=build.title) for build in BUILDS),
            Column(heading="SIMD", group="times as fast"),
            Column(heading="everything", group="times as fast"),
        ],
        notes=["times as fast: as in plain C/C++"],
    )
    for function in FUNCTIONS:
        rows = [measured.row(function, LARGEST, build) for build in (PLAIN, SIMD, FULL)]
        plain, *others = costs = [it and it.absolute_cycles_per_byte for it in rows]
        table.rows.append([function.name, *costs, *(plain and it and plain / it for it in others)])
    return table


def both_keys(measured: Measured) -> Table | None:
    """The key set up once for each session and once for each message; None without the latter."""
    sizes = sorted({row.message_bytes for row in measured.loaded(PER_MESSAGE)})
    if not sizes:
        return None
    table = Table(
        title="Absolute cycles/byte with the key set up once per session and once per message",
        columns=[Column(heading="function")],
        notes=[
            f"{SESSIONS} sessions on {_cpus(measured)}, {FULL.title}; the paper says that “key "
            "setup time is considered” and not how often a key is set up",
        ],
    )
    for size in sizes:
        group = figures.message_size(size)
        headings = ("session", "message", "ratio")
        table.columns += [Column(heading=heading, group=group) for heading in headings]
    for function in FUNCTIONS:
        cells = []
        for size in sizes:
            once = measured.row(function, size)
            each = measured.row(function, size, pattern=PER_MESSAGE)
            costs = [it and it.absolute_cycles_per_byte for it in (once, each)]
            cells += [*costs, costs[1] / costs[0] if all(costs) else None]
        table.rows.append([function.name, *cells])
    return table


def _cpus(measured: Measured) -> str:
    """`2 CPUs`."""
    return figures.counted(max(measured.cores, default=0), "CPU")


def _column(size: int, build: Build) -> Column:
    return Column(heading=figures.message_size(size), group=build.title, detail=size not in SHOWN)


def _how_built(measured: Measured) -> list[str]:
    """What stands for each build."""
    if measured.is_stood_in_for:
        return [
            "Crypto++ is not here: the kernels of ciphermark stand in, in each build by the "
            "quickest of the code paths that it may have (plain C/C++: portable, table, reference)"
        ]
    hidden = {
        build: row.switches.get(SWITCH)
        for row in measured.rows
        if row.provider == LIBRARY
        for build in BUILDS
        if build.has(row)
    }
    switched = [f"{build.title}: {SWITCH}={off}" for build, off in hidden.items() if off]
    return [
        "Crypto++ as it is installed, told which features to leave alone; "
        + (", ".join(switched) or "nothing was hidden from it"),
        "what its compiler makes of C++ stays in all builds (on x86-64 that may use SSE2), as does "
        "what Crypto++ decides when it is compiled",
    ]


def _objections(measured: Measured) -> list[str]:
    """How many figures have no valid attempt, and why; how many have fewer sessions."""
    rows = measured.loaded()
    notes = []
    if invalid := [row for row in rows if not row.valid]:
        kinds = Counter(objection.kind for row in invalid for objection in row.objections)
        reasons = ", ".join(f"{kind} {count}" for kind, count in kinds.most_common())
        notes.append(f"{NOT_VALID} ({len(invalid)} of {len(rows)} cases: {reasons})")
    if fewer := sum(row.sessions < SESSIONS for row in rows):
        notes.append(f"cases that were repeated with fewer sessions: {fewer}")
    return notes
