"""Statements about cores and sessions (figures 8–11), and the paper's challenges."""

from __future__ import annotations

from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING

from ciphermark.show import figures
from ciphermark.show.findings import NotTestable, Verdict
from ciphermark.studies.mac_sessions.by_cores import per_second
from ciphermark.studies.mac_sessions.found import APART, Found, percent
from ciphermark.studies.mac_sessions.paper import PACKET, VMAC_64

if TYPE_CHECKING:
    from ciphermark.workloads.sessions.row import SessionRow

MOST_OVERHEAD = 0.03
NOISE = 0.005
"""Share by which thread CPU time may be more than the window: clocks of threads are read one after
the other."""

LEAST_SPREAD = 0.05
MOST_ESTIMATE_ERROR = 0.05


def mirrors(found: Found) -> Verdict:
    """By the ratio of both on one core, where others left it to the sessions."""
    row = _by_cores(found).get(1)
    if row is None or not row.apparent_cycles_per_byte or not row.estimated_cycles_per_byte:
        raise NotTestable("the workload on one core has no figure")
    if not row.valid:
        raise NotTestable(_why_invalid({1: row}))
    more = row.apparent_cycles_per_byte / row.absolute_cycles_per_byte - 1
    # The kernel's accounts have no overhead of measuring in them, only who had the core.
    of_others = row.apparent_cycles_per_byte / row.estimated_cycles_per_byte - 1
    shown = (
        f"{_cycles(row)}: apparent {percent(more)}, of which other work on the core explains "
        f"{percent(of_others)}"
    )
    if more > MOST_OVERHEAD and abs(more - of_others) <= MOST_OVERHEAD:
        return None, shown
    return -NOISE <= more <= MOST_OVERHEAD, shown


def falls(found: Found) -> Verdict:
    """By the apparent figure with each more CPUs."""
    rows = _several(found)
    ratios = [
        after.apparent_cycles_per_byte / before.apparent_cycles_per_byte
        for before, after in pairwise(rows.values())
    ]
    shown = ", ".join(
        f"{figures.counted(cores, 'CPU')} {figures.significant(row.apparent_cycles_per_byte, 4)}"
        for cores, row in rows.items()
    )
    return all(it < 1 - APART for it in ratios), f"apparent cycles/byte: {shown}"


def rises(found: Found) -> Verdict:
    """By the absolute figure on one and on all CPUs."""
    rows = _several(found)
    first, *_, last = rows.values()
    more = last.absolute_cycles_per_byte / first.absolute_cycles_per_byte - 1
    shown = "; ".join(
        f"{figures.counted(cores, 'CPU')} {figures.significant(row.absolute_cycles_per_byte, 4)} "
        f"({_rate(row.preemptions, row)} preemptions and {_rate(row.migrations, row)} migrations "
        "per second)"
        for cores, row in rows.items()
    )
    return more > APART, f"absolute cycles/byte: {shown}: {percent(more)}"


def least_higher(found: Found) -> Verdict:
    """By the sessions with the least and the most CPU time of each workload."""
    said, holds = [], True
    for cores, row in _valid(found).items():
        least, most = row.least_scheduled, row.most_scheduled
        if least is None or most is None or not most.apparent_cycles_per_byte:
            continue
        shown = least.apparent_cycles_per_byte
        holds = holds and (shown is None or shown > most.apparent_cycles_per_byte)
        said.append(
            f"{figures.counted(cores, 'CPU')}: "
            f"{figures.significant(shown) if shown else 'no message'} with "
            f"{least.cpu_ns / 1e6:.1f} ms of CPU time, "
            f"{figures.significant(most.apparent_cycles_per_byte)} with {most.cpu_ns / 1e6:.1f} ms"
        )
    if not said:
        raise NotTestable("no workload has figures of its sessions")
    return holds, "apparent cycles/byte: " + "; ".join(said)


