"""`fleet --hosts`: workers started over SSH, by an sshd of the test's own."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine_fixture import FEW, Command
from ssh_workers_fixture import wait_for_no_worker

pytest.importorskip("distributed", reason="Dask is not installed: pip install 'ciphermark[fleet]'")


@pytest.mark.engine
@pytest.mark.usefixtures("turn")
@pytest.mark.measures
def test_a_host_is_measured_and_nothing_is_left_there(worker_host: Path, command: Command) -> None:
    (worker_host / "hosts").write_text(f"# boards\nbox python={worker_host}/python\nstranger\n")
    # A newcomer's CPUs may be busy with this very test.
    done = command("fleet", "--hosts", worker_host / "hosts", *FEW, "--even-unfit", "--json")
    assert done.output, done.messages
    (machine,) = done.document["machines"]
    assert machine["state"] == "done", done.messages
    assert command.only_run().run == machine["run"]
    (line,) = [it for it in done.messages.splitlines() if "stranger: " in it]
    assert "Host key verification failed" in line
    wait_for_no_worker()
