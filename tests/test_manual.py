"""Manual pages and completions, which are made from the same text as the help."""

from __future__ import annotations

import os
import runpy
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
TOOLS = ROOT / "tools"
BIN = Path(sys.executable).parent
SHELLS = {"bash": "ciphermark.bash", "zsh": "_ciphermark", "fish": "ciphermark.fish"}


@pytest.fixture(scope="module")
def reference() -> dict[str, Any]:
    return runpy.run_path(str(TOOLS / "generate_reference.py"))


@pytest.fixture(scope="module")
def manual(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder with all pages."""
    folder = tmp_path_factory.mktemp("man")
    runpy.run_path(str(TOOLS / "man_pages.py"))["write"](folder)
    return folder


def needs(tool: str) -> None:
    if shutil.which(tool) is None:
        pytest.skip(f"no {tool}; type: sudo make system-packages")


def output(*command: str | Path, **variables: str) -> str:
    environment = os.environ | variables
    ended = subprocess.run(
        list(map(str, command)), capture_output=True, text=True, timeout=60, env=environment
    )
    assert ended.returncode == 0, ended.stderr
    return ended.stdout + ended.stderr


def test_each_command_has_a_page_with_its_options(reference: dict[str, Any], manual: Path) -> None:
    import typer

    commands: Callable[..., Any] = reference["commands"]
    known = dict(commands(typer.main.get_command(reference["app"]), "ciphermark"))
    pages = {path.name: path.read_text("utf-8") for path in manual.iterdir()}
    whole = {"ciphermark.1", "ciphermark-engine.1"}
    assert set(pages) == whole | {f"{name.replace(' ', '-')}.1" for name in known}
    for name, command in known.items():
        text = pages[f"{name.replace(' ', '-')}.1"].replace("\\-", "-")
        asked = [option for it in command.params for option in it.opts if option[:2] == "--"]
        assert [it for it in asked if it not in text] == [], name
        assert f"\n.B {name}\n" in pages["ciphermark.1"].replace("\\-", "-")


def test_pages_are_whole_for_mandoc(manual: Path) -> None:
    needs("mandoc")
    assert output("mandoc", "-Tlint", "-W", "warning", *sorted(manual.iterdir())) == ""


def test_man_shows_a_page(manual: Path) -> None:
    needs("man")
    shown = output("man", "-l", manual / "ciphermark-compare.1", MANWIDTH="80", LC_ALL="C.UTF-8")
    assert "ciphermark-compare - compare a run with an earlier one" in " ".join(shown.split())
    assert "--threshold SHARE" in shown


@pytest.mark.engine
def test_the_page_of_the_engine_has_its_commands(manual: Path) -> None:
    listed = output(BIN / "ciphermark-engine", "--help").partition("Commands:\n")[2]
    verbs = [line.split()[0] for line in listed.partition("\n\n")[0].splitlines()]
    page = (manual / "ciphermark-engine.1").read_text("utf-8")
    assert [it for it in verbs if f".B {it}\n" not in page and it != "help"] == []


def test_completions_are_those_of_the_command(reference: dict[str, Any]) -> None:
    for path, text in reference["completions"]().items():
        assert path.read_text("utf-8") == text, f"{path} differs; run: make generate"


@pytest.mark.parametrize("shell", SHELLS)
def test_shells_read_their_completions(shell: str) -> None:
    needs(shell)
    assert output(shell, "-n", TOOLS / "completions" / SHELLS[shell]) == ""


@pytest.mark.parametrize(
    ("line", "words"),
    [("sur", "survey"), ("list pro", "providers protocols profiles"), ("show --jso", "--json")],
)
def test_bash_completes_commands_and_options(line: str, words: str) -> None:
    script = (
        f'. "$1"; COMP_WORDS=(ciphermark {line}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); '
        'COMPREPLY=(); _ciphermark_completion ciphermark; echo "${COMPREPLY[@]}"'
    )
    path = f"{BIN}:{os.environ['PATH']}"
    file = TOOLS / "completions" / "ciphermark.bash"
    assert sorted(output("bash", "-c", script, "bash", file, PATH=path).split()) == sorted(
        words.split()
    )
