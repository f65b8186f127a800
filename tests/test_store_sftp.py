"""Runs over SFTP, beside what all shared stores do: folders of the server, and keys of hosts."""

from __future__ import annotations

from pathlib import Path

import pytest
from paramiko import SFTPAttributes, SFTPClient

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


def test_another_machine_makes_each_folder_first(
    sftp: SftpServer, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    make = SFTPClient.mkdir

    def made_already(client: SFTPClient, path: str, mode: int = 0o777) -> None:
        Path(path).mkdir()
        make(client, path, mode)

    monkeypatch.setattr(SFTPClient, "mkdir", made_already)
    store = Store.default(sftp.address(tmp_path / "shared" / "of" / "all"))
    store.save(run, SINGLE.rows_table(rows(run)))
    assert store.load(run.context.run).cases == run.cases


def test_another_machine_sends_the_same_run(
    sftp: SftpServer, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared, stat = tmp_path / "shared", SFTPClient.stat
    store = Store.default(sftp.address(shared))

    def stat_beside_another(client: SFTPClient, path: str) -> SFTPAttributes:
        if (shared / run.context.run).exists():
            (shared / run.context.run / "cases.parquet").write_bytes(b"begun")
        return stat(client, path)

    with monkeypatch.context() as patch:
        patch.setattr(SFTPClient, "stat", stat_beside_another)
        store.save(run, SINGLE.rows_table(rows(run)))
    assert store.load(run.context.run).cases == run.cases


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
