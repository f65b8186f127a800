"""`--on`: a real sshd behind a slow line that loses packets, cut and mended while it measures."""

from __future__ import annotations

import os
import signal
import time

import pytest

from ciphermark.record.store import Store
from engine_fixture import Command
from ssh_fixture import OTHER, RELAYED, Machine, left_here, of_a_guest
from ssh_survey import PLANNED, SHORT, SOON, STEADY, Survey, whole
from static_engines import made, steps_to_emulate

pytestmark = pytest.mark.engine


def test_a_survey_elsewhere_is_stored_here(machine: Machine, command: Command) -> None:
    """With the whole engine over the slow line; for root through the box to a further machine,
    where the user is an ordinary one."""
    inner = machine.begin_other("inner", of_a_guest("/bin/sh")) if os.getuid() == 0 else machine
    on = "box" if inner is machine else "behind"
    done = command("survey", *SHORT, "--on", on)
    assert done.code == 0, done.messages
    assert f"copying the engine to {on}" in done.messages
    assert not whole(command).interrupted
    inner.wait_until_clean()
    machine.wait_until_clean()


def test_a_connection_that_comes_back_loses_nothing(machine: Machine, lent: Command) -> None:
    survey = Survey(lent, "--on", "box", *STEADY)
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
    survey = Survey(lent, "--on", "box", *STEADY)
    survey.measures()
    survey.process.kill()
    survey.end()
    assert not lent.runs.exists() or Store(lent.runs).summaries() == []
    assert machine.processes(), "the engine goes on"
    if os.getuid() == 0:
        leads_elsewhere_for_a_while(machine, lent)
    again = lent("survey", "--on", "box", *STEADY)
    assert again.code == 0, again.messages
    assert "collecting the results of `ciphermark survey --on box" in again.messages
    context = whole(lent)
    assert not context.interrupted
    assert context.run in again.output and "sha256" in again.output
    assert context.plan_name == "survey"
    machine.wait_until_clean()


def leads_elsewhere_for_a_while(machine: Machine, command: Command) -> None:
    """What was measured is not given up."""
    other = machine.begin_other("other")
    machine.lead_to(OTHER)
    there = command(*PLANNED, "--on", "box")
    assert there.code == 0, there.messages
    node = os.uname().nodename
    assert "box is other now, and `ciphermark survey --on box" in there.messages
    assert (
        f"measured on {node}: its results are collected when box is {node} again" in there.messages
    )
    other.wait_until_clean()
    machine.lead_to(RELAYED)


def test_an_interrupt_is_passed_on_and_what_was_measured_is_kept(
    machine: Machine, lent: Command
) -> None:
    survey = Survey(lent, "--on", "box", *STEADY)
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
        survey = lent.fork("survey", *STEADY, "--on", "fast")
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


def planned_for(machine: Machine, lent: Command, *planned: str) -> None:
    done = lent(*planned, "--on", "fast")
    assert done.code == 0, done.messages
    assert done.document["cases"]
    machine.wait_until_clean()


@pytest.mark.deep
def test_packets_are_planned_for_the_box(machine: Machine, lent: Command) -> None:
    """By the way of sessions, which `make test` takes."""
    planned_for(machine, lent, "packets", *PLANNED[1:], "--algorithms", "hmac-sha256")


def test_plans_for_many_cores_are_made_for_the_box(machine: Machine, lent: Command) -> None:
    """Of its CPUs, its memory and its limits; studies go the same way."""
    planned_for(machine, lent, *PLANNED)
    quick = ("--quick", "--providers", "kernels", "--dry-run", "--json")
    study = lent("study", "umac", "--on", "fast", *quick)
    assert study.code == 0, study.messages
    assert study.document["cases"]
    machine.wait_until_clean()


def test_a_machine_with_another_processor_gets_its_engine(
    machine: Machine, command: Command
) -> None:
    """The kernel of the second machine runs programs for arm64, which its `uname` says it is."""
    if os.uname().machine != "x86_64":
        pytest.skip("programs for arm64 are emulated on x86-64 only")
    made("aarch64")
    server = machine.begin_other("arm", steps_to_emulate(), apart=True)
    server.says_uname(m="aarch64")
    done = command("survey", *SHORT, "--on", "other")
    assert done.code == 0, done.messages
    context = whole(command)
    assert context.hello is not None
    assert context.hello.engine.target == "aarch64-unknown-linux-musl"
    assert context.hello.environment.machine.architecture == "aarch64"
    server.wait_until_clean()
