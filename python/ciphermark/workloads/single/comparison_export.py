"""A comparison for a forge: Markdown for the text of a pull request, JUnit's XML for its tests."""

from __future__ import annotations

from collections.abc import Callable
from xml.etree import ElementTree

from ciphermark.messages import visible
from ciphermark.show.export.markdown import escaped, row
from ciphermark.workloads.single.comparison import Comparison, Pair
from ciphermark.workloads.single.comparison_table import (
    circumstances,
    cost,
    implementation,
    listed,
    ranked,
    ratio,
    remarks,
    size,
    verdict,
)

MOST_ROWS = 200
"""Of a table in Markdown: forges cut comments at some 64 KiB."""


def markdown(comparison: Comparison, every: bool) -> str:
    """The verdict, a table of what differs (of all cases with `every`), and what else is to be
    known."""
    shown = ranked(listed(comparison, every))
    lines = [f"**{_sentence(verdict(comparison))}**", ""]
    lines += [f"- {heading}: {escaped(text)}" for heading, text in circumstances(comparison)]
    if shown:
        unit = comparison.unit
        heads = ("verdict", "case", "size", "implementation", unit, "ratio (95 % interval)")
        lines += ["", row(heads), row(("---", "---", "---:", "---", "---:", "---:"))]
        lines += [row(_cells(pair, unit)) for pair in shown[:MOST_ROWS]]
        if len(shown) > MOST_ROWS:
            lines += ["", f"{len(shown) - MOST_ROWS} more cases are not shown."]
    said = remarks(comparison, shown, "`--all`")
    lines += ["", *(f"- {heading}: {escaped(text)}" for heading, text in said)]
    return "\n".join(lines).rstrip() + "\n"


def _sentence(text: str) -> str:
    return escaped(text[:1].upper() + text[1:]) + "."


def _cells(pair: Pair, unit: str) -> tuple[str, ...]:
    case, shown = f"{pair.algorithm} {pair.operation}", ratio(pair).strip()
    return (pair.verdict, case, size(pair), implementation(pair), cost(pair, unit), shown)


def junit(comparison: Comparison, every: bool) -> str:
    """A test for each case: a regression fails, what has no verdict is skipped. `every` is of no
    matter: forges hide what passed."""
    unknown = sum(pair.verdict == "unknown" for pair in comparison.pairs)
    suite = ElementTree.Element(
        "testsuite",
        name=f"ciphermark compare {' '.join(comparison.runs)}",
        tests=str(len(comparison.pairs)),
        failures=str(comparison.regressions),
        errors="0",
        skipped=str(unknown),
    )
    for pair in comparison.pairs:
        where = " ".join(filter(None, (pair.operation, size(pair), implementation(pair))))
        case = ElementTree.SubElement(suite, "testcase", classname=pair.algorithm, name=where)
        if pair.verdict == "regression":
            figure = "time" if comparison.unit == "ns" else "cycles"
            message = f"takes {ratio(pair).strip()} times the {figure} (95 % interval)"
            ElementTree.SubElement(case, "failure", type="regression", message=message)
        elif pair.verdict == "unknown":
            ElementTree.SubElement(case, "skipped", message=pair.reason or "no verdict")
    suites = ElementTree.Element("testsuites")
    suites.append(suite)
    ElementTree.indent(suites)
    return visible(ElementTree.tostring(suites, encoding="unicode", xml_declaration=True)) + "\n"


FORMATS: dict[str, Callable[[Comparison, bool], str]] = {"markdown": markdown, "junit": junit}
"""By the name that `--format` takes."""
