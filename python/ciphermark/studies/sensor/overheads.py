"""Figure 3: time by clock and bus width, against a reference processor."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ciphermark.show.findings import Column, Table
from ciphermark.studies.sensor import printed
from ciphermark.studies.sensor.evidence import Costs, Evidence
from ciphermark.studies.sensor.measured import Measured
from ciphermark.studies.sensor.paper import PLATFORMS, SA1110, ULTRASPARC2, Cell, name
from ciphermark.studies.sensor.table3 import names
from ciphermark.workloads.simulation.remarks import METRICS


class Normalised(NamedTuple):
    """Figures of one kind over those of a reference processor, each times its bus width."""

    reference: str
    kind: str
    """What is compared: `cycles`, `instructions`."""
    of: dict[str, dict[Cell, float]]
    """By platform and row; the reference itself is left out."""


def overheads(measured: Measured) -> Iterator[Table]:
    """The paper's, then ours against its own reference, by instructions, and by cycles against one
    that has them."""
    yield _table("published", normalised(printed.evidence(), ULTRASPARC2))
    for reference in (ULTRASPARC2, SA1110):
        found = normalised(measured.evidence(), reference)
        if found:
            yield _table("here", found, _kinds(measured, found))


def normalised(evidence: Evidence, reference: str) -> Normalised | None:
    """In cycles of all platforms that have them where the reference has, else in instructions."""
    if not evidence.has(reference):
        return None
    kind = evidence.costs([reference]).unit
    figures = evidence.cycles if kind == "cycles" else evidence.instructions
    costs, widths = Costs(kind, figures), evidence.bus_width_bits
    of = {
        platform: {
            cell: ratio * widths[platform] / widths[reference]
            for cell, ratio in costs.ratios(platform, reference).items()
        }
        for platform in PLATFORMS
        if platform in figures and platform != reference
    }
    return Normalised(reference, kind, of)


def _table(where: str, found: Normalised, notes: tuple[str, ...] = ()) -> Table:
    table = Table(
        title=f"Figure 3, {where}: {found.kind} × bus width, {name(found.reference)} = 1",
        columns=[*names(), *(Column(heading=name(it), decimals=2) for it in found.of)],
        notes=["below 1: makes more of its word width than the reference", *notes],
    )
    for cell in printed.cells():
        table.rows.append([*cell.names, *(of.get(cell) for of in found.of.values())])
    return table


def _kinds(measured: Measured, found: Normalised) -> tuple[str, ...]:
    """What the figures are that are compared."""
    if found.kind == "instructions":
        return (
            f"instructions of all processors, as {name(found.reference)} has no other figure: a "
            "processor that takes several cycles for each looks better than it is",
        )
    by_kind = [
        f"{METRICS[metric]} of {', '.join(map(name, those))}"
        for metric in METRICS
        if (those := [it for it in measured.of_metric(metric) if it in {*found.of, SA1110}])
    ]
    return ("; ".join(by_kind),)
