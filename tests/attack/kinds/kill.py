"""SIGKILL for the command, its engine or a worker at any moment: stored runs stay whole, what was
measured is kept where somebody lives who can keep it, and nobody is left behind."""

from __future__ import annotations

import contextlib
import os
import signal
import time

from attack import stored
from attack.attempt import Attempt
from attack.failure import Failure
from attack.kinds.signals import LONG, measuring_begins
from attack.processes import Running, children
from attack.setting import FEW


def attempt(it: Attempt) -> None:
    it.store("run-1.8")
    before = stored.contents(it.runs)
    whom = it.lots.choice(("command", "command", "engine", "worker", "saving"))
    it.say(f"SIGKILL for {whom}")
    if whom == "saving":
        it.replay()
        running = it.start("survey", *FEW)
        time.sleep(it.lots.uniform(0.05, 0.8))
        running.signal(signal.SIGKILL)
        running.end()
    else:
        running = it.start("survey", *LONG)
        measuring_begins(running)
        time.sleep(it.lots.uniform(0.3, 1.2))
        _kill(it, running, whom)
    now = {name: text for name, text in stored.contents(it.runs).items() if name in before}
    changed = [name for name, text in before.items() if now.get(name) != text]
    if any("/" in name for name in changed if not name.startswith(".")):
        raise Failure("lost", f"SIGKILL for {whom} changed {changed[:3]}")
    stored.expect_loadable(it, stored.run_folders(it.runs))
    it.run("list", "runs")


def _kill(it: Attempt, running: Running, whom: str) -> None:
    if whom == "command":
        running.signal(signal.SIGKILL)
        running.end()
        return
    [engine] = children(running.pid) or [0]
    victims = [engine] if whom == "engine" else children(engine)
    if not engine or not victims:
        running.signal(signal.SIGKILL)
        running.end()
        return
    with contextlib.suppress(ProcessLookupError):
        os.kill(it.lots.choice(victims), signal.SIGKILL)
    if whom == "worker":
        time.sleep(0.3)
        running.signal(signal.SIGINT)
    ended = running.end(why=f" after SIGKILL for its {whom}")
    ended.check()
    if len(stored.run_folders(it.runs)) < 2:
        raise Failure("lost", f"SIGKILL for the {whom}: nothing is kept: {ended.last}")
