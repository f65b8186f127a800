"""How many sessions run at once, where, and how: the table `[sessions]` of a plan."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Annotated, Literal

import msgspec

from ciphermark import contract
from ciphermark.errors import UsageError
from ciphermark.plan import cpu_sets
from ciphermark.plan.cpu_sets import Cpus
from ciphermark.plan.offloads import device_cpus, is_done_by

MOST_SESSIONS = 1_000_000
MOST_SECONDS = 86_400
MOST_ATTEMPTS = 10

USUAL_NICE = 19
"""The lowest priority: a thousand threads must not lock the user out."""

NO_QUOTA = (
    "a quota of CPU time needs a control group that this user may write: leave out --quota, or run "
    "as root"
)
ONE_KEY = "left out, a shared context has one key: patterns that set it for each message"
KEPT_KEYS = (
    "left out, a device keeps its keys and takes whole messages: offloaded key setups and patterns "
    "but reused-key"
)

Seconds = Annotated[float, msgspec.Meta(ge=0, le=MOST_SECONDS)]
Attempts = Annotated[int, msgspec.Meta(ge=1, le=MOST_ATTEMPTS)]
Above0 = Annotated[float, msgspec.Meta(gt=0)]


class Times(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """When a case starts, is measured and ends, seconds; what is absent is planned."""

    duration_s: Annotated[float, msgspec.Meta(gt=0, le=MOST_SECONDS)] | None = None
    """Execution time t."""
    window_s: tuple[Seconds, Seconds] | None = None
    """[t1, t2] within it."""

    @property
    def is_free(self) -> bool:
        """Whether they are to be planned."""
        return self.duration_s is None and self.window_s is None

    def check(self) -> None:
        """Refuses a window that is empty or outside the execution."""
        if self.window_s is None:
            return
        opens, closes = self.window_s
        if opens >= closes:
            raise UsageError(
                f"--window {opens:g}s-{closes:g}s is empty: write the earlier time first, for "
                f"example {min(opens, closes):g}s-{max(opens, closes) + 1:g}s"
            )
        if self.duration_s is not None and closes > self.duration_s:
            raise UsageError(
                f"--window {opens:g}s-{closes:g}s ends after the execution of "
                f"{self.duration_s:g} s: write --duration {closes:g}s"
            )


class Loads(Times, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the cases of a part run under: one for each combination of what is listed."""

    sessions: tuple[
        Annotated[int, msgspec.Meta(ge=1, le=MOST_SESSIONS)] | Literal["per-cpu"], ...
    ] = (100,)
    """`per-cpu`: one for each CPU that they run on."""
    cpus: tuple[str, ...] = ()
    """Sets of CPUs; all where neither this nor `cores` says otherwise."""
    cores: tuple[Annotated[int, msgspec.Meta(ge=1)], ...] | Literal["each"] = ()
    """The first so many CPUs, on different cores while there are some; numbers that a machine does
    not have are left out. `each` goes from one to all."""
    placement: tuple[contract.Placement, ...] = ("free",)
    threads: contract.Threads | None = None
    """Absent: a thread for each session where there is time for that."""
    contexts: tuple[contract.Contexts, ...] = ("own",)
    life_s: tuple[Above0, Above0] | None = None
    """Shortest and longest life of a session."""
    offered_per_s: tuple[Above0, ...] = ()
    policy: tuple[contract.Policy, ...] = ("other",)
    nice: tuple[Annotated[int, msgspec.Meta(ge=-20, le=19)], ...] = (USUAL_NICE,)
    quota_cpus: tuple[Above0, ...] = ()
    neighbours: tuple[Annotated[int, msgspec.Meta(ge=0)], ...] = (0,)
    offload: tuple[contract.Offload, ...] = ("none",)
    offload_cpus: str | None = None
    """The CPUs that are the device `cores`; absent: those that run no sessions."""
    attempts: Attempts = 3
    look_ms: Above0 | None = None
    """Absent: a hundred looks, at least every second."""


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
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


