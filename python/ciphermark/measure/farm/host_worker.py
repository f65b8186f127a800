"""A Dask worker on a host that was reached over SSH: `python -m ciphermark.measure.farm.host_worker`.

It reads one line of its input, which says where the scheduler is, and ends when its input ends: so
nothing is left behind when the connection is lost or the fleet is over.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sys
import tempfile

import msgspec

from ciphermark.measure.farm.ssh_workers import Told


def main() -> None:
    told = msgspec.json.decode(sys.stdin.buffer.readline(), type=Told)
    logging.disable(logging.CRITICAL)  # the only words that are read are those of a failure
    with tempfile.TemporaryDirectory(prefix="ciphermark-worker-") as folder:
        asyncio.run(_work(told, folder))


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
        host=told.listen,
        contact_address=told.contact,
        security=security,
        local_directory=folder,
        dashboard=False,
        memory_limit=0,
    )
    try:
        await worker
        ended = asyncio.get_running_loop().run_in_executor(None, sys.stdin.buffer.read)
        await asyncio.wait(
            [asyncio.ensure_future(ended), asyncio.ensure_future(worker.finished())],
            return_when=asyncio.FIRST_COMPLETED,
        )
    finally:
        # What is measured is the engine's, which ends when nobody reads its events any more.
        asyncio.get_running_loop().call_later(1.0, os._exit, 0)
        await worker.close()


if __name__ == "__main__":
    main()
