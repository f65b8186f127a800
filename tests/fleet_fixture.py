"""A Dask cluster of real processes whose workers are made-up machines, for `ciphermark fleet`."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import ciphermark
from ciphermark.farm import machine_lock
from ciphermark.record.store import Store
from tls_fixture import Authority

TESTS = Path(__file__).parent
PACKAGE = Path(ciphermark.__file__).parent.parent

SECONDS = 60
"""Nothing that is waited for takes a quarter of this."""

ASKED = (
    *("--algorithms", "aes-128-gcm,sha256", "--sizes", "64", "--operations", "seal,digest"),
    *("--providers", "openssl"),
)
"""Options of a short survey."""


class Farm:
    """A scheduler and its workers."""

    def __init__(self, logs: Path, preload: str = "", authority: Authority | None = None) -> None:
        self.logs = logs
        self._authority = authority
        port = _free_port()
        self.address = f"{'tls' if authority else 'tcp'}://127.0.0.1:{port}"
        self.processes: dict[str, subprocess.Popen[bytes]] = {}
        loading = ("--preload", str(TESTS / preload)) if preload else ()
        arguments = ("--host", "127.0.0.1", "--port", str(port), *loading)
        arguments += ("--dashboard-address", "127.0.0.1:0")
        if authority:
            arguments += ("--protocol", "tls", *authority.options("scheduler"))
        self._start("scheduler", "dask_scheduler", *arguments)
        wait_for(lambda: _listens(port), "the scheduler")

    def worker(self, machine: str, *, seconds: float = 0.0, trouble: str = "") -> None:
        """Starts a worker that is the machine of that name. A machine is measured by one process at
        a time, so files of tests, which run side by side, name different ones."""
        name = f"{machine}-{len(self.processes)}"
        told = {"FLEET_MACHINE": machine, "FLEET_SECONDS": str(seconds), "FLEET_TROUBLE": trouble}
        loading = ("--preload", str(TESTS / "fleet_worker.py"))
        arguments = ("--no-nanny", "--nthreads", "1", "--no-dashboard", "--name", name, *loading)
        if self._authority:
            arguments += self._authority.options("worker")
        self._start(name, "dask_worker", self.address, *arguments, **told)

    def this_machine(self, **environment: str) -> None:
        """Starts a worker as a user does, which measures by the installed engine."""
        arguments = ("--no-nanny", "--nthreads", "1", "--no-dashboard")
        self._start("here", "dask_worker", self.address, *arguments, **environment)

    def wait(self) -> None:
        """Until the scheduler knows all workers that were started."""
        from distributed import Client

        with Client(self.address, set_as_default=False) as client:
            client.wait_for_workers(len(self.processes) - 1, timeout=SECONDS)

    def send(self, pid: int, number: int) -> None:
        """Sends a signal to a process of this farm, and to no other."""
        assert pid in {process.pid for process in self.processes.values()}
        os.kill(pid, number)

    def end(self) -> None:
        """Ends all processes."""
        for process in self.processes.values():
            process.kill()
        for process in self.processes.values():
            process.wait(timeout=SECONDS)

    def _start(self, name: str, module: str, *arguments: str, **environment: str) -> None:
        paths = os.pathsep.join([str(PACKAGE), str(TESTS)])
        with (self.logs / f"{name}.log").open("wb") as log:
            self.processes[name] = subprocess.Popen(
                [sys.executable, "-m", f"distributed.cli.{module}", *arguments],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=os.environ | environment | {"PYTHONPATH": paths},
                cwd=self.logs,
            )


@contextmanager
def farm(logs: Path, preload: str = "", authority: Authority | None = None) -> Iterator[Farm]:
    """A farm that is ended with the block; it speaks TLS where its authority is given."""
    started = Farm(logs, preload, authority)
    try:
        yield started
    finally:
        started.end()


def made_up(machine: str) -> str:
    """Names a machine and its boot in runs and locks."""
    return f"made-up-{machine}"


def lock_file(machine: str) -> Path:
    """Returns the lock that a worker of that machine holds while it measures."""
    return machine_lock.FOLDER / f"ciphermark-measuring-{made_up(machine)}"


def wait_for_holder(machine: str) -> int:
    """The process that measures on a machine, when there is one."""
    file, found = lock_file(machine), []

    def measuring() -> bool:
        found[:] = [it.pid for it in [machine_lock._holder(file)] if it is not None]
        return bool(found) and not _free(file)

    wait_for(measuring, f"a measurement on {machine}")
    return found[0]


def stored_runs(runs: Path) -> Counter[str]:
    """Counts the runs of each machine in a store."""
    return Counter(it.machine_name.removeprefix("made-up-") for it in Store(runs).summaries())


def _free(file: Path) -> bool:
    import fcntl

    try:
        with file.open() as held:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except FileNotFoundError:
        return True
    return True


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def wait_for(there: Any, what: str) -> None:
    """Until a function says that something is there; `what`, if it does not come."""
    until = time.monotonic() + SECONDS
    while not there():
        assert time.monotonic() < until, f"{what} did not come"
        time.sleep(0.05)
