"""The figures of one execution of many sessions, by the definitions of design.md, "Metrics"."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING, Any

import msgspec

from ciphermark import contract
from ciphermark.record.case_row import identity
from ciphermark.statistics.power import Span
from ciphermark.statistics.quantiles import jain, spread
from ciphermark.workloads import energy
from ciphermark.workloads.flows import percentiles
from ciphermark.workloads.sessions.row import Attempt, Scheduled, SessionRow
from ciphermark.workloads.single.rows import what_ran

if TYPE_CHECKING:
    from ciphermark.record.run import CaseRecord, Context, Run

MOST_OFFSET_NS = 10_000
"""Wall clocks of CPUs that differ by more are not compared: a window of half a second would be
misread by 20 ppm, and a latency between two CPUs by more than most messages take."""

MOST_CLOCK_SPREAD = 0.03
"""Largest difference of core clocks with which one clock turns CPU time into cycles. Three times
the movement of a quiet guest's clock between two looks.
"""

FEWEST_QUIET = 20
"""Fewest stretches without a neighbour on the core from which the cost without one is known. With
fewer an execution beside a neighbour does not count (`supervisor/src/sessions/judgement.rs`).
"""


class Execution:
    """An execution with the sums that several figures need."""

    def __init__(self, run: contract.SessionsRun) -> None:
        self._run = run
        self.core_hz = core_hz(run.core_clocks)
        self.alone_hz = median(clock.alone_hz for clock in run.core_clocks)
        self.window_s = (run.closed_ns - run.opened_ns) / 1e9
        self.window_cycles = self.core_hz * self.window_s
        self.cpu_s = sum(run.figures.cpu_ns) / 1e9
        self.messages = sum(run.figures.messages)
        self.bytes = sum(run.figures.bytes)
        self.work = without_neighbours(run)

    def figures(self) -> dict[str, Any]:
        """Returns the fields of a row, by name."""
        figures = self._run.figures
        return {
            **self._cycles(),
            **self._fairness(),
            **energy.of_window(self._run.energy, window(self._run), self.messages, self.bytes),
            "parallelism": self.cpu_s / self.window_s,
            "messages": self.messages,
            "messages_per_second": self.messages / self.window_s,
            "mbytes_per_second": self.bytes / self.window_s / 1e6 if self.bytes else None,
            "latency_ns": percentiles(self._run.latencies),
            "never_ran": figures.cpu_ns.count(0),
            "preemptions": sum(figures.preemptions),
            "waits": sum(figures.waits),
            "migrations": sum(figures.migrations),
            "shares": self._run.shares,
            "device": self._run.device,
            "device_cpu_ns": self._run.device_cpu_ns,
            "session_bytes": self._run.session_bytes,
            "crowded_share": crowded_share(self._run),
            "leaves_out": leaves_out(self._run) and has_neighbours(self._run),
            "shares_core": shares_core(self._run),
            "core_hz": self.core_hz,
            "alone_hz": self.alone_hz,
            "window_ms": self.window_s * 1e3,
        }

    def apparent_of_each(self) -> list[float | None]:
        """Returns apparent cycles per byte of each session; None where it did no byte."""
        share = self.window_cycles / self._run.load.sessions
        return [share / done if done else None for done in self._run.figures.bytes]

    def _cycles(self) -> dict[str, Any]:
        """Returns absolute, apparent, wall-clock and estimated cycles."""
        clocks_agree = agree(self._run.core_clocks)
        busy_cpus = self._run.shares.workload * len(self._run.load.cpus)
        cpu_cycles, estimated_cycles = self.core_hz * self.cpu_s, self.window_cycles * busy_cpus
        cycles_of: dict[str, Any] = {"absolute_is_estimated": not clocks_agree}
        if clocks_agree and cpu_cycles:
            cycles_of["estimate_error"] = estimated_cycles / cpu_cycles - 1
        for unit, done in (("byte", self.bytes), ("message", self.messages)):
            if done:
                cycles = (self._watched(unit) or cpu_cycles / done) if clocks_agree else None
                cycles_of[f"absolute_cycles_per_{unit}"] = cycles or estimated_cycles / done
                cycles_of[f"apparent_cycles_per_{unit}"] = self.window_cycles / done
        if self.bytes:
            each = [it for it in self.apparent_of_each() if it is not None]
            cycles_of["wall_cycles_per_byte"] = median(each) * self._run.load.sessions
            cycles_of["estimated_cycles_per_byte"] = estimated_cycles / self.bytes
        return cycles_of

    def _watched(self, unit: str) -> float | None:
        """Returns absolute cycles per unit by looks at the cores; None without looks."""
        if self.work is None:
            return None
        done = self.work.bytes if unit == "byte" else self.work.messages
        return self.work.cycles / done if done else None

    def _fairness(self) -> dict[str, Any]:
        """Returns how evenly sessions were served, and the most and least served ones."""
        figures = self._run.figures
        apparent = self.apparent_of_each()
        by_cpu = sorted(range(len(figures.cpu_ns)), key=figures.cpu_ns.__getitem__)

        def scheduled(session: int) -> Scheduled:
            return Scheduled(
                session=session,
                cpu_ns=figures.cpu_ns[session],
                apparent_cycles_per_byte=apparent[session],
            )

        return {
            "fairness": jain(figures.bytes if self.bytes else figures.messages),
            "cpu_fairness": jain(figures.cpu_ns),
            "cpu_spread": spread(figures.cpu_ns),
            "apparent_spread": spread([it for it in apparent if it is not None]),
            "most_scheduled": scheduled(by_cpu[-1]),
            "least_scheduled": scheduled(by_cpu[0]),
        }


def window(run: contract.SessionsRun) -> Span:
    """Returns the window of the measurement, since the start of the run."""
    return Span(run.at_ns + run.opened_ns, run.at_ns + run.closed_ns)


def without_neighbours(run: contract.SessionsRun) -> contract.Stretch | None:
    """Returns the work without neighbours on the core if that lasted long enough.

    Otherwise it is all work between looks at the cores; None in runs of engines that did not look.
    """
    if run.stretches is None:
        return None
    quiet, crowded = run.stretches.quiet, run.stretches.crowded
    if leaves_out(run):
        return quiet
    return contract.Stretch(
        count=quiet.count + crowded.count,
        cpu_ns=quiet.cpu_ns + crowded.cpu_ns,
        cycles=quiet.cycles + crowded.cycles,
        messages=quiet.messages + crowded.messages,
        bytes=quiet.bytes + crowded.bytes,
    )


def has_neighbours(run: contract.SessionsRun) -> bool:
    """Returns whether another thread was seen to use the cores."""
    return run.stretches is not None and run.stretches.crowded.count > 0


def leaves_out(run: contract.SessionsRun) -> bool:
    """Returns whether work beside a neighbour is excluded from the absolute cycles.

    It is not where the sessions' own threads, or a device's, share the cores: that is part of their
    cost.
    """
    own = shares_core(run) or run.device is not None
    return not own and run.stretches is not None and run.stretches.quiet.count >= FEWEST_QUIET


def shares_core(run: contract.SessionsRun) -> bool | None:
    """Returns whether some CPUs are threads of one core; None where that is unknown."""
    known = [it.shares_core for it in run.core_clocks if it.shares_core is not None]
    return any(known) if known else None


def crowded_share(run: contract.SessionsRun) -> float | None:
    """Returns the share of CPU time in which another thread used the sessions' core."""
    if run.stretches is None:
        return None
    quiet, crowded = run.stretches.quiet.cpu_ns, run.stretches.crowded.cpu_ns
    return crowded / (quiet + crowded) if quiet + crowded else None


