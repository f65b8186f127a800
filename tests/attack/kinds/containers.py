"""Libraries that fill the memory of a container: the workbench lives, and the run is kept."""

from __future__ import annotations

from attack import groups, stored
from attack.attempt import Attempt
from attack.failure import Failure

ROOMS = (600 << 20, 900 << 20)
"""Bytes of the containers, several times of what a survey needs."""


def attempt(it: Attempt) -> None:
    room = it.lots.choice(ROOMS)
    misdeed = it.lots.choice(("fill", "fill", "fill-shared", "fill-shared", "flip"))
    rate, after = it.lots.choice((1, 100)), it.lots.choice((0, 50, 2000))
    it.say(f"{misdeed} once in {rate} after {after} calls, in {room >> 20} MiB")
    it.environment |= {
        "LYING_MISDEED": misdeed, "LYING_RATE": str(rate), "LYING_SEED": "1",
        "LYING_AFTER": str(after),
    }  # fmt: skip
    with groups.bounded(room) as join:
        if join is None:
            it.skip("no control group of memory can be made here")
            return
        ended = it.start(
            *("survey", "--kernel", it.setting.lying, "--providers", "kernel@lying,rustcrypto"),
            *("--algorithms", "sha256", "--sizes", "64,1024", "--precision", "5%"),
            *("--budget", "2", "--json"),
            before=join, whole=True,
        ).end(60)  # fmt: skip
    ended.check()
    folders = stored.run_folders(it.runs)
    stored.expect_loadable(it, folders)
    if not folders:
        raise Failure("lost", f"{misdeed} in {room >> 20} MiB: nothing is kept: {ended.last}")
