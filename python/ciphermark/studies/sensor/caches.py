"""What caches bring: asked of this machine, as its own processor has them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ciphermark.show import figures
from ciphermark.show.findings import Column, NotTestable, Table, Verdict
from ciphermark.statistics.ratio import Ratio, is_above, mean_ratio
from ciphermark.studies.sensor.evidence import geometric_mean
from ciphermark.studies.sensor.measured import Measured
from ciphermark.studies.sensor.paper import FUNCTIONS, TEXT_BYTES, TITLES, sending
from ciphermark.workloads.single.ratio import ratio_of_rows

if TYPE_CHECKING:
    from ciphermark.workloads.single.row import Row

NEAREST, MEMORY, NOTHING = "hot", "stream", "cold"
BUFFERS = {
    NEAREST: "nearest cache",
    "l2": "second cache",
    MEMORY: "memory",
    NOTHING: "cold",
}
"""Where messages lie, as `buffers` of the plan, from the nearest."""
NEGLIGIBLE = 0.05

ByBuffers = dict[str, "Row"]


def caches(measured: Measured) -> Table:
    """The same kernels as on the targets, on this machine, by where messages lie."""
    table = Table(
        title="Caches: the same C on this machine, by where messages lie",
        columns=[
            Column(heading="function"),
            Column(heading="operation"),
            Column(heading="bytes"),
            *(Column(heading=it, group="cycles a message", digits=4) for it in BUFFERS.values()),
            *(
                Column(heading=BUFFERS[it], group=f"over {BUFFERS[NEAREST]}", decimals=2)
                for it in (MEMORY, NOTHING)
            ),
        ],
        notes=[
            "cold: before each message all caches are filled with something else, so code, tables "
            "and key come from memory too",
            "the simulations have no caches: XScale at two clocks has the same cycles by "
            "construction, which tells nothing of its memory",
        ],
    )
    for (algorithm, operation, size), rows in _by_message(measured.rows).items():
        if any(not row.converged for row in rows.values()):
            table.unsettled.append(len(table.rows))
        cycles = [rows[it].cycles_per_message if it in rows else None for it in BUFFERS]
        ratios = [_ratio(rows, it) for it in (MEMORY, NOTHING)]
        shown = [it and it.value for it in ratios]
        table.rows.append([TITLES[algorithm], operation, size, *cycles, *shown])
    return table


def negligible(measured: Measured) -> Verdict:
    """By texts of 16 bytes from memory; what it costs with nothing cached is said beside it."""
    found = _ratios(measured, MEMORY)
    if not found:
        raise NotTestable(f"no function was measured with {TEXT_BYTES} bytes from memory")
    mean = mean_ratio([*found.values()])
    each = ", ".join(f"{TITLES[it]} {figures.times(ratio.value)}" for it, ratio in found.items())
    shown = f"memory over nearest cache {figures.times(mean.value)} in the mean ({each})"
    if cold := _ratios(measured, NOTHING):
        of_cold = geometric_mean(ratio.value for ratio in cold.values())
        shown += f"; with nothing cached {figures.times(of_cold)}"
    without = [TITLES[algorithm] for algorithm, ratio in found.items() if ratio.low is None]
    if without:
        return None, f"{shown}; {', '.join(without)} has no interval, which decides nothing"
    holds = is_above(mean, 1 + NEGLIGIBLE)
    if holds is None:
        return None, f"{shown}; the intervals do not decide"
    return not holds, shown


def _ratios(measured: Measured, buffers: str) -> dict[str, Ratio]:
    """Of texts of 16 bytes over those in the nearest cache, by function."""
    return {
        algorithm: ratio
        for (algorithm, operation, size), rows in _by_message(measured.rows).items()
        if size == TEXT_BYTES
        and operation == sending(algorithm)
        and (ratio := _ratio(rows, buffers)) is not None
    }


def _ratio(rows: ByBuffers, buffers: str) -> Ratio | None:
    if NEAREST not in rows or buffers not in rows:
        return None
    return ratio_of_rows(rows[buffers], rows[NEAREST])


def _by_message(rows: Iterable[Row]) -> dict[tuple[str, str, int], ByBuffers]:
    """Those with figures by function, operation and size."""
    found: dict[tuple[str, str, int], ByBuffers] = {}
    for row in rows:
        if row.algorithm in FUNCTIONS and row.message_bytes and row.cycles_per_message:
            key = (row.algorithm, row.operation, row.message_bytes)
            found.setdefault(key, {})[row.buffers] = row
    return found
