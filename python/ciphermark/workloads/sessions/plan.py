"""Plans of many sessions: which sessions run at once, where and how, and whether they fit here."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product
from typing import Any

import msgspec

from ciphermark import contract
from ciphermark.errors import UsageError
from ciphermark.plan import cpu_sets, offloads
from ciphermark.plan import working as loading
from ciphermark.plan.cpu_sets import Cpus
from ciphermark.plan.here import Here, Limits, mebibytes
from ciphermark.plan.loads import SessionLoads, Times
from ciphermark.plan.offloads import device_cpus, is_done_by
from ciphermark.plan.planfile import Part
from ciphermark.plan.selection import Selection
from ciphermark.plan.working import Placed, Working
from ciphermark.workloads.sessions import times

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
"""For the engine itself and for what else the user starts meanwhile."""

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
        """Whether a case can run so."""
        return is_done_by(self.offload, case.provider) and self.refusal(case) is None

    def refusal(self, case: contract.Case) -> str | None:
        """Why a case cannot be called so, whoever does its work: a context that all share has one
        key, which no message may set anew, and so has a device."""
        keeps_key = case.pattern == "reused-key" and case.operation != "setup"
        if self.offload != "none" and not keeps_key:
            return KEPT_KEYS
        shares_key = case.pattern == "reused-key" and case.keys == 1
        return None if self.load.contexts == "own" or shares_key else ONE_KEY

    @property
    def sleeps(self) -> bool:
        """Whether its sessions leave the CPU to others while their work is done; AF_ALG does what
        no hardware does on the CPU that calls."""
        return self.offload in ("cores", "opencl")

    @property
    def per_cpu(self) -> float:
        """Sessions on each CPU."""
        return self.load.sessions / len(self.load.cpus)


class SessionLoading(loading.Loading):
    """How sessions run."""

    def working(
        self,
        part: Part,
        selection: Selection,
        facts: contract.Description,
        algorithms: list[contract.Algorithm],
        here: Here | None,
    ) -> Working:
        """How sessions run, and what cannot be; without `here` that is left open."""
        way = loading.working(part, selection)
        if here is None:
            return way
        loads = msgspec.structs.replace(part.sessions, **selection.loads)
        if loads.quota_cpus and not here.may_bound_cpu:
            if "quota_cpus" in selection.loads:
                raise UsageError(NO_QUOTA)
            way.wanted, way.left_out = [], [NO_QUOTA]
            return way
        combined, left_out = wanted(loads, here.cpus)
        absent = offloads.absent(loads.offload, {it.name for it in algorithms}, facts)
        way.wanted, way.left_out = [*combined], absent + left_out
        return way

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

        Who says how long a case runs and nothing of a budget gets the budget that it takes.
        """
        ways = [how for _, how in cases if isinstance(how, Wanted)]
        takes_its_time = selection.budget_s is None and not all(how.times.is_free for how in ways)
        timed = times.timed(ways, math.inf if takes_its_time else budget_s)
        loaded = [
            msgspec.structs.replace(
                case, sessions=load, offload=how.offload, offload_cpus=how.offload_cpus
            )
            for (case, _), how, load in zip(cases, ways, timed.loads, strict=True)
        ]
        check(loaded, here.limits)
        if takes_its_time:
            budget_s = max(budget_s, times.budget_for(timed.needed_s))
        return Placed(loaded, budget_s, timed.notes)

    def seconds(self, case: contract.Case) -> float:
        """Wall time of a case, of first attempts alone."""
        return times.needed_seconds(load_of(case))


def wanted(loads: SessionLoads, cpus: Cpus) -> tuple[list[Wanted], list[str]]:
    """Every combination that there is here, and what is left out, one sentence each; raises
    UsageError for CPUs that are not there, empty windows, and what would stop the machine."""
    _check_times(loads)
    if loads.threads == "per-cpu" and "shared" in loads.contexts:
        raise UsageError(
            "sessions that share a context need threads of their own: leave out --threads per-cpu"
        )
    sets = _sets(loads, cpus)
    if "round-robin" in loads.policy and any(set(it) == set(cpus.allowed) for it in sets):
        raise UsageError(
            "real-time sessions on all CPUs would stop the machine: leave one out, for example "
            f"with --cpus {cpus.allowed[0]}"
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
    """Why there is no CPU that could be the device; None where that is not so."""
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
    """The sets of CPUs, each once."""
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
    return [list(it) for it in dict.fromkeys(map(tuple, sets))]


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
    """Of a case that has sessions."""
    assert case.sessions is not None
    return case.sessions


def session_bytes(case: contract.Case, load: contract.SessionLoad) -> int:
    """Memory of one session: the message and the answer, once more on their way to other CPUs, and
    what it runs on."""
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
