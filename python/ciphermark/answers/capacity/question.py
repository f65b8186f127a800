"""What is asked of a machine's capacity, and what is known to answer from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal

import msgspec

from ciphermark.answers.capacity.framing import DEFAULT_MTU_BYTES
from ciphermark.workloads.core_rate import CoreRate

if TYPE_CHECKING:
    from ciphermark import contract
    from ciphermark.plan.profile import Profile
    from ciphermark.workloads.single.row import Row


class Question(msgspec.Struct, kw_only=True):
    """Rates are of payload, but for that of the link."""

    profile: Profile
    cores: int
    tunnels: int | None = None
    """None: as many as fill the cores."""
    keep_free: float = 0.0
    """Share of each core that is left to others."""
    rate_bits_per_second: float | None = None
    """What each tunnel is to hold."""
    link_bits_per_second: float | None = None
    """Of the link, as its maker says it: all bits of Ethernet count."""
    both_ways: bool = False
    """Whether as much comes in as goes out."""
    mtu_bytes: int = DEFAULT_MTU_BYTES
    peak_bits_per_second: float | None = None
    """Peak rate of a bursty tunnel, in place of the profile's."""
    buffer_bytes: float | None = None

    @property
    def asks_of_bursts(self) -> bool:
        """Whether bursts are asked for."""
        return self.peak_bits_per_second is not None or self.buffer_bytes is not None


class Machine(msgspec.Struct, kw_only=True):
    """The machine that is asked about."""

    name: str
    cpus: int | None
    """Logical CPUs; None where nobody knows."""
    physical_cores: int | None
    note: str | None = None
    """What one must know of how its figures came about."""


class Source(msgspec.Struct, kw_only=True):
    """Figures of one run, or of a prediction."""

    name: str
    """`run 20261122-…`."""
    kind: Literal["measured", "imported", "predicted"]
    rows: Sequence[Row]
    algorithms: Mapping[str, contract.Algorithm]
    """Facts by name."""
    lengths: Mapping[str, Sequence[int]] = {}
    """What each profile of the run stood for."""
    error: float = 0.0
    """Error that all of its figures share, half of the 95 % interval: that of the clock, and of
    scaling or predicting."""


class Known(msgspec.Struct, kw_only=True):
    """All that there is to answer from, the most trusted first."""

    machine: Machine
    sources: Sequence[Source]
    rates: Sequence[CoreRate] = ()
    """Of several cores."""
    parts_error: float
    """Of sums of parts, as a share."""