def uneven(found: Found) -> Verdict:
    """By the spread of CPU time over the sessions."""
    rows = {cores: row for cores, row in _valid(found).items() if row.cpu_spread is not None}
    if not rows:
        raise NotTestable("no workload has figures of its sessions")
    shown = "; ".join(
        f"{figures.counted(cores, 'CPU')}: spread {figures.percent(row.cpu_spread)}, "
        f"Jain's index of CPU time {row.cpu_fairness:.4f}, sessions that never ran {row.never_ran}"
        for cores, row in rows.items()
    )
    return max(row.cpu_spread for row in rows.values()) > LEAST_SPREAD, shown


def siblings(found: Found) -> Verdict:
    """By what the kernel tells of the cores."""
    cores = found.context.engine_hello.environment.state.core_cpus
    if not cores:
        return None, "the kernel does not tell which logical CPUs share a core"
    threads = max(map(len, cores))
    shown = (
        f"{figures.counted(sum(map(len, cores)), 'logical CPU')} on "
        f"{figures.counted(len(cores), 'core')}, at most {threads} on one; "
        "--cpus physical and --cpus smt choose by it"
    )
    if threads == 1 and found.context.engine_hello.environment.machine.virtualisation != "none":
        shown += " (a hypervisor may keep siblings from its guest)"
    return False, shown


def clocks(found: Found) -> Verdict:
    """Judged only where the clocks disagree."""
    rows = [row for row in found.measured.rows if row.absolute_cycles_per_byte is not None]
    if not rows:
        raise NotTestable("no workload has figures")
    estimated = sum(row.absolute_is_estimated for row in rows)
    if 2 * estimated > len(rows):
        return True, (
            f"in {estimated} of {len(rows)} cases clocks disagreed; their absolute figures are "
            "estimates by the apparent ones and the parallelism factor"
        )
    return None, (
        f"wall clocks and core clocks of all CPUs agreed in {len(rows) - estimated} of {len(rows)} "
        "cases, whose absolute figures are measured"
    )


def estimate(found: Found) -> Verdict:
    """By the error of the estimate where the absolute figure is measured."""
    errors = [
        row.estimate_error
        for row in found.measured.rows
        if row.valid and row.sessions > 1 and row.estimate_error is not None
    ]
    if not errors:
        raise NotTestable("no valid workload has both figures")
    middle, worst = median(errors), max(errors, key=abs)
    shown = (
        f"error {percent(middle)} in the median of {figures.counted(len(errors), 'case')}, "
        f"{percent(worst)} at most"
    )
    return median(map(abs, errors)) <= MOST_ESTIMATE_ERROR, shown


def _by_cores(found: Found) -> dict[int, SessionRow]:
    """The workload by number of CPUs."""
    rows = found.measured.on_cores(VMAC_64, PACKET)
    if not rows:
        raise NotTestable("the workload of figures 8–11 has no figure")
    return rows


def _valid(found: Found) -> dict[int, SessionRow]:
    """As far as others have not spoilt it."""
    rows = _by_cores(found)
    valid = {cores: row for cores, row in rows.items() if row.valid}
    if not valid:
        raise NotTestable(_why_invalid(rows))
    return valid


def _several(found: Found) -> dict[int, SessionRow]:
    """On one CPU, on more and on all."""
    rows = _by_cores(found)
    if len(rows) < 2:
        raise NotTestable("the workload has figures with one number of CPUs only")
    if not all(row.valid for row in rows.values()):
        raise NotTestable(_why_invalid(rows))
    return rows


def _why_invalid(rows: dict[int, SessionRow]) -> str:
    return "; ".join(
        f"no attempt on {figures.counted(cores, 'CPU')} was valid: "
        + ", ".join(it.message for it in row.objections)
        for cores, row in rows.items()
        if not row.valid
    )


def _cycles(row: SessionRow) -> str:
    apparent, absolute = row.apparent_cycles_per_byte, row.absolute_cycles_per_byte
    return (
        f"apparent {figures.significant(apparent, 4)}, absolute {figures.significant(absolute, 4)} "
        "cycles/byte"
    )


def _rate(count: int | None, row: SessionRow) -> str:
    rate = per_second(count, row)
    return "unknown" if rate is None else figures.significant(rate)
