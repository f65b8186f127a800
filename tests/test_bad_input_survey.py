"""What `survey` refuses before it measures anything: names, sizes, CPUs, quantities, plans."""

from __future__ import annotations

import shlex
from pathlib import Path

import pyarrow as pa
import pytest

from ciphermark.measure.engine import Engine
from ciphermark.record.run import Run
from ciphermark.record.store import Store
from engine_fixture import Command, contents, has_figures, measured

pytestmark = pytest.mark.engine


@pytest.fixture
def earlier(command: Command, run: Run, run_rows: pa.Table) -> Path:
    """A runs folder that holds a run."""
    Store(command.runs).save(run, run_rows)
    return command.runs


def refused(command: Command, runs: Path, *arguments: object) -> str:
    """The sentence with which a command is refused; what is stored stays as it is."""
    before = contents(runs)
    refusal = command(*arguments)
    assert refusal.code == 2
    assert refusal.output == ""
    assert contents(runs) == before
    return refusal.sentence


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("--algorithms aes-128-gmc", "no algorithm 'aes-128-gmc'; near: aes-128-gmac"),
        ("--algorithms ,", "--algorithms ',' names nothing"),
        ("--sizes many", "'many' is not a message size: write bytes"),
        ("--profile imx", "no profile 'imx'; near: imix"),
        ("--profile /nowhere.toml", "the profile /nowhere.toml cannot be read: No such file"),
        ("--profile imix --sizes 64", "--sizes and --profile exclude each other: give one"),
        (
            "--profile imix --algorithms aes-128-cbc",
            "the profile imix has messages of 40 bytes, and aes-128-cbc has none",
        ),
        ("--after md55", "no algorithm 'md55'; near: md5"),
        (f"--sizes {'9' * 5000}", "is not a message size"),
        (
            "--providers openssl --operations encrypt --sizes 43 --algorithms camellia-128-cbc",
            "camellia-128-cbc takes whole blocks",
        ),
        ("--cpus 999", "CPU 999 is not there or not allowed to this process; allowed: "),
        ("--precision nan", "--precision nan is not above 0"),
        ("--budget soon", "--budget 'soon' is not a time up to a day: write 60s or 2m"),
        ("--library opensl=/lib/libcrypto.so.3", "no provider 'opensl'; near: openssl"),
        ("--library rustcrypto=/lib/x.so", "leave out --library rustcrypto=PATH"),
        ("--quick --all", "--quick, --all and --plan exclude each other: give one of them"),
    ],
    ids=lambda value: value[:40],
)
def test_what_cannot_be_is_refused(
    command: Command, earlier: Path, options: str, said: str
) -> None:
    assert said in refused(command, earlier, "survey", *shlex.split(options))


def test_a_cpu_that_is_not_allowed_is_refused(
    command: Command, earlier: Path, only_cpu: tuple[int, int]
) -> None:
    first, other = only_cpu
    sentence = refused(command, earlier, "survey", "--cpus", other)
    assert sentence == (
        f"CPU {other} is not there or not allowed to this process; allowed: {first}"
    )


@pytest.mark.measures
def test_an_empty_message_has_no_figures_per_byte(engine: Engine) -> None:
    for row in measured(engine, algorithms=["sha256"], operations=["digest"], sizes=[0]):
        has_figures(row)
        assert row.cycles_per_byte is row.ci_low is row.ci_high is row.mbytes_per_second is None


PLAN = """
title = "A plan of my own"
workload = "single"
algorithms = ["sha256"]
operations = ["digest"]
sizes = [64]
precision = 0.05
budget_s = 1
max_cases = 10
"""


@pytest.mark.parametrize(
    ("changed", "into", "said"),
    [
        ("sizes = [64]", "sizes = [64", "is not valid: "),
        ("sizes = [64]", "sizes = [-64]", "sizes[0] is"),
        ("sizes = [64]", "sizes = [1_073_741_825]", "sizes[0] is"),
        ("sizes = [64]", 'sizes = "64"', "sizes is"),
        ("precision = 0.05", "precision = 5", "precision is"),
        ("precision = 0.05", "precision = nan", "precision is"),
        ("budget_s = 1", "budget_s = 0", "budget_s is"),
        ("budget_s = 1", "", "it lacks budget_s: a number, more than 0"),
        ("max_cases", "most_cases", "most_cases is no field; near: max_cases"),
        ('workload = "single"', 'workload = "double"', "workload is"),
        ("my own", "my \\u00", "is not valid: "),
    ],
    ids=lambda value: value[:30],
)
def test_a_plan_that_is_not_valid_is_refused(
    command: Command, earlier: Path, tmp_path: Path, changed: str, into: str, said: str
) -> None:
    file = tmp_path / "own.toml"
    assert changed in PLAN
    file.write_text(PLAN.replace(changed, into))
    sentence = refused(command, earlier, "survey", "--plan", file)
    assert sentence.startswith(f"the plan {file} is not valid: ")
    assert said in sentence


@pytest.mark.parametrize(
    ("changed", "into", "said"),
    [
        ("sha256", "sha265", "no algorithm 'sha265'; near: sha256"),
        ("digest", "seal", "nothing is left to measure"),
        ("sizes = [64]", "sizes = []", "nothing is left to measure"),
    ],
)
def test_a_plan_that_asks_for_what_is_not_there_is_refused(
    command: Command, earlier: Path, tmp_path: Path, changed: str, into: str, said: str
) -> None:
    file = tmp_path / "own.toml"
    file.write_text(PLAN.replace(changed, into))
    assert said in refused(command, earlier, "survey", "--plan", file)


def test_a_plan_that_cannot_be_read_is_refused(
    command: Command, earlier: Path, tmp_path: Path
) -> None:
    absent, binary = tmp_path / "absent.toml", tmp_path / "binary.toml"
    binary.write_bytes(b"\xff\xfe")
    assert refused(command, earlier, "survey", "--plan", absent) == (
        f"the plan {absent} cannot be read: No such file or directory"
    )
    assert refused(command, earlier, "survey", "--plan", tmp_path).endswith(": Is a directory")
    assert "is not valid" in refused(command, earlier, "survey", "--plan", binary)
