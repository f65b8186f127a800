"""Servers on the loopback that runs are shared by: OpenSSH's for SFTP, and one that speaks S3."""

from __future__ import annotations

import getpass
import secrets
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

SSHD = shutil.which("sshd", path="/usr/sbin:/usr/local/sbin:/usr/bin")

BUCKET = "ciphermark"


class SftpServer(NamedTuple):
    """An SSH server that takes the key of `home`."""

    home: Path
    port: int
    key: str
    """Its own, as known hosts have it."""

    def address(self, folder: Path) -> str:
        return f"sftp://{getpass.getuser()}@127.0.0.1:{self.port}{folder}"

    def known(self, key: str | None) -> None:
        """Makes OpenSSH know this key of the server, or none."""
        line = f"[127.0.0.1]:{self.port} {key}" if key else ""
        (self.home / ".ssh" / "known_hosts").write_text(line)


@pytest.fixture(scope="session")
def sftp_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SftpServer]:
    """An SSH server on a port of the loopback."""
    if SSHD is None:
        pytest.skip("no sshd: apt-get install openssh-server")
    pytest.importorskip("paramiko", reason="paramiko is not installed")
    folder = tmp_path_factory.mktemp("sftp")
    home = folder / "home"
    (home / ".ssh").mkdir(parents=True)
    for name in (home / ".ssh" / "id_ed25519", folder / "host"):
        made = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(name)]
        subprocess.run(made, check=True, timeout=30)
    port = _free_port()
    config = folder / "sshd_config"
    config.write_text(
        f"ListenAddress 127.0.0.1:{port}\nHostKey {folder}/host\nPidFile none\nUsePAM no\n"
        f"AuthorizedKeysFile {home}/.ssh/id_ed25519.pub\nStrictModes no\n"
        "PermitRootLogin yes\nPasswordAuthentication no\nSubsystem sftp internal-sftp\n"
    )
    if getpass.getuser() == "root":
        Path("/run/sshd").mkdir(exist_ok=True)
    log = folder / "sshd.log"
    with log.open("w") as said:
        server = subprocess.Popen([SSHD, "-D", "-e", "-f", str(config)], stderr=said)
    try:
        _wait_for(port, server, log)
        yield SftpServer(home, port, (folder / "host.pub").read_text())
    finally:
        server.terminate()
        server.wait(timeout=10)


@pytest.fixture
def sftp(sftp_server: SftpServer, monkeypatch: pytest.MonkeyPatch) -> SftpServer:
    """The server, whose key this user's OpenSSH knows."""
    monkeypatch.setenv("HOME", str(sftp_server.home))
    monkeypatch.delenv("SSH_AUTH_SOCK", raising=False)
    sftp_server.known(sftp_server.key)
    return sftp_server


@pytest.fixture(scope="session")
def s3_server() -> Iterator[str]:
    """The endpoint of a server on the loopback that answers as S3 does."""
    pytest.importorskip("s3fs", reason="s3fs is not installed: pip install s3fs")
    missing = "no server for S3: pip install 'moto[s3]' flask flask-cors"
    server = pytest.importorskip("moto.server", reason=missing).ThreadedMotoServer(
        "127.0.0.1", port=0, verbose=False
    )
    server.start()
    yield "http://{}:{}".format(*server.get_host_and_port())
    server.stop()


@pytest.fixture
def s3(s3_server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """An address on that server, in a bucket that is there, by the variables that people set."""
    import s3fs

    for name in ("AWS_PROFILE", "AWS_SESSION_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    settings = {
        "AWS_ENDPOINT_URL": s3_server,
        "AWS_ACCESS_KEY_ID": "someone",
        "AWS_SECRET_ACCESS_KEY": "geheim",
        "AWS_CONFIG_FILE": str(tmp_path / "none"),
        "AWS_SHARED_CREDENTIALS_FILE": str(tmp_path / "none"),
        "AWS_EC2_METADATA_DISABLED": "true",
    }
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    # They are kept by address, and those of another test had other variables.
    s3fs.S3FileSystem.clear_instance_cache()
    s3fs.S3FileSystem().makedirs(BUCKET, exist_ok=True)
    return f"s3://{BUCKET}/{secrets.token_hex(4)}/runs"


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def _wait_for(port: int, server: subprocess.Popen, log: Path) -> None:
    for _ in range(100):
        if server.poll() is not None:
            pytest.skip(f"sshd cannot run here: {log.read_text().strip()}")
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    pytest.skip("sshd did not answer within 5 s")
