"""A scheduler with TLS by its user's own certificates: who may talk to it, what others read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from engine_fixture import Command
from fleet_fixture import ASKED, Farm, farm, stored_runs
from tls_fixture import Authority

pytest.importorskip("distributed", reason="Dask is not installed: pip install 'ciphermark[fleet]'")

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def ours(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("ours"), "ours")


@pytest.fixture(scope="module")
def stranger(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("stranger"), "stranger")


@pytest.fixture(scope="module")
def secure(ours: Authority, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Farm]:
    """A scheduler and a worker that speak TLS only."""
    with farm(tmp_path_factory.mktemp("farm"), authority=ours) as started:
        started.worker("doris")
        yield started


def test_who_is_of_the_same_authority_is_let_in(
    secure: Farm, ours: Authority, tmp_path: Path
) -> None:
    command = Command(tmp_path / "runs", tmp_path / "no-engine")
    named = ("--scheduler", secure.address.removeprefix("tls://"), *ours.of_client())
    done = command("fleet", *named, *ASKED)
    assert done.code == 0, done.messages
    assert f"on the scheduler at {secure.address}" in done.messages
    assert stored_runs(command.runs) == {"doris": 1}


def test_others_are_refused_in_a_line(
    secure: Farm, ours: Authority, stranger: Authority, tmp_path: Path
) -> None:
    command = Command(tmp_path / "runs", tmp_path / "no-engine")
    plain = secure.address.replace("tls://", "tcp://")
    mixed = (*ours.of_client()[:4], *stranger.of_client()[4:])
    for address, options, words in [
        (secure.address, stranger.of_client(), "shows a certificate of another authority"),
        (secure.address, stranger.of_client(ours.ca), "does not take the certificate of this"),
        (secure.address, (), "needs TLS: give --tls-ca FILE"),
        (plain, (), f"ends the connection: if it wants TLS, write {secure.address}"),
        (secure.address, mixed, "are no certificate with its private key (key values mismatch)"),
        (secure.address, ours.of_client(Path(__file__)), "test_fleet_tls.py of --tls-ca has no"),
    ]:
        done = command("fleet", "--scheduler", address, *options)
        assert done.code == 2
        assert words in done.sentence
    assert not [*command.runs.glob("fleets/*")]
