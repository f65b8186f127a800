"""Which engine a machine gets: from what its shell says, to the path of an engine."""

from __future__ import annotations

import hashlib
import json
import runpy
import subprocess
from pathlib import Path

import pytest

import ciphermark
from ciphermark.errors import UsageError
from ciphermark.run import engine_choice
from ciphermark.run.engine_choice import Facts, OwnEngine, choose, facts, glibc, why_not

ROOT = Path(__file__).resolve().parents[1]

ROUTER = "mips\n5.15.150\nmusl libc (mips)\n"
OPENWRT = "aarch64\n5.15.150\nmusl libc (aarch64)\n"
DEBIAN = "x86_64\n6.1.0-18-amd64\nglibc 2.36\n/lib64/ld-linux-x86-64.so.2\n"
OWN = OwnEngine(Path("/own/engine"), "x86_64", (2, 34))


@pytest.fixture
def made(tmp_path: Path) -> Path:
    """A folder with engines for both machines, which is the only place where any are."""
    write(tmp_path, "x86_64", "aarch64")
    return tmp_path


@pytest.fixture(autouse=True)
def only_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine_choice, "places", lambda: [tmp_path])
    monkeypatch.setattr(engine_choice, "own_engine", lambda: OWN)


def write(folder: Path, *machines: str, version: str = ciphermark.__version__) -> None:
    """Engines as `make engines` leaves them; their content is never run."""
    index = {"version": version, "engines": {}}
    for machine in machines:
        path = folder / f"ciphermark-engine-{machine}"
        path.write_bytes(machine.encode())
        digest = hashlib.sha256(machine.encode()).hexdigest()
        index["engines"][machine] = {"file": path.name, "sha256": digest, "bytes": len(machine)}
    (folder / "index.json").write_text(json.dumps(index))


def test_any_shell_answers_the_question() -> None:
    said = subprocess.run(
        ["sh", "-c", engine_choice.QUESTION], capture_output=True, text=True, timeout=60, check=True
    )
    found = facts(said.stdout)
    uname = subprocess.run(["uname", "-m", "-r"], capture_output=True, text=True, check=True)
    assert {found.machine, found.kernel} == set(uname.stdout.split())


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        (OPENWRT, Facts("aarch64", "5.15.150", "musl libc (aarch64)", (), "r1")),
        (
            DEBIAN,
            Facts("x86_64", "6.1.0-18-amd64", "glibc 2.36", ("/lib64/ld-linux-x86-64.so.2",), "r1"),
        ),
        (
            "mips\n3.18.20\nsh: ldd: not found\n",
            Facts("mips", "3.18.20", "sh: ldd: not found", (), "r1"),
        ),
        ("mips\n3.18.20\n\n", Facts("mips", "3.18.20", "", (), "r1")),
    ],
)
def test_facts_are_read_from_the_answer(answer: str, found: Facts) -> None:
    assert facts(answer, "r1") == found


@pytest.mark.parametrize("answer", ["", "\n\n", "Welcome!\nThis account is not available.\n"])
def test_what_is_no_answer_is_said(answer: str) -> None:
    with pytest.raises(UsageError, match="r1 does not say what it is"):
        facts(answer, "r1")


@pytest.mark.parametrize(
    ("words", "version"),
    [
        ("glibc 2.36", (2, 36)),
        ("ldd (Debian GLIBC 2.36-9+deb12u14) 2.36", (2, 36)),
        ("ldd (Ubuntu GLIBC 2.31-0ubuntu9.16) 2.31", (2, 31)),
        ("ldd (GNU libc) 2.17", (2, 17)),
        ("musl libc (x86_64)", None),
        ("sh: getconf: not found", None),
        ("", None),
    ],
)
def test_versions_of_glibc(words: str, version: tuple[int, int] | None) -> None:
    assert glibc(words) == version


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({}, ""),
        ({"libc": "glibc 2.34"}, ""),
        ({"machine": "amd64"}, ""),
        ({"libc": "glibc 2.31"}, "its glibc is 2.31, this machine's engine needs 2.34"),
        ({"libc": "musl libc (x86_64)"}, "it has no glibc, and this machine's engine needs 2.34"),
        ({"loaders": ()}, "it has no /lib64/ld-linux-x86-64.so.2"),
        ({"machine": "aarch64"}, "it is aarch64, this machine's engine is for x86_64"),
    ],
)
def test_our_own_engine_goes_where_it_starts(
    made: Path, changed: dict[str, object], reason: str
) -> None:
    asked = Facts(**vars(facts(DEBIAN)) | changed)
    assert why_not(asked, OWN) == reason
    static = made / f"ciphermark-engine-{engine_choice.canonical_machine(asked.machine)}"
    assert choose(asked) == (static if reason else OWN.path)


def test_an_engine_that_needs_no_glibc_goes_everywhere() -> None:
    alone = OwnEngine(Path("/own/engine"), "aarch64", None)
    assert why_not(facts(OPENWRT), alone) == ""


