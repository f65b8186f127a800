"""Dask workers on other hosts, started and kept with OpenSSH's client.

Everything goes through the connection of `ssh`: the worker reaches the scheduler by a port of its
own loopback that is forwarded back, and is reached by one that is forwarded there. So no port is
open to others, the user's keys, jump hosts and known hosts hold, and a worker that loses its
connection ends itself. What is sent is protected by TLS as well, since on both machines any user
may connect to loopback.

There this module is called as `python -m ciphermark.farm.ssh`: it reads one line of its input,
which says where the scheduler is, and ends when its input ends, so that nothing is left behind when
the connection is lost or the fleet is over.

A file of hosts has one a line, `[user@]host` as OpenSSH's client takes it, and what differs there:

```
# boards in the cellar
root@board-1
board-2          python=/opt/ciphermark/bin/python3
```
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import random
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import msgspec

from ciphermark.errors import UsageError
from ciphermark.files import reading

if TYPE_CHECKING:
    from distributed.security import Security


MOST_BYTES = 2**20
"""Of the file: some twenty thousand hosts."""

PYTHON = "python3"
"""What is called where a line names no other."""


class Host(msgspec.Struct, frozen=True):
    """Where a worker is started."""

    destination: str
    """For OpenSSH's client, whose configuration says the rest."""
    python: str = PYTHON
    """The Python there that has ciphermark."""


def read_hosts(file: Path) -> list[Host]:
    """The hosts of a file. Raises UsageError that names the line."""
    lines = reading.text(file, f"the file of --hosts {file}", MOST_BYTES).splitlines()
    found = [_host(line, f"{file}:{number}") for number, line in enumerate(lines, 1)]
    hosts = [host for host in found if host is not None]
    if not hosts:
        raise UsageError(f"{file} has no host: write one a line, as for ssh (user@host)")
    seen: set[str] = set()
    for host in hosts:
        if host.destination in seen:
            raise UsageError(f"{file} has {host.destination} twice: remove one of its lines")
        seen.add(host.destination)
    return hosts


def _host(line: str, place: str) -> Host | None:
    words = line.partition("#")[0].split()
    if not words:
        return None
    destination, *settings = words
    if destination.startswith("-"):
        raise UsageError(f"{place}: {destination} is no host, but looks like an option of ssh")
    host = Host(destination)
    for setting in settings:
        name, equals, value = setting.partition("=")
        if name != "python" or not equals or not value:
            raise UsageError(f"{place}: {setting!r} is not known; write python=PATH, or nothing")
        host = Host(destination, value)
    return host


STARTS = 3
"""Of a host's worker: a forwarded port may be taken, and a connection may be lost."""

ENDING_S = 5.0
"""A worker whose input ends closes within a tenth of that."""

CONNECT_SECONDS = 15
_OPTIONS = (
    *("-o", "BatchMode=yes"),  # a question would be asked a hundred times, and nobody sees it
    *("-o", "ExitOnForwardFailure=yes"),
    *("-o", f"ConnectTimeout={CONNECT_SECONDS}"),
    *("-o", "ServerAliveInterval=10"),
    *("-o", "ServerAliveCountMax=3"),
)
_FREE_PORTS = (20_000, 32_000)
"""Below those that Linux gives to whoever asks for any."""


class Told(msgspec.Struct, frozen=True):
    """What a worker reads from its input before it starts."""

    scheduler: str
    port: int
    """Where it listens, on its own loopback."""
    contact: str
    """What others call that."""
    ca: str
    cert: str
    key: str


