"""A box to measure on: a real sshd in a network namespace of its own, behind a slow line that can
be cut."""

from __future__ import annotations

import getpass
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from ciphermark.run.remote import client
from ssh_server import SSHD, Server, end, started, wait_for

PORT, RELAYED, PLAIN, OTHER = 2222, 2223, 2224, 2225
"""Ports of a namespace that has nobody else: sshd's, the relay's, one where nobody listens, and
that of a second machine."""

DELAY_S, LOSS = 0.025, 0.01
"""Each way, so that an answer takes 50 ms longer; of packets."""

SSH_CONFIG = """
Host fast
    Port {port}
Host behind
    Port {other}
    User guest
    ProxyJump box
Host other
    Port {other}
Host box
    Port {box}
Host box fast behind other
    HostName 127.0.0.1
    User {user}
    IdentityFile {folder}/key
    IdentitiesOnly yes
    UserKnownHostsFile {folder}/known
    GlobalKnownHostsFile /dev/null
    HostKeyAlias box
Host absent
    HostName 127.0.0.1
    Port {plain}
Host nameless
    HostName no-such-machine.invalid
"""


class Machine(Server):
    """The box, and the folder with an `ssh` that reaches it."""

    def __init__(self, folder: Path) -> None:
        for name in ("host_key", "key", "other_key"):
            words = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / name)]
            subprocess.run(words, check=True, capture_output=True)
        super().__init__(folder / "box", PORT, folder / "host_key", folder / "key.pub")
        self.programs = folder / "bin"
        self.cut = folder / "cut"
        """While it is there no connection is."""
        self._keys = folder
        self._relay: subprocess.Popen[str] | None = None
        self._others: list[Server] = []
        self.programs.mkdir()

    def begin(self) -> None:
        """Starts server and relay."""
        self.remember_host_key()
        self.lead_to(RELAYED)
        self.start(["unshare", "--net"] if os.getuid() == 0 else [], ["ip link set lo up"])
        inside = self.enter("--net")
        has_netem = os.getuid() == 0 and self._slow_down(inside)
        delay, loss = (0, 0) if has_netem else (DELAY_S, LOSS)
        relay = Path(__file__).parent / "relay.py"
        words = (sys.executable, relay, RELAYED, PORT, self.cut, delay, loss)
        self._relay = started(*inside, *words)
        wait_for(self._relay, "ready")
        self._make_ssh(inside)

    def begin_other(self, name: str, steps: Iterable[str] = (), apart: bool = False) -> Server:
        """A second machine, with the same host key; only root can give it a name of its own."""
        if os.getuid() != 0:
            pytest.skip("only root makes a second machine, with a name and users of its own")
        keys = self._keys / "host_key", self._keys / "key.pub"
        other = Server(self._keys / name, OTHER, *keys)
        self._others.append(other)
        other.start(self.enter("--net"), [f"hostname {name}", *steps], apart)
        return other

    def lead_to(self, port: int) -> None:
        """The name `box` is that of the machine at this port from now on."""
        told = {"port": PORT, "plain": PLAIN, "other": OTHER, "box": port}
        text = SSH_CONFIG.format(folder=self._keys, user=getpass.getuser(), **told)
        (self._keys / "ssh_config").write_text(text)

    @staticmethod
    def _slow_down(inside: list[str]) -> bool:
        """Whether the kernel itself delays and loses packets."""
        how = ("delay", f"{DELAY_S}s", "loss", f"{LOSS:.0%}")
        command = [*inside, "tc", "qdisc", "add", "dev", "lo", "root", "netem", *how]
        return subprocess.run(command, capture_output=True, check=False).returncode == 0

    def _make_ssh(self, inside: list[str]) -> None:
        words = [*inside, shutil.which("ssh"), "-F", str(self._keys / "ssh_config")]
        program = self.programs / "ssh"
        program.write_text(f'#!/bin/sh\nexec {" ".join(map(str, words))} "$@"\n')
        program.chmod(0o755)

    def remember_host_key(self) -> None:
        key = (self._keys / "host_key.pub").read_text()
        (self._keys / "known").write_text(f"box {key}")

    def refuse_key(self) -> None:
        """The key is another than the one that is let in."""
        shutil.copy(self._keys / "other_key", self._keys / "key")

    def forget_host_key(self, other: bool = False) -> None:
        """The machine is not known any more, or by another key."""
        key = (self._keys / "other_key.pub").read_text()
        (self._keys / "known").write_text(f"box {key}" if other else "")

    def stop(self) -> None:
        for it in self._others:
            it.stop()
        super().stop()
        if self._relay is not None:
            end(self._relay)


def of_a_guest(shell: str) -> tuple[str, ...]:
    """Steps that have a server run as a user who has no home folder, and let in nobody else."""
    return (
        "chown -R 65533 /run/box",
        f"echo guest:NP:65533:65533::/nonexistent:{shell} >/run/passwd",
        "mount --bind /run/passwd /etc/passwd",
        'exec setpriv --reuid 65533 --regid 65533 --clear-groups -- "$@"',
    )


def left_here(process: int) -> list[Path]:
    """What a process, or this one, has left of its connections where it runs itself."""
    return list(Path("/tmp").glob(f"ciphermark-ssh-{process}-*"))


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Machine]:
    """A box that `box` names, while a test runs."""
    for needed in (SSHD, "ssh", "ssh-keygen"):
        if shutil.which(needed) is None:
            pytest.skip(f"there is no {needed} here (Debian: apt install openssh-server)")
    folder = tmp_path / "ssh"
    folder.mkdir()
    machine = Machine(folder)
    try:
        machine.begin()
        monkeypatch.setenv("PATH", f"{machine.programs}:{os.environ['PATH']}")
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
        yield machine
        assert left_here(os.getpid()) == []
    finally:
        machine.stop()
        # What commands have left that a test has killed.
        shutil.rmtree(client.private_folder())
