"""A comparison on a terminal: what differs, regressions first, and the verdict last."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import groupby

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from ciphermark.record.case_row import way
from ciphermark.show.figures import counted, message_size, percent, significant
from ciphermark.show.problems import MARKS, UNSETTLED
from ciphermark.workloads.single.comparison import Comparison, Pair

BY_CHANCE = "by chance"
"""Block of the cases whose interval excludes 1, as that of so many of the same cases would."""

ORDER = ("regression", "slower", "faster", BY_CHANCE, "unknown", "same")
STYLES = {"regression": "red", "slower": "yellow", "faster": "green", "unknown": "dim"}
"""Colour only guides the eye: the verdict stands there as a word too."""

RATIO_WIDTH = len("~1.000 (0.999–1.001)")

MOST_UNKNOWN = 5
"""Cases without a verdict that are listed unless all are."""

MOST_REASONS = 3
"""Why the others have none."""

MOST_NAMED = 5
"""Cases that only one side has are named up to here, and counted."""

Remark = tuple[str, str]
"""A heading and a sentence."""


def render(comparison: Comparison, every: bool, in_compare: bool = True) -> RenderableType:
    """The verdict, both sides, the pairs that differ (all with `every`), and what is missing;
    `in_compare` where the command was `compare`, whose --all lists the rest."""
    shown = listed(comparison, every)
    style = STYLES["regression"] if comparison.regressions else ""
    first = [("Verdict", verdict(comparison))]
    parts: list[RenderableType] = [_lines(first, style), _lines(circumstances(comparison)), ""]
    if shown:
        parts += [_table(shown, comparison.unit), ""]
    listing = "--all" if in_compare else f"{compare_command(comparison)} --all"
    said = list(remarks(comparison, shown, listing))
    return Group(*parts, _lines(said), Text(MARKS, "dim"))


def _lines(remarks: list[Remark], style: str = "") -> Table:
    grid = Table.grid(padding=(0, 1))
    grid.add_column(width=9, style="bold")
    grid.add_column(style=style, overflow="fold")
    for heading, sentence in remarks:
        grid.add_row(heading, Text(sentence))
    return grid


def circumstances(comparison: Comparison) -> list[Remark]:
    """What is compared with what, and in which circumstances it was measured."""
    found = [
        (heading, f"{_name(comparison, side)} on {comparison.machines[side]}")
        for side, heading in enumerate(("Judged", "Against"))
    ]
    if any(pair.load for pair in comparison.pairs):
        found.append(("Figure", comparison.figure))
    if comparison.paired:
        found.append(("Method", "both in the same run: compared round by round"))
    found += [
        ("Library", f"{library.provider} {library.version_a}, against {library.version_b}")
        for library in comparison.libraries
    ]
    return found + [("Note", note) for note in comparison.notes]


def _name(comparison: Comparison, side: int) -> str:
    return ":".join(filter(None, (comparison.runs[side], comparison.selections[side])))


def _rank(pair: Pair) -> tuple[int, float]:
    """Regressions first, and within each verdict the largest difference first."""
    largest = 0.0 if pair.ratio is None else max(pair.ratio, 1 / pair.ratio)
    return ORDER.index(block(pair)), -largest


def block(pair: Pair) -> str:
    """Returns the heading under which a pair is listed."""
    return BY_CHANCE if pair.verdict == "same" and pair.excludes_one else pair.verdict


def _table(pairs: list[Pair], unit: str) -> Table:
    """A block of lines for each verdict, narrow enough for a terminal of 80 columns."""
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim", pad_edge=False)
    table.add_column("case", no_wrap=True)
    table.add_column("size", justify="right", no_wrap=True)
    table.add_column("implementation")
    table.add_column(unit, justify="right", no_wrap=True)
    table.add_column("ratio (95 % interval)", min_width=RATIO_WIDTH)
    for title, alike in groupby(sorted(pairs, key=_rank), key=block):
        table.add_row(Text(title, f"bold {STYLES.get(title, '')}"))
        for pair in alike:
            table.add_row(
                f"{pair.algorithm} {pair.operation}",
                size(pair),
                Text(implementation(pair)),
                cost(pair, unit),
                Text(ratio(pair)),
            )
    return table


def size(pair: Pair) -> str:
    of = pair.profile or pair.message_bytes
    return "" if of is None else message_size(of)


def implementation(pair: Pair) -> str:
    """Provider, backend, way of calling and load; of two providers, which the heading names, the
    backends alone."""
    provider = f"{pair.provider_a} " if pair.provider_a == pair.provider_b else ""
    against = "" if pair.backend_a == pair.backend_b else f", against {pair.backend_b}"
    parts = (f"{provider}{pair.backend_a}{against}", way(pair), pair.load)
    return " · ".join(filter(None, parts))


def cost(pair: Pair, unit: str) -> str:
    """Formats the judged cost with four digits, so that a difference of 1 % can be seen."""
    value = pair.ns_per_message_a if unit == "ns" else pair.cycles_per_message_a
    return "" if value is None else significant(value, 4)


def ratio(pair: Pair) -> str:
    """The ratio with its interval, marked where a figure had not settled; or why there is none."""
    if pair.ratio is None:
        return pair.reason or ""
    mark = " " if pair.converged else UNSETTLED
    return f"{mark}{pair.ratio:.3f} ({pair.ratio_low:.3f}–{pair.ratio_high:.3f})"


def compare_command(comparison: Comparison) -> str:
    """What compares both sides again."""
    return f"ciphermark compare {_name(comparison, 0)} {_name(comparison, 1)}"


def listed(comparison: Comparison, every: bool) -> list[Pair]:
    """The pairs of the table: all with `every`, else those whose interval excludes 1 and the first
    of those without a verdict."""
    if every:
        return comparison.pairs
    unknown = [pair for pair in comparison.pairs if pair.verdict == "unknown"]
    differing = [pair for pair in comparison.pairs if block(pair) not in ("same", "unknown")]
    return [*differing, *unknown[:MOST_UNKNOWN]]


def remarks(comparison: Comparison, shown: list[Pair], listing: str) -> Iterator[Remark]:
    """What the table leaves out, with what lists it, and what all pairs say together."""
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
    """How many cases have no verdict, by the commonest reasons, without the side that has them."""
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
    """That the same library, asked for the same, ran other code on either side."""
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
    """The smallest effects that could have been seen in the cases that are the same."""
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
    """What changed, in one line: cases by their verdict, the worst of them, and libraries."""
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
