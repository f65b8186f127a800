"""The row: what users see of a case."""

from __future__ import annotations

import msgspec

from ciphermark.record import contract


class Row(msgspec.Struct, kw_only=True):
    """Figures of one case. Every key is always present, null where it is not defined.

    MB is 10^6 bytes. Intervals are 95 % intervals of the median.
    """

    case: int
    algorithm: str
    operation: str
    provider: str
    backend: str
    """The code path that ran, where that is known."""
    backend_asked: str = "default"
    """What the plan asked for; before format 1.1 nothing else could be."""
    workload: str
    pattern: str
    chunk_bytes: int | None = None
    """Bytes that the library was given at a time; only with the pattern `incremental`."""
    offload: str
    lanes: int
    keys: int
    buffers: str
    switches: dict[str, str]
    message_bytes: int | None
    """Null for `setup` and with a profile, whose messages have several sizes."""
    profile: str | None = None
    """The mix of message sizes; figures per byte are over all bytes, those per message are of the
    mean message."""
    cycles_per_message: float | None = None
    cycles_per_message_low: float | None = None
    cycles_per_message_high: float | None = None
    cycles_per_byte: float | None = None
    ci_low: float | None = None
    """Interval of `cycles_per_byte`."""
    ci_high: float | None = None
    ns_per_message: float | None = None
    mbytes_per_second: float | None = None
    loop_cycles: float | None = None
    """Cost of the loop that was subtracted, core cycles per message."""
    core_hz: float | None = None
    samples: int = 0
    disturbed: int = 0
    """Samples that were disturbed, and are not in the figures."""
    groups: int = 0
    processes: int = 0
    converged: bool = False
    not_converged_reason: str | None = None
    """Why not: `interval ±1.8 %`, `groups disagree by 2.4 %`, `61 % of samples disturbed`."""
    cycle_source: str
    backend_evidence: str
    features: list[str] = []
    """Extensions of the processor whose instructions it was seen to execute."""
    constant_time: bool | None = None
    vectors_passed: int = 0
    agrees_with: list[str]
    error: contract.Failure | None = None

    @property
    def is_measured(self) -> bool:
        """Whether it was timed at all."""
        return self.samples > 0

    @property
    def size(self) -> int | str | None:
        """What tells its messages from those of other rows: their bytes, or the profile."""
        return self.profile or self.message_bytes