def core_hz(clocks: list[contract.CoreClock]) -> float:
    """Returns the clock for cycles: of the CPUs under load, else before it."""
    loaded = [clock.loaded_hz for clock in clocks if clock.loaded_hz is not None]
    return median(loaded or [clock.alone_hz for clock in clocks])


def agree(clocks: list[contract.CoreClock]) -> bool:
    """Returns whether one clock can turn the CPU times of these CPUs into cycles."""
    loaded = [clock.loaded_hz for clock in clocks if clock.loaded_hz is not None]
    same_rate = not loaded or max(loaded) <= (1 + MOST_CLOCK_SPREAD) * min(loaded)
    return same_rate and all(abs(clock.offset_ns) <= MOST_OFFSET_NS for clock in clocks)


def session_rows(run: Run) -> list[SessionRow]:
    """Returns one row for each case of the run, in the order of the plan."""
    return [
        _row(record, load, executions(run, record.case.case), run.context)
        for record in run.cases
        if (load := record.case.sessions) is not None
    ]


def executions(run: Run, case: int) -> list[contract.SessionsRun]:
    """Returns all attempts at a case, in their order."""
    of_case = [it for it in run.sessions if it.case == case]
    return sorted(of_case, key=lambda it: it.attempt)


def shown(attempts: list[contract.SessionsRun]) -> contract.SessionsRun | None:
    """Returns the attempt for the figures of a case: the last valid one, else the last."""
    counting = [it for it in attempts if not it.objections] or attempts
    return counting[-1] if counting else None


def _row(
    record: CaseRecord,
    load: contract.SessionLoad,
    attempts: list[contract.SessionsRun],
    context: Context,
) -> SessionRow:
    execution = None if record.error else shown(attempts)
    return SessionRow(
        **identity(record.case)
        | what_ran(record)
        | _conditions(execution.load if execution else load),
        **Execution(execution).figures() if execution else {},
        offload_cpus=record.case.offload_cpus,
        workload=context.workload,
        cycle_source=context.cycle_source or "",
        vectors_passed=record.vectors_passed,
        agrees_with=record.agrees_with,
        attempts=[_attempt(it) for it in attempts],
        valid=execution is not None and not execution.objections,
        error=record.error,
    )


def _conditions(load: contract.SessionLoad) -> dict[str, Any]:
    """Returns the conditions of the sessions, by field of a row."""
    fields = SessionRow.__struct_fields__
    of_load = msgspec.structs.asdict(load)
    named = {name: value for name, value in of_load.items() if name in fields}
    return named | {"cores": len(load.cpus)}


def _attempt(execution: contract.SessionsRun) -> Attempt:
    load = execution.load
    return Attempt(
        sessions=load.sessions,
        execution_ms=load.execution_ms,
        opens_ms=load.opens_ms,
        closes_ms=load.closes_ms,
        objections=execution.objections,
    )
