"""Plans of many sessions: which sessions run at once, where and how, how long, whether each gets a
thread, and whether they fit here.

The kernel gives CPU time in pieces of about 4 ms, so a round in which each of n threads on c CPUs
gets one takes n · 4 ms / c, and shares are even to a few percent after some 20 rounds. Where a
budget has no room for these, sessions take turns on one thread for each CPU.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product
from typing import TYPE_CHECKING, Any

import msgspec

from ciphermark import contract
from ciphermark.errors import UsageError
from ciphermark.plan import cpu_sets, offloads
from ciphermark.plan import working as loading
from ciphermark.plan.cpu_sets import Cpus, Here, Limits, mebibytes
from ciphermark.plan.loads import SessionLoads, Times
from ciphermark.plan.offloads import device_cpus, is_done_by
from ciphermark.plan.planfile import Part
from ciphermark.plan.selection import Selection
from ciphermark.plan.working import Placed, Working

if TYPE_CHECKING:
    pass


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
"""Share of the budget for first attempts; the rest is for repeated ones."""

LOOKS = 100
"""Looks at the whole while it runs; steady state is judged by them."""

LONGEST_LOOK_MS = 1000


class Timed(msgspec.Struct):
    """Loads with their times, in the order of the wanted combinations."""

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
    """Returns the wall time of one execution with the start of its sessions, seconds."""
    return START_S + START_SESSION_S * load.sessions + load.execution_ms / 1e3


def round_seconds(sessions: int, cpus: int) -> float:
    """Returns the seconds in which every thread runs once on a CPU."""
    return sessions * SLICE_S / cpus


def _may_share(it: Wanted) -> bool:
    """Returns whether sessions on common threads would need less time."""
    return it.threads is None and _may_crowd(it)


def _threads(it: Wanted, limit: float) -> contract.Threads:
    """Returns how sessions use threads: crowds take turns on one for each CPU.

    A crowd has `limit` sessions or more on a CPU, or a wanted window too short for its rounds.
    """
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
    """Returns the load with its times; its window is at least `window_s`."""
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
    """Returns the window [t1, t2]: as wanted, else as the rounds of the threads need."""
    if it.times.window_s is not None:
        return it.times.window_s
    opens_s = max(WARM_UP_S, WARM_UP_ROUNDS * round_s)
    if it.times.duration_s is None:
        return opens_s, opens_s + max(window_s, ROUNDS * round_s)
    # A tenth of a short execution is warm-up enough; its end is a tail as long.
    whole_s = it.times.duration_s
    return min(opens_s, whole_s / 4), whole_s - min(TAIL_S, whole_s / 10)


def _round(it: Wanted) -> float:
    """Returns seconds per scheduler round; 0 if sessions sleep."""
    if it.sleeps:
        return 0.0
    return round_seconds(it.load.sessions, len(it.load.cpus))


def _ms(seconds: float) -> float:
    """Returns milliseconds, rounded to the microsecond, so that a plan can be read."""
    return round(1e3 * seconds, 3)


def _too_long(wanted: list[Wanted], limit: float, budget_s: float) -> str:
    """Returns why a budget is too short, with the arithmetic."""
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
    """Returns the note that sessions take turns, and the budget for a thread each."""
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
    """Returns whether rounds of its threads determine the length of a window."""
    return _round(it) * ROUNDS > SHORTEST_WINDOW_S


def _rounds(it: Wanted) -> str:
    cpus = len(it.load.cpus)
    return (
        f"{ROUNDS} scheduler rounds of {it.load.sessions} threads × {1e3 * SLICE_S:g} ms / "
        f"{cpus} {'CPU' if cpus == 1 else 'CPUs'}"
    )


def budget_for(first_attempts_s: float) -> int:
    """Returns whole seconds that leave time for repeated attempts too."""
    return math.ceil(first_attempts_s / FIRST_SHARE)


NO_QUOTA = (
    "a quota of CPU time needs a control group that this user may write: leave out --quota, or run "
    "as root"
)
ONE_KEY = "left out, a shared context has one key: patterns that set it for each message"
KEPT_KEYS = (
    "left out, a device keeps its keys and takes whole messages: offloaded key setups and patterns "
    "but reused-key"
)

SPARE_THREADS = 16
"""Threads that are left for the engine itself and for other programs of the user."""

STACK_BYTES = 64 << 10
"""Stack and latencies of a thread, as far as they are used."""

TURN_BYTES = 8 << 10
"""Context and place in the turns of a session without a thread of its own."""


class Wanted(loading.Wanted, frozen=True, kw_only=True):
    """One of these combinations, with its CPUs; its times and its threads are still open."""

    load: contract.SessionLoad
    times: Times
    threads: contract.Threads | None
    look_ms: float | None
    offload: contract.Offload
    offload_cpus: list[int]

    def suits(self, case: contract.Case) -> bool:
        """Returns whether a case can run under this load."""
        return is_done_by(self.offload, case.provider) and self.refusal(case) is None

    def refusal(self, case: contract.Case) -> str | None:
        """Returns why a case cannot be called under this load, or None.

        A shared context has one key, which no message may set again; so has a device.
        """
        keeps_key = case.pattern == "reused-key" and case.operation != "setup"
        if self.offload != "none" and not keeps_key:
            return KEPT_KEYS
        shares_key = case.pattern == "reused-key" and case.keys == 1
        return None if self.load.contexts == "own" or shares_key else ONE_KEY

    @property
    def sleeps(self) -> bool:
        """Returns whether sessions leave the CPU to others while their work is done.

        AF_ALG does work without hardware on the CPU that calls.
        """
        return self.offload in ("cores", "opencl")

    @property
    def per_cpu(self) -> float:
        """Sessions on each CPU."""
        return self.load.sessions / len(self.load.cpus)


class SessionLoading(loading.Loading):
    """Rules by which sessions run."""

    def working(
        self,
        part: Part,
        selection: Selection,
        facts: contract.Description,
        algorithms: list[contract.Algorithm],
        here: Here | None,
    ) -> Working:
        """Returns the ways to run sessions and the impossible ones; open without `here`."""
        manner = loading.working(part, selection)
        if here is None:
            return manner
        loads = msgspec.structs.replace(part.sessions, **selection.loads)
        if loads.quota_cpus and not here.may_bound_cpu:
            if "quota_cpus" in selection.loads:
                raise UsageError(NO_QUOTA)
            manner.wanted, manner.left_out = [], [NO_QUOTA]
            return manner
        lacking: list[str] = []
        if "cpus" not in selection.loads:
            loads, lacking = _that_are_here(loads, here.cpus)
            if lacking and not loads.cpus and not loads.cores:
                manner.wanted, manner.left_out = [], lacking
                return manner
        combined, left_out = wanted(loads, here.cpus)
        absent = offloads.absent(loads.offload, {algorithm.name for algorithm in algorithms}, facts)
        manner.wanted, manner.left_out = [*combined], lacking + absent + left_out
        return manner

    def placed(
        self,
        cases: list[tuple[contract.Case, loading.Wanted | None]],
        budget_s: float,
        selection: Selection,
        keyless: set[str],
        seed: int,
        here: Here,
    ) -> Placed:
        """Gives each case its load; raises UsageError where they do not fit.

        A time for each case without a budget sets the budget to the time needed.
        """
        ways = [how for _, how in cases if isinstance(how, Wanted)]
        takes_its_time = selection.budget_s is None and not all(how.times.is_free for how in ways)
        times = timed(ways, math.inf if takes_its_time else budget_s)
        loaded = [
            msgspec.structs.replace(
                case, sessions=load, offload=how.offload, offload_cpus=how.offload_cpus
            )
            for (case, _), how, load in zip(cases, ways, times.loads, strict=True)
        ]
        check(loaded, here.limits)
        if takes_its_time:
            budget_s = max(budget_s, budget_for(times.needed_s))
        return Placed(loaded, budget_s, times.notes)

    def seconds(self, case: contract.Case) -> float:
        """Returns the wall time of a case, of first attempts alone."""
        return needed_seconds(load_of(case))


def _that_are_here(loads: SessionLoads, cpus: Cpus) -> tuple[SessionLoads, list[str]]:
    """Returns the loads with the kinds of CPUs present, and reasons for missing ones."""
    kept, lacking = [], []
    for text in loads.cpus:
        try:
            cpu_sets.resolve(text, cpus)
        except UsageError as error:
            if text not in cpu_sets.KINDS:
                raise
            lacking.append(str(error))
        else:
            kept.append(text)
    return msgspec.structs.replace(loads, cpus=tuple(kept)), lacking


def wanted(loads: SessionLoads, cpus: Cpus) -> tuple[list[Wanted], list[str]]:
    """Returns every possible combination here, and reasons for the others.

    Raises UsageError for absent CPUs, empty windows, and loads that would stop the machine.
    """
    _check_times(loads)
    if loads.threads == "per-cpu" and "shared" in loads.contexts:
        raise UsageError(
            "sessions that share a context need threads of their own: leave out --threads per-cpu"
        )
    sets = _sets(loads, cpus)
    if "round-robin" in loads.policy and any(set(it) == set(cpus.allowed) for it in sets):
        raise UsageError(
            "real-time sessions on all CPUs would stop the machine: leave a CPU free, for "
            f"example with --cpus {cpus.allowed[0]}"
        )
    combined = [
        _wanted(loads, offload, load, cpus)
        for offload, load in product(loads.offload, _loads(loads, sets))
    ]
    reasons = [_without_device(how, cpus) for how in combined]
    possible = [how for how, why in zip(combined, reasons, strict=True) if why is None]
    return possible, [why for why in reasons if why is not None]


def _wanted(
    loads: SessionLoads, offload: contract.Offload, load: contract.SessionLoad, cpus: Cpus
) -> Wanted:
    how = Wanted(
        load=load,
        times=Times(duration_s=loads.duration_s, window_s=loads.window_s),
        threads="per-session" if load.contexts == "shared" else loads.threads,
        look_ms=loads.look_ms,
        offload=offload,
        offload_cpus=device_cpus(offload, loads.offload_cpus, load.cpus, cpus),
    )
    # On a common thread one session at a time would have work at the device.
    apart = how.threads or ("per-session" if how.sleeps else None)
    return msgspec.structs.replace(how, threads=apart)


def _without_device(how: Wanted, cpus: Cpus) -> str | None:
    """Returns why no CPU is left to be the device, or None."""
    if how.offload != "cores":
        return None
    sessions, device = cpu_sets.listed(how.load.cpus), cpu_sets.listed(how.offload_cpus)
    if not how.offload_cpus:
        return (
            f"the offload cores has no CPU left where {sessions} run sessions: write for example "
            f"--cpus {cpus.allowed[0]} --offload-cpus {cpus.allowed[-1]}"
        )
    if set(how.offload_cpus) & set(how.load.cpus):
        return (
            f"the offload cores needs CPUs of its own, and its {device} are among the {sessions} "
            "that run sessions: leave out --offload-cpus, or name fewer --cpus"
        )
    return None


def _sets(loads: SessionLoads, cpus: Cpus) -> list[list[int]]:
    """Returns the sets of CPUs, each once."""
    every = cpu_sets.numbers_up_to(len(cpus.allowed))
    counts = every if loads.cores == "each" else loads.cores
    sets = [cpus.first(count) for count in counts if count <= len(cpus.allowed)]
    sets += [cpu_sets.resolve(text, cpus) for text in loads.cpus]
    if not sets:
        if loads.cores:
            raise UsageError(
                f"there are {len(cpus.allowed)} CPUs and none of --cores {loads.cores}: write at "
                f"most --cores {len(cpus.allowed)}"
            )
        sets = [cpu_sets.resolve("all", cpus)]
    return [list(fromkey) for fromkey in dict.fromkeys(map(tuple, sets))]


def _loads(loads: SessionLoads, sets: list[list[int]]) -> Iterator[contract.SessionLoad]:
    """Sessions change quickest, so that a curve over them is measured in one piece."""
    axes = {
        "contexts": loads.contexts,
        "placement": loads.placement,
        "policy": loads.policy,
        "nice": loads.nice,
        "quota_cpus": loads.quota_cpus or (None,),
        "neighbours": loads.neighbours,
        "offered_per_s": loads.offered_per_s or (None,),
        "cpus": sets,
        "sessions": dict.fromkeys(loads.sessions),
    }
    life = loads.life_s and contract.Life(
        shortest_ms=1e3 * min(loads.life_s), longest_ms=1e3 * max(loads.life_s)
    )
    for values in product(*axes.values()):
        chosen: dict[str, Any] = dict(zip(axes, values, strict=True))
        if chosen["sessions"] == "per-cpu":
            chosen["sessions"] = len(chosen["cpus"])
        yield contract.SessionLoad(
            execution_ms=0,
            opens_ms=0,
            closes_ms=0,
            life=life,
            look_ms=0,
            most_attempts=loads.attempts,
            **chosen,
        )


def _check_times(times: Times) -> None:
    """Refuses a window that is empty or outside the execution."""
    if times.window_s is None:
        return
    opens, closes = times.window_s
    if opens >= closes:
        raise UsageError(
            f"--window {opens:g}s-{closes:g}s is empty: write the earlier time first, for "
            f"example {min(opens, closes):g}s-{max(opens, closes) + 1:g}s"
        )
    if times.duration_s is not None and closes > times.duration_s:
        raise UsageError(
            f"--window {opens:g}s-{closes:g}s ends after the execution of "
            f"{times.duration_s:g} s: write --duration {closes:g}s"
        )


def check(cases: list[contract.Case], limits: Limits) -> None:
    """Raises UsageError, with the arithmetic, where a case does not fit."""
    for case in cases:
        _check_threads(load_of(case), limits)
        _check_memory(case, load_of(case), limits)


def load_of(case: contract.Case) -> contract.SessionLoad:
    """Returns the load of a case that has sessions."""
    assert case.sessions is not None
    return case.sessions


def session_bytes(case: contract.Case, load: contract.SessionLoad) -> int:
    """Returns the memory of one session, bytes: message, answer and stack.

    With `cores` as offload, message and answer exist once more on their way to other CPUs.
    """
    longest = max(case.lengths, default=case.message_bytes or 0)
    copies = 4 if case.offload == "cores" else 2
    return copies * longest + (STACK_BYTES if load.threads == "per-session" else TURN_BYTES)


def _check_threads(load: contract.SessionLoad, limits: Limits) -> None:
    own = load.sessions if load.threads == "per-session" else len(load.cpus)
    needed = own + load.neighbours + SPARE_THREADS
    if needed > limits.threads:
        most = max(1, limits.threads - load.neighbours - SPARE_THREADS)
        raise UsageError(
            f"{load.sessions} sessions need {needed} threads ({SPARE_THREADS} of them to spare), "
            f"and {limits.threads_by} leaves {limits.threads}: write at most --sessions {most}, or "
            "--threads per-cpu"
        )


def _check_memory(case: contract.Case, load: contract.SessionLoad, limits: Limits) -> None:
    each = session_bytes(case, load)
    room = limits.room_bytes
    if each * load.sessions > room:
        raise UsageError(
            f"{load.sessions} sessions of {case.algorithm} need about "
            f"{mebibytes(each * load.sessions)} ({mebibytes(each)} each: message, answer and "
            f"{'stack' if load.threads == 'per-session' else 'context'}), and "
            f"{mebibytes(room)} of the memory may be used: write at most --sessions "
            f"{max(1, room // each)}, or shorter --sizes"
        )
