"""`fleet --hosts` and `tune --hosts`: workers started over SSH, by an sshd of the test's own."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from engine_fixture import FEW, Command
from ssh_workers_fixture import wait_for_no_worker
from tune_fixture import HOST, look_at_those_of_the_host

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


@pytest.mark.deep
@pytest.mark.engine
@pytest.mark.usefixtures("turn")
@pytest.mark.measures
def test_variants_are_compiled_here_and_measured_on_a_host(
    worker_host: Path, command: Command
) -> None:
    if shutil.which("gcc") is None:
        pytest.skip("gcc is not here")
    hosts = worker_host / "hosts"
    # As of a board: nothing on its PATH compiles.
    hosts.write_text(f"box python={worker_host}/bare-python\nstranger\n")
    done = command(*HOST, "--hosts", hosts, "--even-unfit")
    look_at_those_of_the_host(done)
    assert "stranger: Host key verification failed" in done.messages
    wait_for_no_worker()
