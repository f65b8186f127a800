"""`ciphermark fleet --hosts`: workers that are started over SSH, by an sshd of the test's own."""

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

from engine_fixture import FEW, PACKAGE, Command
from fleet_fixture import SECONDS

pytest.importorskip("distributed", reason="Dask is not installed: pip install 'ciphermark[fleet]'")

SSHD = shutil.which("sshd") or "/usr/sbin/sshd"
pytestmark = pytest.mark.skipif(
    not (os.access(SSHD, os.X_OK) and shutil.which("ssh") and shutil.which("ssh-keygen")),
    reason="there is no OpenSSH: apt-get install openssh-server openssh-client",
)

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
def box(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of an sshd that `ssh box` reaches, and a Python there that has ciphermark."""
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


@pytest.mark.engine
def test_a_host_is_measured_and_nothing_is_left_there(box: Path, command: Command) -> None:
    (box / "hosts").write_text(f"# boards\nbox python={box}/python\nstranger\n")
    # A newcomer's CPUs may be busy with this very test.
    done = command("fleet", "run", "--hosts", box / "hosts", *FEW, "--even-unfit", "--json")
    assert done.output, done.messages
    (machine,) = done.document["machines"]
    assert machine["state"] == "done" and len(machine["runs"]) == 1, done.messages
    assert command.only_run().run == machine["runs"][0]
    (line,) = [it for it in done.messages.splitlines() if "stranger: " in it]
    assert "Host key verification failed" in line
    _wait_for_no_worker(box)


def _wait_for_no_worker(box: Path) -> None:
    until = time.monotonic() + SECONDS
    while left := _workers():
        assert time.monotonic() < until, f"still running: {left}"
        time.sleep(0.05)


def _workers() -> list[str]:
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if b"ciphermark.measure.farm.host_worker" in path.read_bytes().split(b"\0"):
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
