"""The workers of a cluster, each given one thing at a time, with a time by which it must be done.

Dask is asked for the one worker that is meant: what is measured on a machine is about that machine,
and nobody else can do it in its place. What to do when a worker dies or says nothing any more is
therefore decided by who knows whether another worker is on the same machine.
"""

from __future__ import annotations

import contextlib
import queue
import threading
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Literal
from uuid import uuid4

import msgspec

from ciphermark.errors import UsageError, WorkError

if TYPE_CHECKING:
    from distributed import Client, Future

POLL_S = 1.0
"""How often the scheduler is asked who is there."""

GATHER_S = 60.0
"""Longest time for the megabytes of one answer."""


ASKING_S = 1.0
"""A worker that lives answers within a hundredth of that."""


class Joined(msgspec.Struct, frozen=True):
    """A worker has come, or has been heard of again."""

    worker: str
    threads: int


class Left(msgspec.Struct, frozen=True):
    """A worker has gone, or has not been heard of for the patience of the crew."""

    worker: str
    silent: bool


class Ended(msgspec.Struct, frozen=True):
    """A task has ended, in one of these ways."""

    key: str
    worker: str
    how: Literal["done", "failed", "gone", "late"]
    """`gone` with its worker; `late`: not done in its time."""
    value: Any = None
    """What the function has returned, or the exception that it has raised."""

    @property
    def why(self) -> str:
        """Of one that is not done, in words."""
        known = {"gone": "its worker has died", "late": "it was not done in time"}
        return known.get(self.how) or cause(self.value)


Happening = Joined | Left | Ended


class _Task(msgspec.Struct):
    future: Any
    worker: str
    until: float
    """On the monotonic clock."""


class _Seen(msgspec.Struct):
    """What was last heard of a worker."""

    told: float
    """The scheduler's clock, when it was."""
    at: float
    """The monotonic clock here, when that was new."""
    silent: bool = False


class Crew:
    """Gives functions to workers and tells what happens; to be used by one thread."""

    def __init__(self, client: Client, patience_s: float) -> None:
        """`patience_s`: how long a worker may be silent."""
        self._client = client
        self._patience_s = patience_s
        self._tasks: dict[str, _Task] = {}
        self._seen: dict[str, _Seen] = {}
        self._ended: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._polled = float("-inf")
        self._number = 0
        # Two clients of one scheduler share what has the same key.
        self._name = uuid4().hex

    def start(
        self, worker: str, function: Callable[..., Any], *arguments: Any, seconds: float
    ) -> str:
        """Has a worker call a function that it can import; the key of the task is returned."""
        self._number += 1
        key = f"ciphermark-{function.__name__}-{self._name}-{self._number}"
        future = self._client.submit(
            function, *arguments, key=key, workers=[worker], pure=False, retries=0
        )
        self._tasks[key] = _Task(future, worker, time.monotonic() + seconds)
        future.add_done_callback(lambda done: self._ended.put(done.key))
        return key

    def happenings(self, wait_s: float) -> Iterator[Happening]:
        """What has happened since; waits for it for so long at most."""
        key = self._next_ended(wait_s)
        while key is not None:
            if key in self._tasks:
                yield self._collected(key)
            key = self._next_ended(0)
        if time.monotonic() - self._polled >= POLL_S:
            yield from self._changes()
            self._polled = time.monotonic()
        yield from self._late()

    def drop_all(self) -> list[str]:
        """Wants no more of what is under way; the workers that are at it."""
        busy = [task.worker for task in self._tasks.values()]
        for key in list(self._tasks):
            self._drop(key)
        return busy

    def ask(self, workers: list[str], function: Callable[..., Any], *arguments: Any) -> None:
        """Has workers call a function beside what they are doing. Waits for a second at most: one
        of them may have stopped."""

        def call() -> None:
            with contextlib.suppress(OSError, RuntimeError, ValueError):
                self._client.run(function, *arguments, workers=workers, on_error="ignore")

        if workers:
            asking = threading.Thread(target=call, daemon=True)
            asking.start()
            asking.join(timeout=ASKING_S)

    def _next_ended(self, wait_s: float) -> str | None:
        try:
            return self._ended.get(timeout=wait_s) if wait_s else self._ended.get_nowait()
        except queue.Empty:
            return None

    def _collected(self, key: str) -> Ended:
        task = self._tasks.pop(key)
        future: Future[Any] = task.future
        try:
            if future.status == "error":
                return Ended(key, task.worker, *_failure(future.exception()))
            return Ended(key, task.worker, "done", future.result(timeout=GATHER_S))
        except Exception as error:  # of Dask: the answer was lost with its worker, on its way
            return Ended(key, task.worker, "gone", error)
        finally:
            future.release()

    def _changes(self) -> Iterator[Happening]:
        now, workers = time.monotonic(), self._workers()
        for worker in self._seen.keys() - workers.keys():
            silent = self._seen.pop(worker).silent
            yield from self._without(worker, "gone")
            if not silent:
                yield Left(worker, silent=False)
        for worker, told in workers.items():
            seen = self._seen.get(worker)
            if seen is None:
                self._seen[worker] = _Seen(told["last_seen"], now)
                yield Joined(worker, told["nthreads"])
            elif told["last_seen"] != seen.told:
                seen.told, seen.at = told["last_seen"], now
                if seen.silent:
                    seen.silent = False
                    yield Joined(worker, told["nthreads"])
            elif not seen.silent and now - seen.at > self._patience_s:
                seen.silent = True
                yield from self._without(worker, "late")
                yield Left(worker, silent=True)

    def _workers(self) -> dict[str, Any]:
        """Those that the scheduler knows, by their addresses."""
        until = time.monotonic() + self._patience_s
        while True:
            try:
                workers: dict[str, Any] = self._client.scheduler_info(n_workers=-1)["workers"]
                return workers
            except (OSError, RuntimeError, TimeoutError) as error:  # it may be connecting again
                if time.monotonic() > until or self._client.status == "closed":
                    raise WorkError(f"the scheduler is gone ({error})") from None
                time.sleep(POLL_S)

    def _without(self, worker: str, how: Literal["gone", "late"]) -> Iterator[Ended]:
        for key in [key for key, task in self._tasks.items() if task.worker == worker]:
            self._drop(key)
            yield Ended(key, worker, how)

    def _late(self) -> Iterator[Ended]:
        now = time.monotonic()
        for key in [key for key, task in self._tasks.items() if now > task.until]:
            worker = self._tasks[key].worker
            self._drop(key)
            yield Ended(key, worker, "late")

    def _drop(self, key: str) -> None:
        future = self._tasks.pop(key).future
        future.cancel(force=True)


def _failure(error: BaseException | None) -> tuple[Literal["failed", "gone"], BaseException | None]:
    from distributed.scheduler import KilledWorker

    return ("gone" if isinstance(error, KilledWorker) else "failed"), error


def cause(error: object) -> str:
    """The sentence of an error of ours; of any other its kind too."""
    own = isinstance(error, (UsageError, WorkError))
    return str(error) if own else f"{type(error).__name__}: {error}"
