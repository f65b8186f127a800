"""How long sessions run, when they are measured, and whether each gets a thread.

The kernel gives CPU time in pieces of about 4 ms, so a round in which each of n threads on c CPUs
gets one takes n · 4 ms / c, and shares are even to a few percent after some 20 rounds. Where a
budget has no room for these, sessions take turns on one thread for each CPU.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import msgspec

from ciphermark import contract
from ciphermark.errors import UsageError

if TYPE_CHECKING:
    from ciphermark.workloads.sessions.plan import Wanted

SLICE_S = 0.004
"""CPU time that a thread gets at a time where others wait: the tick of a kernel with 250 Hz."""

ROUNDS = 20
"""Rounds within a window: the share of a thread is then even to one piece in 20."""

SHORTEST_WINDOW_S = 0.5
USUAL_WINDOWS_S = (2.0, 1.5, 1.0, 0.75, SHORTEST_WINDOW_S)
"""Windows are as long as the first of these for which there is time, or longer."""

WARM_UP_S = 0.2
"""Least time from the start to the window: the clock of a core that was idle has settled."""

WARM_UP_ROUNDS = 2
"""Rounds in which every thread has run."""

TAIL_S = 0.05
"""Time that sessions go on after the window, so that none stops within it."""

START_S = 0.15
"""For a fresh process, which checks its answers before and after."""

START_SESSION_S = 0.0003
"""For making a session and its thread ready, and for taking them away."""

FIRST_SHARE = 2 / 3
"""Of the budget is for first attempts; the rest is for those that must be repeated."""

LOOKS = 100
"""Looks at the whole while it runs; steady state is judged by them."""

LONGEST_LOOK_MS = 1000


class Timed(msgspec.Struct):
    """Loads with their times, in the order of what was wanted."""

    loads: list[contract.SessionLoad]
    needed_s: float
    """Wall time of all first attempts."""
    notes: list[str]


def timed(wanted: list[Wanted], budget_s: float) -> Timed:
    """Divides the budget: a thread for each session and longer windows where there is time.

    Raises UsageError where even the least does not fit.
    """
    spare_s = FIRST_SHARE * budget_s
    crowds = sorted({it.per_cpu for it in wanted if _may_share(it)}, reverse=True)
    # The largest crowds take turns first, and all alike, so that they can be compared.
    limits = [math.inf, *crowds]
    limit = next((it for it in limits if _total(wanted, it) <= spare_s), limits[-1])
    least_s = _total(wanted, limit)
    if least_s > budget_s:
        raise UsageError(_too_long(wanted, limit, budget_s))
    windows = (it for it in USUAL_WINDOWS_S if _total(wanted, limit, it) <= spare_s)
    window_s = next(windows, SHORTEST_WINDOW_S)
    loads = [_load(it, limit, window_s) for it in wanted]
    return Timed(loads, _total(wanted, limit, window_s), _notes(wanted, loads))


def needed_seconds(load: contract.SessionLoad) -> float:
    """Wall time of one execution, with the making of its sessions."""
    return START_S + START_SESSION_S * load.sessions + load.execution_ms / 1e3


def round_seconds(sessions: int, cpus: int) -> float:
    """Time in which every thread has had its piece of a CPU."""
    return sessions * SLICE_S / cpus


def _may_share(it: Wanted) -> bool:
    """Whether sessions on common threads would need less time."""
    return it.threads is None and _may_crowd(it)


def _threads(it: Wanted, limit: float) -> contract.Threads:
    """Crowds of `limit` sessions on a CPU and larger ones take turns, and those for whose rounds a
    wanted window is too short."""
    if it.threads is not None:
        return it.threads
    crowded = it.per_cpu >= limit
    if not it.times.is_free:
        opens_s, closes_s = _window(it, 0, _round(it))
        crowded = _may_share(it) and closes_s - opens_s < ROUNDS * _round(it)
    return "per-cpu" if crowded else "per-session"


def _total(wanted: list[Wanted], limit: float, window_s: float = SHORTEST_WINDOW_S) -> float:
    return sum(needed_seconds(_load(it, limit, window_s)) for it in wanted)


def _load(it: Wanted, limit: float, window_s: float) -> contract.SessionLoad:
    """The load with its times, windows no shorter than this."""
    threads = _threads(it, limit)
    round_s = _round(it) if threads == "per-session" else 0
    opens_s, closes_s = _window(it, window_s, round_s)
    execution_s = it.times.duration_s or closes_s + TAIL_S
    look_ms = it.look_ms or min(1e3 * execution_s / LOOKS, LONGEST_LOOK_MS)
    return msgspec.structs.replace(
        it.load,
        threads=threads,
        execution_ms=_ms(execution_s),
        opens_ms=_ms(opens_s),
        closes_ms=_ms(closes_s),
        look_ms=look_ms,
    )


def _window(it: Wanted, window_s: float, round_s: float) -> tuple[float, float]:
    """[t1, t2]: as wanted, else as the rounds of the threads need."""
    if it.times.window_s is not None:
        return it.times.window_s
    opens_s = max(WARM_UP_S, WARM_UP_ROUNDS * round_s)
    if it.times.duration_s is None:
        return opens_s, opens_s + max(window_s, ROUNDS * round_s)
    # A tenth of a short execution is warm-up enough; its end is a tail as long.
    whole_s = it.times.duration_s
    return min(opens_s, whole_s / 4), whole_s - min(TAIL_S, whole_s / 10)


def _round(it: Wanted) -> float:
    """None where sessions sleep: they take no pieces of a CPU that others wait for."""
    if it.sleeps:
        return 0.0
    return round_seconds(it.load.sessions, len(it.load.cpus))


def _ms(seconds: float) -> float:
    """To the microsecond, so that a plan can be read."""
    return round(1e3 * seconds, 3)


def _too_long(wanted: list[Wanted], limit: float, budget_s: float) -> str:
    """Why a budget is too short, with the arithmetic."""
    least_s = _total(wanted, limit)
    longest = max(wanted, key=lambda it: needed_seconds(_load(it, limit, SHORTEST_WINDOW_S)))
    load = _load(longest, limit, SHORTEST_WINDOW_S)
    why = f"one of {load.sessions} sessions takes {needed_seconds(load):.1f} s"
    if load.threads == "per-session" and longest.times.is_free and _may_crowd(longest):
        why += f", as {_rounds(longest)} take {ROUNDS * _round(longest):g} s"
    cases = "1 case takes" if len(wanted) == 1 else f"{len(wanted)} cases take"
    return (
        f"{cases} at least {math.ceil(least_s)} s ({why}), and the budget is {budget_s:g} s: write "
        f"--budget {budget_for(least_s)}s, or choose less"
    )


def _notes(wanted: list[Wanted], loads: list[contract.SessionLoad]) -> list[str]:
    """That sessions take turns, and what it needs for a thread each."""
    turned = [
        it
        for it, load in zip(wanted, loads, strict=True)
        if load.threads == "per-cpu" and it.threads is None
    ]
    if not turned:
        return []
    worst = max(turned, key=lambda it: it.per_cpu)
    own = [msgspec.structs.replace(it, threads="per-session") for it in turned]
    kept = [it for it in wanted if it not in turned]
    counts = " and ".join(map(str, sorted({it.load.sessions for it in turned})))
    return [
        f"{counts} sessions take turns on a thread for each CPU: {_rounds(worst)} would take "
        f"{ROUNDS * _round(worst):g} s; for a thread each write --threads per-session --budget "
        f"{budget_for(_total(kept + own, math.inf))}s"
    ]


def _may_crowd(it: Wanted) -> bool:
    """Whether rounds of its threads are what a window is long for."""
    return _round(it) * ROUNDS > SHORTEST_WINDOW_S


def _rounds(it: Wanted) -> str:
    cpus = len(it.load.cpus)
    return (
        f"{ROUNDS} scheduler rounds of {it.load.sessions} threads × {1e3 * SLICE_S:g} ms / "
        f"{cpus} {'CPU' if cpus == 1 else 'CPUs'}"
    )


def budget_for(first_attempts_s: float) -> int:
    """Whole seconds in which there is time for repeated ones too."""
    return math.ceil(first_attempts_s / FIRST_SHARE)