def test_an_engine_that_is_linked_to_musl_goes_nowhere() -> None:
    own = OwnEngine(Path("/own/engine"), "aarch64", None, musl=True)
    assert why_not(facts(OPENWRT), own) == "this machine's engine is linked to this machine's musl"


@pytest.mark.parametrize(
    ("answer", "machine"),
    [("armv7l\n5.4.0\n\n", "armv7"), ("riscv64\n6.1.0\n\n", "riscv64")],
)
def test_boards_get_static_engines(made: Path, answer: str, machine: str) -> None:
    write(made, machine)
    assert choose(facts(answer)) == made / f"ciphermark-engine-{machine}"


@pytest.mark.parametrize("answer", [ROUTER, "armv6l\n5.4.0\n\n"])
def test_machines_without_an_engine_are_named(made: Path, answer: str) -> None:
    machine = answer.split()[0]
    with pytest.raises(UsageError) as refused:
        choose(facts(answer, "r1"))
    assert str(refused.value) == (
        f"r1: there is no engine for {machine}: `make engines` makes them for x86_64, "
        "aarch64, armv7, riscv64"
    )


@pytest.mark.parametrize(
    ("machine", "kernel", "oldest"),
    [("x86_64", "2.6.32", "3.2"), ("x86_64", "3.1.9", "3.2"), ("aarch64", "3.18.20", "4.1")],
)
def test_old_kernels_are_refused(made: Path, machine: str, kernel: str, oldest: str) -> None:
    with pytest.raises(UsageError) as refused:
        choose(Facts(machine, kernel, name="r1"))
    assert str(refused.value) == (
        f"the kernel of r1 is {kernel}, and the engine needs Linux {oldest} or newer"
    )


def test_what_was_not_made_is_to_be_made() -> None:
    with pytest.raises(UsageError) as refused:
        choose(facts(OPENWRT, "r1"))
    assert str(refused.value) == (
        "r1 needs a static engine, since it is aarch64, this machine's engine is for x86_64: "
        "there is no static engine for aarch64 here; type: make engines (in ciphermark's source "
        "tree)"
    )


def test_engines_of_another_version_are_left(tmp_path: Path) -> None:
    write(tmp_path, "aarch64", version="0.0.1")
    with pytest.raises(UsageError, match=r"has that of ciphermark 0\.0\.1, and this is"):
        engine_choice.static_engine("aarch64")


def test_a_damaged_engine_is_refused(made: Path) -> None:
    (made / "ciphermark-engine-aarch64").write_bytes(b"half")
    with pytest.raises(UsageError, match="is damaged: its SHA-256 is another; type: make engines"):
        engine_choice.static_engine("arm64")
    (made / "ciphermark-engine-aarch64").unlink()
    with pytest.raises(UsageError, match="is missing; type: make engines"):
        engine_choice.static_engine("arm64")


def test_a_damaged_index_is_refused(tmp_path: Path) -> None:
    (tmp_path / "index.json").write_text("{")
    with pytest.raises(UsageError, match="the index .*index.json of engines cannot be read"):
        engine_choice.static_engine("x86_64")


def test_the_first_place_that_has_one_is_taken(tmp_path: Path) -> None:
    first, second = tmp_path / "1", tmp_path / "2"
    for folder, machines in ((first, ["x86_64"]), (second, ["x86_64", "aarch64"])):
        folder.mkdir()
        write(folder, *machines)
    found = [
        engine_choice.static_engine(it, [first, second]).path.parent for it in ("x86_64", "aarch64")
    ]
    assert found == [first, second]


def test_a_wheel_carries_what_was_made(made: Path, tmp_path: Path) -> None:
    carried = runpy.run_path(str(ROOT / "hatch_build.py"))["_static_engines"]
    names = {path.name for path in carried(made)}
    assert names == {"index.json", "ciphermark-engine-x86_64", "ciphermark-engine-aarch64"}
    assert carried(tmp_path / "nothing made") == []


def test_where_none_was_made_it_is_said(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no static engine for aarch64 here"):
        engine_choice.static_engine("arm64", [tmp_path])


def test_what_glibc_an_engine_needs_is_in_it() -> None:
    assert engine_choice.glibc_needed(b"x\0GLIBC_2.2.5\0GLIBC_2.34\0GLIBC_2.9\0") == (2, 34)
    assert engine_choice.glibc_needed(b"not GLIBC_2.99 in a sentence") is None


def test_an_engine_that_does_not_start_has_a_static_one_in_its_place(made: Path) -> None:
    router = facts(DEBIAN, "r1")
    static = made / "ciphermark-engine-x86_64"
    assert engine_choice.instead(router, OWN.path, "no libgcc_s.so.1") == static
    with pytest.raises(UsageError) as refused:
        engine_choice.instead(router, static, "Illegal instruction")
    assert str(refused.value) == (
        "ciphermark-engine-x86_64 does not start on r1 (Illegal instruction), although it needs "
        "nothing there but Linux; type: make engines (in ciphermark's source tree)"
    )
