"""What `ciphermark fleet` refuses before anything is measured, each in one sentence."""

from __future__ import annotations

import os
import signal
import subprocess
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from ciphermark.errors import UsageError, WorkError
from ciphermark.farm import cluster, machine_lock, ssh
from ciphermark.farm.machine_lock import MachineBusy, held
from ciphermark.farm.tls import Tls, checked_address
from ciphermark.files.atomic import current_writer
from engine_fixture import Command
from fleet_fixture import farm

pytest.importorskip("distributed", reason="Dask is not installed: pip install 'ciphermark[fleet]'")


@pytest.fixture
def fleet(tmp_path: Path) -> Command:
    """The command, with a runs folder of its own and no engine."""
    return Command(tmp_path / "runs", tmp_path / "no-engine")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "words"),
    [
        ((), "no machines are named: write --scheduler ADDRESS, or --hosts FILE"),
        (("--hosts", "/nowhere", "--scheduler", "tcp://127.0.0.1:1"), "exclude each other"),
        (("--scheduler", "tcp://192.0.2.1:8786"), "beyond this machine and without TLS"),
        (("--scheduler", "192.0.2.1:8786"), "write --scheduler tls://192.0.2.1:8786"),
        (("--scheduler", "tls://192.0.2.1:8786"), "needs TLS: give --tls-ca FILE"),
        (("--scheduler", "farm"), "its port is missing"),
        (("--scheduler", "ucx://127.0.0.1:1"), "by tcp:// or tls://, not by ucx://"),
        (("--hosts", "/nowhere", "--tls-ca", "ca.pem"), "--tls-cert and --tls-key is missing"),
        (("--hosts", "/nowhere"), "the file of --hosts /nowhere cannot be read"),
        (("resume",), "type the command again that began the fleet, which goes on"),
    ],
)
def test_options_that_cannot_be(fleet: Command, options: tuple[str, ...], words: str) -> None:
    done = fleet("fleet", *options)
    assert done.code == 2
    assert words in done.sentence


@pytest.mark.slow
def test_a_scheduler_of_another_dask_is_named(fleet: Command, tmp_path: Path) -> None:
    with farm(tmp_path, "fleet_other_dask.py") as started:
        done = fleet("fleet", "--scheduler", started.address)
    assert done.code == 2
    assert f"the scheduler at {started.address} is of Dask 2020.1.0" in done.sentence
    assert "install the same version at both" in done.sentence


def test_hosts_that_cannot_be_had_are_not_waited_for(
    fleet: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ssh = tmp_path / "ssh"
    ssh.write_text("#!/bin/sh\necho 'ssh: Could not resolve hostname one' >&2\nexit 255\n")
    ssh.chmod(0o755)
    monkeypatch.setitem(fleet.environment, "PATH", f"{tmp_path}:{os.environ['PATH']}")
    (tmp_path / "hosts").write_text("one\n")
    done = fleet("fleet", "--hosts", tmp_path / "hosts")
    assert done.code == 2
    assert "ciphermark: one: ssh: Could not resolve hostname one" in done.messages
    last = done.messages.splitlines()[-1]
    assert last.startswith(f"ciphermark: none of 1 host of {tmp_path}/hosts over SSH has a worker")


def test_addresses_of_this_machine_need_no_tls() -> None:
    for address in ("tcp://127.0.0.1:8786", "tcp://[::1]:8786", "tcp://localhost:8786"):
        assert checked_address(address, Tls()) == address
    assert checked_address("127.0.0.1:8786", Tls()) == "tcp://127.0.0.1:8786"


def test_the_file_of_hosts(tmp_path: Path) -> None:
    file = tmp_path / "hosts"
    file.write_text("# all\n\nroot@one  # the first\ntwo python=/opt/python\n")
    assert ssh.read_hosts(file) == [ssh.Host("root@one"), ssh.Host("two", "/opt/python")]
    for text, words in [
        ("", "has no host"),
        ("one\none\n", "has one twice"),
        ("-oProxyCommand=x", "looks like an option of ssh"),
        ("one pyton=x", f"{file}:1: 'pyton=x' is not known"),
    ]:
        file.write_text(text)
        with pytest.raises(UsageError, match=words):
            ssh.read_hosts(file)


@pytest.mark.slow
def test_two_fleets_never_measure_on_one_machine(tmp_path: Path) -> None:
    with held("boot", "fleet first", tmp_path):
        with pytest.raises(MachineBusy, match="fleet first is measuring there"):
            with held("boot", "fleet second", tmp_path):
                pass
        with held("another", "fleet second", tmp_path):
            pass
    with held("boot", "fleet second", tmp_path):
        pass
    assert not list(tmp_path.iterdir())


def test_a_lock_is_not_taken_from_one_of_the_same_name_that_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ciphermark.farm.machine_lock._TRIES", 2)
    with held("boot", "fleet first", tmp_path):
        with pytest.raises(MachineBusy), held("boot", "fleet first", tmp_path):
            pass
        assert list(tmp_path.iterdir())


@pytest.mark.parametrize("planted", ["link", "dangling", "pipe", "hard link", "folder"])
def test_a_planted_name_is_neither_written_nor_waited_for(tmp_path: Path, planted: str) -> None:
    """Everybody may write to the folder of the lock."""
    mine = tmp_path / "mine"
    mine.write_text("a secret")
    name = tmp_path / "ciphermark-measuring-boot"
    match planted:
        case "link":
            name.symlink_to(mine)
        case "dangling":
            name.symlink_to(tmp_path / "new")
        case "pipe":
            os.mkfifo(name)
        case "hard link":
            os.link(mine, name)
        case _:
            name.mkdir()
    with pytest.raises(WorkError, match="remove it"), held("boot", "fleet first", tmp_path):
        pass
    assert mine.read_text() == "a secret"
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize(
    ("address", "is_open"),
    [
        ("tcp://192.0.2.1:8786", True),
        ("tcp://127.0.0.1:8786", False),
        ("tls://192.0.2.1:8786", False),
    ],
)
def test_a_scheduler_that_others_reach_has_tls(address: str, is_open: bool) -> None:
    client: Any = SimpleNamespace(scheduler_info=lambda n_workers: {"address": address})
    with pytest.raises(UsageError, match="without TLS") if is_open else nullcontext():
        cluster._check_scheduler(client, address)


def test_a_process_that_cannot_be_seen_is_not_taken_for_stopped() -> None:
    """Its number means another process here."""
    sleeper = subprocess.Popen(["sleep", "60"])
    try:
        os.kill(sleeper.pid, signal.SIGSTOP)
        os.waitid(os.P_PID, sleeper.pid, os.WSTOPPED | os.WNOWAIT)
        here = current_writer()._replace(pid=sleeper.pid)
        elsewhere = here._replace(space=f"{int(here.space, 16) ^ 1:016x}")
        stopped = [machine_lock._is_stopped(str(it)) for it in (here, elsewhere)]
        assert stopped == [True, False]
    finally:
        sleeper.kill()
        sleeper.wait()
