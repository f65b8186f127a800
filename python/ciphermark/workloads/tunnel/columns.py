"""The columns of tunnels, on a terminal, in a report and in exports."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ciphermark.contract.tunnel import CpuPart
from ciphermark.show import figures
from ciphermark.show.column import Column, Place, of_words
from ciphermark.show.problems import FAILED
from ciphermark.statistics.estimate import Estimate
from ciphermark.workloads import energy
from ciphermark.workloads.tunnel.row import TunnelRow

TERMINAL, PAGE, EXPORT = Place.TERMINAL, Place.PAGE, Place.EXPORT

_MEGABIT = 1e6

PARTS: tuple[CpuPart, ...] = ("copies", "wake-ups", "stack", "program")
"""Of the gateways' CPU time, beside cryptography."""


def _rate(
    name: str, heading: str, rate: Callable[[TunnelRow], Estimate | None], **others: Any
) -> Column[TunnelRow]:
    """A rate in Mbit/s with its interval."""

    def value(row: TunnelRow) -> float | None:
        found = rate(row)
        return None if found is None else found.value / _MEGABIT

    heading = f"Mbit/s of payload\n{heading}"
    return Column(name, value, heading, estimate=rate, **others)


def _without_loss(row: TunnelRow) -> float | None:
    rate = row.nearly_lossless_bits_per_second
    return None if rate is None else rate / _MEGABIT


def _cycles(role: str) -> Column[TunnelRow]:
    return Column(
        f"{role}, cycles/packet",
        lambda row: row.cpu_cycles_per_packet.get(role),
        f"cycles per packet\n{role}",
        dispensable=3 if role.startswith("gateway") else 6,
        called=f"cycles of {role}",
    )


def _percent(value: float, separator: str) -> str:
    return figures.percent(value, 2)


def _microseconds(which: str) -> Column[TunnelRow]:
    def value(row: TunnelRow) -> float | None:
        return None if row.latency_ns is None else getattr(row.latency_ns, which) / 1e3

    return Column(
        f"latency {which}, µs", value, f"latency, µs\n{which}", dispensable=5, called=f"{which}"
    )


def _part(name: CpuPart) -> Column[TunnelRow]:
    """A share that only `perf` tells, for the page and for exports."""
    return Column(
        name,
        lambda row: row.cpu_shares.get(name),
        f"CPU time of the gateways\n{name}",
        _percent,
        places=PAGE | EXPORT,
        called=f"share of {name}",
    )


def columns(rows: Sequence[TunnelRow]) -> list[Column[TunnelRow]]:
    """What arrives first, then what it takes."""
    return [*_ARRIVES, *energy.columns(lambda row: row.energy, rows), _PREDICTED_FROM]


_ARRIVES: list[Column[TunnelRow]] = [
    of_words("Tunnel", lambda row: row.title, places=PAGE, kind="name"),
    of_words("Packets", lambda row: row.profile, "packets", page_heading="Packets", key=True),
    of_words(
        "Traffic",
        lambda row: row.traffic,
        "traffic",
        page_heading="Traffic",
        key=True,
        dispensable=7,
    ),
    _rate(
        "Mbit/s",
        "arrives",
        lambda row: row.payload_bits_per_second,
        instead=lambda row, separator: FAILED if row.error else "",
    ),
    Column("Mbit/s at 10⁻⁴ loss", _without_loss, "Mbit/s of payload\nloss ≤ 10⁻⁴", dispensable=2),
    _rate(
        "Mbit/s of a gateway's core",
        "a gateway's core",
        lambda row: row.gateway_bits_per_second,
    ),
    _rate(
        "Mbit/s predicted",
        "predicted",
        lambda row: row.predicted_bits_per_second,
        dispensable=1,
    ),
    Column("lost", lambda row: row.loss, "\nlost", _percent, dispensable=2),
    _microseconds("p50"),
    _microseconds("p99"),
    _cycles("gateway-1"),
    _cycles("gateway-2"),
    _cycles("sender"),
    _cycles("receiver"),
    Column(
        "cryptography",
        lambda row: row.cryptography_share,
        "\ncryptography",
        _percent,
        dispensable=1,
    ),
    *map(_part, PARTS),
]

_PREDICTED_FROM: Column[TunnelRow] = of_words(
    "Predicted from", lambda row: row.predicted_why, places=PAGE | EXPORT
)
