"""What `packets` refuses before it measures."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

import pytest

from engine_fixture import Command, refusal

pytestmark = pytest.mark.engine

BEYOND = os.cpu_count() or 1
"""A CPU that is not there."""


def refused(command: Command, *arguments: object) -> str:
    return refusal(command, "packets", *arguments)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("--packets 0", "--packets '0' is not a number from 1 to 1000000: write for example 4"),
        ("--packets ''", "--packets '' is not a number"),
        (f"--packets {'9' * 3000}", "is not a number from 1 to"),
        (f"--cpus {BEYOND}", f"CPU {BEYOND} is not there or not allowed to this process; allowed"),
        (f"--cores {BEYOND + 1}", f"{BEYOND + 1} cores cannot process packets where"),
        (
            "--architecture pinned-pipeline --operations encrypt+decrypt --cpus 0",
            "the architecture pinned-pipeline needs two CPUs",
        ),
        ("--cpus 0 --group 3-1", "--group '3-1' begins with the higher: write 1-3"),
        ("--operations setup", "there is no operation of packets 'setup'"),
        ("--algorithms uea1 --sizes 5000", "uea1 has no message of 5000 bytes: write at most"),
        (
            "--sweep --plan x.toml",
            "--sweep, --break-even, --terms and --plan exclude each other: give one of them",
        ),
        ("--quick --plan x.toml", "--quick and --plan exclude each other"),
        ("--plan /nowhere.toml", "the plan /nowhere.toml cannot be read"),
        ("--budget 1", "and the budget is 1 s: write --budget"),
        (
            "--packets 1000000 --sizes 16M --algorithms aes-128-gcm",
            "1000000 packets of 16777216 bytes need ",
        ),
    ],
    ids=lambda value: value[:40],
)
def test_what_cannot_be_is_refused(command: Command, options: str, said: str) -> None:
    assert said in refused(command, *shlex.split(options))


def test_without_a_cpu_for_the_device_it_says_which_there_are(command: Command) -> None:
    sentence = refused(command, "--offload", "cores", "--cores", "all")
    assert "the offload cores has no CPU left where" in sentence
    assert "with --offload-cpus, or fewer --cores" in sentence


def test_plans_of_another_workload_are_sent_to_their_command(
    command: Command, tmp_path: Path
) -> None:
    plan = tmp_path / "own.toml"
    plan.write_text(
        'title = "Own"\nworkload = "single"\nalgorithms = ["sha256"]\noperations = ["digest"]\n'
        "sizes = [64]\nprecision = 0.05\nbudget_s = 1\nmax_cases = 10\n"
    )
    assert f"write ciphermark survey --plan {plan}" in refused(command, "--plan", plan)


def test_a_report_is_not_written_over_something(command: Command, tmp_path: Path) -> None:
    there = tmp_path / "report.html"
    there.write_text("mine")
    assert f"{there} is there already" in refused(command, "--output", there)
    assert there.read_text() == "mine"


def test_more_cores_than_there_are_leave_the_others(command: Command) -> None:
    listed = command(
        *("packets", "--algorithms", "sha256", "--operations", "digest", "--sizes", "64"),
        *("--providers", "rustcrypto", "--cores", f"1,{BEYOND + 1}", "--dry-run", "--json"),
    )
    assert listed.code == 0
    assert [len(case["packets"]["cpus"]) for case in listed.document["cases"]] == [1]
    assert f"{BEYOND + 1} cores cannot process packets" in listed.document["notes"][0]
