"""Tasks on the workers of a Dask cluster: each done once, results as they arrive."""

from __future__ import annotations

import queue
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import CancelledError
from typing import TYPE_CHECKING, Any, TypeVar

from ciphermark.measure.targets import process

if TYPE_CHECKING:
    from distributed import Client

Task = TypeVar("Task")
Result = TypeVar("Result")

_LOOK_SECONDS = 0.5
"""How soon it is seen that the user has asked to stop."""


def spread(
    client: Client,
    work: Callable[[Task], Result],
    tasks: Sequence[Task],
    failed: Callable[[Task, BaseException], Result],
    done: Callable[[Task, Result], None],
    is_stopped: Callable[[], bool],
    workers: Sequence[Collection[str]] | None = None,
) -> list[Result | None]:
    """What came of each task, in their order; None of those that were not done when the user
    stopped. Dask does the tasks of a worker that dies again on another, of those that are named for
    it; `failed` says what comes of one that kills every worker, or has none left."""
    ended: queue.SimpleQueue[str] = queue.SimpleQueue()
    results: list[Result | None] = [None] * len(tasks)
    waiting: dict[str, tuple[int, Any]] = {}
    for place, task in enumerate(tasks):
        only = None if workers is None else [*workers[place]]
        future = client.submit(work, task, pure=False, workers=only)
        waiting[future.key] = place, future
        future.add_done_callback(lambda done: ended.put(done.key))
    while waiting and not is_stopped():
        try:
            place, future = waiting.pop(ended.get(timeout=_LOOK_SECONDS))
        except queue.Empty:
            for future in _left_alone(client, waiting, workers):
                future.cancel(force=True, reason="no worker that can do it is left")
            continue
        try:
            result = future.result()
        except (Exception, CancelledError) as error:  # of Dask: the task has killed its workers
            result = failed(tasks[place], error)
        results[place] = result
        done(tasks[place], result)
    if waiting:
        client.cancel([future for _, future in waiting.values()], force=True)
        client.run(process.end_running)
    return results


def _left_alone(
    client: Client,
    waiting: dict[str, tuple[int, Any]],
    workers: Sequence[Collection[str]] | None,
) -> list[Any]:
    """What waits for workers that are all gone: Dask would wait for them for good."""
    if workers is None:
        return []
    there = client.scheduler_info(n_workers=-1)["workers"].keys()
    return [future for place, future in waiting.values() if there.isdisjoint(workers[place])]
