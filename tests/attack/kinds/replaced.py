"""Libraries that are replaced while a survey runs: no run has figures of two builds without a
note."""

from __future__ import annotations

import os
import re
import shutil
import time

from attack import stored
from attack.attempt import Attempt
from attack.failure import Failure
from attack.kinds.signals import measuring_begins
from library_fixture import example_kernel

SLOW = "for (volatile int turn = 0; turn < 60000; turn++) {}"
"""Right answers after far more time."""

BETWEEN = 30_000.0
"""Cycles of a message that the first build never takes, and the second always."""

COLUMNS = ["cycles", "messages", "disturbed"]

_NOTE = re.compile(rb"replaced|changed|another build|other build")


def attempt(it: Attempt) -> None:
    library, other = it.folder / "mine.so", it.folder / "other.so"
    example_kernel("cc", library)
    example_kernel("cc", other, WHEN="1", MISDEED=SLOW)
    if it.lots.random() < 0.5:
        library, other = other, library
    in_place = it.lots.random() < 0.4
    measured = it.folder / "kernel.so"
    shutil.copyfile(library, measured)
    running = it.start(
        *("survey", "--kernel", measured, "--providers", "kernel@kernel", "--algorithms"),
        *("siphash-2-4-64", "--operations", "mac", "--sizes", "16,64,256,1024", "--precision"),
        *("0.5%", "--budget", "4", "--json"),
    )
    measuring_begins(running)
    delay = it.lots.uniform(0, 3)
    time.sleep(delay)
    it.say(f"replaced {delay:.1f} s after verifying began, in place: {in_place}")
    if in_place:
        shutil.copyfile(other, measured)
    else:
        os.replace(other, measured)
    ended = running.end(60)
    ended.check()
    folders = stored.run_folders(it.runs)
    stored.expect_loadable(it, folders)
    if _NOTE.search(ended.output + ended.messages):
        return

    def look() -> None:
        import pyarrow.parquet as parquet

        for folder in folders:
            table = parquet.read_table(folder / "samples.parquet", columns=COLUMNS)
            # A slice that was interrupted takes any time.
            for row in (it for it in table.to_pylist() if not it["disturbed"]):
                print("slow" if row["cycles"] / row["messages"] > BETWEEN else "fast")

    seen = set(it.call(look).output.split())
    if len(seen) > 1:
        raise Failure("wrong figure", "a run has samples of two builds of a library and no note")
