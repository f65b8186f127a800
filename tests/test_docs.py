"""The documentation says what is there."""

from __future__ import annotations

import re
import runpy
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from ciphermark.cli.groups import GONE
from conftest import script

ROOT = Path(__file__).parents[1]
PAGES = [
    *ROOT.glob("*.md"),
    *(ROOT / "docs").glob("**/*.md"),
    *ROOT.glob("algorithms/**/README.md"),
    *(ROOT / name / "README.md" for name in ("benchmarks", "kernels", "suites")),
    *ROOT.glob("crates/*/README.md"),
    *(ROOT / "python").glob("**/README.md"),
]
INDEX = ROOT / "docs" / "index.md"

CODE_BLOCK = re.compile(r"^```.*?^```$", flags=re.DOTALL | re.MULTILINE)


@pytest.fixture(scope="module")
def generator() -> ModuleType:
    return script("tools/generate_reference.py")


def commands(generator: ModuleType) -> dict[str, object]:
    import typer

    from ciphermark.cli.main import app

    return dict(generator.commands(typer.main.get_command(app), "ciphermark"))


def test_the_reference_is_what_the_commands_say(generator: ModuleType) -> None:
    written = generator.TARGET.read_text("utf-8")
    assert written == generator.reference(), "docs/commands.md differs; run: make generate"


def test_the_page_of_plans_is_what_their_types_say(generator: ModuleType) -> None:
    written = generator.PLANS.read_text("utf-8")
    assert written == generator.plans(), "docs/plans.md differs; run: make generate"


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
            is_history = page.name == "CHANGELOG.md" and verb in GONE
            assert verb in verbs or is_history, f"{page.name}: ciphermark {verb}"


def links(page: Path) -> Iterator[tuple[Path, str]]:
    """The files that a page links to, each with the heading, which may be empty."""
    prose = CODE_BLOCK.sub("", page.read_text("utf-8"))
    for target in re.findall(r"\]\(([^)\s]+)\)", prose):
        if "://" not in target:
            file, _, heading = target.partition("#")
            yield (page.parent / file).resolve() if file else page, heading


