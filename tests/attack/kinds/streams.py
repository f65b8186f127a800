"""Standard streams that are closed, full, or have a reader who leaves: what was measured is kept,
and nobody sees a traceback."""

from __future__ import annotations

import os
import select
import time

from attack import stored
from attack.attempt import Attempt
from attack.failure import HANG_S, Failure
from attack.processes import Running
from attack.setting import FEW

STATES = ("file", "closed", "full", "left", "left")


def attempt(it: Attempt) -> None:
    it.replay()
    it.store("run-1.8", "run-1.8-sessions")
    before = len(stored.run_folders(it.runs))
    words = it.lots.choice(_COMMANDS)
    output, messages = it.lots.choice(STATES), it.lots.choice(STATES)
    if output == messages == "file":
        output = "left"
    whole = it.lots.random() < 0.1
    it.say(f"{words}: output {output}, messages {messages}, whole {whole}")
    ends: list[tuple[int, int]] = []
    given = {"output": output, "messages": messages}
    opened = {name: _opened(state, ends, it.lots.choice((0, 0, 1, 100, 5000)))
              for name, state in given.items()}  # fmt: skip
    running = it.start(*words, **opened, input=None if it.lots.random() < 0.1 else -1, whole=whole)
    for descriptor in opened.values():
        if descriptor not in (None, -1):
            os.close(descriptor)
    _read_and_leave(running, ends)
    ended = running.end(HANG_S if not whole else 3 * HANG_S)
    ended.check()
    if words[:2] == ("survey", FEW[0]):
        stored.expect_kept(it, ended, before + 1)
    if messages == "closed" and b"ciphermark: " in ended.output:
        raise Failure("other", f"{ended.command}: messages went to standard output")


_COMMANDS: tuple[tuple[str, ...], ...] = (
    ("survey", *FEW), ("survey", *FEW), ("survey", *FEW, "--json"), ("survey", "--sizes", "x"),
    ("list", "runs"), ("list", "algorithms", "--json"), ("show", "last"), ("show", "--json"),
    ("export",), ("export", "--format", "json"), ("machines", "matrix"), ("--help",),
    ("show", "nix"), ("survey", "--help"),
    ("compare", "last", "last"), ("capacity",), ("show", "--no-such-option"),
)  # fmt: skip


def _opened(state: str, ends: list[tuple[int, int]], bytes_read: int) -> int | None:
    match state:
        case "file":
            return -1
        case "closed":
            return None
        case "full":
            return os.open("/dev/full", os.O_WRONLY)
    reader, writer = os.pipe()
    ends.append((reader, bytes_read))
    return writer


def _read_and_leave(running: Running, ends: list[tuple[int, int]]) -> None:
    """Each reader takes so many bytes and closes its end."""
    left = dict(ends)
    deadline = time.monotonic() + HANG_S
    while left:
        for reader in [it for it, wanted in left.items() if wanted <= 0]:
            os.close(reader)
            del left[reader]
        over = running.poll(0) or time.monotonic() > deadline
        ready, _, _ = select.select(list(left), [], [], 0.05) if left else ([], [], [])
        for reader in ready:
            content = os.read(reader, left[reader])
            left[reader] = left[reader] - len(content) if content else 0
        if over and not ready:
            left = {it: 0 for it in left}
