"""Which rows of a run stand for what the post asks."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ciphermark.plan import paths
from ciphermark.statistics.estimate import Estimate
from ciphermark.studies.evidence import (
    Figure,
    has_settled,
    in_turn,
    is_above,
    least,
    of_execution,
    of_row,
    quotient,
    why_none,
)
from ciphermark.studies.gateway.paper import (
    AES,
    CBC,
    MESSAGE_BYTES,
    Machine,
    Side,
    operation,
)
from ciphermark.view import figures
from ciphermark.view.findings import Decision, NotTestable
from ciphermark.workloads.single.code_paths import MATTERS, Ablation, ablations
from ciphermark.workloads.single.ratio import fastest, ratios_of
from ciphermark.workloads.single.row import cycles, throughput

if TYPE_CHECKING:
    from ciphermark.record.run import Run
    from ciphermark.workloads.packets.row import PacketRow
    from ciphermark.workloads.sessions.row import SessionRow
    from ciphermark.workloads.single.row import Row
    from ciphermark.workloads.tunnel.row import TunnelRow


LIBRARY = "openssl"
"""The post's own."""

HERE = "this machine"


class Measured(Machine):
    """The rows of a run of one thread by function, and those of all cores that belong to it; what
    statements about the sending end ask for."""

    title = HERE

    def __init__(self, run: Run, rows: list[Row]) -> None:
        self.run = run
        self._rows = [row for row in rows if row.message_bytes == MESSAGE_BYTES]
        hello = run.context.engine_hello
        self._features = hello.environment.machine.cpu_features
        self.providers = {it.name: it for it in hello.providers}
        self._paired = ratios_of(run)
        self.sessions: list[SessionRow] = _belonging(run, "sessions")
        self.packets: list[PacketRow] = _belonging(run, "packets")
        self.split: list[Row] = _belonging(run, "single")
        """Messages on one core and split over several."""
        self.tunnels: list[TunnelRow] = _belonging(run, "tunnel")
        self.sharing = _sharing(run)
        """The CPUs that share a message."""
        self.cpus = max((row.cores for row in self.sessions), default=1)
        """That the sessions of the second run were on at most."""

    def figure(self, what: str) -> Estimate | None:
        return self.speed(what) if self.row(what) else None

    def firm(self, what: str) -> Estimate:
        return self.speed(what)

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

    def firm_row(
        self,
        function: str,
        side: Side = "sending",
        buffers: str = "hot",
        provider: str | None = None,
    ) -> Row:
        """Returns the same; raises NotTestable without one."""
        found = self.rows(function, side, buffers, provider)
        return _firm(fastest(found), f"{function} {operation(function, side)}", found)

    def speed(
        self, function: str, side: Side = "sending", *, provider: str | None = None
    ) -> Figure:
        """Returns MB/s of the fastest implementation; raises NotTestable without one."""
        row = self.firm_row(function, side, provider=provider)
        rows = self.rows(function, side, provider=provider)
        costs = [of_row(cycles(it), it) for it in rows if it.cycles_per_message is not None]
        return quotient(Estimate.exact(speed_of(row).value * cycles(row).value), least(costs))

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
        told = self.providers.get(provider)
        hidden = told and paths.hiding_together(had, told)
        if had and not hidden:
            names = ", ".join(had)
            raise NotTestable(f"{provider} has no switch that hides {names} here")
        return hidden or {}

    def under(self, function: str, what: str, provider: str, hidden: dict[str, str]) -> Row | None:
        """One library's row of an operation under these switches."""
        return fastest(
            row
            for row in self._rows
            if (row.algorithm, row.operation, row.provider) == (function, what, provider)
            and (row.buffers, row.switches) == ("hot", hidden)
        )

    def ratio_of(self, over: Row, under: Row) -> Figure:
        """Returns the quotient of cycles of two rows: of settled ones by pairs of rounds."""
        found = quotient(of_row(cycles(over), over), of_row(cycles(under), under))
        has_pairs = self.run.samples is not None and has_settled(found)
        paired = self._paired(over, under) if has_pairs else ""
        return found if isinstance(paired, str) else Figure.of(paired, found.inputs)

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

    def scaling(self, *functions: str) -> Figure | None:
        """How many times the throughput of one CPU all have, of functions one after the other."""
        sides = [[self.on(cpus, it) for it in functions] for cpus in (1, self.cpus)]
        if self.cpus < 2 or None in (row for side in sides for row in side):
            return None
        one, every = (in_turn([carried(row) for row in side if row]) for side in sides)
        return quotient(every, one)