def anchors(page: Path) -> set[str]:
    """What a forge, and MyST, make of the headings of a page."""
    prose = CODE_BLOCK.sub("", page.read_text("utf-8"))
    titles = re.findall(r"^#+ +(.+)$", prose, flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def test_links_between_the_pages_lead_somewhere() -> None:
    for page in PAGES:
        for file, heading in links(page):
            assert file.exists(), f"{page.name}: {file}"
            assert not heading or heading in anchors(file), f"{page.name}: {file}#{heading}"


def test_files_named_in_the_pages_exist() -> None:
    """By their path, or by its end where the folders before it are clear."""
    folders = ("algorithms", "benchmarks", "crates", "engine", "kernels", "python", "suites")
    folders = (*folders, "docs", "fuzz", "schema", "tests", "tools")
    files = [
        f"/{path.relative_to(ROOT)}" for name in folders for path in (ROOT / name).rglob("*.*")
    ]
    ends = "c|h|json|md|py|rs|sh|toml"
    named = 0
    for page in PAGES:
        if page.name == "CHANGELOG.md":
            continue
        prose = CODE_BLOCK.sub("", page.read_text("utf-8"))
        for name in re.findall(rf"`([a-z][\w-]*(?:/[\w.-]+)+\.(?:{ends}))`", prose):
            assert any(file.endswith(f"/{name}") for file in files), f"{page.name}: {name}"
            named += 1
        for module in re.findall(r"`ciphermark((?:\.[a-z_]+)+)`", prose):
            path = ROOT / "python" / "ciphermark" / module[1:].replace(".", "/")
            assert path.is_dir() or path.with_suffix(".py").exists(), f"{page.name}: {module}"
    assert named > 50


def test_every_document_is_in_the_index_of_the_site() -> None:
    """`make docs` makes the side bar of it, and refuses a page that is in no list."""
    named = {file for file, _ in links(INDEX)}
    documents = {*(ROOT / "docs").glob("*.md"), *ROOT.glob("*.md")} - {INDEX}
    assert documents - named == set(), "name the page in docs/index.md"


def test_the_side_bar_has_the_pages_of_the_index_under_its_headings() -> None:
    site = runpy.run_path(str(ROOT / "docs" / "conf.py"))
    text = (
        "# Pages\n\n[Front](../README.md)\n\n"
        "## Guides\n\n### Measure\n\n- [One](one.md), [two](two.md)\n"
    )
    assert site["navigation"](text).split("```") == [
        "",
        "{toctree}\n:hidden:\n\n../README\n",
        "\n\n",
        "{toctree}\n:hidden:\n:caption: Measure\n\none\ntwo\n",
        "\n",
    ]


@pytest.mark.deep
def test_the_site_is_built_without_a_warning(tmp_path: Path) -> None:
    """Links and headings as MyST understands them; search knows the words of pages."""

    def make(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["make", *words], cwd=ROOT, capture_output=True, text=True, timeout=900
        )

    installed = make(".venv/docs/.installed")
    if installed.returncode != 0:
        pytest.skip(f"what builds the site could not be installed: {installed.stderr[-300:]}")
    built = make("docs", f"SITE={tmp_path / 'site'}")
    assert built.returncode == 0, built.stderr
    assert "docs/index.html" in (tmp_path / "site" / "index.html").read_text("utf-8")
    assert "headroom" in (tmp_path / "site" / "searchindex.js").read_text("utf-8")


def test_the_readme_is_a_front_page() -> None:
    """What needs more room has a page in docs/."""
    assert len((ROOT / "README.md").read_text("utf-8").splitlines()) <= 150


def test_targets_of_make_in_the_pages_exist() -> None:
    targets = set(
        re.findall(r"^([a-z][\w-]*):", (ROOT / "Makefile").read_text(), flags=re.MULTILINE)
    )
    for page in PAGES:
        if page.name == "CHANGELOG.md":
            continue
        for target in re.findall(r"(?:^|[`;] ?|sudo )make ([a-z][\w-]*)", page.read_text("utf-8")):
            assert target in targets, f"{page.name}: make {target}"


def typed(page: Path) -> Iterator[list[str]]:
    """The command lines of a page: in blocks of code, and whole between backquotes."""
    text = page.read_text("utf-8").replace("\\\n", " ")
    lines = [line for block in CODE_BLOCK.findall(text) for line in block.splitlines()]
    lines += re.findall(r"`(ciphermark [^`\n]+)`", CODE_BLOCK.sub("", text))
    for line in lines:
        # Sentences that the tool prints ("ciphermark: …") and usages with brackets are not typed.
        command = re.match(r"\s*(?:\.venv/bin/)?ciphermark ([a-z][^#…\[|]*)", line)
        if command is not None and command[1].count("'") % 2 == 0:
            # What follows in a column of its own explains the command.
            yield shlex.split(re.split(r" {2,}", command[1])[0])


def options(command: Any) -> set[str]:
    return {
        option
        for parameter in command.params
        for option in parameter.opts + parameter.secondary_opts
    } | {"--help"}


def test_commands_and_options_that_pages_type_exist() -> None:
    import typer

    from ciphermark.cli.main import app

    ciphermark: Any = typer.main.get_command(app)
    seen = 0
    for page in PAGES:
        if page.name == "CHANGELOG.md":
            continue
        for words in typed(page):
            command = ciphermark
            while words and words[0] in (parts := getattr(command, "commands", {})):
                command = parts[words.pop(0)]
            line = f"{page.name}: {command.name} {' '.join(words)}"
            assert not getattr(command, "commands", {}) or not words, f"{line}: no such command"
            asked = {word.split("=")[0] for word in words if re.match(r"--[a-z]", word)}
            assert asked <= options(command), line
            seen += 1
    assert seen > 150


def test_folders_named_in_the_architecture_exist() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
    folders = re.findall(r"^\| `([a-z/_]+/)` \|", text, flags=re.MULTILINE)
    assert len(folders) > 10
    for folder in folders:
        assert (ROOT / folder).is_dir(), folder
