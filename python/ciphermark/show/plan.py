"""A plan before it is measured: in one line, and case by case."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console
from rich.table import Table
from rich.text import Text

from ciphermark import contract
from ciphermark.contract.others import SimulatedCase
from ciphermark.plan.cpu_sets import listed
from ciphermark.plan.sampling import expected_seconds
from ciphermark.record.case_row import way
from ciphermark.show import figures
from ciphermark.workload import workload_of


def plan_line(plan: contract.Plan) -> str:
    """What is measured, and how long it takes: `10 algorithms · 2 providers · 1 size · …`."""
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
    """How many sessions on which CPUs: `1–1 000 sessions`, `CPUs 0, 0-1`."""
    if not loads:
        return []
    return [_range([it.sessions for it in loads], "session"), _cpus(it.cpus for it in loads)]


def _packets(loads: list[contract.PacketLoad]) -> list[str]:
    """How many packets by which CPUs."""
    if not loads:
        return []
    return [_range([it.packets for it in loads], "packet"), _cpus(it.cpus for it in loads)]


def _range(counts: list[int], noun: str) -> str:
    fewest = f"{figures.grouped(min(counts))}–" if len({*counts}) > 1 else ""
    return f"{fewest}{figures.counted(max(counts), noun)}"


def _cpus(sets: Iterable[list[int]]) -> str:
    return f"CPUs {', '.join(dict.fromkeys(map(listed, sets)))}"


def print_cases(console: Console, plan: contract.Plan, notes: list[str]) -> None:
    """Prints the cases in the order of the plan, what was left out, and the expected time."""
    console.print(_cases(plan))
    console.print()
    for note in notes:
        console.print(Text(note, style="dim"))
    console.print(plan_line(plan))


def print_simulated(console: Console, cases: Iterable[SimulatedCase]) -> None:
    """Prints how many calls are simulated on which targets, where there are any."""
    of_target: dict[str, list[SimulatedCase]] = {}
    for case in cases:
        of_target.setdefault(case.target, []).append(case)
    if not of_target:
        return
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim", pad_edge=False)
    table.add_column("simulated")
    for heading in ("calls", "algorithms", "sizes", "seeds"):
        table.add_column(heading, justify="right")
    for target, calls in of_target.items():
        sizes = {it.message_bytes for it in calls} - {None}
        counts = (len(calls), len({it.algorithm for it in calls}), len(sizes))
        table.add_row(target, *map(str, counts), str(len({it.seed for it in calls})))
    console.print()
    console.print(table)
    console.print()
    total = sum(map(len, of_target.values()))
    targets = figures.counted(len(of_target), "target")
    console.print(f"beside: {figures.counted(total, 'call')} simulated on {targets}")


def _cases(plan: contract.Plan) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim", pad_edge=False)
    table.add_column("case", justify="right")
    for heading in ("algorithm", "operation", "provider", "backend"):
        table.add_column(heading)
    table.add_column("message", justify="right")
    load = workload_of(plan.workload).load
    if load is not None:
        table.add_column(load, justify="right")
        table.add_column("CPUs")
    if any(map(way, plan.cases)):
        table.add_column("called")
    for case in plan.cases:
        size = case.profile or case.message_bytes
        message = "" if size is None else figures.message_size(size)
        names = (case.algorithm, _operations(case), case.provider, case.backend)
        called = filter(None, [way(case)])
        table.add_row(str(case.case), *names, message, *_load(case), *called)
    return table


def _operations(case: contract.Case) -> str:
    """`encrypt+decrypt` where packets go through both."""
    then = case.packets.then if case.packets else None
    return "+".join(filter(None, [case.operation, then]))


def _load(case: contract.Case) -> list[str]:
    """How many at once or in turn, and on which CPUs."""
    if case.sessions is not None:
        return [figures.grouped(case.sessions.sessions), listed(case.sessions.cpus)]
    if case.packets is not None:
        return [figures.grouped(case.packets.packets), listed(case.packets.cpus)]
    return []
