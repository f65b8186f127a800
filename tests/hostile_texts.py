"""Runs whose texts attack whatever prints them, and the marks of an attack that came through."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable
from html.parser import HTMLParser
from typing import Any
from xml.etree import ElementTree

import msgspec
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from ciphermark.record.anonymous.run import _hints, _literals
from ciphermark.record.run import Run
from ciphermark.record.store import Store
from ciphermark.workload import rows, rows_table

FRAGMENTS = (
    *("\x1b[2J\x1b[31m", "\x1b]8;;http://evil.example\x07x\x1b]8;;\x07", "\x9b31m", "\r", "\x7f"),
    *("\u202egnp.exe", "\u2066a\u2069", "\u200f", "=cmd|' /C calc'!A0", "@SUM(A1)", "+A1", "-A1"),
    *("<img src=x onerror=alert(1)>", "</script><script>alert(1)</script>"),
    *("[x](javascript:alert(1))", "![x](http://evil.example)", "<javascript:alert(1)>", "`x`", "|"),
    '"><svg onload=alert(1)>',
    *("\n\n# x\n", "\n- x\n", "&#x202e;", "$(x)", "\\", "{{7*7}}", "%", "a", " "),
)  # fmt: skip

TEXTS = st.lists(st.sampled_from(FRAGMENTS) | st.text(max_size=3), min_size=1, max_size=4).map(
    lambda parts: "".join(parts).encode(errors="replace").decode()
)

ALL = "=" + "".join(FRAGMENTS)

NAMES = frozenset(
    "algorithm operation provider backend name path features protocol cipher integrity workload "
    "header_protection kind run target profile agrees_with plan_name machine_id simulator "
    "architecture".split()
)
"""Fields by which rows are found: with them hostile, few figures are left to print."""

DOCUMENTS = frozenset(["description"])
"""Fields of texts that are parsed."""

Change = Callable[[str], str]


def save_hostile(store: Store, run: Run, text: str, *, in_names: bool, other: str = "") -> None:
    """Saves a run with a hostile text in all its texts, a second time under another identifier."""
    for it in (run, *run.also):
        plant(it, text, in_names=in_names)
    of_rows = [rows_table(rows(it), it.context.workload) for it in (run, *run.also)]
    first = run.context.run
    for run.context.run in filter(None, (other, first)):
        store.save(run, of_rows[0], of_rows[1:])


def plant(run: Run, text: str, *, in_names: bool) -> None:
    """Puts a hostile text before every free text of a run, in names of functions too if wished."""
    kept = DOCUMENTS if in_names else DOCUMENTS | NAMES
    identity = run.context.run, run.context.workload
    for name in run.__struct_fields__:
        if name not in ("samples", "also"):
            setattr(run, name, planted(getattr(run, name), Any, lambda it: text + it, kept))
    run.context.run, run.context.workload = identity  # else it is no run that can be read


def planted(value: Any, kind: Any, change: Change, kept: frozenset[str] = frozenset()) -> Any:
    """Returns a value with all texts changed that are of no closed set, in structs in place."""
    if isinstance(value, str) and value not in _literals(kind):
        return change(value)
    if isinstance(value, msgspec.Struct) and not type(value).__struct_config__.frozen:
        hints = _hints(type(value))
        for name in value.__struct_fields__:
            if name not in kept:
                setattr(value, name, planted(getattr(value, name), hints[name], change, kept))
        return value
    if isinstance(value, list):
        return [planted(it, kind, change, kept) for it in value]
    if isinstance(value, dict):
        return {key: planted(it, kind, change, kept) for key, it in value.items()}
    return value


_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_FORMULA = re.compile(r"[\s]*[=@+-]")
_COMMONMARK = MarkdownIt("commonmark").enable(["table", "strikethrough"])


def check_text(text: str) -> None:
    """Fails for a character that steers a terminal or the direction of text."""
    assert (found := _CONTROLS.search(text)) is None, repr(text[found.start() - 80 :][:160])


def check_json(text: str) -> None:
    """Fails for no document, or one with control characters."""
    check_text(text)
    json.loads(text)


def check_csv(text: str) -> None:
    """Fails for a cell that a spreadsheet would compute."""
    check_text(text)
    for cell in (cell for line in csv.reader(io.StringIO(text)) for cell in line):
        if _FORMULA.match(cell):
            float(cell)


def check_markdown(text: str) -> None:
    """Fails for links, pictures, code and HTML, and for headings and lists of others."""
    check_text(text)
    tokens = _COMMONMARK.parse(text)
    kinds = {it.type for token in tokens for it in (token, *(token.children or ()))}
    live = {"link_open", "image", "code_inline", "code_block", "fence", "html_inline", "html_block",
            "s_open", "em_open"}  # fmt: skip
    assert not kinds & live, kinds & live
    assert "h1" not in {it.tag for it in tokens}


def check_xml(text: str) -> None:
    """Fails for what is no XML, or has control characters or scripts."""
    check_text(text)
    for element in ElementTree.fromstring(text).iter():
        assert not any(name.startswith("on") for name in element.attrib)
        assert not element.tag.endswith("script")


class _Page(HTMLParser):
    """A page whose elements must not be of a text."""

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        for name, value in attributes:
            assert not name.startswith("on"), f"<{tag} {name}={value!r}>"
            assert not (value or "").strip().lower().startswith("javascript:"), value

    def handle_data(self, data: str) -> None:
        if self.lasttag == "script":
            assert not data.startswith("alert(1)")


def check_html(text: str) -> None:
    """Fails for elements and scripts of a text, and for control characters."""
    check_text(text)
    page = _Page()
    page.feed(text)
    page.close()


CHECKS: dict[str, Callable[[str], None]] = {
    "csv": check_csv, "json": check_json, "markdown": check_markdown, "latex": check_text,
    "junit": check_xml, "svg": check_xml,
}  # fmt: skip
"""By the name of a format."""
