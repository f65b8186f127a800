"""A plan before it is measured: in one line, and case by case."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ciphermark import contract
from ciphermark.contract.others import SimulatedCase
from ciphermark.plan.cpu_sets import listed
from ciphermark.plan.sampling import expected_seconds
from ciphermark.record.case_row import way
from ciphermark.view import figures
from ciphermark.view.blocks import Block, Notes, Table
from ciphermark.view.column import Column, count, of_text, of_words
from ciphermark.workload import workload_of


def plan_line(plan: contract.Plan) -> str:
    """Formats the extent and the expected time of a plan: `10 algorithms · 2 providers · 1 size ·
    …`."""
    cases = plan.cases
    sizes = {case.message_bytes for case in cases if case.message_bytes is not None}
    profiles = {case.profile for case in cases if case.profile is not None}
    messages = [figures.counted(len(sizes), "size")] if sizes or not profiles else []
    messages += [figures.counted(len(profiles), "profile")] if profiles else []
    messages += _crowds([case.sessions for case in cases if case.sessions is not None])
    messages += _packets([case.packets for case in cases if case.packets is not None])
    return " · ".join(
        [
            figures.counted(len({case.algorithm for case in cases}), "algorithm"),
            figures.counted(len({case.provider for case in cases}), "provider"),
            *messages,
            figures.counted(len(cases), "case"),
            f"about {figures.significant(expected_seconds(plan), 1)} s",
            f"at most {plan.budget_s + plan.overtime_s:g} s",
        ]
    )


def _crowds(loads: list[contract.SessionLoad]) -> list[str]:
    """Formats the numbers of sessions and the CPUs: `1–1 000 sessions`, `CPUs 0, 0-1`."""
    if not loads:
        return []
    return [_range([it.sessions for it in loads], "session"), _cpus(it.cpus for it in loads)]


def _packets(loads: list[contract.PacketLoad]) -> list[str]:
    """Formats the numbers of packets and the CPUs."""
    if not loads:
        return []
    return [_range([it.packets for it in loads], "packet"), _cpus(it.cpus for it in loads)]


def _range(counts: list[int], noun: str) -> str:
    fewest = f"{figures.grouped(min(counts))}–" if len({*counts}) > 1 else ""
    return f"{fewest}{figures.counted(max(counts), noun)}"


def _cpus(sets: Iterable[list[int]]) -> str:
    return f"CPUs {', '.join(dict.fromkeys(map(listed, sets)))}"


def case_blocks(plan: contract.Plan, notes: list[str]) -> Iterator[Block]:
    """Yields the cases in the order of the plan, the omitted ones, and the time."""
    load = workload_of(plan.workload).load
    columns: list[Column[contract.Case]] = [
        Column("case", lambda case: case.case, form=count),
        of_words("algorithm", lambda case: case.algorithm),
        of_words("operation", _operations),
        of_words("provider", lambda case: case.provider),
        of_words("backend", lambda case: case.backend),
        of_text("message", _message),
        of_text(load or "", lambda case: _load(case)[0]),
        of_words("CPUs", lambda case: _load(case)[1]),
        of_words("called", way, at_end=True),
    ]
    yield Table(columns=columns, rows=plan.cases)
    yield Notes.of(notes, style="dim")
    yield Notes.of([plan_line(plan)])


def simulated_blocks(cases: Sequence[SimulatedCase]) -> Iterator[Block]:
    """Yields the number of calls that are simulated on each target."""
    of_target: dict[str, list[SimulatedCase]] = {}
    for case in cases:
        of_target.setdefault(case.target, []).append(case)
    columns: list[Column[list[SimulatedCase]]] = [
        of_words("simulated", lambda calls: calls[0].target),
        Column("calls", len, form=count),
        Column("algorithms", lambda calls: len({it.algorithm for it in calls}), form=count),
        Column("sizes", lambda calls: len({it.message_bytes for it in calls} - {None}), form=count),
        Column("seeds", lambda calls: len({it.seed for it in calls}), form=count),
    ]
    yield Table(columns=columns, rows=[*of_target.values()])
    if cases:
        targets = figures.counted(len(of_target), "target")
        calls = figures.counted(len(cases), "call")
        yield Notes.of([f"beside: {calls} simulated on {targets}"])


def _message(case: contract.Case) -> str:
    size = case.profile or case.message_bytes
    return "" if size is None else figures.message_size(size)


def _operations(case: contract.Case) -> str:
    """`encrypt+decrypt` where packets go through both."""
    then = case.packets.then if case.packets else None
    return "+".join(filter(None, [case.operation, then]))


def _load(case: contract.Case) -> tuple[str, str]:
    """Returns the number at once or in turn, and the CPUs; empty for one thread."""
    if case.sessions is not None:
        return figures.grouped(case.sessions.sessions), listed(case.sessions.cpus)
    if case.packets is not None:
        return figures.grouped(case.packets.packets), listed(case.packets.cpus)
    return "", ""
