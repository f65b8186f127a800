"""Hashes of messages that lie in the nearest cache, and farther away."""

from __future__ import annotations

from ciphermark.show.findings import Column, Table, Verdict
from ciphermark.statistics.ratio import is_above
from ciphermark.studies.gateway.estimates import all_of, shown
from ciphermark.studies.gateway.measured import LIBRARY, Measured
from ciphermark.studies.gateway.paper import ATOM, BOXES, HASHES, POST, named

BUFFERS = {
    "hot": "nearest cache",
    "l2": "second cache",
    "stream": "memory",
    "cold": "all cold",
}
"""By their names in a plan."""

DEARER = 1.10
"""A hash that does not take so many times as long from memory does not show how fast that is."""


def by_distance(measured: Measured) -> Table:
    """Cycles per byte by where the message lies."""
    table = Table(
        title="Hashes by where their messages lie, OpenSSL, 1024 bytes",
        columns=[
            Column(heading="function"),
            *(Column(heading=it, group="cycles/byte") for it in BUFFERS.values()),
            *(
                Column(heading=it, group="against nearest")
                for name, it in BUFFERS.items()
                if name in ("l2", "stream")
            ),
        ],
        notes=[
            "nearest cache: as `openssl speed` has it, one buffer again and again",
            "memory: messages pass through more than the caches hold, one after the other, so that "
            "the processor can fetch them ahead",
            "all cold: one call with code, tables and message out of all caches",
        ],
    )
    for function in HASHES:
        rows = {it: measured.row(function, buffers=it, provider=LIBRARY) for it in BUFFERS}
        hot = rows["hot"]
        if hot is None or not any(rows[it] for it in BUFFERS if it != "hot"):
            continue
        if not hot.converged:
            table.unsettled.append(len(table.rows))
        costs = {name: row and row.cycles_per_byte for name, row in rows.items()}
        ratios = [costs[it] and costs[it] / costs["hot"] for it in ("l2", "stream")]
        table.rows.append([function, *costs.values(), *ratios])
    return table


def memory_explains(measured: Measured) -> Verdict:
    """By what it costs to have the messages in memory instead of the nearest cache."""
    found = {}
    for function in HASHES:
        far = measured.firm(function, buffers="stream", provider=LIBRARY)
        near = measured.firm(function, provider=LIBRARY)
        found[function] = measured.ratio(far, near)
    told = ", ".join(f"{named(it)} {shown(ratio)}" for it, ratio in found.items())
    return all_of(is_above(it, DEARER) for it in found.values()), (
        f"cycles from memory / from the nearest cache: {told}"
    )


def memory_explains_printed(_: object = None) -> Verdict:
    """By what the clocks of the boxes leave for memory to explain."""
    clocks = ATOM.clock_hz / BOXES[1].clock_hz
    left = {it: POST[it][0] / POST[it][1] / clocks for it in HASHES}
    told = ", ".join(f"{named(it)} {ratio:.2f}" for it, ratio in left.items())
    return all(it >= DEARER for it in left.values()), (
        f"speed of the Atom / of the AMD, over the clocks' {clocks:.2f}: {told}; the benchmark has "
        "its 1024 bytes in the nearest cache"
    )
