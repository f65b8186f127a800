"""Which rows of a run stand for what the post asks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ciphermark.plan import switches
from ciphermark.show.findings import NotTestable
from ciphermark.statistics.estimate import Estimate
from ciphermark.studies.gateway.paper import MESSAGE_BYTES, Machine, Side, operation
from ciphermark.studies.measured import why_none
from ciphermark.workloads.single.code_paths import Ablation, ablations
from ciphermark.workloads.single.ratio import fastest, ratio_of_rows, ratios_of
from ciphermark.workloads.single.row import throughput

if TYPE_CHECKING:
    from ciphermark.record.run import Run
    from ciphermark.workloads.packets.row import PacketRow
    from ciphermark.workloads.sessions.row import SessionRow
    from ciphermark.workloads.single.row import Row

LIBRARY = "openssl"
"""The post's own."""

HERE = "this machine"


class Measured:
    """The rows of a run of one thread by function, and those of all cores that belong to it."""

    def __init__(self, run: Run, rows: list[Row]) -> None:
        self.run = run
        self._rows = [row for row in rows if row.message_bytes == MESSAGE_BYTES]
        self._features = run.context.engine_hello.environment.machine.cpu_features
        self._providers = {it.name: it for it in run.context.engine_hello.providers}
        self._paired = ratios_of(run)
        self.sessions: list[SessionRow] = _belonging(run, "sessions")
        self.packets: list[PacketRow] = _belonging(run, "packets")
        self.split: list[Row] = _belonging(run, "single")
        """Messages on one core and split over several."""
        self.sharing = _sharing(run)
        """The CPUs that share a message."""
        self.cpus = max((row.cores for row in self.sessions), default=1)
        """That the sessions of the second run were on at most."""

    @property
    def machine(self) -> Machine:
        """This one, for statements about the sending end."""
        return Machine(HERE, self.speed)

    def ablations(self) -> list[Ablation]:
        """Functions of the post with one feature hidden."""
        return [it for it in ablations(self.run, self._rows) if it.message_bytes == MESSAGE_BYTES]

    def rows(
        self,
        function: str,
        side: Side = "sending",
        buffers: str = "hot",
        provider: str | None = None,
    ) -> list[Row]:
        """All implementations as they are by themselves."""
        what = (function, operation(function, side), buffers)
        return [
            row
            for row in self._rows
            if (row.algorithm, row.operation, row.buffers) == what
            and not row.switches
            and provider in (None, row.provider)
        ]

    def row(
        self,
        function: str,
        side: Side = "sending",
        buffers: str = "hot",
        provider: str | None = None,
    ) -> Row | None:
        """That of the fastest implementation."""
        return fastest(self.rows(function, side, buffers, provider))

    def firm(
        self,
        function: str,
        side: Side = "sending",
        buffers: str = "hot",
        provider: str | None = None,
    ) -> Row:
        """The same with an interval; else NotTestable."""
        found = self.rows(function, side, buffers, provider)
        return _firm(fastest(found), f"{function} {operation(function, side)}", found)

    def speed(
        self,
        function: str,
        side: Side = "sending",
        *,
        provider: str | None = None,
        firm: bool = True,
    ) -> Estimate:
        """MB/s of the fastest implementation with its interval; else NotTestable. Where it need not
        be firm, what has no interval is shown as if it were exact."""
        if firm:
            return throughput(self.firm(function, side, provider=provider))
        row = self.row(function, side, provider=provider)
        found = row and throughput(row)
        if not found:
            raise NotTestable(f"{function} {operation(function, side)} has no figure")
        return found if found.low is not None else Estimate.exact(found.value)

    def without(self, function: str, features: Iterable[str], provider: str = LIBRARY) -> Row:
        """With these features hidden, those that the processor has; else NotTestable."""
        names, hidden = ", ".join(features), self.hiding(features, provider)
        found = [
            row
            for row in self._rows
            if (row.algorithm, row.provider, row.switches) == (function, provider, hidden)
            and row.operation == operation(function, "sending")
        ]
        return _firm(fastest(found), f"{function} by {provider} without {names}", found)

    def hiding(self, features: Iterable[str], provider: str = LIBRARY) -> dict[str, str]:
        """The variables that hide these features, none where the processor has none of them; else
        NotTestable."""
        had = [it for it in features if it in self._features]
        told = self._providers.get(provider)
        hidden = told and switches.together(had, told)
        if had and not hidden:
            names = ", ".join(had)
            raise NotTestable(f"{provider} cannot be told to leave alone {names} here")
        return hidden or {}

    def under(self, function: str, what: str, provider: str, hidden: dict[str, str]) -> Row | None:
        """One library's row of an operation under these switches."""
        return fastest(
            row
            for row in self._rows
            if (row.algorithm, row.operation, row.provider) == (function, what, provider)
            and (row.buffers, row.switches) == ("hot", hidden)
        )

    def ratio(self, over: Row, under: Row) -> Estimate:
        """How many times the cycles of one row the other has: as pairs where they shared rounds,
        else as sure as both are."""
        found = self._paired(over, under)
        return ratio_of_rows(over, under) if isinstance(found, str) else found

    def on(self, cpus: int, function: str, side: Side = "sending") -> SessionRow | None:
        """A session on each of so many CPUs; None where that has no figure."""
        what = (function, operation(function, side), cpus)
        alike = [
            row
            for row in self.sessions
            if (row.algorithm, row.operation, row.cores) == what
            and row.sessions == cpus
            and row.mbytes_per_second is not None
        ]
        return max(alike, key=lambda row: (row.valid, row.window_ms or 0), default=None)

    def scaling(self, function: str, side: Side = "sending") -> float | None:
        """How many times the throughput of one CPU all have."""
        one, every = self.on(1, function, side), self.on(self.cpus, function, side)
        if self.cpus < 2 or one is None or every is None:
            return None
        return every.mbytes_per_second / one.mbytes_per_second


def _sharing(run: Run) -> int:
    cases = [case for other in run.also for case in other.context.plan.cases]
    return max((len(case.offload_cpus) for case in cases if case.offload == "split"), default=1)


def _belonging(run: Run, workload: str) -> list[Any]:
    """Rows of the runs of a workload that belong to this one."""
    from ciphermark.workload import rows

    return [row for other in run.also if other.context.workload == workload for row in rows(other)]


def _firm(row: Row | None, what: str, alike: list[Row]) -> Row:
    if row is None:
        raise NotTestable(
            f"{what} has no figure ({why_none(alike) if alike else 'not in this run'})"
        )
    if row.cycles_per_message_low is None or row.cycles_per_message_low <= 0:
        raise NotTestable(f"{what} has no interval ({row.not_converged_reason})")
    return row
