"""A plan before it is measured: in one line, and case by case."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table
from rich.text import Text

from ciphermark.analyse.identity import way
from ciphermark.plan.cpu_sets import listed
from ciphermark.plan.duration import expected_seconds
from ciphermark.record import contract
from ciphermark.show import figures


def plan_line(plan: contract.Plan) -> str:
    """What is measured, and how long it takes: `10 algorithms · 2 providers · 1 size · …`."""
    cases = plan.cases
    sizes = {case.message_bytes for case in cases if case.message_bytes is not None}
    profiles = {case.profile for case in cases if case.profile is not None}
    messages = [figures.counted(len(sizes), "size")] if sizes or not profiles else []
    messages += [figures.counted(len(profiles), "profile")] if profiles else []
    messages += _loads([case.sessions for case in cases if case.sessions is not None])
    return " · ".join(
        [
            figures.counted(len({case.algorithm for case in cases}), "algorithm"),
            figures.counted(len({case.provider for case in cases}), "provider"),
            *messages,
            figures.counted(len(cases), "case"),
            f"about {figures.significant(expected_seconds(plan), 1)} s",
            f"at most {plan.budget_s:g} s",
        ]
    )


def _loads(loads: list[contract.SessionLoad]) -> list[str]:
    """How many sessions on which CPUs: `1–1 000 sessions`, `CPUs 0, 0-1`."""
    if not loads:
        return []
    fewest, most = (limit(load.sessions for load in loads) for limit in (min, max))
    sets = dict.fromkeys(listed(load.cpus) for load in loads)
    count = f"{figures.grouped(fewest)}–" if fewest < most else ""
    return [f"{count}{figures.counted(most, 'session')}", f"CPUs {', '.join(sets)}"]


def print_cases(console: Console, plan: contract.Plan, notes: list[str]) -> None:
    """Prints the cases in the order of the plan, what was left out, and the expected time."""
    console.print(_cases(plan))
    console.print()
    for note in notes:
        console.print(Text(note, style="dim"))
    console.print(plan_line(plan))


def _cases(plan: contract.Plan) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim", pad_edge=False)
    table.add_column("case", justify="right")
    for heading in ("algorithm", "operation", "provider", "backend"):
        table.add_column(heading)
    table.add_column("message", justify="right")
    if any(case.sessions for case in plan.cases):
        table.add_column("sessions", justify="right")
        table.add_column("CPUs")
    if any(map(way, plan.cases)):
        table.add_column("called")
    for case in plan.cases:
        size = case.profile or case.message_bytes
        message = "" if size is None else figures.message_size(size)
        names = (case.algorithm, case.operation, case.provider, case.backend)
        load = case.sessions
        crowd = [figures.grouped(load.sessions), listed(load.cpus)] if load else []
        table.add_row(str(case.case), *names, message, *crowd, *filter(None, [way(case)]))
    return table
