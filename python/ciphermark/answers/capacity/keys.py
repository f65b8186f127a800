"""How long a key lasts at a rate, and what taking a new one costs.

Of a suite the limits are facts of its own. Of a plain algorithm those below are taken, where there
is one: a packet is one message under the key.
"""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatch
from typing import TYPE_CHECKING

import msgspec

from ciphermark.statistics.estimate import Estimate
from ciphermark.view import figures

if TYPE_CHECKING:
    from ciphermark import contract

HURRIED_S = 60.0
"""A key that lasts less is worth a warning: key exchanges take a second and more."""


MANY_MORE = 10
"""Times as many tunnels as keys were in use when it was measured: looking keys up may cost more."""


def more_than(more: float, other: str) -> str:
    """How much a cost differs from another, by their ratio less 1: `12 % more than with one`, `8.1
    times as much as with one`."""
    if more >= 1:
        return f"{figures.significant(1 + more, 2)} times as much as {other}"
    return f"{figures.percent(abs(more))} {'more' if more >= 0 else 'less'} than {other}"


class Limit(msgspec.Struct, frozen=True, kw_only=True):
    """How much one key may protect."""

    packets: float | None = None
    bytes: float | None = None
    seconds: float | None = None
    reason: str
    source: str

    @property
    def amount(self) -> str:
        """`23.7 million packets or 389 GB`."""
        counts = (("million packets", 1e6), ("thousand packets", 1e3), ("packets", 1.0))
        found = []
        if self.packets is not None:
            many = self.packets >= _COUNTABLE
            found.append(
                f"{figures.power(self.packets)} packets"
                if many
                else figures.in_units(self.packets, counts)
            )
        if self.bytes is not None:
            found.append(figures.in_units(self.bytes, _BYTES))
        if self.seconds is not None:
            found.append(f"{self.seconds:g} s")
        return " or ".join(found)


_COUNTABLE = 1e9
"""Larger counts are printed as powers of ten."""

_BYTES = (("EB", 1e18), ("PB", 1e15), ("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3))

_COUNT = Limit(
    packets=2.0**32,
    reason="COUNT has 32 bits and must not repeat under one key",
    source="3GPP TS 33.102, 6.5.4.1 and 6.6.4.1; TS 33.401, 7.2.9 (sections from memory)",
)
_BLOCKS_OF_64_BITS = Limit(
    bytes=8 * 2.0**26,
    reason="With 64-bit blocks, 2^26 blocks contain two equal ones with probability 2^-13",
    source="2^26 blocks, probability 2^-13: by the bound of K. Bhargavan and G. Leurent, "
    "On the Practical (In-)Security of 64-bit Block Ciphers, CCS 2016",
)
_GCM = Limit(
    packets=2.0**32,
    reason="Nonces must not repeat under one key: with random 96-bit nonces NIST allows "
    "2^32 messages",
    source="NIST SP 800-38D, 8.3",
)

PLAIN_LIMITS: dict[str, Limit] = {
    **{f"{name}{number}": _COUNT for name in ("uea", "uia", "eea", "eia") for number in (1, 2, 3)},
    "idea-*": _BLOCKS_OF_64_BITS,
    "kasumi-*": _BLOCKS_OF_64_BITS,
    "tea-*": _BLOCKS_OF_64_BITS,
    "rc5-32-*": _BLOCKS_OF_64_BITS,
    "*-gcm": _GCM,
}
"""By name or pattern."""


class KeyLife(msgspec.Struct, kw_only=True):
    """What the limits of a key mean at the rate of one tunnel."""

    seconds: float
    """Until the first limit is reached."""
    limit: Limit
    rekeys_per_second: float
    """Of all tunnels."""
    setup_ns: Estimate | None
    """Of the symmetric key alone; None where it was not measured."""
    cpu_share: float | None
    """Of one core: what all these setups take. The key exchange is not in it."""
    hurried: bool


def limits(name: str, suite: contract.Suite | None) -> list[Limit]:
    """What is known of a suite or an algorithm."""
    if suite is not None:
        fields = Limit.__struct_fields__
        return [Limit(**{it: getattr(limit, it) for it in fields}) for limit in suite.limits]
    return [limit for pattern, limit in PLAIN_LIMITS.items() if fnmatch(name, pattern)][:1]


def life(
    known: Sequence[Limit],
    packets_per_second: float,
    bytes_per_second: float,
    tunnels: int,
    setup_ns: Estimate | None,
) -> KeyLife | None:
    """The limit that comes first when each tunnel has these rates; None without any."""
    if not known or not packets_per_second:
        return None
    seconds, first = min(
        ((_seconds(it, packets_per_second, bytes_per_second), it) for it in known),
        key=lambda it: it[0],
    )
    rekeys = tunnels / seconds
    return KeyLife(
        seconds=seconds,
        limit=first,
        rekeys_per_second=rekeys,
        setup_ns=setup_ns,
        cpu_share=None if setup_ns is None else rekeys * setup_ns.value * 1e-9,
        hurried=seconds < HURRIED_S,
    )


def _seconds(limit: Limit, packets_per_second: float, bytes_per_second: float) -> float:
    found = [
        amount / rate
        for amount, rate in (
            (limit.packets, packets_per_second),
            (limit.bytes, bytes_per_second),
            (limit.seconds, 1.0),
        )
        if amount is not None and rate > 0
    ]
    return min(found, default=float("inf"))
