"""Tasks on the workers of a Dask cluster: each done once, results as they arrive."""

from __future__ import annotations

import platform
import queue
from collections.abc import Callable, Sequence
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
    workers: Sequence[str] | None = None,
) -> list[Result | None]:
    """What came of each task, in their order; None of those that were not done when the user
    stopped. Dask does the tasks of a worker that dies again on another; `failed` says what comes of
    one that kills every worker."""
    ended: queue.SimpleQueue[str] = queue.SimpleQueue()
    results: list[Result | None] = [None] * len(tasks)
    waiting: dict[str, tuple[int, Any]] = {}
    for place, task in enumerate(tasks):
        only = workers and [workers[place]]
        future = client.submit(work, task, pure=False, workers=only)
        waiting[future.key] = place, future
        future.add_done_callback(lambda done: ended.put(done.key))
    while waiting and not is_stopped():
        try:
            place, future = waiting.pop(ended.get(timeout=_LOOK_SECONDS))
        except queue.Empty:
            continue
        try:
            result = future.result()
        except Exception as error:  # of Dask: the task has killed one worker after the other
            result = failed(tasks[place], error)
        results[place] = result
        done(tasks[place], result)
    if waiting:
        client.cancel([future for _, future in waiting.values()], force=True)
        client.run(process.end_running)
    return results


def machines(client: Client) -> dict[str, str]:
    """One worker's address for each machine of the cluster, by the machine's name."""
    nodes = client.run(platform.node)
    return {node: address for address, node in sorted(nodes.items(), reverse=True)}
