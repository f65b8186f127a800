"""Looks for riddles in what people read: `make check`, or tools/check_prose.py [FILE]...

proselint brings the matching and checks of its own; `tools/prose.toml` has the phrases that this
project no longer uses. Help texts are checked as docs/commands.md, which is made of them.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

from proselint.checks import __register__ as checks_of_proselint
from proselint.config import DEFAULT
from proselint.registry import CheckRegistry
from proselint.registry.checks import Check
from proselint.registry.checks.types import PreferredForms
from proselint.tools import LintFile

ROOT = Path(__file__).parents[1]
PHRASES = Path(__file__).with_name("prose.toml")
FOLDERS = ("algorithms", "benchmarks", "crates", "kernels", "python", "suites")
PAGES = [
    *sorted(ROOT.glob("*.md")),
    *sorted((ROOT / "docs").glob("*.md")),
    *(page for folder in FOLDERS for page in sorted((ROOT / folder).glob("**/README.md"))),
]

# What does not fit technical documents: curly quotes around typed text (typography), numbers that
# neighbouring cells repeat (lexical illusions), authors named after a season (capitalization).
NOT_WANTED = {"misc.capitalization": False, "typography": False, "lexical_illusions": False}

# What is no prose: blocks of code, comments, code within a line, where a link leads.
CODE = re.compile(
    r"^(?P<fence>```+|~~~+).*?^(?P=fence)|^(?: {4}|\t).*?$|<!--.*?-->|`[^`]*`|(?<=\])\([^)\s]*\)",
    flags=re.DOTALL | re.MULTILINE,
)


def checks() -> list[Check]:
    """proselint's checks that are wanted, and one for all phrases of the list."""
    registry = CheckRegistry()
    if not registry.checks:
        registry.register_many(checks_of_proselint)
    phrases = tomllib.loads(PHRASES.read_text("utf-8"))["phrases"]
    ours = Check(
        check_type=PreferredForms({key.replace(" ", r"\s+"): use for key, use in phrases.items()}),
        path="ciphermark.phrases",
        message="instead of '{1}' write: {0}",
    )
    # The first key that fits a check decides, so more special ones stand before `misc`.
    enabled = NOT_WANTED | {**DEFAULT["checks"], **NOT_WANTED}
    return [ours, *registry.get_all_enabled(enabled)]


def prose(text: str) -> str:
    """The text with everything that is no prose blanked; each character stays at its place."""
    return CODE.sub(lambda code: re.sub(r"\S", " ", code[0]), text)


def problems(text: str, wanted: list[Check]) -> Iterator[tuple[int, str]]:
    """Each riddle of a page of Markdown: its line, and what to write."""
    page = LintFile(source="page", content=prose(text))
    for check in wanted:
        for result in check.check_with_flags(page.content):
            start, end = result.span
            if page.is_quoted_pos(start):
                continue
            # A match may begin with the space before it; the content, with one line end before it.
            matched = page.content[start:end]
            start += len(matched) - len(matched.lstrip())
            yield page.content.count("\n", 1, start) + 1, " ".join(result.message.split())


def main(pages: list[Path]) -> int:
    wanted = checks()
    lines = [
        f"{page.resolve().relative_to(ROOT)}:{line}: {message}"
        for page in pages
        for line, message in sorted(problems(page.read_text("utf-8"), wanted))
    ]
    print(*lines, sep="\n", end="\n" if lines else "")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main([Path(name) for name in sys.argv[1:]] or PAGES))
