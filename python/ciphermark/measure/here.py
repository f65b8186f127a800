"""The CPUs and the limits of this user on this machine, as the engine and the kernel tell them."""

from __future__ import annotations

import os
import resource
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from ciphermark.measure import control_groups
from ciphermark.measure.engine import Engine
from ciphermark.plan.cpu_sets import Cpus
from ciphermark.plan.here import Here, Limits

UNLIMITED = 1 << 62


def here(engine: Engine) -> Here:
    """What plans of many sessions are made for."""
    state = engine.environment().state
    cpus = Cpus(allowed=state.cpus_allowed, cores=state.core_cpus)
    return Here(cpus=cpus, limits=engine.limits(), may_bound_cpu=engine.may_bound_cpu())


class Account(NamedTuple):
    """Who measures."""

    user: int
    most_processes: int | None
    """By RLIMIT_NPROC; None where that has no bound."""


def account() -> Account:
    """Of this process."""
    limit, _ = resource.getrlimit(resource.RLIMIT_NPROC)
    return Account(os.getuid(), None if limit == resource.RLIM_INFINITY else limit)


def limits(root: Path = control_groups.ROOT, who: Account | None = None) -> Limits:
    """The narrowest limit of threads, and the memory that is available."""
    proc = root / "proc"
    left = [_by_user(proc, who or account()), _by_kernel(proc), *_by_groups(root)]
    threads, threads_by = min(left)
    return Limits(
        threads=max(0, threads),
        threads_by=threads_by,
        memory_bytes=min([_available(proc), *_memory_of_groups(root)]),
    )


def _by_user(proc: Path, who: Account) -> tuple[int, str]:
    """RLIMIT_NPROC, which binds everybody but root, less the threads that the user has."""
    if who.user == 0 or who.most_processes is None:
        return UNLIMITED, "ulimit -u"
    return who.most_processes - sum(_threads_of(proc, who.user)), "ulimit -u"


def _threads_of(proc: Path, user: int) -> Iterator[int]:
    for status in proc.glob("[0-9]*/status"):
        fields = _fields(status)
        if fields.get("Uid", "").split()[:1] == [str(user)]:
            yield int(fields.get("Threads", "0"))


def _by_kernel(proc: Path) -> tuple[int, str]:
    """Both limits count the threads of everybody; the fourth field of loadavg has their number."""
    there = int(_text(proc / "loadavg").split()[3].partition("/")[2] or 0)
    names = ("threads-max", "pid_max")
    found = [(_number(_text(proc / "sys/kernel" / name)), f"kernel.{name}") for name in names]
    limit, name = min(found)
    return limit - there, name


def _by_groups(root: Path) -> Iterator[tuple[int, str]]:
    group = control_groups.of("pids", root)
    for folder in group.with_parents() if group else ():
        limit = _number(_text(folder / "pids.max"))
        yield limit - _number(_text(folder / "pids.current"), 0), f"pids.max of {folder}"


def _available(proc: Path) -> int:
    """Bytes that programs can have without swapping, by the kernel's own estimate."""
    kibibytes = _fields(proc / "meminfo").get("MemAvailable", "").split()
    return 1024 * int(kibibytes[0]) if kibibytes else UNLIMITED


def _memory_of_groups(root: Path) -> Iterator[int]:
    group = control_groups.of("memory", root)
    if group is None:
        return
    files = ("max", "current") if group.unified else ("limit_in_bytes", "usage_in_bytes")
    for folder in group.with_parents():
        limit, used = (_text(folder / f"memory.{name}") for name in files)
        yield _number(limit) - _number(used, 0)


def _fields(path: Path) -> dict[str, str]:
    """`Name: value` by line."""
    pairs = (line.partition(":") for line in _text(path).splitlines())
    return {name: value.strip() for name, _, value in pairs}


def _number(text: str, absent: int = UNLIMITED) -> int:
    """`max` and what cannot be read are no limit."""
    return int(text) if text.strip().isdigit() else absent


def _text(path: Path) -> str:
    """Empty where there is no such file, or its process has ended meanwhile."""
    try:
        return path.read_text()
    except OSError:
        return ""
