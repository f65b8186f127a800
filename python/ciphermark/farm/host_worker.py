"""A Dask worker on a host that was reached over SSH.

It is called as `python -m ciphermark.farm.host_worker`, reads one line of its input, which
says where the scheduler is, and ends when its input ends: so nothing is left behind when the
connection is lost or the fleet is over.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import shutil
import sys
import tempfile
import threading

import msgspec

from ciphermark.farm.ssh_workers import Told

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
