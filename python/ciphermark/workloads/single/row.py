"""The row: what users see of a case."""

from __future__ import annotations

from ciphermark import contract
from ciphermark.record.case_row import CaseRow

USUAL_CALL = {"pattern": "reused-key", "offload": "none", "lanes": 1, "keys": 1, "buffers": "hot"}
"""Fields of a row of one message at a time on the calling core, its key ready and all in cache."""


class Row(CaseRow, kw_only=True):
    """Figures of one case. Every key is always present, null where it is not defined.

    MB is 10^6 bytes. Intervals are 95 % intervals of the median.
    """

    cycles_per_message: float | None = None
    cycles_per_message_low: float | None = None
    cycles_per_message_high: float | None = None
    cycles_per_byte: float | None = None
    ci_low: float | None = None
    """Interval of `cycles_per_byte`."""
    ci_high: float | None = None
    cycles_upper_bound: float | None = None
    """Cycles per message that it costs at most; only where every sample was disturbed, so that it
    has no figure."""
    cycles_per_byte_upper_bound: float | None = None
    """The same per byte."""
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
    cycle_source: str | None
    """None where there are no cycles, of imported rows."""
    backend_evidence: str
    features: list[str] = []
    """Extensions of the processor whose instructions it was seen to execute."""
    constant_time: bool | None = None
    vectors_passed: int = 0
    agrees_with: list[str]
    error: contract.Failure | None = None

    @property
    def is_measured(self) -> bool:
        """Whether it was timed at all, by us or by whom it was imported from."""
        return self.samples > 0 or self.mbytes_per_second is not None

    @property
    def has_figure(self) -> bool:
        """Whether it says what its case costs: every sample of what was timed may be disturbed."""
        figures = (self.cycles_per_message, self.ns_per_message, self.mbytes_per_second)
        return any(figure is not None for figure in figures)

    @property
    def size(self) -> int | str | None:
        """What tells its messages from those of other rows: their bytes, or the profile."""
        return self.profile or self.message_bytes
