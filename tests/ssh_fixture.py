"""A box to measure on: a real sshd with keys and configuration of its own, in a network namespace
of its own, behind a slow line that can be cut."""

from __future__ import annotations

import contextlib
import getpass
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest

SSHD = Path("/usr/sbin/sshd")
PORT, RELAYED, PLAIN = 2222, 2223, 2224
"""Ports of a namespace that has nobody else: sshd's, the relay's, and one where nobody listens."""

DELAY_S, LOSS = 0.025, 0.01
"""Each way, so that an answer takes 50 ms longer; of packets."""

SSHD_CONFIG = """
Port {port}
ListenAddress 127.0.0.1
HostKey {folder}/host_key
AuthorizedKeysFile {folder}/key.pub
PidFile none
UsePAM no
StrictModes no
PasswordAuthentication no
KbdInteractiveAuthentication no
PermitRootLogin prohibit-password
SetEnv TMPDIR={temporary} {mark}
"""

SSH_CONFIG = """
Host box stranger unwelcome fast
    HostName 127.0.0.1
    User {user}
    Port {relayed}
    IdentityFile {folder}/key
    IdentitiesOnly yes
    UserKnownHostsFile {folder}/known
    GlobalKnownHostsFile /dev/null
    HostKeyAlias box
Host fast
    Port {port}
Host absent
    HostName 127.0.0.1
    Port {plain}
Host nameless
    HostName no-such-machine.invalid
"""


class Machine:
    """The box, and the folder with an `ssh` that reaches it."""

    def __init__(self, folder: Path) -> None:
        self.temporary = folder / "temporary"
        """Where the box puts everything: its TMPDIR."""
        self.programs = folder / "bin"
        self.cut = folder / "cut"
        """While it is there no connection is."""
        self._folder = folder
        self._mark = f"CIPHERMARK_BOX={uuid4()}"
        self._started: list[subprocess.Popen[str]] = []
        for it in (self.temporary, self.programs):
            it.mkdir()

    def start(self) -> None:
        """Makes keys and starts server and relay."""
        for name in ("host_key", "key", "other_key"):
            self._run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", self._folder / name)
        self.remember_host_key()
        self._write("sshd_config", SSHD_CONFIG, temporary=self.temporary, mark=self._mark)
        self._write("ssh_config", SSH_CONFIG)
        server = self._begin(
            *self._isolated(), SSHD, "-D", "-e", "-f", self._folder / "sshd_config"
        )
        self._wait_for(server, "listening")
        inside = ["nsenter", "-t", str(server.pid), "-n"] if os.getuid() == 0 else []
        has_netem = os.getuid() == 0 and self._slow_down(inside)
        delay, loss = (0, 0) if has_netem else (DELAY_S, LOSS)
        relay = Path(__file__).parent / "relay.py"
        ports = (RELAYED, PORT)
        self._wait_for(
            self._begin(*inside, sys.executable, relay, *ports, self.cut, delay, loss), "ready"
        )
        self._make_ssh(inside)

    @staticmethod
    def _isolated() -> list[str]:
        """Root has a namespace, where sshd finds the folder that it insists on."""
        if os.getuid() != 0:
            return []
        prepare = (
            'ip link set lo up && mount -t tmpfs tmpfs /run && mkdir -p /run/sshd && exec "$@"'
        )
        return ["unshare", "--net", "--mount", "sh", "-c", prepare, "sh"]

    def _slow_down(self, inside: list[str]) -> bool:
        """Whether the kernel itself delays and loses packets."""
        how = ("delay", f"{DELAY_S}s", "loss", f"{LOSS:.0%}")
        command = [*inside, "tc", "qdisc", "add", "dev", "lo", "root", "netem", *how]
        return subprocess.run(command, capture_output=True, check=False).returncode == 0

    def _make_ssh(self, inside: list[str]) -> None:
        words = [*inside, shutil.which("ssh"), "-F", str(self._folder / "ssh_config")]
        program = self.programs / "ssh"
        program.write_text(f'#!/bin/sh\nexec {" ".join(map(str, words))} "$@"\n')
        program.chmod(0o755)

    def remember_host_key(self) -> None:
        key = (self._folder / "host_key.pub").read_text()
        (self._folder / "known").write_text(f"box {key}")

    def refuse_key(self) -> None:
        """The key is another than the one that is let in."""
        shutil.copy(self._folder / "other_key", self._folder / "key")

    def forget_host_key(self, other: bool = False) -> None:
        """The machine is not known any more, or by another key."""
        key = (self._folder / "other_key.pub").read_text()
        (self._folder / "known").write_text(f"box {key}" if other else "")

    def processes(self) -> list[int]:
        """What runs on the box, but for sshd itself."""
        mark = self._mark.encode()
        found = []
        for path in Path("/proc").glob("[0-9]*/environ"):
            with contextlib.suppress(OSError):
                if mark in path.read_bytes().split(b"\0"):
                    found.append(int(path.parent.name))
        return found

    def wait_until_clean(self, seconds: float = 15) -> None:
        """Fails when a process or a file is left after so many seconds."""
        deadline = time.monotonic() + seconds
        while left := [*self.processes(), *self.temporary.iterdir()]:
            assert time.monotonic() < deadline, f"left on the box: {left}"
            time.sleep(0.05)

    def stop(self) -> None:
        for process in (*self.processes(), *(it.pid for it in reversed(self._started))):
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, 9)
        for it in self._started:
            it.wait()

    def _begin(self, *command: object) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        self._started.append(process)
        return process

    @staticmethod
    def _wait_for(process: subprocess.Popen[str], word: str) -> None:
        assert process.stdout is not None
        said = ""
        while line := process.stdout.readline():
            said += line
            if word in line:
                return
        pytest.skip(f"{process.args[0]} does not run here: {said.strip()}")  # type: ignore[index]

    @staticmethod
    def _run(*command: object) -> None:
        subprocess.run(list(map(str, command)), check=True, capture_output=True)

    def _write(self, name: str, text: str, **more: object) -> None:
        ports = {"port": PORT, "relayed": RELAYED, "plain": PLAIN}
        told = {"folder": self._folder, "user": getpass.getuser(), **ports, **more}
        (self._folder / name).write_text(text.format(**told))


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Machine]:
    """A box that `box` names, while a test runs."""
    for needed in (SSHD, "ssh", "ssh-keygen"):
        if shutil.which(needed) is None:
            pytest.skip(f"there is no {needed} here (Debian: apt install openssh-server)")
    folder = tmp_path / "box"
    folder.mkdir()
    machine = Machine(folder)
    try:
        machine.start()
        monkeypatch.setenv("PATH", f"{machine.programs}:{os.environ['PATH']}")
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
        yield machine
    finally:
        machine.stop()
