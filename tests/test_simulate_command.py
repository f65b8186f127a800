"""`ciphermark simulate` as a user types it, on real simulators."""

from __future__ import annotations

import shutil
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from ciphermark.contract.others import SimulatedCase, Simulation
from ciphermark.run.engine import Engine
from ciphermark.run.targets import simulation
from ciphermark.run.targets import simulation as measured
from ciphermark.run.targets.target import FOLDER, Target, read
from ciphermark.run.targets.toolchain import Toolchain, kernel_sources
from driver_fixture import compile_few
from engine_fixture import SECONDS, Command

pytestmark = [pytest.mark.targets, pytest.mark.long]

FEW = ("--algorithms", "md5,tea-ecb", "--sizes", "8,64")


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A user's cache: what was compiled in an earlier session does not help."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(autouse=True)
def few_kernels(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compile_few(monkeypatch, cache, ("md5", "tea", "idea", "ecb"))


def target(name: str, tmp_path: Path) -> Target:
    found = read(FOLDER / f"{name}.toml")
    missing = Toolchain(found, kernel_sources(), tmp_path).missing()
    if missing:
        pytest.skip(missing)
    return found


@pytest.fixture
def targets(tmp_path: Path) -> list[Target]:
    """One of each kind of figure."""
    return [target(name, tmp_path) for name in ("atmega128", "cortex-m0", "pentium3")]


def names(targets: list[Target]) -> str:
    return ",".join(it.name for it in targets)


def test_the_same_input_gives_the_same_numbers_twice(
    command: Command, targets: list[Target]
) -> None:
    first, second = (command("simulate", names(targets), *FEW, "--json") for _ in range(2))
    assert first.code == 0, first.messages
    assert first.document["rows"] == second.document["rows"]
    assert {row["metric"] for row in first.document["rows"]} == {
        "cycles-simulated",
        "cycles-model",
        "instructions",
    }


def test_rows_say_what_a_call_takes(command: Command, targets: list[Target]) -> None:
    rows = command("simulate", names(targets[:2]), *FEW, "--json").document["rows"]
    assert all(row["error"] is None and row["vectors_passed"] > 0 for row in rows)
    digests = {row["message_bytes"]: row for row in of(rows, "atmega128", "md5", "digest")}
    # RFC 1321 pads to whole blocks of 64 bytes with 9 bytes at least.
    assert 1.8 < digests[64]["value"] / digests[8]["value"] < 2.1
    assert digests[8]["microseconds"] == pytest.approx(digests[8]["value"] / 16)
    cipher = {row["message_bytes"]: row for row in of(rows, "cortex-m0", "tea-ecb", "encrypt")}
    assert cipher[64]["value"] == pytest.approx(8 * cipher[8]["value"], rel=0.1)
    # TEA's schedule is the key.
    assert {row["context_bytes"] for row in rows if row["algorithm"] == "tea-ecb"} == {16}
    assert all(row["code_bytes"] > 100 and row["stack_bytes"] >= 0 for row in rows)


def of(rows: list[dict[str, Any]], target: str, algorithm: str, operation: str) -> list[Any]:
    return [
        row
        for row in rows
        if (row["target"], row["algorithm"], row["operation"]) == (target, algorithm, operation)
    ]


def test_seeds_show_what_time_depends_on(command: Command, targets: list[Target]) -> None:
    asked = ("--algorithms", "md5,idea-ecb", "--operations", "digest,encrypt", "--sizes", "8")
    rows = command("simulate", "atmega128", *asked, "--seeds", "8", "--json").document["rows"]
    spread = {
        name: len({row["value"] for row in rows if row["algorithm"] == name})
        for name in ("md5", "idea-ecb")
    }
    assert spread["md5"] == 1


def test_a_run_is_kept_and_shown_again(command: Command, targets: list[Target]) -> None:
    made = command("simulate", targets[0].name, *FEW)
    again = command("show", "last")
    assert made.code == again.code == 0
    table = [line for line in made.output.splitlines() if line.startswith("md5 ")]
    assert table and all(line in again.output for line in table)


def test_a_target_without_its_tools_is_said_and_left_out(
    command: Command, targets: list[Target], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    there = tmp_path / "bin"
    there.mkdir()
    for name in ("cc", "gcc", "ar", "nm", "size", "ld", "as", "avr-gcc", "avr-ar", "avr-nm"):
        if path := shutil.which(name):
            (there / name).symlink_to(path)
    for name in ("avr-size", "avr-ld", "avr-as"):
        (there / name).symlink_to(shutil.which(name))
    command.environment["PATH"] = str(there)
    ended = command("simulate", "atmega128,cortex-m0", *FEW, "--json")
    assert ended.code == 0
    assert "Cortex-M0 needs its tools: apt-get install gcc-arm-none-eabi" in ended.messages
    assert {row["target"] for row in ended.document["rows"]} == {"atmega128"}


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["cortex-m1"], "there is no target 'cortex-m1'; near: cortex-m"),
        (["atmega128", "--algorithms", "gmac-aes-128"], "no kernel of ours computes gmac-aes-128"),
        (["atmega128", "--algorithms", "tea-ecb", "--sizes", "9"], "tea-ecb takes whole blocks"),
        (["atmega128", "--algorithms", "md5", "--operations", "seal"], "nothing is left"),
    ],
)
def test_bad_input_is_one_sentence(command: Command, arguments: list[str], sentence: str) -> None:
    ended = command("simulate", *arguments)
    assert ended.code == 2
    assert ended.sentence.startswith(sentence)


def test_ctrl_c_ends_compilers_and_simulators(command: Command, targets: list[Target]) -> None:
    process = command.start("simulate", "all", "--sizes", "16,4096")
    deadline = time.monotonic() + SECONDS
    while len(command.processes()) < 2 and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=30)
    assert process.returncode == 1
    command.wait_for_no_process(SECONDS)


@pytest.fixture
def altered(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[Simulation]]:
    """MD5 on a target, with questions or answers that were changed."""
    facts = {it.name: it for it in engine.describe().algorithms}
    case = SimulatedCase(target="atmega128", algorithm="md5", operation="digest", message_bytes=16)

    def run(target: Target, change: Callable[[Any], Any]) -> list[Simulation]:
        questions = [change(it) for it in engine.questions(["md5"])]
        return measured.simulate([target], [case], facts, questions, lambda *_: None).simulations

    return run


def test_a_wrong_result_on_the_target_is_refused(
    altered: Callable[..., list[Simulation]], targets: list[Target]
) -> None:
    def wrong(question: Any) -> Any:
        answer = msgspec.structs.replace(question.answer, bytes="00" * 16)
        return msgspec.structs.replace(question, answer=answer)

    (found,) = altered(targets[0], wrong)
    assert found.error.kind == "wrong-answer"
    assert found.error.message.startswith("wrong on the target: md5 digest reference: md5.json")
    assert found.value is None


def test_an_answer_that_differs_from_this_machines_is_refused(
    altered: Callable[..., list[Simulation]],
    targets: list[Target],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    honest = measured.ask_here

    def other(*arguments: Any) -> simulation.Asked:
        asked = honest(*arguments)
        return asked._replace(right={case: told ^ 1 for case, told in asked.right.items()})

    monkeypatch.setattr(measured, "ask_here", other)
    (found,) = altered(targets[0], lambda question: question)
    assert found.error.kind == "disagreement"
