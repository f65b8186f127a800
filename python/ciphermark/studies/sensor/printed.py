"""The tables of the paper."""

from __future__ import annotations

from functools import cache

from ciphermark.answers.models import sensor_2003
from ciphermark.answers.models.sensor_2003 import Platform, Time
from ciphermark.files import published as publication
from ciphermark.studies.sensor.evidence import Evidence
from ciphermark.studies.sensor.paper import Cell


@cache
def platforms() -> dict[str, Platform]:
    """Table 2 by the names of targets."""
    return {it.platform: it for it in sensor_2003.platforms()}


@cache
def times() -> dict[str, dict[Cell, int]]:
    """Table 3: microseconds by platform and row, rows in its order."""
    found: dict[str, dict[Cell, int]] = {platform: {} for platform in platforms()}
    for it in publication.read("sensor-2003-times", Time):
        cell = Cell(sensor_2003.ALGORITHMS[it.function], it.action, it.message_bytes)
        found[it.platform][cell] = int(it.microseconds)
    return found


@cache
def cells() -> tuple[Cell, ...]:
    """The rows of Table 3."""
    return tuple(next(iter(times().values())))


@cache
def evidence() -> Evidence:
    """Table 3 in clock cycles: time by clock, as in its Figure 2."""
    known = platforms()
    return Evidence(
        cycles={
            platform: {cell: time * known[platform].clock_mhz for cell, time in by_cell.items()}
            for platform, by_cell in times().items()
        },
        clock_mhz={name: it.clock_mhz for name, it in known.items()},
        bus_width_bits={name: it.bus_width_bits for name, it in known.items()},
    )
