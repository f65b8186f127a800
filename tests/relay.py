"""Stands between an ssh client and its server: passes bytes on with a delay, stalls now and then as
a lost packet would make it, and cuts every connection while a file is there.

`python relay.py PORT TO_PORT CUT_FILE DELAY_S LOSS`; says `ready` when it listens.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import sys
import time
from pathlib import Path

ROUND_TRIPS = 2
"""Delays until a lost packet has been asked for and sent again (RFC 5681, fast retransmit)."""

PACKET_BYTES = 1460

POLL_S = 0.02


class Relay:
    """Pairs of connections, until they are cut."""

    def __init__(self, port: int, cut: Path, delay_s: float, loss: float) -> None:
        self._port, self._cut, self._delay_s, self._loss = port, cut, delay_s, loss
        self._writers: set[asyncio.StreamWriter] = set()
        self._random = random.Random(1)

    async def accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._cut.exists():
            writer.transport.abort()
            return
        there, to = await asyncio.open_connection("127.0.0.1", self._port)
        self._writers |= {writer, to}
        with contextlib.suppress(OSError, asyncio.CancelledError):
            await asyncio.gather(self._pass(reader, to), self._pass(there, writer))
        for it in (writer, to):
            it.transport.abort()
            self._writers.discard(it)

    async def _pass(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        """Reading goes on while what was read is delayed; order is kept."""
        queue: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue(256)

        async def send() -> None:
            while True:
                due, chunk = await queue.get()
                await asyncio.sleep(due - time.monotonic())
                sink.write(chunk)
                await sink.drain()
                if not chunk:
                    sink.write_eof()
                    return

        sending = asyncio.ensure_future(send())
        chunk = b"-"
        while chunk:
            chunk = await source.read(PACKET_BYTES)
            lost = self._random.random() < self._loss
            times = 1 + ROUND_TRIPS if lost else 1
            await queue.put((time.monotonic() + times * self._delay_s, chunk))
        await sending

    async def cut(self) -> None:
        while True:
            if self._cut.exists():
                for writer in self._writers:
                    writer.transport.abort()
            await asyncio.sleep(POLL_S)


async def main(port: int, to: int, cut: Path, delay_s: float, loss: float) -> None:
    relay = Relay(to, cut, delay_s, loss)
    server = await asyncio.start_server(relay.accept, "127.0.0.1", port)
    print("ready", flush=True)
    async with server:
        await asyncio.gather(server.serve_forever(), relay.cut())


if __name__ == "__main__":
    port, to, cut, delay_s, loss = sys.argv[1:]
    asyncio.run(main(int(port), int(to), Path(cut), float(delay_s), float(loss)))
