"""RC5 with each number of rounds that the paper may have had."""

from __future__ import annotations

import math

from ciphermark.show.findings import Cell as Value
from ciphermark.show.findings import Column, Table
from ciphermark.studies.sensor import printed
from ciphermark.studies.sensor.measured import Measured
from ciphermark.studies.sensor.paper import PLATFORMS, RC5, RC5_OF, Cell, name


def rounds(measured: Measured) -> Table:
    """What the paper printed, beside 8, 12 and 16 rounds."""
    table = Table(
        title="RC5: the paper does not print its rounds",
        columns=[
            Column(heading="platform"),
            Column(heading="action"),
            Column(heading="published", group="cycles", decimals=0),
            *(
                Column(heading=f"{it} rounds", group="here / published", decimals=2)
                for it in RC5_OF
            ),
            Column(heading="nearest"),
            *(Column(heading=f"{it}", group="here", decimals=0, detail=True) for it in RC5_OF),
        ],
        notes=[
            f"wherever nothing else is said, RC5 has {rounds_of(RC5)} rounds, the nominal number; "
            "nothing was chosen by this table",
            "no nearest number where there are instructions and no cycles",
        ],
    )
    for platform in PLATFORMS:
        for cell in printed.cells():
            if cell.function == RC5 and platform in measured.targets:
                table.rows.append(_values(platform, cell, measured))
    return table


def nearest(measured: Measured, platform: str, cell: Cell) -> int | None:
    """The number of rounds whose cycles are nearest to the printed ones, by ratio."""
    if measured.metric(platform) == "instructions":
        return None
    known = {it: abs(math.log(ratio)) for it, ratio in _ratios(measured, platform, cell).items()}
    return min(known, key=known.__getitem__, default=None)


def rounds_of(algorithm: str) -> int:
    """The number in its name."""
    return next(it for it, named in RC5_OF.items() if named == algorithm)


def _values(platform: str, cell: Cell, measured: Measured) -> list[Value]:
    ratios = _ratios(measured, platform, cell)
    cycles = printed.evidence().cycles[platform][cell]
    return [
        name(platform),
        cell.action,
        cycles,
        *(ratios.get(it) for it in RC5_OF),
        nearest(measured, platform, cell),
        *(ratios[it] * cycles if it in ratios else None for it in RC5_OF),
    ]


def _ratios(measured: Measured, platform: str, cell: Cell) -> dict[int, float]:
    """Ours over the published by the number of rounds."""
    cycles = printed.evidence().cycles[platform][cell]
    found = {
        it: measured.one(platform, cell.work._replace(algorithm=algorithm))
        for it, algorithm in RC5_OF.items()
    }
    return {it: simulation.value / cycles for it, simulation in found.items() if simulation}