class SshWorkers:
    """A worker on each host for as long as the block lasts."""

    def __init__(
        self,
        hosts: Sequence[Host],
        scheduler: str,
        security: Security,
        say: Callable[[str], None],
    ) -> None:
        self._scheduler_port = urlsplit(scheduler).port or 0
        self._identity = _identity(security)
        self._say = say
        self._ending = threading.Event()
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        self._threads = [
            threading.Thread(target=self._keep, args=[host], daemon=True) for host in hosts
        ]

    def __enter__(self) -> SshWorkers:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ending.set()
        for process in list(self._processes.values()):
            with contextlib.suppress(OSError):
                assert process.stdin is not None
                process.stdin.close()
        for thread in self._threads:
            thread.join(timeout=ENDING_S)
        for process in list(self._processes.values()):
            if process.poll() is None:
                process.kill()

    @property
    def kept(self) -> int:
        """Number of hosts that have a worker, or are to get one yet."""
        return sum(it.is_alive() for it in self._threads)

    def _keep(self, host: Host) -> None:
        """Starts the worker of a host, and again when it ends; says why it cannot be had."""
        for _ in range(STARTS):
            why = self._run(host)
            if self._ending.is_set():
                return
            if not _may_be_a_port(why):
                break
        self._say(f"{host.destination}: {why}")

    def _run(self, host: Host) -> str:
        """Runs a worker until it ends; the last line that was said."""
        here, there, back = _free_port(), *random.sample(range(*_FREE_PORTS), 2)
        forwards = ["-L", f"127.0.0.1:{here}:127.0.0.1:{there}"]
        forwards += ["-R", f"127.0.0.1:{back}:127.0.0.1:{self._scheduler_port}"]
        calling = shlex.join([host.python, "-m", "ciphermark.farm.ssh"])
        try:
            process = subprocess.Popen(
                ["ssh", *_OPTIONS, *forwards, "--", host.destination, calling],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                start_new_session=True,  # Ctrl-C is for us, who end it
            )
        except OSError as error:
            return f"ssh does not run ({error.strerror}): install OpenSSH's client"
        self._processes[host.destination] = process
        told = Told(
            scheduler=f"tls://127.0.0.1:{back}",
            port=there,
            contact=f"tls://127.0.0.1:{here}",
            **self._identity,
        )
        assert process.stdin is not None and process.stderr is not None
        with contextlib.suppress(BrokenPipeError):
            process.stdin.write(msgspec.json.encode(told) + b"\n")
            process.stdin.flush()
        said = process.stderr.read().decode("utf-8", "replace").strip().splitlines()
        return _sentence(said, process.wait(), host)


def _sentence(said: list[str], code: int, host: Host) -> str:
    """What OpenSSH's client or the worker said last, and what to do about it."""
    last = said[-1] if said else f"ssh ended with code {code}"
    if "No module named" in last:
        return f"{host.python} there has no ciphermark with Dask: pip install 'ciphermark[fleet]'"
    if code == 127 or "not found" in last:
        return f"there is no {host.python}: name another with python=PATH in the file of hosts"
    return last


def _may_be_a_port(why: str) -> bool:
    return "forward" in why or "in use" in why


def _identity(security: Security) -> dict[str, str]:
    """The worker's TLS identity as text, for a host that does not have the files."""
    told = security.get_tls_config_for_role("worker")
    named = {"ca": told["ca_file"], "cert": told["cert"], "key": told["key"] or told["cert"]}
    try:
        return {name: _text(value) for name, value in named.items()}
    except OSError as error:
        raise UsageError(f"{error.filename} cannot be read: {error.strerror}") from None


def _text(value: str) -> str:
    """What is in a file; the text itself where it is none."""
    if "\n" in value:
        return value
    with open(value, encoding="utf-8") as file:
        return file.read()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


CLOSING_S = 1.0
"""Time for saying good-bye; a measurement that is under way is not waited for."""


def main() -> None:
    told = msgspec.json.decode(sys.stdin.buffer.readline(), type=Told)
    logging.disable(logging.CRITICAL)  # the only words that are read are those of a failure
    folder, code = tempfile.mkdtemp(prefix="ciphermark-worker-"), 0
    try:
        asyncio.run(_work(told, folder))
    except Exception as error:
        print(f"the worker does not start ({error})", file=sys.stderr, flush=True)
        code = 1
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        # Threads that still measure are not waited for: an engine ends when nobody reads it.
        os._exit(code)


async def _work(told: Told, folder: str) -> None:
    from distributed import Worker
    from distributed.security import Security

    security = Security(
        require_encryption=True,
        tls_ca_file=told.ca,
        tls_worker_cert=told.cert,
        tls_worker_key=told.key,
    )
    worker = Worker(
        told.scheduler,
        nthreads=os.cpu_count() or 1,
        protocol="tls://",
        host="127.0.0.1",
        port=told.port,
        contact_address=told.contact,
        security=security,
        local_directory=folder,
        dashboard=False,
        memory_limit=0,
    )
    await worker
    over = asyncio.Event()
    threading.Thread(
        target=_wait_for_end, args=[asyncio.get_running_loop(), over], daemon=True
    ).start()
    finished = asyncio.ensure_future(worker.finished())
    await asyncio.wait(
        [asyncio.ensure_future(over.wait()), finished], return_when=asyncio.FIRST_COMPLETED
    )
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(worker.close(), CLOSING_S)
    os.chdir("/")
    shutil.rmtree(folder, ignore_errors=True)
    os._exit(0)


def _wait_for_end(loop: asyncio.AbstractEventLoop, over: asyncio.Event) -> None:
    """Until the other end of the connection has gone."""
    sys.stdin.buffer.read()
    loop.call_soon_threadsafe(over.set)


if __name__ == "__main__":
    main()
