"""The row of a case of many sessions: what users see of it."""

from __future__ import annotations

import msgspec

from ciphermark import contract
from ciphermark.record.case_row import NOT_REACHED, CaseRow
from ciphermark.workloads.energy import Energy
from ciphermark.workloads.flows import Latencies


class Scheduled(msgspec.Struct, kw_only=True):
    """CPU time and work of one session."""

    session: int
    cpu_ns: int
    apparent_cycles_per_byte: float | None = None
    """Absent where it finished no message, and where there are no bytes."""


class Attempt(msgspec.Struct, kw_only=True):
    """One execution of a case, and why it does not count."""

    sessions: int
    execution_ms: float
    opens_ms: float
    closes_ms: float
    objections: list[contract.Objection]
    """Empty when it is valid."""


class SessionRow(CaseRow, kw_only=True):
    """Figures of one case of the workload `sessions`. Every key is always present, null where it is
    not defined: figures per byte of key setups and empty messages, all figures of failed cases.

    MB is 10^6 bytes. design.md, "Metrics", defines absolute, apparent and wall-clock cycles.
    """

    sessions: int
    """Number of sessions in the attempt that is shown, as for the other conditions."""
    cores: int
    """Logical CPUs that they run on."""
    cpus: list[int]
    placement: str
    threads: str
    """`per-session` or `per-cpu`."""
    contexts: str
    policy: str
    nice: int
    quota_cpus: float | None
    neighbours: int
    life: contract.Life | None
    offered_per_s: float | None
    offload_cpus: list[int] = []
    """CPUs that are the device, with the offload `cores`."""
    device: str | None = None
    """Name of the device by its own report; null without an offload."""
    device_cpu_ns: int | None = None
    """CPU time of the device's threads within the window or, where it does not tell, of the engine
    besides the sessions; null without an offload."""
    absolute_cycles_per_byte: float | None = None
    """CPU time of all sessions, without that of a device, in cycles, over their bytes; estimated
    where clocks disagree."""
    absolute_cycles_per_message: float | None = None
    apparent_cycles_per_byte: float | None = None
    """The window, in cycles, over the bytes of all sessions."""
    apparent_cycles_per_message: float | None = None
    wall_cycles_per_byte: float | None = None
    """The window, in cycles, over the bytes of one session: the median of the sessions."""
    estimated_cycles_per_byte: float | None = None
    """Absolute figure by the apparent one and the kernel's accounts of the CPUs."""
    estimate_error: float | None = None
    """Error of the estimate as a share, where the absolute figure is measured."""
    absolute_is_estimated: bool = False
    parallelism: float | None = None
    """CPUs that were busy with the sessions at once, by the thread clocks."""
    messages: int | None = None
    messages_per_second: float | None = None
    mbytes_per_second: float | None = None
    latency_ns: Latencies | None = None
    fairness: float | None = None
    """Jain's index of the bytes done by each session, of the messages where they have no bytes."""
    cpu_fairness: float | None = None
    """Jain's index of their CPU time."""
    cpu_spread: float | None = None
    """(90th − 10th percentile) / median of the CPU time over the sessions."""
    apparent_spread: float | None = None
    """Spread of the apparent cycles per byte over sessions that finished a message."""
    most_scheduled: Scheduled | None = None
    least_scheduled: Scheduled | None = None
    never_ran: int | None = None
    """Sessions that had no CPU time within the window."""
    preemptions: int | None = None
    """Sums over the sessions within the window."""
    waits: int | None = None
    migrations: int | None = None
    shares: contract.CpuShares | None = None
    """Shares of the CPUs' time within the window."""
    session_bytes: int | None = None
    """Memory of a session."""
    crowded_share: float | None = None
    """Share of the sessions' CPU time in which another thread used their core, by looks at it; null
    where it was not looked at."""
    leaves_out: bool = False
    """True if the absolute cycles leave out the time beside another thread."""
    shares_core: bool | None = None
    """True if some of the CPUs are threads of one core, by their work; null with one CPU."""
    core_hz: float | None = None
    """Core clock that cycles are counted by: the median of the CPUs under load."""
    alone_hz: float | None = None
    """Median of the CPUs before the sessions began."""
    window_ms: float | None = None
    energy: Energy | None = None
    """Null where no meter can be read."""
    no_energy: str | None = None
    """Why not, where one can."""
    cycle_source: str
    backend_evidence: str
    features: list[str] = []
    constant_time: bool | None = None
    vectors_passed: int = 0
    agrees_with: list[str] = []
    attempts: list[Attempt] = []
    valid: bool = False
    """True if the attempt that is shown has no objection."""
    error: contract.Failure | None = None

    @property
    def is_measured(self) -> bool:
        """Returns whether it has figures."""
        return bool(self.attempts) and self.error is None

    @property
    def why_unsettled(self) -> str | None:
        if self.valid:
            return None
        return "; ".join(it.message for it in self.objections) or NOT_REACHED

    @property
    def objections(self) -> list[contract.Objection]:
        """Returns the objections to the attempt that is shown; empty if it is valid."""
        return [] if self.valid or not self.attempts else self.attempts[-1].objections

    @property
    def gap(self) -> float | None:
        """Returns the share by which wall time exceeds CPU time, if both should agree.

        They should on one CPU that had nothing else to do; otherwise the result is None.
        """
        bounded = self.offered_per_s is not None or self.quota_cpus is not None
        waits = bounded or self.offload != "none"
        if self.cores != 1 or waits or not self.parallelism:
            return None
        return 1 / self.parallelism - 1

    @property
    def device_cpus(self) -> float | None:
        """CPUs that the device's threads kept busy."""
        if self.device_cpu_ns is None or not self.window_ms:
            return None
        return self.device_cpu_ns / 1e6 / self.window_ms
