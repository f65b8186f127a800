"""How a Dask cluster is reached: one that is there, workers over SSH, or processes on this machine.

Whoever is given the client finds each machine of the cluster behind it, and need not know how it
was reached. What was started is ended with the block.

Worker processes of this machine load this module: Ctrl-C in a terminal is not theirs but the
client's. A process that starts gets it until then, and so is started with it blocked.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import warnings
from collections.abc import Callable, Iterator
from multiprocessing import resource_tracker
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import msgspec

from ciphermark.errors import UsageError
from ciphermark.farm import tls
from ciphermark.farm.tls import CONNECT_SECONDS, Tls
from ciphermark.files import extras

if TYPE_CHECKING:
    from distributed import Client, LocalCluster
    from distributed.security import Security


class Reach(msgspec.Struct, frozen=True):
    """How the user wants the cluster reached: by one of the first three."""

    scheduler: str | None = None
    """Address of a scheduler that is there."""
    hosts: Path | None = None
    """File of hosts whose workers are started over SSH."""
    local: int | None = None
    """Worker processes on this machine, for trial."""
    tls: Tls = Tls()


class Farm(msgspec.Struct, frozen=True):
    """A cluster that was reached."""

    client: Client
    where: str
    """How it was reached, in words: `the scheduler at tls://farm:8786`."""
    dashboard: str | None
    """Where Dask shows what its workers do, for a browser."""
    expected: Callable[[], int] = lambda: 1
    """Returns how many workers are there or may come yet."""


@contextlib.contextmanager
def reached(reach: Reach, say: Callable[[str], None]) -> Iterator[Farm]:
    """The cluster, for as long as the block lasts; `say` is told of hosts that cannot be had.

    Raises UsageError, in one sentence, when it cannot be reached or is of another Dask version.
    """
    check_installed()
    _quiet()
    if reach.scheduler is not None:
        address = tls.checked_address(reach.scheduler, reach.tls)
        security = reach.tls.security()
        if address.startswith("tls://") and not security.require_encryption:
            raise UsageError(f"{address} needs TLS: give {tls.OPTIONS}, or configure Dask's TLS")
        with _client(address, security) as client:
            yield Farm(client, f"the scheduler at {address}", _dashboard(client))
    elif reach.hosts is not None:
        yield from _over_ssh(reach.hosts, reach.tls, say)
    else:
        with _cluster(reach.local or 1, None) as cluster, _client_of(cluster) as client:
            count = reach.local or 1
            where = f"{count} worker {'process' if count == 1 else 'processes'} on this machine"
            yield Farm(client, where, _dashboard(client))


def check_installed() -> None:
    """Raises UsageError where Dask is not installed."""
    extras.needed("fleet")


def _over_ssh(hosts: Path, given: Tls, say: Callable[[str], None]) -> Iterator[Farm]:
    from ciphermark.farm.ssh import SshWorkers, read_hosts

    wanted = read_hosts(hosts)
    given.check()
    security = given.security() if given.is_given else tls.for_one_session()
    with _cluster(0, security) as cluster, _client_of(cluster) as client:
        address = cluster.scheduler_address
        with SshWorkers(wanted, address, security, say) as workers:
            noun = "host" if len(wanted) == 1 else "hosts"
            where = f"{len(wanted)} {noun} of {hosts} over SSH"
            yield Farm(client, where, _dashboard(client), lambda: workers.kept)


def _cluster(workers: int, security: Security | None) -> LocalCluster:
    """A scheduler within this process that listens on loopback, and worker processes."""
    from distributed import LocalCluster

    with kept_from_interrupts():
        return LocalCluster(
            n_workers=workers,
            threads_per_worker=max(1, (os.cpu_count() or 1) // max(1, workers)),
            processes=True,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
            security=security,
            silence_logs=logging.CRITICAL,
            memory_limit=0,
            preload=[__name__],
        )


def _client_of(cluster: LocalCluster) -> Client:
    from distributed import Client

    return Client(cluster, set_as_default=False, direct_to_workers=False)


@contextlib.contextmanager
def _client(address: str, security: Security) -> Iterator[Client]:
    from distributed import Client

    _check_version(address, security)
    try:
        client = Client(
            address,
            security=security,
            timeout=CONNECT_SECONDS,
            set_as_default=False,
            direct_to_workers=False,
        )
    except OSError as error:
        raise UsageError(tls.why_unreachable(address, error)) from None
    with client:
        _check_scheduler(client, address)
        yield client


def _check_version(address: str, security: Security) -> None:
    """Asks a scheduler for its version, by the first thing that is said to it: what another version
    makes of the rest may be anything."""
    try:
        theirs = _version(asyncio.run(_versions(address, security)))
    except OSError as error:
        raise UsageError(tls.why_unreachable(address, error)) from None
    except Exception as error:
        raise UsageError(
            f"what answers at {address} is no scheduler of Dask {own_version()} "
            f"({type(error).__name__}): install the same version at both"
        ) from error
    if theirs != own_version():
        raise UsageError(
            f"the scheduler at {address} is of Dask {theirs} and this ciphermark has Dask "
            f"{own_version()}: install the same version at both"
        )


async def _versions(address: str, security: Security) -> dict[str, Any]:
    from distributed.comm.core import connect
    from distributed.core import send_recv

    told = security.get_connection_args("client")
    comm = await connect(address, timeout=CONNECT_SECONDS, **told)
    try:
        versions: dict[str, Any] = await send_recv(comm, op="versions", reply=True)
        return versions
    finally:
        await comm.close()


def _check_scheduler(client: Client, address: str) -> None:
    """Refuses a scheduler that others can reach without TLS."""
    listens = urlsplit(str(client.scheduler_info(n_workers=0).get("address", address)))
    if listens.scheme == "tcp" and listens.hostname and not tls.is_loopback(listens.hostname):
        raise UsageError(
            f"the scheduler at {address} listens on {listens.netloc} without TLS, so that anybody "
            "there could run code: start it with `dask scheduler --host 127.0.0.1`, or with TLS"
        )


def own_version() -> str:
    """The version of Dask's scheduler that is installed here."""
    from importlib.metadata import version

    return version("distributed")


def _version(told: dict[str, Any] | None) -> str:
    return str(((told or {}).get("packages") or {}).get("distributed", "unknown"))


def _dashboard(client: Client) -> str | None:
    """None where no scheduler shows one."""
    served = client.scheduler_info(n_workers=0).get("services", {})
    return client.dashboard_link if "dashboard" in served else None


def _quiet() -> None:
    """Dask's own warnings are about versions and closed connections, which are said in a line."""
    warnings.filterwarnings("ignore", module="distributed")
    for name in ("distributed", "distributed.scheduler", "distributed.client", "distributed.nanny"):
        logging.getLogger(name).setLevel(logging.CRITICAL)


_CTRL_C = {signal.SIGINT}


@contextlib.contextmanager
def kept_from_interrupts() -> Iterator[None]:
    """What is started meanwhile has Ctrl-C blocked. One that is pressed now comes to this process a
    moment later."""
    # It unblocks Ctrl-C in the thread that starts it: Python does so with the first process.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _CTRL_C)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def dask_setup(worker: object) -> None:
    """Called by Dask in the worker's first thread, before it works for anybody: engines that it
    starts are stopped by the same signal."""
    os.setpgid(0, 0)
    while signal.sigtimedwait(_CTRL_C, 0):
        pass  # pressed while it was blocked: it would end this process in the midst of its start
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _CTRL_C)
