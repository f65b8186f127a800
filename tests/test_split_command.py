"""`survey --offload split` with the engine."""

from __future__ import annotations

import os

import pytest

from engine_fixture import Command

needs_cpus = pytest.mark.skipif(
    len(os.sched_getaffinity(0)) < 2, reason="one message is split over two CPUs or more"
)
pytestmark = [pytest.mark.engine, pytest.mark.measures, needs_cpus]

# Compiled into the engine, so that it is everywhere.
SHORT = ("--providers", "aws-lc", "--algorithms", "aes-128-gcm,aes-128-cbc")


def test_split_messages_have_rows_of_their_own(command: Command) -> None:
    options = ("--operations", "open,decrypt", "--sizes", "64,65536", "--budget", "1")
    ended = command("survey", *SHORT, *options, "--offload", "none,split", "--json")
    assert ended.code == 0, ended.messages
    rows = ended.document["rows"]
    assert len(rows) == 8 and all(row["error"] is None for row in rows)
    assert [row["offload"] for row in rows].count("split") == 4


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("survey", "--offload", "opencl"), "no offload of one message 'opencl'"),
        (("survey", "--offload-cpus", "0"), "goes with --offload split only"),
        (("survey", "--offload", "split", "--offload-cpus", "4000"), "CPU 4000 is not there"),
        (("cores", "--cpus", "0-1"), "cores was removed: type ciphermark esp --spread packets"),
        (("packets", "--offload", "split"), "no offload 'split'; see: none, cores"),
    ],
)
def test_what_cannot_be_split_is_refused(
    command: Command, options: tuple[str, ...], words: str
) -> None:
    ended = command(*options)
    assert ended.code == 2 and words in ended.sentence