def speed_of(row: Row) -> Figure:
    """Returns MB/s of a row; raises NotTestable without any."""
    speed = throughput(row)
    if speed is None:
        raise NotTestable(f"{row.algorithm} {row.operation} has no figure")
    return of_row(speed, row)


def carried(row: SessionRow) -> Figure:
    """Returns MB/s of sessions that have a figure."""
    return of_execution(row.mbytes_per_second or 0.0, row)


def _sharing(run: Run) -> int:
    plans = [other.context.plan for other in run.also if other.context.plan]
    cases = [case for plan in plans for case in plan.cases]
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
    return row


SHARE = figures.percent(MATTERS - 1, 1)


TOO_FEW = "rounds in common"
"""How `analyse.compare` ends what it says of cases that were disturbed too often."""


INSTRUCTIONS = ("aes",)
"""What the boxes do not have."""


SHUFFLES = ("aes", "ssse3")
"""What the post took from the AMD besides."""


CBC_OF_AES = tuple(name for name in CBC if name in AES)


def pair_of_ends(measured: Measured, function: str) -> tuple[Row, Row] | None:
    """Sender and receiver by one implementation: of those that have both, the fastest sender."""
    receivers = {
        row.provider: row
        for row in measured.rows(function, "receiving")
        if row.cycles_per_message is not None
    }
    senders = [
        row
        for row in measured.rows(function)
        if row.cycles_per_message is not None and row.provider in receivers
    ]
    sender = fastest(senders)
    return (sender, receivers[sender.provider]) if sender else None


def is_faster(measured: Measured, it: Ablation) -> Decision:
    """Returns whether hiding the feature pays."""
    return False if it.ratio is None else is_above(gain(measured, it), MATTERS)


def gain(measured: Measured, it: Ablation) -> Figure:
    """Returns the speed without the feature over that with all."""
    whole, without = with_and_without(measured, it)
    if whole is None or without is None:
        raise NotTestable(f"{it.algorithm} by {it.provider} has no figure without {it.feature}")
    return measured.ratio_of(whole, without)


def with_and_without(measured: Measured, it: Ablation) -> tuple[Row | None, Row | None]:
    """Returns the rows with all features and without one."""
    function = (it.algorithm, it.operation, it.provider)
    return measured.under(*function, {}), measured.under(*function, switches_of(measured, it))


def setting(measured: Measured, it: Ablation) -> str:
    """What to put into the environment of a program: `OPENSSL_ia32cap=~0x…`."""
    variables = switches_of(measured, it)
    return " ".join(f"{name}={shlex.quote(value)}" for name, value in variables.items())


def switches_of(measured: Measured, it: Ablation) -> dict[str, str]:
    return measured.providers[it.provider].switches[it.feature]


def reasons(found: list[Ablation]) -> list[str]:
    """Why some have no ratio."""
    lacking = [it.reason for it in found if it.reason]
    others = dict.fromkeys(reason for reason in lacking if not reason.endswith(TOO_FEW))
    few = sum(reason not in others for reason in lacking)
    said = [*others] + [f"too few rounds in which both were undisturbed ({few})"] * (few > 0)
    return [f"no ratio: {', '.join(said)}"] if said else []


def camellia(functions: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name for name in functions if name.startswith("camellia"))
