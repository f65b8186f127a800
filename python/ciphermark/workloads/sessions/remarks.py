"""Remarks in words on a case of many sessions, for a terminal and a report alike."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from itertools import groupby

from ciphermark.plan.loads import USUAL_NICE
from ciphermark.record.case_row import way
from ciphermark.view import figures
from ciphermark.view.problems import REMARK, UNSETTLED
from ciphermark.workloads import energy, flows
from ciphermark.workloads.sessions.row import Attempt, SessionRow

NOTED_GAP = 0.03
"""Apparent figures on one CPU that are further above the absolute ones want to be explained."""

NOTED_ERROR = 0.02
"""Error of an estimate that is remarked: it is worth as little where it cannot be checked."""

NOTED_CROWDING = 0.05
"""Share of time with neighbours on the core that is remarked: they slow work beside them by up to
half.
"""


def case(row: SessionRow) -> str:
    """Names the case: `hmac-sha256 mac 64 B, 100 sessions on CPUs 0-1, rekeyed`."""
    function = f"{row.algorithm} {row.operation} {flows.size(row)}".rstrip()
    return flows.joined(function, where(row), conditions(row))


def sessions(row: SessionRow) -> str:
    return figures.counted(row.sessions, "session")


def where(row: SessionRow) -> str:
    """`100 sessions on CPUs 0-1`."""
    return f"{sessions(row)} on {flows.cpus(row.cpus)}"


def conditions(row: SessionRow) -> str:
    """Returns unusual conditions: `rekeyed · fixed · nice 5`; else empty."""
    return " · ".join(filter(None, [way(row), *load_conditions(row)]))


def rejected(row: SessionRow) -> list[str]:
    """Returns each invalid attempt with its reasons: `2: 100 sessions, …: uneven, …`."""
    return [
        f"{number}: {_attempt(attempt)}"
        for number, attempt in enumerate(row.attempts, 1)
        if attempt.objections
    ]


def rejected_together(row: SessionRow) -> list[str]:
    """Returns invalid attempts in short: the last stands for consecutive similar ones."""
    numbered = [
        (number, attempt) for number, attempt in enumerate(row.attempts, 1) if attempt.objections
    ]
    together = []
    for _, group in groupby(numbered, key=lambda attempt: _alike(attempt[1])):
        alike = list(group)
        (first, _), (last, attempt) = alike[0], alike[-1]
        numbers = str(first) if first == last else f"{first}–{last}"
        together.append(f"{numbers}: {_attempt(attempt)}")
    return together


def _alike(attempt: Attempt) -> tuple[Hashable, ...]:
    """Returns the common key of attempts that are not listed one by one."""
    times = (attempt.sessions, attempt.execution_ms, attempt.opens_ms, attempt.closes_ms)
    return (*times, *(it.kind for it in attempt.objections))


def _attempt(attempt: Attempt) -> str:
    return (
        f"{figures.counted(attempt.sessions, 'session')}, window "
        f"{attempt.opens_ms / 1e3:.2f}–{attempt.closes_ms / 1e3:.2f} s of "
        f"{attempt.execution_ms / 1e3:.2f} s: "
        + "; ".join(f"{it.kind.replace('-', ' ')}, {it.message}" for it in attempt.objections)
    )


def outcome(row: SessionRow) -> str:
    """Describes the attempts of a case of which one was rejected."""
    valid = [number for number, it in enumerate(row.attempts, 1) if not it.objections]
    if valid:
        return f"attempt {valid[-1]} is valid"
    if len(row.attempts) == 1:
        return "not valid"
    return f"none of {len(row.attempts)} attempts is valid; the last is shown"


def remarks(rows: list[SessionRow]) -> Iterator[tuple[str, str]]:
    """Yields sentences for reading the figures, each with the mark of its subject.

    There are none where all is as usual.
    """
    measured = [row for row in rows if row.is_measured]
    yield from ((UNSETTLED, sentence) for sentence in _estimates(measured))
    for sentences in (_turns, flows.clocks, _devices, _never_ran, _gaps, _neighbours):
        yield from ((REMARK, sentence) for sentence in sentences(measured))
    yield from ((REMARK, sentence) for sentence in energy.remarks(measured))
    yield from ((REMARK, sentence) for sentence in flows.not_reached(rows))


def load_conditions(row: SessionRow) -> Iterator[str]:
    """Yields unusual conditions beside the manner of calling: `fixed`, `nice 5`."""
    if row.threads == "per-cpu":
        yield "in turns"
    if row.placement != "free":
        yield row.placement
    if row.contexts != "own":
        yield f"{row.contexts} context"
    if row.policy != "other":
        yield row.policy
    if row.nice != USUAL_NICE:
        yield f"nice {row.nice}"
    if row.quota_cpus is not None:
        yield f"quota {row.quota_cpus:g} CPU"
    if row.neighbours:
        yield figures.counted(row.neighbours, "neighbour")
    if row.offered_per_s is not None:
        yield f"{figures.significant(row.offered_per_s)}/s offered"
    if row.life is not None:
        lives = dict.fromkeys((row.life.shortest_ms, row.life.longest_ms))
        yield f"lives of {'–'.join(f'{it / 1e3:g}' for it in lives)} s"


def _turns(rows: list[SessionRow]) -> Iterator[str]:
    counts = sorted({row.sessions for row in rows if row.threads == "per-cpu"})
    if counts:
        numbers = " and ".join(figures.grouped(it) for it in counts)
        yield (
            f"{numbers} sessions take turns on a thread for each CPU: their fairness is that of "
            "the turns and not of the kernel, and they share the thread's preemptions"
        )


def _devices(rows: list[SessionRow]) -> Iterator[str]:
    """Yields the devices of offloaded work."""
    devices = dict.fromkeys((row.offload, row.device) for row in rows if row.device is not None)
    for offload, device in devices:
        yield (f"{offload} is {device}: absolute cycles exclude its work, apparent ones include it")


def _never_ran(rows: list[SessionRow]) -> Iterator[str]:
    """Yields sessions without CPU time; a sentence for each case, as each is a finding."""
    for row in rows:
        if row.never_ran:
            yield f"{row.never_ran} of {sessions(row)} never ran within the window: {case(row)}"


def _gaps(rows: list[SessionRow]) -> Iterator[str]:
    """Yields the largest gap of apparent to absolute cycles on one CPU, with its cause."""
    gaps = [
        (gap, row.shares) for row in rows if (gap := row.gap) is not None and row.shares is not None
    ]
    gap, shares = max(gaps, key=lambda gap: gap[0], default=(0.0, None))
    if shares is None or gap <= NOTED_GAP:
        return
    others = max(0.0, shares.busy - shares.workload)
    yield (
        f"on one CPU apparent figures are up to {figures.percent(gap)} above absolute ones: in "
        f"the worst case other work had {figures.percent(others)} of it, the hypervisor "
        f"{figures.percent(shares.steal)}, and {figures.percent(shares.idle)} was idle"
    )


def _neighbours(rows: list[SessionRow]) -> Iterator[str]:
    """Yields other users of the cores, and the figures that include them."""
    crowded = [row for row in rows if (row.crowded_share or 0.0) > NOTED_CROWDING]
    left_out = [row.crowded_share or 0.0 for row in crowded if row.leaves_out]
    if left_out:
        yield (
            "other guests or programs used other threads of the cores in up to "
            f"{figures.percent(max(left_out))} of the sessions' time: absolute cycles exclude "
            "that time; apparent cycles, rates and latencies include it"
        )
    if sets := dict.fromkeys(flows.cpus(row.cpus) for row in crowded if row.shares_core):
        yield (
            f"some of {' and of '.join(sets)} are threads of one core and slow each other, which "
            "is part of all figures"
        )


def _estimates(rows: list[SessionRow]) -> Iterator[str]:
    """Yields the error of the estimate where the absolute figure is known, if it matters."""
    estimated = [row for row in rows if row.absolute_is_estimated]
    errors = [abs(row.estimate_error) for row in rows if row.estimate_error is not None]
    if estimated:
        yield (
            "the clocks of the CPUs disagree, so absolute figures are estimated from the "
            "apparent ones and the kernel's accounts of the CPUs"
        )
    if errors and (estimated or max(errors) > NOTED_ERROR):
        yield (
            f"that estimate is off by at most {figures.percent(max(errors))} where the absolute "
            "figure was measured as well"
        )
