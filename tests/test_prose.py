"""The check of prose finds what it is for, in prose alone."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest

from conftest import script

ROOT = Path(__file__).parents[1]

pytest.importorskip("proselint", reason="proselint is not installed; type: make check")


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    return script("tools/check_prose.py")


def found(tool: ModuleType, text: str) -> list[tuple[int, str]]:
    return sorted(tool.problems(text, tool.checks()))


def test_a_planted_riddle_is_found_with_its_line_and_what_to_write(tool: ModuleType) -> None:
    text = "# Cost\n\nMeasured in one run.\nThe figure is a guess from below.\n"
    assert found(tool, text) == [(4, "instead of 'a guess from below' write: a lower bound")]


def test_a_riddle_over_the_end_of_a_line_is_found_where_it_begins(tool: ModuleType) -> None:
    ((line, _),) = found(tool, "One.\n\nThe load comes when\nit comes, as on a gateway.\n")
    assert line == 3


def test_checks_of_proselint_run_too(tool: ModuleType) -> None:
    ((line, message),) = found(tool, "A sentence.\n\nIt is very unique.\n")[:1]
    assert (line, "unique" in message or "very" in message) == (3, True)


@pytest.mark.parametrize(
    "text",
    [
        "```\na guess from below\n```\n",
        "Type `a guess from below` here.\n",
        "Not “a guess from below”, but a lower bound.\n",
        "<!-- a guess from below -->\n",
        "See [another page](a-guess-from-below.md).\n",
    ],
)
def test_code_quotations_and_addresses_are_free(tool: ModuleType, text: str) -> None:
    assert found(tool, text) == []


def test_a_page_with_a_riddle_fails_the_command_and_is_named(
    tool: ModuleType,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    page = tmp_path / "page.md"
    page.write_text("It is a guess from below.\n", "utf-8")
    monkeypatch.setattr(tool, "ROOT", tmp_path)
    assert tool.main([page]) == 1
    assert capsys.readouterr().out.startswith("page.md:1: ")
    page.write_text("It is a lower bound.\n", "utf-8")
    assert tool.main([page]) == 0
    assert capsys.readouterr().out == ""


@pytest.mark.slow
def test_all_pages_and_help_texts_pass(
    tool: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    """`make check` runs the command itself."""
    assert ROOT / "README.md" in tool.PAGES and ROOT / "docs" / "commands.md" in tool.PAGES
    code = tool.main(tool.PAGES)
    assert (code, capsys.readouterr().out) == (0, "")
