"""`--on`: a real sshd behind a slow line that loses packets, cut and mended while it measures."""

from __future__ import annotations

import os
import signal
import time

import pytest

from ciphermark.record.store import Store
from engine_fixture import Command
from ssh_fixture import Machine, left_here
from ssh_survey import SHORT, SOON, STEADY, Survey, whole

pytestmark = pytest.mark.engine


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


def test_a_command_that_is_ended_before_it_measures_leaves_nothing(
    machine: Machine, lent: Command
) -> None:
    """Neither there nor here; what it cannot remove here, the next one does."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
        survey = lent.start("survey", *STEADY, "--on", "fast")
        deadline = time.monotonic() + SOON
        while not machine.processes():
            assert time.monotonic() < deadline
            time.sleep(0.01)
        assert left_here(survey.pid)
        survey.send_signal(number)
        said = survey.communicate(timeout=SOON)[1]
        assert said == ("" if number == signal.SIGKILL else "ciphermark: stopped\n")
        assert bool(left_here(survey.pid)) == (number == signal.SIGKILL)
        machine.wait_until_clean()
    assert lent("survey", *SHORT, "--on", "absent").code == 2
    assert left_here(survey.pid) == []


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
