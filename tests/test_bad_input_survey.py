"""What `survey` refuses before it measures anything: names, sizes, CPUs, quantities, plans."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from ciphermark.record.run import Run
from ciphermark.record.store import Store
from ciphermark.record.table import Table
from ciphermark.run.engine import Engine
from engine_fixture import Command, contents, has_figures, measured

pytestmark = pytest.mark.engine


@pytest.fixture
def earlier(command: Command, run: Run, run_rows: Table) -> Path:
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
        ("--profile /nowhere.toml", "the profile /nowhere.toml cannot be read: No such file"),
        (
            "--profile imix --algorithms aes-128-cbc",
            "the profile imix has messages of 40 bytes, and aes-128-cbc has none",
        ),
        ("--after md55", "no algorithm 'md55'; near: md5"),
        ("--cpus 999", "CPU 999 is not there or not allowed to this process; allowed: "),
        ("--budget soon", "--budget 'soon' is not a time up to a day: write 60s or 2m"),
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


def test_a_plan_that_cannot_be_read_is_refused(
    command: Command, earlier: Path, tmp_path: Path
) -> None:
    absent, invalid = tmp_path / "absent.toml", tmp_path / "invalid.toml"
    invalid.write_text("sizes = [64")
    assert refused(command, earlier, "survey", "--plan", absent) == (
        f"the plan {absent} cannot be read: No such file or directory"
    )
    assert refused(command, earlier, "survey", "--plan", tmp_path).endswith(": Is a directory")
    sentence = refused(command, earlier, "survey", "--plan", invalid)
    assert sentence.startswith(f"the plan {invalid} is not valid: ")
