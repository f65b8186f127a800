"""`--on`: a real sshd behind a slow line that loses packets, cut and mended while it measures."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest

from ciphermark.record.run import Context
from ciphermark.record.store import Store
from engine_fixture import SECONDS, Command
from ssh_fixture import Machine

pytestmark = pytest.mark.engine

SHORT = (
    *("--on", "box", "--algorithms", "sha256", "--providers", "rustcrypto"),
    *("--sizes", "64", "--precision", "5%", "--budget", "2"),
)
STEADY = (*SHORT[:-3], "0.001%", "--budget", "8", "--sizes", "64K")
"""Options of a survey that takes all of its budget: nothing is as steady as that."""

SOON = 20.0


@pytest.fixture
def lent(command: Command, tmp_path: Path) -> Command:
    """The command with an engine that is copied in no time: box and workbench share their files."""
    engine = tmp_path / "ciphermark-engine"
    engine.write_text(f'#!/bin/sh\nexec {command.environment["CIPHERMARK_ENGINE"]} "$@"\n')
    engine.chmod(0o755)
    command.environment["CIPHERMARK_ENGINE"] = str(engine)
    return command


class Survey:
    """A survey in a process of its own, and what it says."""

    def __init__(self, command: Command, *arguments: object) -> None:
        self._said = command.runs.with_name("said")
        with self._said.open("w") as said:
            self.process = command.start("survey", *arguments, stderr=said)

    def says(self, words: str) -> None:
        """Waits until it does."""
        deadline = time.monotonic() + SOON
        while words not in self.said:
            assert self.process.poll() is None and time.monotonic() < deadline, self.said
            time.sleep(0.02)

    def measures(self) -> None:
        """Waits until some samples are here."""
        self.says("Verifying")
        time.sleep(1.5)

    @property
    def said(self) -> str:
        return self._said.read_text()

    def end(self) -> int:
        self.process.communicate(timeout=SECONDS)
        return self.process.returncode


def whole(command: Command) -> Context:
    """The only run, which has every sample that the engine took, each once."""
    context = command.only_run()
    samples = Store(command.runs).load(context.run).samples
    assert context.bye is not None
    assert samples.num_rows == context.bye.samples > 0
    return context


def test_a_survey_elsewhere_is_stored_here(machine: Machine, command: Command) -> None:
    """With the whole engine over the slow line."""
    done = command("survey", *SHORT)
    assert done.code == 0, done.messages
    assert "copying the engine to box" in done.messages
    assert not whole(command).interrupted
    machine.wait_until_clean()


def test_a_connection_that_comes_back_loses_nothing(machine: Machine, lent: Command) -> None:
    survey = Survey(lent, *STEADY)
    survey.measures()
    machine.cut.touch()
    survey.says("is tried again for")
    machine.cut.unlink()
    assert survey.end() == 0, survey.said
    assert "box is back; nothing was lost" in survey.said
    assert not whole(lent).interrupted
    machine.wait_until_clean()


def test_what_is_measured_meanwhile_is_collected_by_the_same_command(
    machine: Machine, lent: Command
) -> None:
    """The first one is killed in the middle: the box goes on, ends, and keeps everything."""
    survey = Survey(lent, *STEADY)
    survey.measures()
    survey.process.kill()
    survey.end()
    assert not lent.runs.exists() or Store(lent.runs).summaries() == []
    assert machine.processes(), "the engine goes on"
    again = lent("survey", *STEADY)
    assert again.code == 0, again.messages
    assert "collecting what `ciphermark survey --on box" in again.messages
    context = whole(lent)
    assert not context.interrupted
    assert context.run in again.output and "sha256" in again.output
    assert context.plan_name == "survey"
    machine.wait_until_clean()


def test_an_interrupt_is_passed_on_and_what_was_measured_is_kept(
    machine: Machine, lent: Command
) -> None:
    survey = Survey(lent, *STEADY)
    survey.measures()
    os.killpg(survey.process.pid, signal.SIGINT)
    survey.end()
    assert "interrupted; " in survey.said
    assert whole(lent).interrupted
    machine.wait_until_clean()


def test_a_command_that_is_killed_before_it_measures_leaves_nothing(
    machine: Machine, lent: Command
) -> None:
    survey = lent.start("survey", *STEADY)
    deadline = time.monotonic() + SOON
    while not machine.processes():
        assert time.monotonic() < deadline
        time.sleep(0.01)
    survey.kill()
    survey.wait()
    machine.wait_until_clean()


def test_plans_for_many_cores_are_made_for_the_box(machine: Machine, lent: Command) -> None:
    """Of its CPUs, its memory and its limits; the other measuring commands go the same way."""
    few = ("--on", "fast", "--algorithms", "sha256", "--providers", "rustcrypto", "--sizes", "64")
    for verb in ("sessions", "packets"):
        algorithm = ("--algorithms", "hmac-sha256") if verb == "packets" else ()
        planned = lent(verb, *few, *algorithm, "--dry-run", "--json")
        assert planned.code == 0, planned.messages
        assert planned.document["cases"]
    study = lent("study", "umac", "--on", "fast", "--quick", "--dry-run", "--json")
    assert study.code == 0, study.messages
    assert study.document["cases"]
    machine.wait_until_clean()


def test_what_ssh_refuses_is_one_sentence(machine: Machine, lent: Command) -> None:
    def refusal(on: str, *more: str) -> str:
        done = lent("survey", *SHORT, "--on", on, *more)
        assert (done.code, done.output) == (2, "")
        return done.sentence

    assert refusal("nameless").startswith("there is no machine nameless: its name is not known")
    assert refusal("absent") == (
        "absent cannot be reached: connect to host 127.0.0.1 port 2224: Connection refused"
    )
    assert refusal("-oProxyCommand=id").startswith("--on '-oProxyCommand=id' is no machine: ")
    assert refusal("box", "--kernel", "here.so") == (
        "--on measures on box, and --kernel is of this machine: leave one of them out"
    )
    machine.forget_host_key()
    assert refusal("box") == (
        "the host key of box is not known here: type ssh box once, compare the fingerprint with "
        "the machine's own, and accept it"
    )
    machine.forget_host_key(other=True)
    assert "the host key of box is another than before" in refusal("box")
    machine.remember_host_key()
    machine.refuse_key()
    assert refusal("box").startswith("box lets nobody in with the keys that are here: ")
    assert list(machine.temporary.iterdir()) == []
