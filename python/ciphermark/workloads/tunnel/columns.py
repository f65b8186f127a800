"""The columns of tunnels, on a terminal, in a report and in exports."""

from __future__ import annotations

from collections.abc import Sequence

from ciphermark.contract.tunnel import CpuPart
from ciphermark.show import figures
from ciphermark.show.column import Column, Place, of_words
from ciphermark.show.problems import FAILED
from ciphermark.workloads import energy
from ciphermark.workloads.tunnel.row import TunnelRow

TERMINAL, PAGE, EXPORT = Place.TERMINAL, Place.PAGE, Place.EXPORT

_MEGABIT = 1e6

PARTS: tuple[CpuPart, ...] = ("copies", "wake-ups", "stack", "program")
"""Of the gateways' CPU time, beside cryptography."""


def _carried(row: TunnelRow) -> float | None:
    rate = row.payload_bits_per_second
    return None if rate is None else rate.value / _MEGABIT


def _gateway(row: TunnelRow) -> float | None:
    rate = row.gateway_bits_per_second
    return None if rate is None else rate.value / _MEGABIT


def _predicted(row: TunnelRow) -> float | None:
    rate = row.predicted_bits_per_second
    return None if rate is None else rate.value / _MEGABIT


def _without_loss(row: TunnelRow) -> float | None:
    rate = row.nearly_lossless_bits_per_second
    return None if rate is None else rate / _MEGABIT


def _share_of_half(row: TunnelRow) -> float | None:
    rate = row.payload_bits_per_second
    return None if rate is None else rate.share


def _cycles(role: str) -> Column[TunnelRow]:
    return Column(
        f"{role}, cycles/packet",
        lambda row: row.cpu_cycles_per_packet.get(role),
        f"cycles per packet\n{role}",
        dispensable=3 if role.startswith("gateway") else 6,
        called=f"cycles of {role}",
    )


def _half(value: float, separator: str) -> str:
    return f"±{figures.percent(value, 2)}"


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
    of_words("Packets", lambda row: row.profile, heading="packets", page_heading="Packets"),
    of_words(
        "Traffic", lambda row: row.traffic, heading="traffic", page_heading="Traffic", dispensable=7
    ),
    Column(
        "Mbit/s",
        _carried,
        "Mbit/s of payload\narrives",
        instead=lambda row, separator: FAILED if row.error else "",
        called="arrives",
    ),
    Column("±", _share_of_half, "Mbit/s of payload\n±", _half, kind="interval", dispensable=4),
    Column("Mbit/s at 10⁻⁴ loss", _without_loss, "Mbit/s of payload\nloss ≤ 10⁻⁴", dispensable=2),
    Column("Mbit/s of a gateway's core", _gateway, "Mbit/s of payload\na gateway's core"),
    Column("Mbit/s predicted", _predicted, "Mbit/s of payload\npredicted", dispensable=1),
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
