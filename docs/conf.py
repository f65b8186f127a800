"""How `make docs` builds the site: Sphinx reads the documents where they lie, from the root of the
tree, so that a link means the same on the site, on a forge and in an editor."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sphinx.application import Sphinx

ROOT = Path(__file__).parents[1]

project = "ciphermark"
version = re.search(
    r'^__version__ = "(.+)"$', (ROOT / "python/ciphermark/__init__.py").read_text("utf-8"), re.M
)[1]

extensions = ["myst_parser"]
root_doc = "docs/index"
include_patterns = [
    "*.md",
    "docs/*.md",
    "algorithms/README.md",
    "algorithms/vectors/README.md",
    "benchmarks/README.md",
    "crates/*/README.md",
    "kernels/README.md",
    "python/ciphermark/studies/published/README.md",
    "suites/README.md",
]
# What is not walked through in the search for documents; folders of builds have 10,000s of files.
exclude_patterns = [".*", "dist", "fuzz", "target", "tests"]

# Links to headings are written as a forge writes them: `#recipe-a-study`.
myst_heading_anchors = 3

html_theme = "furo"
html_title = f"ciphermark {version}"
# What a terminal of 110 columns shows fits the width of a page.
html_theme_options = {"light_css_variables": {"code-font-size": "0.7rem"}}
# The address of the site's folder leads to its first page.
html_extra_path = ["site"]
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False
# Code blocks without a language are what a terminal shows.
highlight_language = "none"


def navigation(index: str) -> str:
    """The tables of contents of the side bar: the links of each section of `docs/index.md`.

    The page itself has plain lists, which a forge shows as well; directives of Sphinx it does not.
    """
    contents = []
    for section in re.split(r"^##+ ", index, flags=re.M):
        links = re.findall(r"\]\(([^)#]+)\.md\)", section)
        caption = "" if section.startswith("# ") else f":caption: {section.splitlines()[0]}\n"
        if links:
            lines = ["```{toctree}\n:hidden:\n" + caption, *links, "```\n"]
            contents.append("\n".join(lines))
    return "\n".join(contents)


def add_navigation(app: Sphinx, document: str, source: list[str]) -> None:
    if document == root_doc:
        source[0] += "\n" + navigation(source[0])


def setup(app: Sphinx) -> None:
    app.connect("source-read", add_navigation)
