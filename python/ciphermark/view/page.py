"""Pages: documents as HTML files that need nothing else, or as parts of other pages."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import jinja2
from markupsafe import Markup

import ciphermark
from ciphermark.files import extras
from ciphermark.messages import visible
from ciphermark.view.blocks import Block, Chart, Facts, charts
from ciphermark.view.plots import theme, vegalite
from ciphermark.view.problems import MARKS

VIEW = Path(ciphermark.__file__).parent / "view"
TEMPLATES = VIEW / "templates"
VEGA = VIEW / f"vega-lite-{vegalite.VERSION}.js"

FIGURES = "figures.js"
"""Script that writes figures for all others."""

TEMPLATE = "base.html.jinja"


class Document(NamedTuple):
    """A page without a form."""

    title: str
    origin: Sequence[str]
    """Facts below the title: machine, run, date, command."""
    blocks: Sequence[Block]
    caption: str = ""
    """Text below each picture."""
    facts: Facts | None = None
    """Facts at a glance."""
    doctor: str = ""
    interrupted: bool = False


class Part(NamedTuple):
    """A page as a part of another one, which has styles and scripts already."""

    title: str
    html: str
    plots: dict[str, Any]
    """Data that `showReport` of report.js draws."""


def html(document: Document, pictures: str | None = None) -> bytes:
    """Returns a file that works offline; `pictures` is the folder of its pictures, if any."""
    texts = {
        "bundle": javascript(),
        "js": (TEMPLATES / "report.js").read_text(),
        "css": (TEMPLATES / "report.css").read_text(),
    }
    scripts = " ".join(_allowed(texts[name]) for name in ("bundle", "js"))
    parts = {name: Markup(text) for name, text in (texts | {"scripts": scripts}).items()}
    data = json.dumps(plots_document(charts(document.blocks)), separators=(",", ":"))
    # A name that holds "</script>" must not end the element that the data is in.
    parts["plot_data"] = Markup(data.replace("<", "\\u003c"))
    return _rendered(document, plots_folder=pictures, **parts).encode()


def part(document: Document) -> Part:
    """Returns a document as a part of another page."""
    text = _rendered(document, fragment=True, plots_folder=None)
    return Part(document.title, text, plots_document(charts(document.blocks)))


def _rendered(document: Document, **content: Any) -> str:  # noqa: ANN401
    return templates().get_template(TEMPLATE).render(**document._asdict(), **content)


def plots_document(drawn: Iterable[Chart]) -> dict[str, Any]:
    """Returns the data for a page's script: the panels of each chart by its name."""
    return {
        "panels": {
            chart.name: [{"spec": it.spec(), "room": it.room} for it in chart.panels]
            for chart in drawn
        },
        "configs": {"light": theme.config(dark=False), "dark": theme.config(dark=True)},
    }


@cache
def templates() -> jinja2.Environment:
    """Returns the templates of reports, each compiled once."""
    return environment([TEMPLATES])


def environment(folders: Sequence[Path]) -> jinja2.Environment:
    """Returns the templates of folders; texts hold no markup and no control characters."""
    jinja = jinja2.Environment(
        loader=jinja2.FileSystemLoader(folders),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        finalize=lambda value: visible(value) if type(value) is str else value,
    )
    jinja.globals["marks"] = MARKS
    return jinja


@cache
def javascript() -> str:
    """Returns Vega, Vega-Lite and Vega-Embed in one text, for the charts' version of Vega-Lite.

    An installation has it as a file. For a tree that was not installed the extra `plots` makes it,
    in two seconds; raises `UsageError` without.
    """
    if VEGA.exists():
        return VEGA.read_text("utf-8")
    made: str = extras.needed("plots").javascript_bundle(vl_version=vegalite.VERSION)
    return made


def _allowed(script: str) -> str:
    # A policy for the content of a page allows a script by its hash.
    digest = hashlib.sha256(script.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"
