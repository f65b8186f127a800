"""Runs over SFTP, beside what all shared stores do: folders of the server, and keys of hosts."""

from __future__ import annotations

from pathlib import Path

import pytest

from ciphermark.errors import WorkError
from ciphermark.record.run import Run
from ciphermark.record.store import Store
from ciphermark.workloads.single.rows import rows
from ciphermark.workloads.single.workload import WORKLOAD as SINGLE
from store_servers import SftpServer

pytestmark = pytest.mark.usefixtures("own_folders")


def test_nothing_but_the_run_is_left_on_the_server(
    sftp: SftpServer, tmp_path: Path, run: Run
) -> None:
    store = Store.default(sftp.address(tmp_path / "shared"))
    store.check_writable()
    store.save(run, SINGLE.rows_table(rows(run)))
    assert [it.name for it in (tmp_path / "shared").iterdir()] == [run.context.run]
    assert not list((tmp_path / "shared").rglob(".new-*"))


@pytest.mark.parametrize("known", ["", "of another key"])
def test_a_host_that_is_not_known_is_not_spoken_to(
    sftp: SftpServer, tmp_path: Path, known: str
) -> None:
    sftp.known((sftp.home / ".ssh" / "id_ed25519.pub").read_text() if known else None)
    store = Store.default(sftp.address(tmp_path / "shared"))
    with pytest.raises(WorkError) as refusal:
        store.run_ids()
    assert "host key is not known" in str(refusal.value)
    assert f"127.0.0.1:{sftp.port}" in str(refusal.value)
