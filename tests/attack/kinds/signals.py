"""Ctrl-C, SIGTERM and SIGHUP at any moment: an end within seconds, and what was measured is
kept."""

from __future__ import annotations

import signal
import time

from attack import stored
from attack.attempt import Attempt
from attack.failure import HANG_S, Failure
from attack.processes import Running
from attack.setting import FEW

NUMBERS = (signal.SIGINT, signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

LONG = (
    *("--algorithms", "sha256", "--providers", "openssl,rustcrypto", "--sizes", "256K"),
    *("--precision", "0.001%", "--budget", "60"),
)
"""A survey that does not end by itself while anybody looks."""

NOTHING_YET = ("stopped", "nothing was stored")
"""What the last message has where nothing was measured."""


def attempt(it: Attempt) -> None:
    number = it.lots.choice(NUMBERS)
    measuring = it.lots.random() < 0.5
    whole = it.lots.random() < 0.15
    again = it.lots.choice((0, 0, 1, 20))
    group = it.lots.random() < 0.5
    it.say(f"{number.name}, measuring {measuring}, whole {whole}, again {again}, group {group}")
    if measuring:
        running = it.start("survey", *LONG, whole=whole)
        measuring_begins(running)
        time.sleep(it.lots.uniform(0.5, 1.5))
    else:
        it.replay()
        running = it.start("survey", *FEW, whole=whole)
        if not whole:
            heeding_begins(running)
        time.sleep(it.lots.uniform(0, 1.5 if whole else 0.8))
    running.signal(number, group)
    for _ in range(again):
        if running.poll(0.02):
            break
        running.signal(number, group)
    ended = running.end(why=f" after {number.name}")
    if not measuring and whole and ended.code == -number and not ended.messages:
        return  # before Python had begun to look
    ended.check()
    folders = stored.run_folders(it.runs, it.data, it.folder / "tmp")
    stored.expect_loadable(it, folders)
    said = ended.messages.decode(errors="replace")
    if measuring and not folders:
        raise Failure("lost", f"{number.name} while it measured: nothing is kept: {ended.last}")
    if not folders and not any(it in said for it in NOTHING_YET):
        raise Failure("lost", f"{number.name}: nothing is kept, and nobody says so: {ended.last}")
    if list(it.runs.glob(".new-*")):
        raise Failure("other", f"{number.name}: a run that is half-written was left behind")


def heeding_begins(running: Running) -> None:
    """Waits until it catches SIGTERM: what a forked process does before is not ciphermark's."""
    deadline = time.monotonic() + 12 * HANG_S
    while not running.caught() >> signal.SIGTERM - 1 & 1:
        if running.poll(0.001) or time.monotonic() > deadline:
            return


def measuring_begins(running: Running) -> None:
    """Waits for the line that tells of the end of verifying."""
    deadline = time.monotonic() + 12 * HANG_S
    while b"Verifying" not in running.messages.read_bytes():
        if running.poll(0.05):
            raise Failure("other", f"it ended before it measured: {running.messages.read_text()}")
        if time.monotonic() > deadline:
            running.signal(signal.SIGKILL)
            raise Failure("hang", "verifying never ended")
