"""A host that `ssh box` reaches, by an sshd of the test's own, for workers of a cluster."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine_fixture import PACKAGE
from fleet_fixture import SECONDS

SSHD = shutil.which("sshd") or "/usr/sbin/sshd"

SERVER = """
Port {port}
ListenAddress 127.0.0.1
HostKey {folder}/host
AuthorizedKeysFile {folder}/user.pub
PidFile none
StrictModes no
UsePAM no
"""
CLIENT = """
Host box stranger
  HostName 127.0.0.1
  Port {port}
  IdentityFile {folder}/user
  IdentitiesOnly yes
  UserKnownHostsFile {folder}/known
  GlobalKnownHostsFile /dev/null
Host stranger
  HostKeyAlias stranger
"""


@pytest.fixture
def worker_host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of an sshd that `ssh box` reaches, and a Python there that has ciphermark."""
    programs = ("ssh", "ssh-keygen")
    if not (os.access(SSHD, os.X_OK) and all(map(shutil.which, programs))):
        pytest.skip("there is no OpenSSH: apt-get install openssh-server openssh-client")
    for name in ("host", "user"):
        making = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(tmp_path / name)]
        subprocess.run(making, check=True)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    (tmp_path / "sshd").write_text(SERVER.format(port=port, folder=tmp_path))
    (tmp_path / "client").write_text(CLIENT.format(port=port, folder=tmp_path))
    key = (tmp_path / "host.pub").read_text()
    (tmp_path / "known").write_text(f"[127.0.0.1]:{port} {key}")
    (tmp_path / "bin").mkdir()
    _script(tmp_path / "bin/ssh", f'exec {shutil.which("ssh")} -F {tmp_path}/client "$@"')
    told = f"PYTHONPATH={PACKAGE} CIPHERMARK_ENGINE={os.environ.get('CIPHERMARK_ENGINE', '')}"
    _script(tmp_path / "python", f'{told} exec {sys.executable} "$@"')
    _script(tmp_path / "bare-python", f'PATH=/nowhere {told} exec {sys.executable} "$@"')
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:{os.environ['PATH']}")
    Path("/run/sshd").mkdir(exist_ok=True) if os.getuid() == 0 else None
    with (tmp_path / "log").open("wb") as log:
        server = subprocess.Popen([SSHD, "-D", "-e", "-f", str(tmp_path / "sshd")], stderr=log)
    try:
        _wait_for_port(port)
        yield tmp_path
    finally:
        server.terminate()
        server.wait(timeout=SECONDS)


def wait_for_no_worker() -> None:
    """Until nothing of it is left on the host."""
    until = time.monotonic() + SECONDS
    while left := _workers():
        assert time.monotonic() < until, f"still running: {left}"
        time.sleep(0.05)


def _workers() -> list[str]:
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if b"ciphermark.farm.ssh" in path.read_bytes().split(b"\0"):
                found.append(path.parent.name)
        except OSError:
            continue
    return found


def _script(path: Path, line: str) -> None:
    path.write_text(f"#!/bin/sh\n{line}\n")
    path.chmod(0o755)


def _wait_for_port(port: int) -> None:
    until = time.monotonic() + SECONDS
    while True:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        assert time.monotonic() < until, "sshd did not start"
        time.sleep(0.05)
