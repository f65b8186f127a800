"""What a plan must know of the machine that it is for, and sets of its CPUs by what people type:
`0`, `0-3`, `0,2`, `physical`, `smt`, `all`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

import msgspec

from ciphermark.errors import UsageError
from ciphermark.plan import names

SWEPT = 8
"""Numbers of CPUs up to here are all gone through; beyond, each doubling tells as much."""

_HELP = "write CPUs such as 0, 0-3 or 0,2, or physical, smt or all"

HALVES = ("first-half", "second-half")
"""Of the allowed CPUs, for plans that cannot know their numbers; the second of one CPU is empty."""


class Cpus(msgspec.Struct, frozen=True, kw_only=True):
    """The logical CPUs that this process may run on."""

    allowed: list[int]
    cores: list[list[int]] = []
    """The same by physical core; empty where the kernel does not tell."""

    @property
    def in_turn(self) -> list[int]:
        """One CPU of each core, then the second ones, and so on: as a machine is best filled."""
        cores = self.cores or [[cpu] for cpu in self.allowed]
        most = max(len(core) for core in cores)
        return [core[place] for place in range(most) for core in cores if place < len(core)]

    def first(self, count: int) -> list[int]:
        """So many CPUs, on as many cores as there are."""
        return sorted(self.in_turn[:count])


def numbers_up_to(cpus: int) -> list[int]:
    """Numbers of CPUs from one to all."""
    beyond = [SWEPT << step for step in range(1, 16)]
    return sorted({*range(1, min(cpus, SWEPT) + 1), *(it for it in beyond if it < cpus), cpus})


def resolve(text: str, cpus: Cpus, option: str = "--cpus") -> list[int]:
    """The CPUs of a set, ascending; UsageError, which names the option, where one is not there or
    not allowed."""
    kind = text.strip().lower()
    if kind in KINDS:
        return KINDS[kind](cpus)
    found = sorted({cpu for part in names.split(text) for cpu in _numbers(part, text, option)})
    if not found:
        raise UsageError(f"{option} {text!r} names nothing: {_HELP}")
    missing = [cpu for cpu in found if cpu not in cpus.allowed]
    if missing:
        what, verb = ("CPUs", "are") if len(missing) > 1 else ("CPU", "is")
        raise UsageError(
            f"{what} {listed(missing)} {verb} not there or not allowed to this process; allowed: "
            f"{listed(cpus.allowed)}"
        )
    return found


def within(cpus: Cpus, chosen: list[int]) -> Cpus:
    """The same machine with these CPUs alone."""
    cores = [[cpu for cpu in core if cpu in chosen] for core in cpus.cores]
    return Cpus(allowed=chosen, cores=[core for core in cores if core])


def half(text: str, cpus: Cpus) -> list[int]:
    """One of `HALVES`: with an odd number the first is larger. CPUs of one core stay together."""
    every = [cpu for core in cpus.cores or [[cpu] for cpu in cpus.allowed] for cpu in core]
    middle = -(-len(every) // 2)
    return sorted(every[:middle] if text == HALVES[0] else every[middle:])


def listed(cpus: Iterable[int]) -> str:
    """CPUs in a few words: `0-3,6`."""
    runs: list[list[int]] = []
    for cpu in sorted(cpus):
        if runs and runs[-1][-1] == cpu - 1:
            runs[-1].append(cpu)
        else:
            runs.append([cpu])
    return ",".join(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs)


def _all(cpus: Cpus) -> list[int]:
    return sorted(cpus.allowed)


def _physical(cpus: Cpus) -> list[int]:
    """One logical CPU of each core."""
    return sorted(core[0] for core in _cores(cpus, "physical"))


def _siblings(cpus: Cpus) -> list[int]:
    """All logical CPUs of the first core that has several."""
    several = [core for core in _cores(cpus, "smt") if len(core) > 1]
    if not several:
        raise UsageError(
            "--cpus smt needs a core with several logical CPUs, and each of the "
            f"{len(cpus.cores)} allowed here has one: write --cpus physical or all"
        )
    return sorted(several[0])


def _cores(cpus: Cpus, name: str) -> list[list[int]]:
    if not cpus.cores:
        raise UsageError(
            f"--cpus {name} is unknown here, as the kernel does not tell which CPUs share a "
            f"core: write the CPUs themselves, of {listed(cpus.allowed)}"
        )
    return cpus.cores


KINDS: dict[str, Callable[[Cpus], list[int]]] = {
    "all": _all,
    "physical": _physical,
    "smt": _siblings,
}
"""Sets by a name, which some machines do not have."""


def _numbers(part: str, text: str, option: str) -> range:
    match = re.fullmatch(r"(\d{1,5})(?:\s*-\s*(\d{1,5}))?", part)
    if match is None:
        raise UsageError(f"{option} {text!r} is no set of CPUs: {_HELP}")
    first, last = int(match[1]), int(match[2] or match[1])
    if last < first:
        raise UsageError(f"{option} {text!r} begins with the higher: write {last}-{first}")
    return range(first, last + 1)


MEMORY_SHARE = 0.8
"""Of the available memory; the rest is for the caches of the kernel."""


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """What this user may still have here."""

    threads: int
    threads_by: str
    """Whose limit it is: `ulimit -u`."""
    memory_bytes: int

    @property
    def room_bytes(self) -> int:
        """Memory that a plan may use."""
        return int(MEMORY_SHARE * self.memory_bytes)


class Here(msgspec.Struct, frozen=True, kw_only=True):
    """The CPUs and the limits of this user on this machine."""

    cpus: Cpus
    limits: Limits
    may_bound_cpu: bool
    """Whether sessions can be given a quota of CPU time."""
    may_be_real_time: bool = False
    """Whether threads may go before all others."""


def mebibytes(count: int) -> str:
    """A number of bytes for people."""
    return f"{count / 2**20:,.0f} MiB" if count >= 10 << 20 else f"{count / 2**20:.2f} MiB"
