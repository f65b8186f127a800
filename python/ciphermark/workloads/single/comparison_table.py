"""A comparison on a terminal: what differs, regressions first, and the verdict last."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from xml.etree import ElementTree

from ciphermark.messages import visible
from ciphermark.record.case_row import way
from ciphermark.view.blocks import Block, Facts, Headline, Notes, Table
from ciphermark.view.column import Cell, Column, of_text, of_words
from ciphermark.view.figures import counted, message_size, percent, significant
from ciphermark.view.problems import MARKS, UNSETTLED
from ciphermark.view.text_formats import markdown_row as row
from ciphermark.view.text_formats import markdown_text as escaped
from ciphermark.workloads.single.comparison import Comparison, Pair

BY_CHANCE = "by chance"
"""Block of the cases whose interval excludes 1, as that of so many of the same cases would."""

ORDER = ("regression", "slower", "faster", BY_CHANCE, "unknown", "same")
MARKS_OF = {"regression": "failed", "slower": "unsettled", "faster": "good", "unknown": "soft"}
"""Classes of the cells of each verdict, which stands above them as a word too."""

MOST_UNKNOWN = 5
"""Cases without a verdict that are listed unless all are."""

MOST_REASONS = 3
"""Why the others have none."""

MOST_NAMED = 5
"""Cases that only one side has are named up to here, and counted."""

Remark = tuple[str, str]
"""A heading and a sentence."""


def blocks(comparison: Comparison, every: bool, in_compare: bool = True) -> Iterator[Block]:
    """Yields the verdict, both sides, the pairs that differ (all with `every`), and the rest.

    `in_compare` is false in other commands than `compare`, whose --all lists the rest.
    """
    pairs = sorted(listed(comparison, every), key=_rank)
    style = "bold red" if comparison.regressions else "bold"
    yield Headline(text=f"Verdict: {verdict(comparison)}", style=style)
    yield Facts.of_pairs(circumstances(comparison))
    yield Table(columns=_columns(comparison.unit), rows=pairs, section=block)
    listing = "--all" if in_compare else f"{compare_command(comparison)} --all"
    yield Facts.of_pairs([*remarks(comparison, pairs, listing)])
    yield Notes.of([MARKS], style="dim")


def _columns(unit: str) -> list[Column[Pair]]:
    return [
        of_words("case", lambda it: f"{it.algorithm} {it.operation}"),
        of_text("size", size),
        of_words("implementation", implementation, wraps=True),
        of_text(unit, lambda it: cost(it, unit)),
        of_words("ratio (95 % interval)", _ratio, wraps=True),
    ]


def _ratio(pair: Pair) -> Cell:
    return Cell(ratio(pair), mark=MARKS_OF.get(block(pair), ""))


def circumstances(comparison: Comparison) -> list[Remark]:
    """Returns the two sides, and the circumstances of their measurement."""
    facts = [
        (heading, f"{_name(comparison, side)} on {comparison.machines[side]}")
        for side, heading in enumerate(("Judged", "Against"))
    ]
    if any(pair.load for pair in comparison.pairs):
        facts.append(("Figure", comparison.figure))
    if comparison.paired:
        facts.append(("Method", "both in the same run: compared round by round"))
    facts += [
        ("Library", f"{library.provider} {library.version_a}, against {library.version_b}")
        for library in comparison.libraries
    ]
    return facts + [("Note", note) for note in comparison.notes]


def _name(comparison: Comparison, side: int) -> str:
    return ":".join(filter(None, (comparison.runs[side], comparison.selections[side])))


def _rank(pair: Pair) -> tuple[int, float]:
    """Regressions first, and within each verdict the largest difference first."""
    largest = 0.0 if pair.ratio is None else max(pair.ratio, 1 / pair.ratio)
    return ORDER.index(block(pair)), -largest


def block(pair: Pair) -> str:
    """Returns the heading under which a pair is listed."""
    return BY_CHANCE if pair.verdict == "same" and pair.excludes_one else pair.verdict


def size(pair: Pair) -> str:
    of = pair.profile or pair.message_bytes
    return "" if of is None else message_size(of)


def implementation(pair: Pair) -> str:
    """Returns provider, backend, manner of calling and load.

    Of two providers, which the heading names, only the backends.
    """
    provider = f"{pair.provider_a} " if pair.provider_a == pair.provider_b else ""
    against = "" if pair.backend_a == pair.backend_b else f", against {pair.backend_b}"
    parts = (f"{provider}{pair.backend_a}{against}", way(pair), pair.load)
    return " · ".join(filter(None, parts))


def cost(pair: Pair, unit: str) -> str:
    """Formats the judged cost with four digits, so that 1 % is visible."""
    value = pair.ns_per_message_a if unit == "ns" else pair.cycles_per_message_a
    return "" if value is None else significant(value, 4)


def ratio(pair: Pair) -> str:
    """Formats the ratio with its interval and mark; or the reason for its absence."""
    if pair.ratio is None:
        return pair.reason or ""
    mark = " " if pair.converged else UNSETTLED
    return f"{mark}{pair.ratio:.3f} ({pair.ratio_low:.3f}–{pair.ratio_high:.3f})"


def compare_command(comparison: Comparison) -> str:
    """Returns the command that compares both sides again."""
    return f"ciphermark compare {_name(comparison, 0)} {_name(comparison, 1)}"


def listed(comparison: Comparison, every: bool) -> list[Pair]:
    """Returns the pairs of the table: all with `every`, else those that differ.

    Their interval excludes 1; the first of those without a verdict follow.
    """
    if every:
        return comparison.pairs
    unknown = [pair for pair in comparison.pairs if pair.verdict == "unknown"]
    differing = [pair for pair in comparison.pairs if block(pair) not in ("same", "unknown")]
    return [*differing, *unknown[:MOST_UNKNOWN]]


def remarks(comparison: Comparison, shown: list[Pair], listing: str) -> Iterator[Remark]:
    """Yields omissions of the table, with the command that lists them, and joint results."""
    hidden = comparison.same - sum(pair.verdict == "same" for pair in shown)
    if hidden:
        yield "Same", f"{counted(hidden, 'case')} whose interval has 1 in it; {listing} lists them"
    if by_chance := sum(block(pair) == BY_CHANCE for pair in comparison.pairs):
        yield (
            "By chance",
            f"{counted(by_chance, 'interval')} without 1, no more than {len(comparison.pairs)} "
            "cases that are the same would have: measure these again",
        )
    unlisted = comparison.unknown - sum(pair.verdict == "unknown" for pair in shown)
    if unlisted:
        yield "Unknown", f"{_unknown(comparison)}; {listing} lists them"
    unsettled = sum(pair.ratio is not None and not pair.converged for pair in comparison.pairs)
    if unsettled:
        yield UNSETTLED, f"{counted(unsettled, 'ratio')} of figures that did not settle"
    if any(pair.path_changed for pair in comparison.pairs):
        yield "Backend", _path_changes(comparison.pairs)
    for side, cases in enumerate((comparison.only_a, comparison.only_b)):
        if cases:
            yield "Missing", f"only in {_name(comparison, side)}: {_named(cases)}"
    if comparison.geometric_mean is not None:
        low, high = comparison.geometric_mean_low, comparison.geometric_mean_high
        mean = f"{comparison.geometric_mean:.3f} ({low:.3f}–{high:.3f})"
        yield "Overall", f"geometric mean of the ratios {mean}{_unevenness(comparison)}"
    if comparison.detectable_ratio is not None:
        yield "Power", _power(comparison)


def _unevenness(comparison: Comparison) -> str:
    """Says that the mean stands for no case where the cases changed in different ways."""
    directions = {
        "slower" if pair.verdict == "regression" else pair.verdict
        for pair in comparison.pairs
        if pair.verdict != "unknown"
    }
    if len(directions) < 2:
        return ""
    ratios = [pair.ratio for pair in comparison.pairs if pair.ratio is not None]
    return f", but the changes are not uniform: from {min(ratios):.3f} to {max(ratios):.3f}"


def _unknown(comparison: Comparison) -> str:
    """Returns the number of cases without a verdict, with the commonest reasons."""
    reasons = Counter(
        reason.partition(": ")[2] or reason
        for pair in comparison.pairs
        if pair.verdict == "unknown" and (reason := pair.reason or "no reason was given")
    )
    named = [f"{reason} ({count})" for reason, count in reasons.most_common(MOST_REASONS)]
    more = len(reasons) - MOST_REASONS
    also = f"; and {counted(more, 'other reason')}" if more > 0 else ""
    return f"{counted(comparison.unknown, 'case')} without a verdict: {', '.join(named)}{also}"


def _path_changes(pairs: list[Pair]) -> str:
    """Describes changes of code paths within the same library at the same request."""
    changed = [pair for pair in pairs if pair.path_changed]
    changes = [f"{pair.provider_a} {pair.backend_a}, against {pair.backend_b}" for pair in changed]
    what = _listed(list(dict.fromkeys(changes)))
    return f"another code path ran in {counted(len(changed), 'case')}: {what}"


def _named(cases: list[str]) -> str:
    return f"{counted(len(cases), 'case')}: {_listed(cases)}"


def _listed(texts: list[str]) -> str:
    more = f"; and {len(texts) - MOST_NAMED} more" if len(texts) > MOST_NAMED else ""
    return f"{'; '.join(texts[:MOST_NAMED])}{more}"


def _power(comparison: Comparison) -> str:
    """Describes the smallest effects that would have been seen in cases that are the same."""
    of_one, of_all = comparison.detectable_ratio, comparison.geometric_mean_detectable
    assert of_one is not None
    same = counted(comparison.same, "case")
    in_one = f"in the {same} that {'is' if comparison.same == 1 else 'are'} the same"
    in_all = "" if of_all is None else f", or of {percent(of_all - 1)} in their mean,"
    return (
        f"{in_one}, a change of {percent(of_one - 1)} in the median one{in_all} would have been "
        "seen with 80 % probability"
    )


def ranked(pairs: list[Pair]) -> list[Pair]:
    """Regressions first, and within each verdict the largest difference first."""
    return sorted(pairs, key=_rank)


def changes(comparison: Comparison) -> str:
    """Describes changes in one line: cases by verdict, the worst of them, and libraries."""
    judged = counted(len(comparison.pairs), "case")
    if comparison.unknown == len(comparison.pairs):
        return f"no verdict on {judged} ({comparison.pairs[0].reason})"
    slower = [it for it in comparison.pairs if it.verdict in ("regression", "slower")]
    parts = []
    if slower:
        worst = min(slower, key=_rank)
        case = " ".join(filter(None, (worst.algorithm, worst.operation, size(worst))))
        beyond = f"by more than {100 * comparison.threshold:g} %"
        if comparison.regressions == len(slower):
            count = f"{len(slower)} slower {beyond}"
        else:
            some = f", {comparison.regressions} {beyond}" if comparison.regressions else ""
            count = f"{len(slower)} slower{some}"
        times = f"{worst.ratio:.2f} times the {_figure(comparison)}"
        parts.append(f"{count} ({case} by {worst.provider_a}: {times})")
    if comparison.faster:
        parts.append(f"{comparison.faster} faster")
    if comparison.unknown:
        parts.append(f"{comparison.unknown} without a verdict")
    said = f"of {judged} {', '.join(parts)}" if parts else f"no change beyond chance in {judged}"
    libraries = [f"{it.provider} {it.version_b} to {it.version_a}" for it in comparison.libraries]
    return "; ".join([said, *libraries])


def verdict(comparison: Comparison) -> str:
    threshold = f"{100 * comparison.threshold:g} %"
    if all(pair.verdict == "unknown" for pair in comparison.pairs):
        return f"none: {comparison.pairs[0].reason}"
    if not comparison.regressions:
        said = f"no regression beyond {threshold} in {_counts(comparison)}"
        return f"{said}; {_worst(comparison)}" if comparison.slower else said
    return (
        f"{counted(comparison.regressions, 'regression')} beyond {threshold} in "
        f"{_counts(comparison)}; {_worst(comparison)}"
    )


def _worst(comparison: Comparison) -> str:
    worst = min(comparison.pairs, key=_rank)
    case = " ".join(filter(None, (worst.algorithm, worst.operation, size(worst))))
    return f"the worst is {case}: {worst.ratio:.3f} times the {_figure(comparison)}"


def _figure(comparison: Comparison) -> str:
    return "time" if comparison.unit == "ns" else "cycles"


def _counts(comparison: Comparison) -> str:
    """`26 cases (9 slower, 11 same)`."""
    others = {name: getattr(comparison, name) for name in ("slower", "faster", "same", "unknown")}
    named = ", ".join(f"{count} {name}" for name, count in others.items() if count)
    return counted(len(comparison.pairs), "case") + (f" ({named})" if named else "")


MOST_ROWS = 200
"""Most rows of a table in Markdown: forges cut comments at some 64 KiB."""


def markdown(comparison: Comparison, every: bool) -> str:
    """Formats the verdict, a table of cases that differ, and the remarks.

    With `every` the table has all cases.
    """
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
    """Formats a test for each case: regressions fail, cases without a verdict are skipped.

    `every` does not matter: forges hide tests that passed.
    """
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
"""Formats by the name that `--format` takes."""
