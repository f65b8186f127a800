"""Writes manual pages from docs/commands.md, whose text is that of the help: a page per command.

    python tools/man_pages.py FOLDER

The hook of the wheel calls it; it needs nothing beside Python.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
REFERENCE = ROOT / "docs" / "commands.md"
CITATION = ROOT / "CITATION.cff"
ENGINE = ROOT / "engine" / "cli" / "ciphermark-engine.1"

VARIABLES = """\
.SH ENVIRONMENT
.TP
.B CIPHERMARK_RUNS
Folder of the stored runs, or the URL of a shared one.
.TP
.B CIPHERMARK_ENGINE
Engine to use in place of the installed one.
"""


def pages(reference: str, citation: str, engine: str) -> dict[str, str]:
    """Returns the pages by file name: `ciphermark.1`, `ciphermark-survey.1` and so on."""
    version, date = (_fact(name, citation) for name in ("version", "date-released"))
    heading, *sections = re.split(r"^## ", reference, flags=re.MULTILINE)
    codes = _filled("Exit codes:" + heading.partition("Exit codes:")[2])
    ends = f"{VARIABLES}.SH EXIT STATUS\n{codes}.SH SEE ALSO\n"
    made, entries = {}, []
    for section in sections:
        name, usage, text, options = _parts(section)
        page = name.replace(" ", "-")
        description = ".PP\n".join(_filled(it) for it in text)
        made[f"{page}.1"] = (
            f"{_title(page, date, version)}.SH NAME\n{_escaped(page)} \\- {_summary(text[0])}\n"
            f".SH SYNOPSIS\n.nf\n.B {_escaped(usage)}\n.fi\n"
            f".SH DESCRIPTION\n{description}"
            f".SH OPTIONS\n{''.join(options)}{ends}.BR ciphermark (1)\n"
        )
        entries.append(f".TP\n.B {_escaped(name)}\n{_filled(text[0])}")
    made["ciphermark.1"] = (
        f"{_title('ciphermark', date, version)}.SH NAME\n"
        "ciphermark \\- measures what cryptography costs on a machine\n"
        ".SH SYNOPSIS\n.B ciphermark\n.I COMMAND\n.RI [ OPTIONS ]\n"
        ".SH DESCRIPTION\nEach command has a page of its own, such as\n"
        f".BR ciphermark\\-survey (1).\n{''.join(entries)}{ends}"
        ".BR ciphermark\\-survey (1),\n.BR ciphermark\\-engine (1)\n"
    )
    made["ciphermark-engine.1"] = _title("ciphermark-engine", date, version) + engine
    return made


def write(folder: Path) -> list[Path]:
    """Writes all pages, and returns their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    made = pages(*(it.read_text("utf-8") for it in (REFERENCE, CITATION, ENGINE)))
    for name, text in made.items():
        (folder / name).write_text(text, "utf-8")
    return sorted(folder / name for name in made)


def _parts(section: str) -> tuple[str, str, list[str], list[str]]:
    """Returns a command's name, usage, paragraphs, and its options as tagged paragraphs."""
    name, _, rest = section.partition("\n")
    _, usage, rest = rest.split("```", 2)
    text, _, listed = rest.partition("\n\n- ")
    options = re.findall(r"^(?:- )?`(.+?)`: (.+)$", listed, flags=re.MULTILINE)
    tagged = [f".TP\n.B {_escaped(term)}\n{_filled(meaning)}" for term, meaning in options]
    paragraphs = [it for it in text.strip().split("\n\n") if it]
    return name, " ".join(usage.split()).removeprefix("Usage: "), paragraphs, tagged


def _summary(paragraph: str) -> str:
    """Returns the first sentence in the form of a page's name: no capital, no full stop."""
    sentence = " ".join(paragraph.split()).split(". ")[0].rstrip(".")
    return _escaped(sentence[:1].lower() + sentence[1:]).replace("`", "")


def _filled(text: str) -> str:
    """Sets code in bold; a line of text that begins like a request stays text."""
    set_in_bold = re.sub(r"`([^`]+)`", r"\\fB\1\\fR", _escaped(text.strip()))
    return "".join(f"{_kept(line)}\n" for line in set_in_bold.splitlines())


def _kept(line: str) -> str:
    return rf"\&{line}" if line.startswith((".", "'")) else line


def _escaped(text: str) -> str:
    return text.replace("\\", r"\e").replace("-", r"\-")


def _title(page: str, date: str, version: str) -> str:
    return f'.TH {_escaped(page.upper())} 1 {date} "ciphermark {version}"\n'


def _fact(name: str, citation: str) -> str:
    """Returns a value of CITATION.cff, which names the version and the day of its release."""
    found = re.search(rf'^{name}: "?([^"\n]+)"?$', citation, flags=re.MULTILINE)
    if found is None:
        sys.exit(f"{CITATION.name} has no {name}")
    return found[1]


if __name__ == "__main__":
    print(*write(Path(sys.argv[1])), sep="\n")
