"""Kernels that were compiled in several ways: on a terminal, of each the front and the gain, and as
a table for a paper."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from ciphermark.contract.others import Variant
from ciphermark.show import figures
from ciphermark.show.export.pivot import Pivot, figure
from ciphermark.show.problems import REMARK, TIE
from ciphermark.show.tables import Column, Columns, Groups, ListColumn, print_groups, print_left_out
from ciphermark.workloads.tuning import remarks
from ciphermark.workloads.tuning.remarks import Group
from ciphermark.workloads.tuning.row import TuningRow


class Line:
    """A row of the table with its group."""

    def __init__(self, group: Group, row: TuningRow) -> None:
        self.row = row
        self.alike = len([it for it in group.alike(row) if not it.is_default])


def print_tuning(console: Console, rows: Sequence[TuningRow], objective: str = "speed") -> None:
    """What the best gains, then a group for each kernel on each target: the front, the default."""
    groups = remarks.groups(rows)
    shown = [group for group in groups if group.measured]
    if shown:
        for gain in remarks.sentences(rows, objective):
            where = gain.machine or gain.target
            console.print(Text.assemble((f"{gain.algorithm} on {where}: ", "bold"), gain.sentence))
        console.print()
        tables: Groups[Line] = [(it.title, _lines(it, objective)) for it in shown]
        left_out = print_groups(console, _columns(shown), tables)
        console.print()
        console.print(Text(_legend(shown), style="dim"))
        print_left_out(console, left_out)
    _print_failures(console, rows)


def print_notes(console: Console, notes: Sequence[str]) -> None:
    """What must be known before flags are taken over."""
    for note in notes:
        console.print(Text(note[0].upper() + note[1:] + ".", style="yellow"))


def print_variants(console: Console, targets: Sequence[Sequence[Variant]]) -> None:
    """What would be compiled: compilers of each target, then flags, each once."""
    for variants in targets:
        named = ", ".join(dict.fromkeys(variant.compiler_name for variant in variants))
        count = figures.counted(len(variants), "variant")
        console.print(Text(f"{variants[0].target}: {count} by {named}" if variants else ""))
    console.print()
    once = {variant.flags: variant for variants in targets for variant in reversed(variants)}
    columns = [
        ListColumn[Variant]("flags", lambda it: it.flags),
        ListColumn("because", lambda it: it.reason, wraps=True),
    ]
    console.print(Columns(columns, [*once.values()]))


def _lines(group: Group, objective: str) -> list[Line]:
    """The front, of variants with the same figures one, and the default."""
    kept: list[TuningRow] = []
    for row in sorted(group.measured, key=lambda it: remarks.order(it, objective)):
        is_first = row.on_front and not any(it in kept for it in group.alike(row))
        if row.is_default or is_first or row in group.unshippable:
            kept.append(row)
    return [Line(group, row) for row in kept]


def _columns(shown: Sequence[Group]) -> list[Column[Line]]:
    lines = [Line(group, row) for group in shown for row in group.measured]
    columns = [
        Column("\ncompiler", lambda it: Text(it.row.compiler), left=True, key=True),
        Column("\nflags", _flags, left=True, key=True),
        Column("\ncycles/byte", lambda it: _number(it.row.cycles_per_byte), 1),
        Column("per\ncall", lambda it: _number(it.row.value), 3, "cost of a call"),
        Column("by that of\nthe default", _ratio),
        Column("code\nbytes", lambda it: _whole(it.row.code_bytes)),
        Column("stack\nbytes", lambda it: _whole(it.row.stack_bytes), 2),
    ]
    if all(line.row.cycles_per_byte is None for line in lines):
        del columns[2]
    return columns


def _flags(line: Line) -> Text:
    row = line.row
    text = Text(f"{row.flags}, the default" if row.is_default else row.flags)
    if row.is_default:
        text.stylize("bold")
    if line.alike:
        text.append(f" (and {line.alike} alike)", "dim")
    if not row.shippable:
        text.append(" (not to ship)", "yellow")
    if row.within_error_of:
        text.append(f" {TIE}", "yellow")
    return text


def _ratio(line: Line) -> Text:
    row = line.row
    if row.ratio is None:
        return Text("")
    if row.ratio_low is None or row.ratio_high is None or row.ratio_low == row.ratio_high:
        return Text(figures.times(row.ratio))
    half_width = figures.half_width(row.ratio, row.ratio_low, row.ratio_high)
    return Text(f"{figures.times(row.ratio)} {half_width}")


def _number(value: float | None) -> Text:
    return Text("" if value is None else figures.significant(value))


def _whole(value: int | None) -> Text:
    return Text("" if value is None else figures.grouped(value))


def _legend(shown: Sequence[Group]) -> str:
    rows = [row for group in shown for row in group.measured]
    beaten = sum(row.dominated_by is not None and not row.is_default for row in rows)
    parts = ["shown: the default, and builds that none beats in speed, size and stack"]
    if any(row.within_error_of for row in rows):
        parts.append(f"{TIE} not faster than a smaller one, within the intervals")
    if any(group.unshippable for group in shown):
        parts.append("not to ship: only for processors like this one")
    if beaten:
        parts.append(f"{figures.counted(beaten, 'row')} beaten by one of these: not shown")
    return " · ".join(parts)


def _print_failures(console: Console, rows: Sequence[TuningRow]) -> None:
    """Each reason once, with the variants that it is about."""
    alike: dict[tuple[str, str], list[TuningRow]] = {}
    for row in rows:
        if row.error is not None:
            key = (row.machine or row.target, row.error.message)
            alike.setdefault(key, []).append(row)
    if not alike:
        return
    console.print()
    count = sum(map(len, alike.values()))
    console.print(Text(f"{figures.counted(count, 'variant')} refused", style="yellow"))
    for (where, why), own in alike.items():
        named = ", ".join(dict.fromkeys(row.algorithm for row in own))
        variants = list(dict.fromkeys(map(remarks.called, own)))
        what = ", ".join(variants[:MOST_NAMED])
        if len(variants) > MOST_NAMED:
            what += f" and {len(variants) - MOST_NAMED} more"
        console.print(Padding(Text(f"{what} on {where} ({named}): {why}"), (0, 0, 0, 2)))


MOST_NAMED = 3
"""Variants with the same failure."""


def pivot(rows: list[TuningRow]) -> Pivot:
    """A section for each kernel on each target, with all variants that have figures."""
    headings = ["Compiler", "Flags", "front", "cycles/byte", "a call", "by the default's"]
    headings += ["code bytes", "stack bytes"]
    sections = {
        group.title: [_pivot_cells(row) for row in group.measured]
        for group in remarks.groups(rows)
        if group.measured
    }
    title = "Kernels under compilers and flags"
    gains = [sentence.sentence.rstrip(".") for sentence in remarks.sentences(rows, "speed")]
    return Pivot(title, headings, 2, sections, [(REMARK, gain) for gain in gains])


def _pivot_cells(row: TuningRow) -> list[str]:
    return [
        row.compiler,
        f"{row.flags} (default)" if row.is_default else row.flags,
        "yes" if row.on_front else "",
        figure(row.cycles_per_byte),
        figure(row.value),
        figure(row.ratio),
        _grouped(row.code_bytes),
        _grouped(row.stack_bytes),
    ]


def _grouped(value: int | None) -> str:
    return "" if value is None else figures.grouped(value, separator=figures.NARROW_SPACE)
