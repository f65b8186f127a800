"""This machine and this user on it, as the engine and the kernel tell them: its name, CPUs, limits,
and the control groups of this process, of both versions (cgroups(7))."""

from __future__ import annotations

import hashlib
import os
import re
import resource
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ciphermark.plan.cpu_sets import Cpus, Here, Limits

if TYPE_CHECKING:
    from ciphermark.run.engine import Engine

ROOT = Path("/")


class Group(NamedTuple):
    """Where the files of a controller are."""

    folder: Path
    mount: Path
    unified: bool
    """Version 2, in which all controllers share a folder."""

    def with_parents(self) -> Iterator[Path]:
        """This group and those that it is in, each of which may limit it."""
        yield self.folder
        for parent in self.folder.parents:
            if parent.is_relative_to(self.mount):
                yield parent


def group_of(controller: str, root: Path = ROOT) -> Group | None:
    """The group that a controller has this process in; None where there is none."""
    groups = [line.split(":", 2)[1:] for line in _lines(root / "proc/self/cgroup")]
    own = {name: path for names, path in groups for name in names.split(",")}
    for name, kind in ((controller, "cgroup"), ("", "cgroup2")):
        mount = _mount(root, kind, name)
        if name in own and mount is not None:
            inside, point = mount
            below = own[name].removeprefix(inside.rstrip("/"))
            place = root / point.lstrip("/")
            return Group(place / below.lstrip("/"), place, unified=not name)
    return None


def may_bound_cpu(root: Path = ROOT) -> bool:
    """Whether this user may give a group of processes a quota of CPU time.

    Of version 1 it is tried, since permissions alone do not tell of a root without privileges;
    version 2 would have to be changed for that.
    """
    group = group_of("cpu", root)
    if group is None:
        return False
    if group.unified:
        files = ("cgroup.subtree_control", "cgroup.procs")
        return all(os.access(group.folder / name, os.W_OK) for name in files)
    probe = group.folder / f"ciphermark-probe-{uuid.uuid4().hex[:8]}"
    try:
        probe.mkdir()
        probe.rmdir()
    except OSError:
        return False
    return True


CAP_SYS_NICE = 1 << 23
"""capabilities(7), by its number in linux/capability.h."""


def may_be_real_time(root: Path = ROOT) -> bool:
    """Whether threads of this user may be scheduled before all others (sched(7)): by a capability
    or by a limit."""
    told = [*_lines(root / "proc/self/status"), *_lines(root / "proc/self/limits")]
    capabilities = next((line.split()[1] for line in told if line.startswith("CapEff:")), "0")
    limit = next((it.split()[3] for it in told if it.startswith("Max realtime priority")), "0")
    return bool(int(capabilities, 16) & CAP_SYS_NICE) or limit != "0"


def _mount(root: Path, kind: str, controller: str) -> tuple[str, str] | None:
    """What of a hierarchy is mounted, and where: `… root mount-point … - type source options`."""
    for line in _lines(root / "proc/self/mountinfo"):
        place, _, what = line.partition(" - ")
        fields = what.split()
        if fields[:1] == [kind] and (not controller or controller in fields[-1].split(",")):
            inside, point = place.split()[3:5]
            return inside, point
    return None


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text().splitlines()
    except OSError:
        return []


_SALT = b"ciphermark machine"
_FILES = ("etc/machine-id", "var/lib/dbus/machine-id")


def machine_id(root: Path = Path("/")) -> str | None:
    """The `machine_id` of runs that were measured here, as `environment/identity.rs` makes it; None
    where the installation has no id, and the engine makes one of other things."""
    for file in _FILES:
        try:
            text = (root / file).read_text().strip()
        except (OSError, UnicodeDecodeError):
            continue
        if re.fullmatch(r"[0-9a-fA-F]{32}", text):
            return hashlib.sha256(_SALT + text.encode()).digest()[:8].hex()
    return None


UNLIMITED = 1 << 62


def here(engine: Engine) -> Here:
    """What plans of many sessions are made for."""
    state = engine.environment().state
    cpus = Cpus(allowed=state.cpus_allowed, cores=state.core_cpus)
    return Here(
        cpus=cpus,
        limits=engine.limits(),
        may_bound_cpu=engine.may_bound_cpu(),
        may_be_real_time=engine.may_be_real_time(),
    )


class Account(NamedTuple):
    """Who measures."""

    user: int
    most_processes: int | None
    """By RLIMIT_NPROC; None where that has no bound."""


def account() -> Account:
    """Of this process."""
    limit, _ = resource.getrlimit(resource.RLIMIT_NPROC)
    return Account(os.getuid(), None if limit == resource.RLIM_INFINITY else limit)


def limits(root: Path = ROOT, who: Account | None = None) -> Limits:
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
    group = group_of("pids", root)
    for folder in group.with_parents() if group else ():
        limit = _number(_text(folder / "pids.max"))
        yield limit - _number(_text(folder / "pids.current"), 0), f"pids.max of {folder}"


def _available(proc: Path) -> int:
    """Bytes that programs can have without swapping, by the kernel's own estimate."""
    kibibytes = _fields(proc / "meminfo").get("MemAvailable", "").split()
    return 1024 * int(kibibytes[0]) if kibibytes else UNLIMITED


def _memory_of_groups(root: Path) -> Iterator[int]:
    group = group_of("memory", root)
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
