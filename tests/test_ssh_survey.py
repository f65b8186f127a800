"""`--on`: a real sshd behind a slow line that loses packets, cut and mended while it measures."""

from __future__ import annotations

import pytest

from engine_fixture import Command
from ssh_fixture import Machine

pytestmark = pytest.mark.engine

SHORT = (
    *("survey", "--on", "box", "--algorithms", "sha256", "--providers", "rustcrypto"),
    *("--sizes", "64", "--precision", "5%", "--budget", "2"),
)


def test_a_survey_elsewhere_is_stored_here(machine: Machine, command: Command) -> None:
    done = command(*SHORT)
    print(done.output, done.messages)
    assert done.code == 0
    assert command.only_run().cases == 1
    machine.wait_until_clean()
