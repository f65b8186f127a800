"""The plots of tunnels: from cryptography alone to what arrives, and predicted beside measured."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ciphermark.show.findings import Mark, MarkChart, MarkPanel
from ciphermark.show.plots import marks
from ciphermark.show.plots.panel import Plot
from ciphermark.workloads.tunnel.row import TunnelRow

STEPS = ("cryptography alone", "a gateway's core", "arrives here")
"""From what the suite would let one core carry, to what all roles together do."""


def plots(rows: list[TunnelRow]) -> list[Plot]:
    """Those that have something to show."""
    packets = [row for row in rows if row.is_measured and row.traffic == "udp"]
    found = []
    if packets:
        found.append(_waterfall(packets))
    if any(row.predicted_bits_per_second for row in packets):
        found.append(_predictions(packets))
    return found


def _waterfall(rows: list[TunnelRow]) -> Plot:
    return marks.plot(
        MarkChart(
            name="waterfall",
            title="From cryptography alone to what arrives",
            explanation=(
                "The rate of one core that only does the cryptography of the slower side; the "
                "rate of one core as the busier gateway, path included; and the rate that "
                "arrives when sender, gateways and receiver share the cores of this machine. "
                "Each step to the left is the cost of the rest of the way."
            ),
            unit="Mbit/s of payload",
            names="of",
            origins="of",
            panels=[
                MarkPanel(title=name, marks=[mark for row in own for mark in _steps(row)])
                for name, own in _by_profile(rows).items()
            ],
        )
    )


def _steps(row: TunnelRow) -> Iterator[Mark]:
    for name, value in zip(STEPS, steps(row), strict=True):
        if value is not None:
            yield Mark(line=row.title, name=name, origin=name, value=value, source=row.version)


def steps(row: TunnelRow) -> tuple[float | None, float | None, float | None]:
    """Mbit/s of the steps of a row; None of what is not known."""
    alone = row.cryptography_bits_per_second
    gateway, here = row.gateway_bits_per_second, row.payload_bits_per_second
    return (
        None if alone is None else alone / 1e6,
        None if gateway is None else gateway.value / 1e6,
        None if here is None else here.value / 1e6,
    )


def _predictions(rows: list[TunnelRow]) -> Plot:
    return marks.plot(
        MarkChart(
            name="predicted",
            title="Predicted beside measured",
            explanation=(
                "Throughput of a gateway's core, measured, and predicted from the path without "
                "a cipher or at other sizes plus the cost of the suite by itself."
            ),
            unit="Mbit/s of payload",
            names="figure",
            origins="figure",
            panels=[
                MarkPanel(title=name, marks=[mark for row in own for mark in _pair(row)])
                for name, own in _by_profile(rows).items()
            ],
        )
    )


def _pair(row: TunnelRow) -> Iterator[Mark]:
    predicted, measured = row.predicted_bits_per_second, row.gateway_bits_per_second
    if predicted is None or measured is None:
        return
    for name, estimate in (("predicted", predicted), ("measured", measured)):
        yield Mark(
            line=row.title,
            name=name,
            origin=name,
            value=estimate.value / 1e6,
            source=row.predicted_why,
        )


def _by_profile(rows: Iterable[TunnelRow]) -> dict[str, list[TunnelRow]]:
    found: dict[str, list[TunnelRow]] = {}
    for row in rows:
        found.setdefault(row.profile, []).append(row)
    return found