class Combined(msgspec.Struct):
    """All combinations, and what of them is left out, one sentence each."""

    wanted: list[Wanted]
    left_out: list[str]


def wanted(loads: Loads, cpus: Cpus) -> Combined:
    """Every combination that there is here; raises UsageError for CPUs that are not there, empty
    windows, and what would stop the machine."""
    loads.check()
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
    combined = Combined([], [])
    for offload, load in product(loads.offload, _loads(loads, sets)):
        found = _wanted(loads, offload, load, cpus)
        if why := _without_device(found, cpus):
            combined.left_out.append(why)
        else:
            combined.wanted.append(found)
    return combined


def _wanted(
    loads: Loads, offload: contract.Offload, load: contract.SessionLoad, cpus: Cpus
) -> Wanted:
    found = Wanted(
        load=load,
        times=Times(duration_s=loads.duration_s, window_s=loads.window_s),
        threads="per-session" if load.contexts == "shared" else loads.threads,
        look_ms=loads.look_ms,
        offload=offload,
        offload_cpus=device_cpus(offload, loads.offload_cpus, load.cpus, cpus),
    )
    # On a common thread one session at a time would have work at the device.
    apart = found.threads or ("per-session" if found.sleeps else None)
    return msgspec.structs.replace(found, threads=apart)


def _without_device(it: Wanted, cpus: Cpus) -> str | None:
    """Why there is no CPU that could be the device; None where that is not so."""
    if it.offload != "cores":
        return None
    sessions, device = cpu_sets.listed(it.load.cpus), cpu_sets.listed(it.offload_cpus)
    if not it.offload_cpus:
        return (
            f"the offload cores has no CPU left where {sessions} run sessions: write for example "
            f"--cpus {cpus.allowed[0]} --offload-cpus {cpus.allowed[-1]}"
        )
    if set(it.offload_cpus) & set(it.load.cpus):
        return (
            f"the offload cores needs CPUs of its own, and its {device} are among the {sessions} "
            "that run sessions: leave out --offload-cpus, or name fewer --cpus"
        )
    return None


def _sets(loads: Loads, cpus: Cpus) -> list[list[int]]:
    """The sets of CPUs, each once."""
    every = cpu_sets.numbers_up_to(len(cpus.allowed))
    counts = every if loads.cores == "each" else loads.cores
    found = [cpus.first(count) for count in counts if count <= len(cpus.allowed)]
    found += [cpu_sets.resolve(text, cpus) for text in loads.cpus]
    if not found:
        if loads.cores:
            raise UsageError(
                f"there are {len(cpus.allowed)} CPUs and none of --cores {loads.cores}: write at "
                f"most --cores {len(cpus.allowed)}"
            )
        found = [cpu_sets.resolve("all", cpus)]
    return [list(it) for it in dict.fromkeys(map(tuple, found))]


def _loads(loads: Loads, sets: list[list[int]]) -> Iterator[contract.SessionLoad]:
    """Sessions change quickest, so that a curve over them is measured in one piece."""
    combined = product(
        loads.contexts,
        loads.placement,
        loads.policy,
        loads.nice,
        loads.quota_cpus or (None,),
        loads.neighbours,
        loads.offered_per_s or (None,),
        sets,
        dict.fromkeys(loads.sessions),
    )
    life = loads.life_s and contract.Life(
        shortest_ms=1e3 * min(loads.life_s), longest_ms=1e3 * max(loads.life_s)
    )
    for contexts, placement, policy, nice, quota, neighbours, offered, cpus, sessions in combined:
        yield contract.SessionLoad(
            sessions=len(cpus) if sessions == "per-cpu" else sessions,
            cpus=cpus,
            placement=placement,
            contexts=contexts,
            execution_ms=0,
            opens_ms=0,
            closes_ms=0,
            life=life,
            offered_per_s=offered,
            policy=policy,
            nice=nice,
            quota_cpus=quota,
            neighbours=neighbours,
            look_ms=0,
            most_attempts=loads.attempts,
        )
