"""`ciphermark tune` as a user types it: real compilers, a simulated target, and this machine."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from ciphermark.farm.machine_lock import boot_id, held
from ciphermark.run.targets.target import FOLDER, read
from ciphermark.run.targets.toolchain import Toolchain, kernel_sources
from ciphermark.statistics.pareto import dominates
from engine_fixture import Command
from fleet_fixture import farm
from tune_fixture import BROKEN, HOST, KERNEL, VARIANTS, by_flags, look_at_those_of_the_host

pytest.importorskip("distributed")


@pytest.mark.targets
def test_variants_of_a_simulated_target(command: Command, tmp_path: Path) -> None:
    """One cold run for all: compiling takes the longest."""
    if missing := Toolchain(read(FOLDER / "atmega128.toml"), kernel_sources(), tmp_path).missing():
        pytest.skip(missing)
    ended = command(
        "tune", "atmega128", *KERNEL, *VARIANTS, "--flags=-Onone", "--local", "1", "--json"
    )
    assert ended.code == 0, ended.messages
    rows, run = by_flags(ended), ended.document["run"]

    # The default is what `simulate` says, to the last cycle and byte.
    simulated = command("simulate", "atmega128", *KERNEL, "--json").document["rows"][0]
    default = rows["-O2"]
    assert default["is_default"] and default["verdict"] == "default"
    for name in ("value", "code_bytes", "stack_bytes", "vectors_passed"):
        assert default[name] == simulated[name] > 0, name

    known = [row for row in rows.values() if row["error"] is None]
    assert {row["flags"] for row in known} == {"-O2", "-O1", "-Os"}
    points = {it["variant"]: (it["value"], it["code_bytes"], it["stack_bytes"]) for it in known}
    for row in known:
        assert row["ratio"] == row["value"] / default["value"]
        beaten = any(dominates(it, points[row["variant"]]) for it in points.values())
        assert row["on_front"] is not beaten
    assert len({row["code_bytes"] for row in known}) > 1

    # Never timed: one that answers wrongly, and one that does not compile.
    broken, refused = rows[BROKEN], rows["-Onone"]
    assert broken["error"]["kind"] == "wrong-answer"
    assert "wrong on the target: tea-ecb" in broken["error"]["message"]
    assert refused["error"]["message"].startswith("does not compile: ")
    assert broken["value"] is refused["value"] is None

    shown = command("show", run, "--json").document
    assert shown["rows"] == ended.document["rows"]
    table = " ".join(command("show", run).output.split())
    assert "tea-ecb reference, encrypt of 64 B on atmega128, cycles (simulated)" in table
    assert "2 variants refused" in table
    assert len(command("export", run).output.splitlines()) == 1 + len(rows)
    assert command("list", "runs").code == 0


@pytest.mark.engine
@pytest.mark.usefixtures("turn")
@pytest.mark.measures
def test_variants_of_this_machine(command: Command) -> None:
    if shutil.which("gcc") is None:
        pytest.skip("gcc is not here")
    ended = command(*HOST, "--local", "2")
    look_at_those_of_the_host(ended)


@pytest.mark.deep
@pytest.mark.engine
@pytest.mark.usefixtures("turn")
@pytest.mark.measures
def test_variants_of_the_machines_of_a_cluster(command: Command, tmp_path: Path) -> None:
    if shutil.which("gcc") is None:
        pytest.skip("gcc is not here")
    with farm(tmp_path) as started:
        started.this_machine(CIPHERMARK_ENGINE=command.environment["CIPHERMARK_ENGINE"])
        started.wait()
        ended = command(*HOST, "--scheduler", started.address, "--even-unfit")
        look_at_those_of_the_host(ended)
        started.worker("dora", trouble="unfit")
        started.wait()
        with held(boot_id(), "fleet of another"):
            refused = command(*HOST, "--scheduler", started.address)
    assert "fleet of another is measuring there" in refused.messages
    (line,) = [it for it in refused.messages.splitlines() if "dora" in it]
    assert "replayed-dora: is unfit (emulated processor" in line and "--even-unfit" in line
    assert refused.code == 1


@pytest.mark.engine
@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["atmega129"], "there is no target 'atmega129'; near: atmega12"),
        (["host", "--flags=-Ofast"], "-Ofast is never tried"),
        (["host", "--objective", "spede"], "there is no objective 'spede'; near: speed"),
        (["host", "--algorithms", "gmac-aes-128"], "no kernel of ours computes gmac-aes-128"),
        (["host", "--flag-sets", "levles"], "there is no file of flags 'levles'; near: levels"),
        (["host", "--compilers", "tcc"], "no compiler of tcc compiles for host here"),
        (["rv32i", "--flags=-march=native"], "--flags '-march=native' means the processor that"),
        (
            ["host", "--flags=-march=native", "--scheduler", "tcp://127.0.0.1:1"],
            "the flags '-march=native' depend on the processor that compiles, and others measure",
        ),
        (["host", "--local", "2", "--scheduler", "tls://x:1"], "--scheduler and --local exclude"),
    ],
)
def test_bad_input_is_one_sentence(command: Command, arguments: list[str], sentence: str) -> None:
    ended = command("tune", *arguments)
    assert ended.code == 2
    assert ended.sentence.startswith(sentence)
