"""Texts of stored runs and files are texts in every output, whatever they hold."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import advice_example
from ciphermark.record.run import Run
from ciphermark.record.run_folder import read_run
from ciphermark.record.store import Store
from engine_fixture import Command
from hostile_texts import ALL, CHECKS, TEXTS, check_html, check_text, save_hostile

GOLDEN = Path(__file__).with_name("golden")
IMPORTED = Path(__file__).with_name("imported")
SOURCES = ("run-1.21", "run-1.15-sessions", "run-1.16-packets", "run-1.14-simulation",
           "run-1.9-tuning", "run-1.15-tunnel", "run-1.21-imported", "suites")  # fmt: skip
"""A run of each workload, and what capacity and advice are computed of."""

OTHER = "20260101-101112-7f3a"
"""The same run a second time, to compare it with."""

SCREENS = (
    *(("show", "{}"), ("show", "{}", "--json"), ("compare", "{}:openssl", "{}:rustcrypto")),
    *(("compare", "{}", OTHER, "--all", *it) for it in ((), ("--json",))),
    *(("compare", "{}", OTHER, "--all", "--format", it) for it in ("markdown", "junit")),
    *(("export", "{}", "--format", it) for it in ("csv", "json", "latex", "markdown")),
    *(("export", "{}", "--plot", it) for it in ("list", "cost")),
    *(("advise", "--for", it, "--run", "{}", "--explain") for it in ("ipsec", "hash")),
    ("advise", "--for", "ipsec", "--run", "{}", "--json"),
    *(("capacity", "--run", "{}", *it) for it in (("--for", "ipsec"), ("--json",))),
    *(("model", "fit", "--data", "{}"), ("protocol", "--data", "{}")),
    *(("list", "runs"), ("list", "machines"), ("list", "runs", "--json")),
    *(("list", "machines", "--json"), ("machines", "matrix")),
    ("machines", "show", "{machine}"),
)
PAGES = (
    ("report", "{}", "--output", "{folder}/report.html"),
    ("machines", "page", "{machine}", "--output", "{folder}/machine.html"),
    ("site", "{folder}/site"),
)


def source(name: str) -> Run:
    """Returns a run of one of the sources, which a test may change."""
    if name != "suites":
        return read_run(GOLDEN / name)
    with tempfile.TemporaryDirectory() as folder:
        advice_example.stored(store := Store(Path(folder)))
        return store.load(store.run_ids()[0])


def hostile_store(folder: Path, name: str, text: str, in_names: bool) -> tuple[Command, Run]:
    """Returns commands on a store of one run with a hostile text in all its texts."""
    run = source(name)
    save_hostile(Store(folder / "runs"), run, text, in_names=in_names, other=OTHER)
    return Command(folder / "runs", folder / "no-engine"), run


def typed(words: tuple[str, ...], run: Run, folder: Path) -> list[str]:
    """Returns the words of a command on a run."""
    known = {"machine": run.context.machine_name, "folder": folder}
    return [word.format(run.context.run, **known) for word in words]


TRIED = settings(max_examples=2)


@pytest.mark.slow
@pytest.mark.parametrize("name", SOURCES)
@TRIED
@given(text=TEXTS, in_names=st.booleans())
@example(text=ALL, in_names=False)
@example(text=ALL, in_names=True)
def test_no_command_prints_a_stored_text_raw(name: str, text: str, in_names: bool) -> None:
    with tempfile.TemporaryDirectory() as place:
        command, run = hostile_store(Path(place), name, text, in_names)
        for words in SCREENS:
            ended = command(*typed(words, run, Path(place)))
            check_text(ended.messages)
            if ended.output:
                kind = "svg" if words[-1] == "cost" else words[-1].removeprefix("--")
                CHECKS.get(kind, check_text)(ended.output)


@pytest.mark.slow
@pytest.mark.parametrize("name", SOURCES)
@pytest.mark.parametrize("in_names", [False, True])
def test_no_page_has_elements_of_a_stored_text(name: str, in_names: bool, tmp_path: Path) -> None:
    command, run = hostile_store(tmp_path, name, ALL, in_names)
    for words in PAGES:
        check_text(command(*typed(words, run, tmp_path)).messages)
    for path in tmp_path.rglob("*.html"):
        check_html(path.read_text())
    for kind in ("js", "svg"):
        for path in tmp_path.rglob(f"*.{kind}"):
            if path.parent.name != "assets":
                check_text(path.read_text())


@TRIED
@given(text=TEXTS)
@example(text=ALL)
def test_import_prints_no_text_of_a_file_raw(text: str) -> None:
    """Its name, its commands, the name of its machine and of a function are hostile."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        name = text.replace("/", "").replace("\0", "")[:60] or "x"
        sound = (IMPORTED / "openssl-3.0-elapsed.txt").read_text()
        line = text.replace("\n", " ")
        for content in (sound.replace("sha256", f"sha256{line}"), f"{line}\n{sound}", text):
            (folder / name).write_bytes(content.encode())
            command = Command(folder / "runs", folder / "no-engine")
            for words in ((), ("--machine", text.replace("\0", ""))):
                ended = command("import", folder / name, *words)
                check_text(ended.messages)
                check_text(ended.output)


@pytest.mark.parametrize("ending", ["exit 255", "exit 1", "exit 0"])
def test_messages_of_a_box_are_not_printed_raw(ending: str, tmp_path: Path) -> None:
    """Its `ssh` says hostile texts on both streams, and ends as ssh or as a shell does."""
    (tmp_path / "said").write_text(f"{ALL}\n{ALL}")
    ssh = tmp_path / "ssh"
    ssh.write_text(f"#!/bin/sh\ncat {tmp_path}/said; cat {tmp_path}/said >&2\n{ending}\n")
    ssh.chmod(0o755)
    command = Command(tmp_path / "runs", tmp_path / "no-engine")
    command.environment["PATH"] = f"{tmp_path}:{os.environ['PATH']}"
    ended = command("survey", "--on", "box", "--algorithms", "sha256")
    assert ended.code in (1, 2)
    assert "box" in ended.messages
    check_text(ended.messages)


@pytest.mark.parametrize(("kind", "text"), [
    *(("csv", it) for it in ("a,=b\n", "-a\n", '"\n@b"\n')),
    *(("markdown", it) for it in ("<b>", "[x](y)", "`x`", "a\n\n# x\n")),
    *((it, "\x1b") for it in ("json", "latex", "csv", "markdown", "junit")),
    *(("svg", it) for it in ("<svg onload='x'/>", "<svg><script/></svg>")),
])  # fmt: skip
def test_what_came_through_is_seen(kind: str, text: str) -> None:
    with pytest.raises((AssertionError, ValueError)):
        CHECKS[kind](text)


@pytest.mark.parametrize("text", ["<img onerror=x>", "<a href=' javascript:x'>",
                                  "<script>alert(1)</script>"])  # fmt: skip
def test_an_element_that_came_through_is_seen(text: str) -> None:
    with pytest.raises(AssertionError):
        check_html(text)
