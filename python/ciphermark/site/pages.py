"""Pages that every site has, and the files that all share: styles, scripts, Vega."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import jinja2

from ciphermark.site.folder import Folder
from ciphermark.view import page as view

HERE = Path(__file__).parent
TEMPLATES = HERE / "templates"
SCRIPTS = HERE / "scripts"

POLICY = (
    "default-src 'none'; script-src 'self' file:; style-src 'self' file: 'unsafe-inline'; "
    "img-src 'self' file: data:; base-uri 'none'; form-action 'none'"
)
"""Nothing from elsewhere, no script within a page, none compiled. `file:` means what `'self'` means
where a page is opened as a file; a page of a server cannot load any. Vega sets styles of marks."""

VEGA = "vega.js"
DOCUMENT = ("report.js", "document.js")


class Page(NamedTuple):
    """A page of every site."""

    name: str
    title: str
    template: str
    scripts: tuple[str, ...] = ()
    section: str = ""
    """Page of the navigation that it belongs to; itself if empty."""
    kind: str = ""
    """Kind of the things of which the page shows one, as data and addresses call it."""


PAGES = (
    Page("index.html", "Runs", "runs.html.jinja", (view.FIGURES, "runs.js")),
    Page("run.html", "Run", "document.html.jinja",
         (VEGA, view.FIGURES, *DOCUMENT, "bare.js"), "index.html", "run"),
    Page("machines.html", "Machines", "machines.html.jinja"),
    Page("machine.html", "Machine", "document.html.jinja", (VEGA, *DOCUMENT), "machines.html",
         "machine"),
    Page("functions.html", "Functions", "functions.html.jinja"),
    Page("function.html", "Function", "document.html.jinja", (VEGA, *DOCUMENT), "functions.html",
         "function"),
    Page("studies.html", "Studies", "studies.html.jinja"),
    Page("planner.html", "Planner", "planner.html.jinja", (view.FIGURES, "planner.js")),
    Page("study.html", "Study", "document.html.jinja", (VEGA, *DOCUMENT), "studies.html", "study"),
)  # fmt: skip
NAVIGATION = tuple(page for page in PAGES if not page.section)
NAMES = frozenset(page.name for page in PAGES)


@cache
def templates() -> jinja2.Environment:
    """Returns the templates of a site, which may use those of reports; all texts are escaped."""
    folders = (TEMPLATES, view.TEMPLATES)
    environment = view.environment(folders)
    environment.globals |= {"policy": POLICY, "navigation": NAVIGATION}
    return environment


def write_page(folder: Folder, name: str, **content: Any) -> None:  # noqa: ANN401
    """Writes one of the pages with this content."""
    page = next(page for page in PAGES if page.name == name)
    text = templates().get_template(page.template).render(page=page, **content)
    folder.write(name, text.encode())


def write_assets(folder: Folder) -> None:
    """Writes the files that all pages share, and the pages that every site has alike."""
    for path in sorted(SCRIPTS.glob("*.js")):
        folder.write(f"assets/{path.name}", path.read_bytes())
    for name in ("report.js", "report.css", view.FIGURES):
        folder.write(f"assets/{name}", (view.TEMPLATES / name).read_bytes())
    folder.write("assets/site.css", (TEMPLATES / "site.css").read_bytes())
    folder.write(f"assets/{VEGA}", view.javascript().encode())
    for page in PAGES:
        if page.kind or page.name in ("index.html", "planner.html"):
            write_page(folder, page.name)
