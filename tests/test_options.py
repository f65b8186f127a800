"""Options in groups: what typer sees of them, and what commands get."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

from ciphermark.cli.main import app
from ciphermark.command.options import Help, Only, given, grouped


@dataclass
class Fruits:
    apples: Annotated[int, typer.Option("--apples", help="Red ones.")] = 2
    pears: Annotated[str | None, typer.Option("--pears", help="Green ones.")] = None
    plums: Annotated[bool, typer.Option("--plums", help="Blue ones.")] = False


@dataclass
class Drinks:
    tea: Annotated[str, typer.Option("--tea", help="Must be said.")]


def invoke(command: object, *arguments: str) -> str:
    alone = typer.Typer()
    alone.command()(grouped(command))  # type: ignore[arg-type]  # of any parameters
    return CliRunner().invoke(alone, arguments).output


def test_a_command_gets_its_groups_filled() -> None:
    def eat(who: str, fruits: Fruits, *, drinks: Drinks) -> None:
        print(who, given(fruits, drinks))

    said = invoke(eat, "me", "--pears", "x", "--tea", "mint")
    assert said == "me {'apples': 2, 'pears': 'x', 'plums': False, 'tea': 'mint'}\n"
    assert "Missing option '--tea'" in invoke(eat, "me")


def test_a_command_takes_some_options_with_words_of_its_own() -> None:
    def eat(
        fruits: Annotated[Fruits, Only("apples", "plums"), Help(plums="Sweet ones.")],
    ) -> None:
        print(vars(fruits))

    assert invoke(eat, "--apples", "3") == "{'apples': 3, 'pears': None, 'plums': False}\n"
    page = invoke(eat, "--help")
    assert "Red ones." in page and "Sweet ones." in page
    assert "Blue ones." not in page and "pears" not in page


def test_an_option_that_the_group_has_not_is_refused() -> None:
    def eat(fruits: Annotated[Fruits, Only("figs")]) -> None: ...

    def cook(fruits: Annotated[Fruits, Help(figs="Dry ones.")]) -> None: ...

    for command in (eat, cook):
        with pytest.raises(KeyError, match="figs"):
            grouped(command)


def test_no_command_has_an_option_twice() -> None:
    """One of the two would never be filled."""
    todo = [typer.main.get_command(app)]
    for command in todo:
        todo += getattr(command, "commands", {}).values()
        names = [name for option in command.params for name in option.opts]
        assert len(names) == len(set(names)), command.name
