"""Programs that print without an end, or nothing at all, are ended within bounds."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from ciphermark.errors import UsageError
from ciphermark.run import bounded
from ciphermark.run.engine import Engine

PRINTS = "import sys; sys.stdout.write(sys.stdin.read()); sys.stderr.write('said'); sys.exit(3)"


@pytest.mark.parametrize("size", [0, 1, 100_000])
def test_a_command_gets_its_input_and_its_outputs_are_whole(size: int) -> None:
    given = bytes(range(256)) * (size // 256) + b"x" * (size % 256)
    text = given.hex().encode()
    done = bounded.run([sys.executable, "-c", PRINTS], text)
    assert (done.returncode, done.stdout, done.stderr) == (3, text, b"said")


def test_input_that_nobody_reads_is_no_error() -> None:
    assert bounded.run(["true"], b"x" * 1_000_000).returncode == 0


@pytest.mark.parametrize("command", [["yes"], ["cat"]])
def test_output_without_an_end_is_refused(command: list[str]) -> None:
    endless = ["sh", "-c", f"exec {' '.join(command)} </dev/zero"]
    with pytest.raises(bounded.TooMuch):
        bounded.run(endless, most_bytes=100_000)


def test_silence_is_ended() -> None:
    with pytest.raises(subprocess.TimeoutExpired):
        bounded.run(["sleep", "60"], seconds=0.1)


STOPS = "kill -STOP $$"


def test_a_command_that_was_stopped_goes_on() -> None:
    assert bounded.run(["sh", "-c", f"{STOPS}; echo done"]).stdout == b"done\n"


def test_a_command_that_is_stopped_again_and_again_is_ended(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(bounded, "MOST_STOPS", 2)
    assert bounded.run(["sh", "-c", f"while :; do {STOPS}; done"]).returncode == -signal.SIGKILL


def pipe_with(content: bytes) -> int:
    """The end of a pipe from which all of it can be read."""
    end, other = os.pipe()
    os.write(other, content)
    os.close(other)
    return end


def test_lines_are_those_of_the_text_however_it_comes() -> None:
    text = b"one\n\ntwo\nlast"
    assert list(bounded.lines(pipe_with(text), bounded.forever)) == text.splitlines(keepends=True)


def test_a_line_without_an_end_is_refused() -> None:
    with pytest.raises(bounded.TooMuch):
        list(bounded.lines(pipe_with(b"x" * 60_000), bounded.forever, longest=1000))


def test_no_line_in_time_is_refused() -> None:
    end, _ = os.pipe()
    with pytest.raises(bounded.TooMuch, match="box gave no answer"):
        next(bounded.lines(end, bounded.until(0.05, "box")))


def test_a_program_that_is_no_engine_is_refused(tmp_path: Path) -> None:
    program = tmp_path / "yes"
    program.write_text("#!/bin/sh\nexec yes\n")
    program.chmod(0o755)
    with pytest.raises(UsageError, match="is no engine"):
        Engine(program).describe()
