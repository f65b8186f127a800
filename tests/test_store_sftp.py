"""Runs over SFTP: a real server on this machine, and a host whose key is not known."""

from __future__ import annotations

import getpass
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from ciphermark.analyse.rows import rows, rows_table
from ciphermark.errors import WorkError
from ciphermark.record.store import Store
from synthetic import synthetic_cases, synthetic_run

SSHD = shutil.which("sshd", path="/usr/sbin:/usr/local/sbin:/usr/bin")

pytestmark = pytest.mark.skipif(SSHD is None, reason="no sshd: apt-get install openssh-server")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder with a key in it, and the caches."""
    pytest.importorskip("paramiko", reason="paramiko is not installed")
    home = tmp_path / "home"
    (home / ".ssh").mkdir(parents=True)
    for name in (home / ".ssh" / "id_ed25519", tmp_path / "host"):
        made = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(name)]
        subprocess.run(made, check=True, timeout=30)
    for name in ("HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME"):
        monkeypatch.setenv(name, str(home))
    monkeypatch.delenv("SSH_AUTH_SOCK", raising=False)
    return home


@pytest.fixture
def port(home: Path, tmp_path: Path) -> Iterator[int]:
    """An SSH server on a port of the loopback, which takes the key."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    config = tmp_path / "sshd_config"
    config.write_text(
        f"ListenAddress 127.0.0.1:{port}\nHostKey {tmp_path}/host\nPidFile none\nUsePAM no\n"
        f"AuthorizedKeysFile {home}/.ssh/id_ed25519.pub\nStrictModes no\n"
        "PermitRootLogin yes\nPasswordAuthentication no\nSubsystem sftp internal-sftp\n"
    )
    if getpass.getuser() == "root":
        Path("/run/sshd").mkdir(exist_ok=True)
    command = [SSHD, "-D", "-e", "-f", str(config)]
    with (tmp_path / "sshd.log").open("w") as log:
        server = subprocess.Popen(command, stderr=log)
    try:
        _wait_for(port, server, tmp_path / "sshd.log")
        yield port
    finally:
        server.terminate()
        server.wait(timeout=10)


def _wait_for(port: int, server: subprocess.Popen, log: Path) -> None:
    for _ in range(100):
        if server.poll() is not None:
            pytest.skip(f"sshd cannot run here: {log.read_text().strip()}")
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    pytest.skip("sshd did not answer within 5 s")


def address(port: int, tmp_path: Path) -> str:
    return f"sftp://{getpass.getuser()}@127.0.0.1:{port}{tmp_path}/shared"


def test_a_run_comes_back_over_sftp(home: Path, port: int, tmp_path: Path) -> None:
    key = (tmp_path / "host.pub").read_text()
    (home / ".ssh" / "known_hosts").write_text(f"[127.0.0.1]:{port} {key}")
    store = Store.default(address(port, tmp_path))
    store.check_writable()
    run = synthetic_run(synthetic_cases(["sha256"]), rounds=6)
    store.save(run, rows_table(rows(run)))
    assert sorted(it.name for it in (tmp_path / "shared").iterdir()) == [run.context.run]
    assert not list((tmp_path / "shared").rglob(".new-*"))
    shutil.rmtree(store.root)
    assert [it.run for it in store.summaries()] == [run.context.run]
    assert store.load(store.resolve("last")).cases == run.cases


@pytest.mark.parametrize("known", ["", "of another key"])
def test_a_host_that_is_not_known_is_not_spoken_to(
    home: Path, port: int, tmp_path: Path, known: str
) -> None:
    if known:
        key = (home / ".ssh" / "id_ed25519.pub").read_text()
        (home / ".ssh" / "known_hosts").write_text(f"[127.0.0.1]:{port} {key}")
    store = Store.default(address(port, tmp_path))
    with pytest.raises(WorkError) as refusal:
        store.run_ids()
    assert "host key is not known" in str(refusal.value)
    assert f"127.0.0.1:{port}" in str(refusal.value)
