"""One run in memory: its context, its cases, what was measured of them, its warnings and errors.

This is what `record.store` writes and reads, and all that `analyse` needs. Nothing here is
computed from what was measured: statistics live in `analyse`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

import ciphermark
from ciphermark import contract
from ciphermark.contract.others import (
    BesideFigure,
    ImportedFigure,
    ImportOrigin,
    SimulatedTarget,
    Simulation,
    Variant,
)
from ciphermark.contract.tunnel import Tunnel
from ciphermark.record.layout import FORMAT_MAJOR, FORMAT_MINOR, new_run_id

if TYPE_CHECKING:
    from ciphermark.record.table import Table


class Summary(msgspec.Struct, kw_only=True):
    """The facts that people select runs by."""

    format_major: int
    format_minor: int
    run: str
    """Identifier: `20261121-091500-7f3a`, UTC start and four random hex digits."""
    started_unix_ns: int
    command: str
    """The command line that made the run."""
    plan_name: str
    """Name of the default plan or study: `survey`, `survey-quick`, `gateway`."""
    workload: str
    """That of the plan, or `simulation`, `tunnel` or `imported` where the engine measured nothing,
    or `tuning`."""
    machine_id: str
    machine_name: str
    machine_kind: str
    cpu_name: str
    cycle_source: str | None
    """None where an imported run has no cycles."""
    core_hz: float | None
    """None where an imported run knows no clock."""
    precision: float
    cases: int
    converged: int
    errors: int
    interrupted: bool
    elapsed_s: float
    ciphermark_version: str


class Context(Summary, kw_only=True):
    """The row of context.parquet: what one must know to judge the figures of a run.

    The facts of the summary are columns of their own; the rest is kept whole as the JSON of the
    engine's own messages, so that nothing is lost when the columns change.
    """

    plan: contract.Plan
    hello: contract.Hello | None
    """None of an imported run, whose machine nobody has looked at."""
    bye: contract.Bye | None
    algorithms: list[contract.Algorithm]
    """Facts of the algorithms in the run, as they were then."""
    notes: list[str]
    """What was skipped or chosen by default, one sentence each."""

    @property
    def engine_hello(self) -> contract.Hello:
        """The hello of a run that our engine measured, as it has all but imported ones."""
        if self.hello is None:
            raise ValueError(f"run {self.run} is of no engine")
        return self.hello


class Outline(Summary, kw_only=True):
    """A context without its plan, which takes longer to read than all else: where figures are of.

    The fields mean what those of `Context` do.
    """

    hello: contract.Hello | None
    algorithms: list[contract.Algorithm]


def begun(started_unix_ns: int, command: str) -> dict[str, Any]:
    """What the context of every run begins with."""
    return {
        "format_major": FORMAT_MAJOR,
        "format_minor": FORMAT_MINOR,
        "run": new_run_id(started_unix_ns),
        "started_unix_ns": started_unix_ns,
        "command": command,
        "ciphermark_version": ciphermark.__version__,
    }


def of_machine(environment: contract.Environment) -> dict[str, Any]:
    """What the context of a run says of the machine that the engine has looked at."""
    machine, clocks = environment.machine, environment.clocks
    return {
        "machine_id": machine.machine_id,
        "machine_name": machine.machine_name,
        "machine_kind": machine.machine_kind,
        "cpu_name": machine.cpu_name,
        "cycle_source": clocks.cycle_source,
        "core_hz": clocks.core_hz,
    }


class CaseRecord(msgspec.Struct, kw_only=True):
    """One case of the plan with what became of it."""

    case: contract.Case
    implementation: contract.Implementation | None = None
    """Absent when the case failed before it was ready."""
    vectors_passed: int = 0
    agrees_with: list[str] = msgspec.field(default_factory=list)
    error: contract.Failure | None = None


class Run(msgspec.Struct, kw_only=True):
    """Everything that one `measure` produced."""

    context: Context
    cases: list[CaseRecord]
    samples: Table | Any
    """Columns of `contract.Sample`; `disturbed` is a list of strings, empty when undisturbed."""
    sessions: list[contract.SessionsRun] = []
    """Executions of the workload `sessions`, in the order in which they ended."""
    packets: list[contract.PacketsRun] = []
    """Passes of each case of the workload `packets`, in the order in which they ended."""
    warnings: list[contract.Warning]
    simulations: list[Simulation] = []
    """What became of cases on simulated processors; of the workload `simulation` nothing else was
    measured."""
    targets: list[SimulatedTarget] = []
    """The targets that were asked for, as they were used, or why they were not."""
    variants: list[Variant] = []
    """Of the workload `tuning`: how kernels were compiled for the targets. Its simulations have the
    label of a variant as their target; of variants that are measured they have sizes alone."""
    tunnels: list[Tunnel] = []
    """What became of the cases of the workload `tunnel`, in the order of its plan."""
    beside: list[BesideFigure] = []
    """What other programs have measured just before, where a study asks them."""
    origin: ImportOrigin | None = None
    """Where the figures of the workload `imported` come from."""
    imported: list[ImportedFigure] = []
    """Those figures, one for each case."""
    also: list[Run] = []
    """Runs of further workloads that belong to this one and are kept in its folder, in the order in
    which they were measured."""
    given: dict[str, float] = {}
    """What the user told beside what was measured, such as the price of the machine: by name."""
