"""What a plan must know of the machine that it is for."""

from __future__ import annotations

import msgspec

from ciphermark.plan.cpu_sets import Cpus

MEMORY_SHARE = 0.8
"""Of the available memory; the rest is for the caches of the kernel."""


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """What this user may still have here."""

    threads: int
    threads_by: str
    """Whose limit it is: `ulimit -u`."""
    memory_bytes: int

    @property
    def room_bytes(self) -> int:
        """Memory that a plan may use."""
        return int(MEMORY_SHARE * self.memory_bytes)


class Here(msgspec.Struct, frozen=True, kw_only=True):
    """The CPUs and the limits of this user on this machine."""

    cpus: Cpus
    limits: Limits
    may_bound_cpu: bool
    """Whether sessions can be given a quota of CPU time."""


def mebibytes(count: int) -> str:
    """A number of bytes for people."""
    return f"{count / 2**20:,.0f} MiB" if count >= 10 << 20 else f"{count / 2**20:.2f} MiB"
