"""What plans may ask of a box: the kernel's files there, read as those here are."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterable
from pathlib import Path

from ciphermark.plan.cpu_sets import Limits
from ciphermark.run import here
from ciphermark.run.remote.connection import Connection

_FILES = (
    *("/proc/loadavg", "/proc/meminfo"),
    *("/proc/sys/kernel/threads-max", "/proc/sys/kernel/pid_max"),
    *("/proc/self/cgroup", "/proc/self/limits", "/proc/self/mountinfo", "/proc/self/status"),
)
_OF_GROUPS = {
    "pids": ("pids.max", "pids.current"),
    "memory": (
        *("memory.max", "memory.current"),
        *("memory.limit_in_bytes", "memory.usage_in_bytes"),
    ),
}
"""Files of both versions of control groups; what is not there is no limit."""


class Surroundings:
    """The limits of the user's account on a box, as they are when it is made."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            self._fetch(root, _FILES)
            self._fetch(root, _of_groups(root))
            who = self._account(root)
            if who.user != 0 and who.most_processes is not None:
                self._fetch_statuses(root)
            self.limits: Limits = here.limits(root, who)
            self.may_bound_cpu = self._may_bound_cpu(root)
            self.may_be_real_time = here.may_be_real_time(root)

    def _fetch(self, root: Path, files: Iterable[str]) -> None:
        """Copies files to their places below `root`."""
        given = "".join(f"{file}\n" for file in files)
        told = self._connection.ask("read_files", given=given.encode()).stdout
        for part in re.split(r"\n== ", told.decode("utf-8", "replace"))[1:]:
            name, _, content = part.partition("\n")
            _write(root, name, content)

    def _fetch_statuses(self, root: Path) -> None:
        """Of each process who has it, and how many threads that is."""
        lines = self._connection.ask("statuses").stdout.decode("utf-8", "replace").splitlines()
        told: dict[str, list[str]] = {}
        for file, _, line in (line.partition(":") for line in lines):
            told.setdefault(file, []).append(line)
        for file, found in told.items():
            _write(root, file, "\n".join(found))

    def _account(self, root: Path) -> here.Account:
        """`Max processes  LIMIT …` and the owner of a shell there."""
        text = (root / "proc/self/limits").read_text()
        found = re.search(r"^Max processes +(\S+)", text, re.MULTILINE)
        limit = int(found[1]) if found and found[1].isdigit() else None
        user = self._connection.ask("user").stdout.strip()
        return here.Account(int(user) if user.isdigit() else 0, limit)

    def _may_bound_cpu(self, root: Path) -> bool:
        """As `control_groups.may_bound_cpu` finds it out here."""
        group = here.group_of("cpu", root)
        if group is None:
            return False
        folder = Path("/", group.folder.relative_to(root))
        if group.unified:
            files = [folder / name for name in ("cgroup.subtree_control", "cgroup.procs")]
            given = "".join(f"{file}\n" for file in files)
            return self._connection.ask("may_write", given=given.encode()).returncode == 0
        given = f"{folder / 'ciphermark-probe'}\n"
        return self._connection.ask("may_make", given=given.encode()).returncode == 0


def _of_groups(root: Path) -> list[str]:
    """The files that limit what a shell there starts."""
    found = []
    for controller, names in _OF_GROUPS.items():
        group = here.group_of(controller, root)
        folders = group.with_parents() if group is not None else ()
        found += [f"/{it.relative_to(root) / name}" for it in folders for name in names]
    return found


def _write(root: Path, name: str, content: str) -> None:
    """A file that a box has told; none outside of `root`."""
    path = root / name.lstrip("/")
    if ".." in path.parts:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content)
