"""Makes tries side by side until the time is over."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import random
import select
import shutil
import signal
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path

from attack import disks
from attack.attempt import Attempt
from attack.failure import Failure
from attack.kinds import KINDS
from attack.processes import become_reaper, orphans
from attack.result import Result, Results
from attack.setting import Setting


def schedule(seed: int, only: list[str]) -> Iterator[tuple[str, int]]:
    """Kinds and numbers without end, each kind as often as its weight says."""
    turns = [kind for kind in only for _ in range(KINDS[kind][1])]
    random.Random(seed).shuffle(turns)
    numbers = dict.fromkeys(only, 0)
    while True:
        for kind in turns:
            yield kind, numbers[kind]
            numbers[kind] += 1


def tried(setting: Setting, seed: int, kind: str, number: int, keep: bool = False) -> Result:
    """Makes one try, and puts away what it leaves."""
    folder = setting.folder / "tries" / f"{os.getpid()}-{kind}-{number}"
    began = time.monotonic()
    attempt = Attempt(setting, seed, kind, number, folder)
    result = Result(kind, number, 0.0)
    try:
        KINDS[kind][0](attempt)
    except Failure as failure:
        result.failure, result.sentence = failure.kind, str(failure)
    except Exception:  # the attack's own fault, which must be seen too
        result.failure, result.sentence = "other", f"the attack: {traceback.format_exc()}"
    result.seconds = time.monotonic() - began
    if (left := orphans()) and not result.failure:
        result.failure, result.sentence = "orphan", f"left behind: {left}"
    result.said, result.lies = attempt.said, [list(it) for it in attempt.lies]
    result.skipped = attempt.skipped
    if not keep:
        shutil.rmtree(folder, ignore_errors=True)
    return result


def run(
    setting: Setting,
    seed: int,
    only: list[str],
    *,
    seconds: float,
    most: int,
    lanes: int,
    show: Callable[[str], None],
) -> Results:
    """Makes tries for so many seconds, or so many of them, in so many processes."""
    results = Results(seed)
    deadline = time.monotonic() + seconds
    readers = {}
    for lane in range(lanes):
        reader, writer = os.pipe()
        if (pid := os.fork()) == 0:
            os.close(reader)
            _lane(setting, seed, only, lane, lanes, most, deadline, writer)
        os.close(writer)
        readers[reader] = [pid, b""]
    try:
        while readers:
            for reader in select.select(list(readers), [], [])[0]:
                content = os.read(reader, 65536)
                if not content:
                    os.close(reader)
                    pid, _ = readers.pop(reader)
                    _, status = os.waitpid(pid, 0)
                    if status != 0:
                        show(f"a process of the attack itself ended with status {status}")
                        results.add(Result("lane", pid, 0.0, "other", f"status {status}"))
                    continue
                *lines, readers[reader][1] = (readers[reader][1] + content).split(b"\n")
                for line in lines:
                    for text in results.add(Result(**json.loads(line))):
                        show(text)
    except KeyboardInterrupt:
        for pid, _ in readers.values():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
    return results


def _lane(
    setting: Setting,
    seed: int,
    only: list[str],
    lane: int,
    lanes: int,
    most: int,
    deadline: float,
    writer: int,
) -> None:
    """Each of `lanes` processes makes every so-manieth try."""
    code = 1
    try:
        separate()
        for turn, (kind, number) in enumerate(schedule(seed, only)):
            if turn >= most or time.monotonic() > deadline:
                break
            if turn % lanes == lane:
                result = tried(setting, seed, kind, number)
                os.write(writer, json.dumps(dataclasses.asdict(result)).encode() + b"\n")
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code)


def separate() -> None:
    """Makes this process one that tries can be made in."""
    become_reaper()
    if not disks.become_separate():
        print("no mounts of one's own: disks that fill are not attacked", flush=True)


def remove_tries(folder: Path) -> None:
    """Removes what tries have left that could not be removed."""
    shutil.rmtree(folder / "tries", ignore_errors=True)
