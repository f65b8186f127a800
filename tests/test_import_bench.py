"""Runs that `ciphermark-engine bench` writes on other machines, and files that pose as one."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ciphermark import contract
from ciphermark.errors import UsageError
from ciphermark.record.run import Run
from ciphermark.record.store import Store
from ciphermark.run import engine_choice
from ciphermark.run.engine import Engine
from ciphermark.workload import rows
from ciphermark.workloads.imported import bench
from engine_fixture import SECONDS, Command, look_at_measured, refusal
from static_engines import made, run_on
from synthetic import (
    CRASH,
    synthetic_algorithms,
    synthetic_cases,
    synthetic_events,
    synthetic_plan,
    synthetic_run,
)

CASES = synthetic_cases(["aes-128-gcm", "sha256"], ["openssl", "rustcrypto"], (64, 1500))
PLAN = synthetic_plan(CASES)


@cache
def lines() -> tuple[bytes, ...]:
    """The lines of a file, of which case 1 has failed."""
    measured = {it.algorithm for it in CASES}
    head = contract.BenchHead(
        ciphermark_bench=contract.SCHEMA,
        command="ciphermark-engine bench",
        plan_name="bench",
        plan=PLAN,
        algorithms=[it for it in synthetic_algorithms() if it.name in measured],
        notes=["a library is not here"],
    )
    return tuple(map(msgspec.json.encode, (head, *synthetic_events(PLAN, failed={1: CRASH}))))


def file_of(parts: tuple[bytes, ...] | list[bytes]) -> bytes:
    return b"".join(part + b"\n" for part in parts)


def read(content: bytes, machine: str | None = None) -> Run:
    return bench.read(Path("router.jsonl"), content, "ciphermark import router.jsonl", machine)


def test_it_is_the_run_of_that_machine_and_says_where_it_comes_from() -> None:
    run = read(file_of(lines()))
    same = synthetic_run(CASES, failed={1: CRASH})
    assert rows(run) == rows(same)
    context = run.context
    assert context.notes == [context.notes[0], "a library is not here"]
    assert context.notes[0].startswith("imported from router.jsonl (SHA-256 ")
    assert context.notes[0].endswith("written by ciphermark-engine bench")
    assert (context.plan_name, context.interrupted) == ("bench", False)
    assert context.machine_id == context.engine_hello.environment.machine.machine_id
    assert context.run == read(file_of(lines())).context.run


def test_the_user_gives_the_machine_a_name() -> None:
    context = read(file_of(lines()), "upstairs").context
    assert context.machine_name == "upstairs" and len(context.machine_id) == 16
    assert context.machine_id != read(file_of(lines())).context.machine_id
    assert context.engine_hello.environment.machine.machine_name == "upstairs"


def test_a_file_that_was_cut_is_an_interrupted_run() -> None:
    whole = file_of(lines())
    run = read(whole[: len(whole) - 40])
    assert run.context.interrupted
    assert len(run.samples) == len(read(whole).samples)


CUT_EARLY = {
    "": "is no line of ciphermark-engine bench",
    '{"ciphermark_bench":{"major":1,"minor":0}}\n': "line 1: is no line of ciphermark-engine bench",
    file_of(lines()[:1]).decode(): "ends before it was measured",
}


@pytest.mark.parametrize("text", CUT_EARLY, ids=range(len(CUT_EARLY)))
def test_a_file_without_a_measurement_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match=CUT_EARLY[text]):
        read(text.encode())


def changed(line: int, change: Callable[[Any], None]) -> bytes:
    """The file with one of its lines changed as JSON."""
    parts = list(lines())
    document = json.loads(parts[line])
    change(document)
    parts[line] = json.dumps(document).encode()
    return file_of(parts)


SAMPLE = next(at for at, line in enumerate(lines()) if b'"event":"sample"' in line)
READY = next(at for at, line in enumerate(lines()) if b'"event":"case"' in line)


def setting(value: object, *place: str | int) -> Callable[[Any], None]:
    def change(document: Any) -> None:
        for name in place[:-1]:
            document = document[name]
        document[place[-1]] = value

    return change


FAULTS: dict[str, tuple[int, Callable[[Any], None]]] = {
    "is of format 2.0": (0, setting({"major": 2, "minor": 0}, "ciphermark_bench")),
    "has no name of a plan": (0, setting("../../plan", "plan_name")),
    "has the workload packets": (0, setting("packets", "plan", "workload")),
    "has 0 cases": (0, setting([], "plan", "cases")),
    "numbers case 1 as 7": (0, setting(7, "plan", "cases", 1, "case")),
    "tells nothing of the algorithm rot13": (0, setting("rot13", "plan", "cases", 0, "algorithm")),
    "has the precision -1": (0, setting(-1, "plan", "precision")),
    "case 0 has message_bytes": (0, setting(2**70, "plan", "cases", 0, "message_bytes")),
    "has no identifier of a machine": (
        1,
        setting("../..", "environment", "machine", "machine_id"),
    ),
    "has no name of a machine": (1, setting("a\x1b[2J", "environment", "machine", "machine_name")),
    "has no date": (1, setting(2**63, "started_unix_ns")),
    "has the clock 0": (1, setting(0, "environment", "clocks", "core_hz")),
    "has another case 0 than the plan": (READY, setting("sm4", "case", "algorithm")),
    "has case 900, which the plan does not have": (SAMPLE, setting(900, "case")),
    "a sample has at_ns": (SAMPLE, setting(2**64, "at_ns")),
    "a sample has cpu -1": (SAMPLE, setting(-1, "cpu")),
    "has a sample of nothing": (SAMPLE, setting(0, "messages")),
    "is no line of": (SAMPLE, setting("many", "cycles")),
}


@pytest.mark.parametrize("said", FAULTS)
def test_a_line_that_no_engine_writes_is_refused_by_its_number(said: str) -> None:
    line, change = FAULTS[said]
    with pytest.raises(UsageError) as raised:
        read(changed(line, change))
    sentence = str(raised.value)
    assert sentence.startswith(f"router.jsonl, line {line + 1}: "), sentence
    assert said in sentence and sentence.endswith("; nothing was imported")


def test_numbers_without_end_are_refused() -> None:
    parts = list(lines())
    parts[SAMPLE] = parts[SAMPLE].replace(b'"cycles":', b'"cycles":1e999,"x":', 1)
    with pytest.raises(UsageError, match="line"):
        read(file_of(parts))


def test_events_come_in_their_order() -> None:
    head, hello, *rest = lines()
    for parts, said in (
        ([head, *rest], "comes before the machine is described"),
        ([head, hello, hello, *rest], "begins the run anew"),
        ([head, hello, *rest, rest[-2]], "follows the end of the run"),
    ):
        with pytest.raises(UsageError, match=said):
            read(file_of(parts))


@given(data=st.data())
def test_whatever_is_changed_is_refused_in_a_sentence_or_read(data: st.DataObject) -> None:
    content = bytearray(file_of(lines()))
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(content) - 1))
        end = at + data.draw(st.integers(0, 40))
        content[at:end] = data.draw(st.binary(max_size=20))
    try:
        rows(read(bytes(content)))
    except UsageError as error:
        assert "\n" not in str(error)


@pytest.mark.engine
def test_it_is_imported_once_and_every_question_takes_it(command: Command, tmp_path: Path) -> None:
    path = tmp_path / "router.jsonl"
    path.write_bytes(file_of(lines()))
    ended = command("import", path)
    assert ended.code == 0, ended.messages
    assert "aes-128-gcm" in ended.output and "Saved" in ended.output
    (run,) = Store(command.runs).run_ids()
    for verb in (["show", run], ["show", run, "--json"], ["report", run], ["export", run]):
        assert command(*verb).code == 0, verb
    assert "ciphermark import" in command("show", run).output
    assert command.only_run().notes[0].startswith("imported from router.jsonl")
    again = command("import", path)
    assert (again.code, again.output) == (2, "") and "is stored in" in again.sentence
    assert command("import", path, "--machine", "upstairs").code == 2


@pytest.mark.engine
def test_it_goes_with_no_other_file_and_no_option_of_other_programs(
    command: Command, tmp_path: Path
) -> None:
    path, other = tmp_path / "router.jsonl", tmp_path / "other"
    path.write_bytes(file_of(lines()))
    other.write_text("speed")
    assert "import it by itself" in refusal(command, "import", path, other)
    assert "no option but --machine" in refusal(command, "import", path, "--clock", "1GHz")


FEW = (
    *("bench", "--algorithms", "sha256,aes-128-gcm", "--sizes", "64,1500"),
    *("--providers", "rustcrypto,aws-lc", "--budget", "1s"),
)


def engine_bench(
    command: list[str | Path], folder: Path, *more: str, seconds: float = SECONDS
) -> subprocess.CompletedProcess[str]:
    """A bench of a second in a folder."""
    line, environment = [*command, *FEW, *more], os.environ | {"LC_ALL": "C"}
    return subprocess.run(
        line, cwd=folder, env=environment, capture_output=True, text=True, timeout=seconds
    )


@pytest.mark.measures
@pytest.mark.engine
def test_a_bench_of_this_machine_is_imported(
    engine: Engine, command: Command, tmp_path: Path
) -> None:
    done = engine_bench([engine.path], tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Machine   ") and done.stdout.isascii()
    assert all(len(line) <= 80 for line in done.stdout.splitlines())
    assert done.stderr.startswith("Verifying 8/8   all answers right\n")
    (path,) = tmp_path.glob("ciphermark-*.jsonl")
    assert done.stdout.endswith(f"ciphermark import {path.name}\n")
    ended = command("import", path, "--json")
    assert ended.code == 0, ended.messages
    (run,) = ended.document["runs"]
    assert len(run["rows"]) == 8
    look_at_measured(run["rows"])
    context = command.only_run()
    assert context.plan_name == "bench"
    assert context.machine_id == engine.environment().machine.machine_id


@pytest.mark.measures
@pytest.mark.engine
def test_the_run_goes_to_standard_output_and_the_text_elsewhere(
    engine: Engine, tmp_path: Path
) -> None:
    done = engine_bench([engine.path], tmp_path, "--output", "-")
    assert done.returncode == 0
    run = bench.read(Path("-"), done.stdout.encode(), "", None)
    assert len(run.cases) == 8 and not run.context.interrupted
    assert "Machine   " in done.stderr
    assert not [*tmp_path.iterdir()]


@pytest.mark.engine
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--algorithms", "rot13"], "there is no algorithm rot13: write for example aes-128-cbc"),
        (["--sizes", "3000000"], "3000000 is not in 1..=1048576"),
        (["--budget", "0"], "write more than 0 and at most 3600 seconds"),
        (["--output", "/nowhere/run"], "/nowhere/run cannot be written"),
        (["--cpu", "4000"], "CPU 4000 is not there"),
    ],
)
def test_what_cannot_be_benched_is_refused(
    engine: Engine, tmp_path: Path, arguments: list[str], said: str
) -> None:
    done = subprocess.run(
        [engine.path, "bench", *arguments],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=SECONDS,
    )
    assert done.returncode == 2 and said in done.stderr and not done.stdout
    assert not [*tmp_path.iterdir()]


@pytest.mark.measures
@pytest.mark.engine
def test_without_room_for_a_run_the_screen_is_printed(engine: Engine) -> None:
    done = engine_bench([engine.path], Path("/proc"))
    assert done.returncode == 0, done.stderr
    said = " ".join(done.stdout.split())
    assert "Run no run is written: this folder takes no file" in said
    assert "--output - for standard output" in said


@pytest.mark.measures
@pytest.mark.engine
def test_it_runs_where_there_is_nothing_but_the_file(tmp_path: Path) -> None:
    """Runs the engine as an initramfs does before /proc, /sys and /dev are mounted."""
    engine, root = made("x86_64"), tmp_path / "root"
    if engine_choice.own_machine() != "x86_64":
        pytest.skip("the engine for x86-64 does not run here")
    root.mkdir()
    shutil.copy(engine, root / "engine")
    alone = ["unshare", "--user", "--map-root-user", "chroot", root, "/engine"]
    if subprocess.run([*alone, "--version"], capture_output=True, timeout=SECONDS).returncode:
        pytest.skip("this kernel lets no user change the root folder")
    done = engine_bench(alone, tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Machine   unknown, ")
    (path,) = root.glob("ciphermark-*.jsonl")
    run = bench.read(path, path.read_bytes(), "", None)
    assert all(record.error is None for record in run.cases) and len(run.cases) == 8


@pytest.mark.deep
@pytest.mark.measures
@pytest.mark.engine
@pytest.mark.parametrize("machine", ["aarch64", "armv7", "riscv64"])
def test_a_bench_of_another_processor_is_imported(
    machine: str, command: Command, tmp_path: Path
) -> None:
    """By emulation, which says nothing of the speed of a processor."""
    done = engine_bench([run_on(machine, tmp_path)], tmp_path, seconds=300)
    assert done.returncode == 0, done.stderr
    assert done.stderr.startswith("Verifying 8/8   all answers right\n")
    (path,) = tmp_path.glob("ciphermark-*.jsonl")
    assert command("import", path, "--machine", machine).code == 0
    assert command("show", "last").code == 0
    assert command.only_run().machine_name == machine
