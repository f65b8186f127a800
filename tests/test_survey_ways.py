"""Every way of calling, forcing and choosing that `survey` measures: what its rows then say."""

from __future__ import annotations

import platform
import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import Any, get_args

import pytest

from ciphermark import contract
from ciphermark.record.store import Store
from ciphermark.run.engine import Engine
from ciphermark.workloads.single.row import Row
from engine_fixture import Command, has_figures, look_at_measured

pytestmark = [pytest.mark.engine, pytest.mark.measures]

ROUGHLY = ("--sizes", "1024", "--precision", "10%", "--budget", "1")
Rows = list[dict[str, Any]]


@pytest.fixture(autouse=True)
def _paths_of_their_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody has looked at code paths before."""
    folders = SimpleNamespace(cache_folder=lambda: tmp_path / "cache")
    monkeypatch.setattr("ciphermark.run.caches.user_folders", folders)


def surveyed(command: Command, algorithm: str, operation: str, *options: object) -> Rows:
    """The rows of a survey of one operation at one size."""
    chosen = ("--algorithms", algorithm, "--operations", operation, *ROUGHLY)
    ended = command("survey", *chosen, *options, "--json")
    assert ended.code == 0, ended.messages
    assert set(ended.document) == {"run", "rows"}
    for row in ended.document["rows"]:
        assert set(row) == set(Row.__struct_fields__)
        assert (row["algorithm"], row["operation"]) == (algorithm, operation)
        assert (row["message_bytes"], row["offload"], row["error"]) == (1024, "none", None)
    look_at_measured(ended.document["rows"])
    return ended.document["rows"]


def test_a_function_after_another(command: Command) -> None:
    rows = surveyed(command, "sha256", "digest", "--providers", "openssl", "--after", "aes-128-gcm")
    assert [row["after"] for row in rows] == [None, "aes-128-gcm"]
    shown = command("show")
    assert shown.code == 0 and "after aes-128-gcm" in shown.output


def test_every_pattern(command: Command) -> None:
    options = ("--providers", "openssl", "--pattern", "all", "--chunk", "256")
    rows = surveyed(command, "aes-128-ctr", "encrypt", *options)
    chunks = {row["pattern"]: row["chunk_bytes"] for row in rows}
    usual = dict.fromkeys(get_args(contract.Pattern))
    assert chunks == usual | {"incremental": 256}
    shown = command("show")
    assert shown.code == 0
    # They are named where a busy machine left the usual one and another a figure.
    known = {row["pattern"] for row in rows if row["cycles_per_message"] is not None}
    if "reused-key" in known and len(known) > 1:
        assert all(pattern in shown.output for pattern in known)


def test_one_key_and_many_near_buffers_and_far_ones(command: Command) -> None:
    options = ("--providers", "openssl", "--keys", "1,1000", "--buffers", "hot,stream")
    rows = surveyed(command, "aes-128-gcm", "seal", *options)
    assert {(row["keys"], row["buffers"]) for row in rows} == {
        *((1, "hot"), (1, "stream"), (1000, "hot"), (1000, "stream"))
    }
    assert {(row["pattern"], row["lanes"]) for row in rows} == {("reused-key", 1)}
    assert "1 000 keys" in command("show").output


def test_cold_calls_are_samples_of_their_own(command: Command) -> None:
    """They take long on a busy machine, so that there may be no interval."""
    chosen = ("--algorithms", "aes-128-ecb", "--operations", "encrypt", "--providers", "kernels")
    ended = command(
        *("survey", *chosen, "--sizes", 1024, "--buffers", "cold", "--budget", 1, "--json"),
    )
    assert ended.code == 0, ended.messages
    [row] = ended.document["rows"]
    assert (row["operation"], row["buffers"], row["error"]) == ("encrypt", "cold", None)
    samples = Store(command.runs).load(ended.document["run"]).samples
    assert set(samples["messages"].to_pylist()) == {1}


def test_messages_in_the_second_level(command: Command, engine: Engine) -> None:
    machine = engine.environment().machine
    if not machine.l2_cache_bytes or not machine.l1d_cache_bytes:
        pytest.skip("the kernel does not tell the sizes of the caches")
    options = ("--providers", "openssl", "--buffers", "l2")
    [row] = surveyed(command, "sha256", "digest", *options)
    assert row["buffers"] == "l2"
    too_long = ("--algorithms", "sha256", "--sizes", machine.l2_cache_bytes, "--budget", "1")
    ended = command("survey", *too_long, *options, "--json")
    [row] = ended.document["rows"]
    assert ended.code == 1
    assert "half the second-level cache: write smaller --sizes" in row["error"]["message"]


def test_one_chunk_again_and_again(command: Command) -> None:
    options = ("--providers", "openssl,rustcrypto", "--pattern", "incremental", "--chunk", "100")
    for operation in ("mac", "verify"):
        rows = surveyed(command, "hmac-sha256", operation, *options, "--buffers", "hot,repeated")
        assert [(row["provider"], row["buffers"]) for row in rows] == [
            *(("openssl", "hot"), ("openssl", "repeated")),
            *(("rustcrypto", "hot"), ("rustcrypto", "repeated")),
        ]
        assert {row["chunk_bytes"] for row in rows} == {100}
    assert "100 B · repeated" in " ".join(command("show").output.split())


def test_one_lane_and_four(command: Command, engine: Engine) -> None:
    needs(engine, "ipsec-mb")
    options = ("--providers", "ipsec-mb", "--lanes", "1,4")
    alone, four = surveyed(command, "hmac-sha256", "mac", *options)
    assert (alone["lanes"], four["lanes"]) == (1, 4)
    assert (alone["keys"], four["keys"]) == (1, 4)
    if has_figures(four):
        # A row's message is one of the four, and so is its time.
        assert four["cycles_per_message"] / four["cycles_per_byte"] == pytest.approx(1024)


def test_lanes_under_one_key_and_as_many_as_are_taken(command: Command, engine: Engine) -> None:
    needs(engine, "ipsec-mb")
    options = ("--providers", "ipsec-mb", "--lanes", "4,all", "--keys", "1")
    rows = surveyed(command, "eea3", "encrypt", *options)
    assert [(row["lanes"], row["keys"]) for row in rows] == [(4, 1), (128, 1)]
    assert "4 lanes · one key" in command("show").output


def test_a_profile_of_sizes(command: Command) -> None:
    chosen = ("--algorithms", "aes-128-gcm", "--operations", "seal,open", "--providers", "openssl")
    profile = ("--profile", "imix,packets-40-1500", "--precision", "10%", "--budget", "1")
    ended = command("survey", *chosen, *profile, "--json")
    assert ended.code == 0, ended.messages
    rows = ended.document["rows"]
    names = [row["profile"] for row in rows]
    assert names == ["imix", "packets-40-1500"] * 2
    for row in rows:
        assert (row["error"], row["message_bytes"]) == (None, None)
        mean = {"imix": 4084 / 12, "packets-40-1500": 770}[row["profile"]]
        if has_figures(row):
            assert row["cycles_per_message"] / row["cycles_per_byte"] == pytest.approx(mean, abs=1)
    assert "packets-40-1500" in command("show").output


def test_every_code_path_is_forced(command: Command) -> None:
    options = ("--providers", "openssl,rustcrypto", "--backends", "all")
    rows = surveyed(command, "sha256", "digest", *options)
    by_itself = [row for row in rows if not row["switches"]]
    assert [row["provider"] for row in by_itself] == ["openssl", "rustcrypto"]
    forced = [row for row in rows if row["switches"]]
    assert {row["backend_evidence"] for row in forced} <= {"forced"}
    paths = [(row["provider"], row["backend"]) for row in rows]
    assert len(set(paths)) == len(paths), "each path once"


def test_features_are_hidden_one_at_a_time(command: Command, engine: Engine) -> None:
    if platform.machine() != "x86_64":
        pytest.skip("which features OpenSSL's SHA-256 uses is known for x86-64")
    if not {"sha_ni", "ssse3"} <= needs(engine, "openssl").switches.keys():
        pytest.skip("this processor has no SHA extensions")
    options = ("--providers", "openssl", "--ablate")
    base, *hidden = surveyed(command, "sha256", "digest", *options)
    assert (base["switches"], base["backend"]) == ({}, "shani")
    found = {row["switches"]["OPENSSL_ia32cap"]: row for row in hidden}
    variables = needs(engine, "openssl").switches
    without_sha = found[variables["sha_ni"]["OPENSSL_ia32cap"]]
    assert without_sha["backend"] != "shani", "another path runs, and the row says so"
    assert "sha_ni" not in without_sha["features"]
    # Nothing of one run is taken for a path of the library in the next.
    assert len(surveyed(command, "sha256", "digest", *options)) == 1 + len(hidden)


def test_two_builds_of_a_library_in_one_run(
    command: Command, libcrypto: Path, tmp_path: Path
) -> None:
    options = []
    for build in ("one", "two"):
        (tmp_path / build).mkdir()
        copy = shutil.copy(libcrypto, tmp_path / build / "libcrypto.so.3")
        options += ["--library", f"openssl={copy}"]
    options += ["--providers", "openssl@1,openssl@2"]
    rows = surveyed(command, "sha256", "digest", *options)
    assert [row["provider"] for row in rows] == ["openssl@1", "openssl@2"]
    providers = {it.name: it for it in command.only_run().hello.providers}
    for name, build in (("openssl@1", "one"), ("openssl@2", "two")):
        assert providers[name].location == str(tmp_path / build / "libcrypto.so.3")


def needs(engine: Engine, name: str) -> contract.Provider:
    """The library of that name; skips where it cannot be used."""
    [provider] = [it for it in engine.describe().providers if it.name == name]
    if not provider.usable:
        pytest.skip(provider.reason)
    return provider
