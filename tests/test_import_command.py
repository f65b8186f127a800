"""`ciphermark import` as a user types it, on what programs print on this machine."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from ciphermark.record.store import Store
from ciphermark.workload import rows, rows_table
from engine_fixture import SECONDS, Command
from imports_example import FOLDER
from synthetic import synthetic_cases, synthetic_run

pytestmark = pytest.mark.engine


def printed(program: str, *arguments: str, both: bool = True) -> str:
    """What a program prints; the test is skipped where it is not installed."""
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")
    ended = subprocess.run(
        [program, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT if both else subprocess.DEVNULL,
        text=True,
        timeout=SECONDS,
    )
    if ended.returncode:
        pytest.skip(f"{program} {' '.join(arguments)} ended with {ended.returncode}")
    return ended.stdout


@pytest.fixture
def taken_in(command: Command, tmp_path: Path):
    """What the command says of a text."""

    def take_in(text: str, *options: object):
        path = tmp_path / "printed.txt"
        path.write_text(text)
        ended = command("import", path, "--json", *options)
        assert ended.code == 0, ended.messages
        (found,) = ended.document["imports"]
        return found

    return take_in


@pytest.mark.parametrize("elapsed", [False, True])
@pytest.mark.parametrize("mr", [False, True])
def test_openssl_speed_of_this_machine(taken_in, elapsed: bool, mr: bool) -> None:
    options = [*(["-mr"] if mr else []), *(["-elapsed"] if elapsed else [])]
    text = printed("openssl", "speed", *options, "-seconds", "1", "-bytes", "1024", "sha256")
    said = () if not mr else ("--elapsed",) if elapsed else ("--no-elapsed",)
    found = taken_in(text, *said)
    (row,) = found["rows"]
    assert (row["algorithm"], row["operation"], row["message_bytes"]) == ("sha256", "digest", 1024)
    # On a very busy machine counts over wall time replace CPU time.
    assert found["origin"]["divisor"] in ("wall-time", "wall-time" if elapsed else "cpu-time")
    # 10 MB/s is slower, and 100 GB/s faster, than any processor that has this program.
    assert 10 < row["mbytes_per_second"] < 100_000


def test_cryptsetup_benchmark_of_this_machine(taken_in) -> None:
    found = taken_in(printed("cryptsetup", "benchmark", "-c", "aes-cbc", "-s", "128"))
    assert [row["operation"] for row in found["rows"]] == ["encrypt", "decrypt"]


def test_botan_speed_of_this_machine(taken_in) -> None:
    text = printed(
        "botan", "speed", "--msec=50", "--format=json", "SHA-256", "AES-128/GCM", both=False
    )
    found = taken_in(text)
    assert {"sha256", "aes-128-gcm"} == {row["algorithm"] for row in found["rows"]}


def test_what_stands_on_the_screen(command: Command) -> None:
    ended = command("import", FOLDER / "openssl-1.1.1.txt", "--clock", "1.3GHz", "--machine", "box")
    assert ended.code == 0 and ended.messages == ""
    assert "box · clock 1.30 GHz, as told" in ended.output
    assert "nothing was verified" in ended.output
    run = command("list", "runs").output
    assert "box" in run and "import" in run


def test_nothing_of_several_files_is_kept_when_one_is_wrong(
    command: Command, tmp_path: Path
) -> None:
    broken = tmp_path / "broken.txt"
    broken.write_text((FOLDER / "openssl-1.1.1.txt").read_text()[:-20])
    ended = command("import", FOLDER / "openssl-1.1.1.txt", broken)
    assert ended.code == 2
    assert "nothing was imported" in ended.sentence
    assert not Store(command.runs).summaries()


@pytest.mark.parametrize("name", ["openssl-1.1.1.txt", "bench-slope.csv", "supercop.txt"])
def test_an_imported_run_can_be_looked_at(command: Command, name: str) -> None:
    assert command("import", FOLDER / name).code == 0
    for verb in ("show", "report", "export"):
        ended = command(verb, "last")
        assert ended.code == 0, ended.messages
        assert ended.output


def test_it_is_exported_in_every_form(command: Command) -> None:
    command("import", FOLDER / "cryptsetup.txt")
    for form in ("csv", "json", "latex", "markdown"):
        ended = command("export", "last", "--format", form)
        assert ended.code == 0 and "aes-128-cbc" in ended.output.lower()


def test_it_is_compared_by_time_with_the_error_that_is_assumed(command: Command) -> None:
    measured = synthetic_run(synthetic_cases(["sha256"], ["openssl"], (16384,)), rounds=6, seed=1)
    folder = Store(command.runs).save(measured, rows_table(rows(measured), "single"))
    text = (FOLDER / "openssl-1.1.1.txt").read_text().replace("aes-128-cbc", "sha256     ")
    file = command.runs / "sha256.txt"
    file.write_text(text)
    imported = command(
        "import", file, "--machine", measured.context.machine_name, "--json"
    ).document["imports"][0]
    ended = command("compare", imported["run"], folder.name, "--json")
    assert ended.code == 1, "several times slower is a regression"
    assert ended.document["unit"] == "ns"
    (pair,) = ended.document["pairs"]
    (row,) = rows(measured)
    ns = 16384 / 975.9785e6 * 1e9
    assert pair["ratio"] == pytest.approx(ns / row.ns_per_message)
    assert pair["verdict"] == "regression"
    assert pair["ratio_low"] / pair["ratio"] == pytest.approx(1 / 1.1, rel=0.02)
    shown = " ".join(command("compare", imported["run"], folder.name).output.split())
    assert "±10 % is assumed" in shown and "times the time" in shown
    assert "implementation ns ratio" in shown and " cycles" not in shown


def test_an_unknown_machine_is_not_compared_unless_told(command: Command) -> None:
    for _ in range(2):
        command("import", FOLDER / "openssl-1.1.1.txt")
    first, second = (it.run for it in Store(command.runs).summaries())
    refusal = command("compare", first, second)
    assert refusal.code == 2
    assert "import it with --machine NAME" in refusal.sentence
    ended = command("compare", first, second, "--across-machines", "--json")
    assert [pair["ratio"] for pair in ended.document["pairs"]] == [1.0] * 6


def test_wrong_options(command: Command) -> None:
    file = FOLDER / "openssl-1.1.1.txt"
    assert (
        "there is no format 'openssl'; near"
        in command("import", file, "--format", "openssl").sentence
    )
    assert (
        "--clock '3' is not a clock: write for example 2.4GHz"
        in command("import", file, "--clock", "3").sentence
    )
    assert "cannot be read: No such file" in command("import", file.with_name("none")).sentence


def test_rates_of_several_processes_size_no_core(command: Command, taken_in, tmp_path) -> None:
    found = taken_in(
        "$ openssl speed -multi 4 -evp aes-128-gcm\nversion: 3.0.2\n"
        "type  16 bytes 1024 bytes 16384 bytes\nAES-128-GCM  80000.00k 800000.00k 900000.00k\n"
    )
    ended = command("capacity", "--run", found["run"], "--link", "100M", "--json")
    (answer,) = ended.document["unanswered"]
    assert "rates of 4 messages at once" in answer["reason"]
