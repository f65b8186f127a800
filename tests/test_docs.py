"""The documentation says what is there."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("**/*.md"), ROOT / "algorithms" / "README.md"]


@pytest.fixture(scope="module")
def generator() -> ModuleType:
    path = ROOT / "tools" / "generate_reference.py"
    spec = importlib.util.spec_from_file_location("generate_reference", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def commands(generator: ModuleType) -> dict[str, object]:
    import typer

    from ciphermark.cli.main import app

    return dict(generator.commands(typer.main.get_command(app), "ciphermark"))


def test_the_reference_is_what_the_commands_say(generator: ModuleType) -> None:
    written = generator.TARGET.read_text("utf-8")
    assert written == generator.reference(), "docs/commands.md differs; run: make generate"


def test_every_command_and_option_has_help(generator: ModuleType) -> None:
    found = commands(generator)
    assert len(found) >= 12
    for name, command in found.items():
        assert command.help, name
        for parameter in command.params:
            assert parameter.help, f"{name} {parameter.name}"


def test_commands_in_the_pages_exist(generator: ModuleType) -> None:
    known = commands(generator)
    verbs = {name.split()[1] for name in known}
    for page in PAGES:
        for verb in re.findall(r"`ciphermark ([a-z]+)", page.read_text("utf-8")):
            assert verb in verbs, f"{page.name}: ciphermark {verb}"


def test_links_between_the_pages_lead_somewhere() -> None:
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#]+)", page.read_text("utf-8")):
            if "://" not in target:
                assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_folders_named_in_the_architecture_exist() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
    folders = re.findall(r"^\| `([a-z/_]+/)` \|", text, flags=re.MULTILINE)
    assert len(folders) > 10
    for folder in folders:
        assert (ROOT / folder).is_dir(), folder
