"""An sshd with keys and a configuration of its own, and what is left of what it was asked to do."""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import subprocess
import time
from collections.abc import Iterable
from pathlib import Path
from uuid import uuid4

import pytest

SSHD = Path("/usr/sbin/sshd")

INSIDE = "/run/box"
"""Where a server in a namespace has its folder, since those above it may be closed to its user."""

CONFIG = """
Port {port}
ListenAddress 127.0.0.1
HostKey {inside}/host_key
AuthorizedKeysFile {inside}/authorized
PidFile none
UsePAM no
StrictModes no
PasswordAuthentication no
KbdInteractiveAuthentication no
PermitRootLogin prohibit-password
SetEnv TMPDIR={inside}/temporary "PATH={inside}/first:{path}" {mark}
"""

NAMESPACE = (
    "mount -t tmpfs -o mode=755 tmpfs /run",
    "mkdir -p /run/sshd /run/box",
    'mount --bind "$FOLDER" /run/box',
)
"""What root does first: sshd insists on the one folder."""

WAITING = 'while [ "$(id -u)" != 0 ]; do sleep 0.02; done; exec "$@"'
WITH_USERS = ("unshare", "--user", "sh", "-c", WAITING, "sh")
"""In a namespace of users, once those are mapped."""


class Server:
    """One machine that can be logged in to."""

    def __init__(self, folder: Path, port: int, host_key: Path, authorized: Path) -> None:
        self.folder, self.port = folder, port
        self.temporary = folder / "temporary"
        """Where the machine puts everything: its TMPDIR."""
        self.first = folder / "first"
        """Programs that come first on its PATH."""
        self.mark = f"CIPHERMARK_BOX={uuid4()}"
        self.pid = 0
        self._process: subprocess.Popen[str] | None = None
        for it in (folder, self.temporary, self.first):
            it.mkdir(exist_ok=True)
        shutil.copy(host_key, folder / "host_key")
        shutil.copy(authorized, folder / "authorized")

    def start(
        self, before: Iterable[str] = (), steps: Iterable[str] = (), apart: bool = False
    ) -> None:
        """Starts it: for root in a namespace of mounts, or of users too if that is to be `apart`,
        by a command that comes `before`, after `steps` of a shell there."""
        inside = INSIDE if os.getuid() == 0 else str(self.folder)
        told = {"port": self.port, "inside": inside, "path": os.environ["PATH"], "mark": self.mark}
        (self.folder / "sshd_config").write_text(CONFIG.format(**told))
        words = [str(SSHD), "-D", "-e", "-f", f"{inside}/sshd_config"]
        if os.getuid() == 0:
            script = " && ".join((*NAMESPACE, *steps))
            words = [
                "unshare",
                "--mount",
                "--uts",
                "sh",
                "-c",
                f'{script} && exec "$@"',
                "sh",
                *words,
            ]
        words = [*before, *(WITH_USERS if apart else ()), *words]
        self._process = started(*words, FOLDER=str(self.folder))
        self.pid = self._process.pid
        if apart:
            self._map_users()
        wait_for(self._process, "listening")

    def _map_users(self) -> None:
        """Gives a new namespace the users that there are, which it waits for."""
        own = os.readlink("/proc/self/ns/user")
        deadline = time.monotonic() + 10
        while os.readlink(f"/proc/{self.pid}/ns/user") == own:
            assert time.monotonic() < deadline
            time.sleep(0.01)
        for name in ("gid_map", "uid_map"):
            Path(f"/proc/{self.pid}", name).write_text("0 0 65536")

    def enter(self, *namespaces: str) -> list[str]:
        """A command before another one, which runs there; for root."""
        return ["nsenter", "-t", str(self.pid), *namespaces] if os.getuid() == 0 else []

    def do(self, *steps: str) -> None:
        """Has root there take steps of a shell."""
        words = [*self.enter("--mount"), "sh", "-ec", "\n".join(steps)]
        subprocess.run(words, check=True, capture_output=True)

    def stand_in(self, program: str, script: str) -> None:
        """Puts a program first on the PATH."""
        path = self.first / program
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)

    def says_uname(self, **answers: str) -> None:
        """Has `uname -X` print other answers, for options of one letter."""
        cases = "".join(f"-{it}) echo {shlex.quote(text)};; " for it, text in answers.items())
        self.stand_in("uname", f'case $1 in {cases}*) exec {shutil.which("uname")} "$@";; esac')

    def processes(self) -> list[int]:
        """What runs on the machine, but for sshd itself."""
        mark = self.mark.encode()
        found = []
        for path in Path("/proc").glob("[0-9]*/environ"):
            with contextlib.suppress(OSError):
                if mark in path.read_bytes().split(b"\0"):
                    found.append(int(path.parent.name))
        return found

    def files(self) -> list[Path]:
        """What lies in its folder for temporary files, as it sees that."""
        own = Path(f"/proc/{self.pid}/root{INSIDE}/temporary")
        return list((own if os.getuid() == 0 else self.temporary).iterdir())

    def wait_until_clean(self, seconds: float = 15) -> None:
        """Fails when a process or a file is left after so many seconds."""
        deadline = time.monotonic() + seconds
        while left := [*self.processes(), *self.files()]:
            assert time.monotonic() < deadline, f"left on the box: {left}"
            time.sleep(0.05)

    def stop(self) -> None:
        for process in self.processes():
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, 9)
        if self._process is not None:
            end(self._process)


def started(*command: object, **environment: str) -> subprocess.Popen[str]:
    """A process whose words can be waited for."""
    return subprocess.Popen(
        list(map(str, command)),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=os.environ | environment,
    )


def wait_for(process: subprocess.Popen[str], word: str) -> None:
    """Until it says so; skips where it ends instead."""
    assert process.stdout is not None
    said = ""
    while line := process.stdout.readline():
        said += line
        if word in line:
            return
    pytest.skip(f"{process.args[0]} does not run here: {said.strip()}")  # type: ignore[index]


def end(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.wait()
