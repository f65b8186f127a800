"""The control groups that this process is in, of both versions (cgroups(7))."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

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


def of(controller: str, root: Path = ROOT) -> Group | None:
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
    group = of("cpu", root)
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
