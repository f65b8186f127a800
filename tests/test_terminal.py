"""Consoles: no line of what is printed ends in a blank, in a table as little as in a sentence."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from rich.table import Table
from rich.text import Text
from typer.testing import CliRunner

from ciphermark.cli.main import app
from ciphermark.command.output import print_json
from ciphermark.messages import say, visible
from ciphermark.view import blocks
from ciphermark.view.column import Cell, of_words
from ciphermark.view.screen import show
from ciphermark.view.terminal import TrimmedConsole, visible_text

WORDS = ("one", "one two three four five", "")


def console(terminal: bool = False, width: int = 40) -> Console:
    colours = "standard" if terminal else None
    return TrimmedConsole(
        file=io.StringIO(), width=width, force_terminal=terminal, color_system=colours
    )


def printed(on: Console) -> str:
    assert isinstance(on.file, io.StringIO)
    return on.file.getvalue()


def blanks(text: str) -> list[str]:
    """The lines that end in a blank."""
    return [line for line in text.split("\n") if line != line.rstrip(" ")]


def columns() -> Table:
    table = Table(box=None)
    for word in WORDS:
        table.add_row(word[:3], Text(word, style="dim"), word[:7])
    return table


@pytest.mark.parametrize("width", [20, 40, 200])
@pytest.mark.parametrize("terminal", [False, True], ids=["file", "terminal"])
def test_a_table_has_no_blanks_at_the_ends_of_lines(terminal: bool, width: int) -> None:
    trimmed, plain = console(terminal, width), Console(file=io.StringIO(), width=width)
    for on in (trimmed, plain):
        on.print(columns())
        on.print(Text("left and padded", justify="left"))
    assert blanks(printed(plain)), "rich fills the cells of tables"
    if terminal:
        assert "\x1b[" in printed(trimmed) and blanks(printed(trimmed)) == []
    else:
        stripped = "\n".join(line.rstrip(" ") for line in printed(plain).split("\n"))
        assert printed(trimmed) == stripped


def test_a_blank_within_a_line_stays_also_between_two_calls() -> None:
    on = console()
    on.print("what: ", end="")
    on.print(Text.assemble(("that ", "bold"), "  and this"))
    on.print("  indented\n\n  after an empty line")
    assert printed(on) == "what: that   and this\n  indented\n\n  after an empty line\n"


@pytest.mark.parametrize("width", ["60", "100"])
@pytest.mark.parametrize("what", ["studies", "nodes", "protocols", "profiles", "targets"])
def test_lists_have_none(what: str, width: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(os.environ, "COLUMNS", width)
    ended = CliRunner().invoke(app, ["list", what])
    assert ended.exit_code == 0 and len(ended.stdout.splitlines()) > 2
    assert blanks(ended.stdout) == []


HOSTILE = "a\x1b[31mb\x9b2J\u202ec\u2066d\x7f"
SHOWN = r"a\u001b[31mb\u009b2J\u202ec\u2066d\u007f"


@pytest.mark.parametrize("terminal", [False, True], ids=["file", "terminal"])
def test_texts_have_no_control_characters(terminal: bool) -> None:
    on = console(terminal, width=100)
    cells = [
        of_words("name", lambda it: it),
        of_words("styled", lambda it: Cell(it, mark="failed")),
        of_words("last", lambda it: "whole"),
    ]
    for it in (HOSTILE, Text.assemble((HOSTILE, "bold"), "end")):
        on.print(it)
    show(on, [blocks.Table(columns=cells, rows=[HOSTILE])])
    plain = re.sub("\x1b\\[[0-9;]*m", "", printed(on)) if terminal else printed(on)
    assert plain.splitlines()[:2] == [SHOWN, SHOWN + "end"]
    assert plain.splitlines()[-1].split() == [SHOWN, SHOWN, "whole"]


def test_styles_stay_at_their_texts() -> None:
    text = visible_text(Text.assemble("\x1b", ("b\x7f", "bold"), ("c", "red")))
    assert text.plain == r"\u001bb\u007fc"
    assert [(text.plain[it.start : it.end], it.style) for it in text.spans] == [
        (r"b\u007f", "bold"), ("c", "red")
    ]  # fmt: skip


def test_messages_have_no_control_characters(capsys: pytest.CaptureFixture[str]) -> None:
    say(f"{HOSTILE}\r\nnext\tword")
    assert capsys.readouterr().err == f"ciphermark: {SHOWN}\\u000d\nnext\tword\n"


@given(st.recursive(st.text() | st.integers(), st.lists))
def test_json_is_the_same_document_without_control_characters(document: object) -> None:
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        print_json(document)
    text = output.getvalue()
    assert json.loads(text) == document
    assert visible(text) == text


def test_numbers_of_numpy_are_json(capsys: pytest.CaptureFixture[str]) -> None:
    print_json({"cycles": np.float64(1.5), "settled": np.bool_(True)})
    assert json.loads(capsys.readouterr().out) == {"cycles": 1.5, "settled": True}
