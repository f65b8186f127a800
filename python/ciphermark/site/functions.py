"""The pages of functions: each algorithm on all machines, in all libraries, by the newest runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple

from ciphermark.answers.machines.figures import MACHINE, OF_MACHINE, USUAL_BYTES, usual
from ciphermark.answers.machines.machine import Key, key_of
from ciphermark.command import report
from ciphermark.errors import WorkError
from ciphermark.record.case_row import way
from ciphermark.show import figures as written
from ciphermark.show.column import Cell, page_cells, page_heads
from ciphermark.show.findings import Mark, MarkChart, MarkPanel
from ciphermark.show.plots import marks
from ciphermark.show.problems import UNSETTLED
from ciphermark.site.folder import Folder
from ciphermark.site.listing import machine_key
from ciphermark.site.pages import templates, write_page
from ciphermark.site.state import State, digest, place_of
from ciphermark.workload import workload_of
from ciphermark.workloads.single.row import USUAL_CALL
from ciphermark.workloads.single.sections import KINDS
from ciphermark.workloads.surroundings import SOUND

if TYPE_CHECKING:
    from ciphermark.record.query import Figures
    from ciphermark.record.run import Summary
    from ciphermark.record.store import Store
    from ciphermark.show.export.pivot import Pivot

MOST_SIZES = 12
"""Columns of a page; of more sizes those that most figures are of."""

CALL = ("algorithm", "operation", "provider", "backend_asked", "pattern", "lanes", "keys",
        "buffers", "offload", "after", "switched")  # fmt: skip
VALUES = ("run", "backend", "cycles_per_byte", "ci_low", "ci_high", "cycles_per_message",
          "converged")  # fmt: skip

Row = dict[str, Any]


class Other(NamedTuple):
    """The newest run of a machine, a workload and a plan that has no figures of one thread."""

    summary: Summary
    algorithms: tuple[str, ...]


def write_functions(
    folder: Folder, store: Store, figures: Figures, names: Mapping[Key, str], state: State
) -> None:
    """Writes the list of all functions, and the page of each whose figures have changed."""
    by_algorithm: dict[str, list[Row]] = {}
    for row in _newest(figures):
        if tuple(row[field] for field in MACHINE) in names:
            by_algorithm.setdefault(row["algorithm"], []).append(row)
    others = _others(figures.summaries, names, state)
    found = sorted({*by_algorithm, *(name for other in others for name in other.algorithms)})
    kept = set()
    for algorithm in found:
        rows = by_algorithm.get(algorithm, [])
        runs = [other.summary for other in others if algorithm in other.algorithms]
        name = f"function/{place_of(algorithm)}"
        kept.add(f"{place_of(algorithm)}.js")
        facts = state.algorithms.get(algorithm)
        made_of = digest(
            [*map(list, map(dict.values, rows)), *(summary.run for summary in runs), facts]
        )
        if state.made_of.get(name) == made_of and folder.has_data(name):
            continue
        part = _part(algorithm, rows, _tables(store, algorithm, runs, names), names, state)
        folder.write_data(name, part._asdict())
        state.made_of[name] = made_of
    folder.keep_only("data/function", kept)
    _write_list(folder, found, by_algorithm, others, state)


def _newest(figures: Figures) -> Iterable[Row]:
    """The newest figure of each implementation, called in each way, on each machine."""
    machine, called = ", ".join(MACHINE), ", ".join(CALL)
    kept = ", ".join(f"arg_max_null({field}, started_unix_ns) AS {field}" for field in VALUES)
    rows: list[Row] = figures.ask(
        "WITH numbered AS MATERIALIZED (SELECT run, started_unix_ns, "
        f"{machine}, dense_rank() OVER (ORDER BY {machine}) AS number FROM runs), "
        f"newest AS (SELECT number, {called}, message_bytes, profile, {kept} "
        "FROM figures JOIN numbered USING (run) "
        f"WHERE cycles_per_message IS NOT NULL AND {OF_MACHINE} GROUP BY ALL) "
        f"SELECT {machine}, newest.* EXCLUDE (number) FROM newest "
        f"JOIN (SELECT DISTINCT number, {machine} FROM numbered) USING (number) "
        f"ORDER BY machine_name, {machine}, {called}, message_bytes, profile"
    ).to_pylist()
    return rows


def _others(summaries: Sequence[Summary], names: Mapping[Key, str], state: State) -> list[Other]:
    newest: dict[tuple[Any, ...], Other] = {}
    for summary in summaries:  # newest first
        what = (key_of(summary), summary.workload, summary.plan_name)
        if workload_of(summary.workload).sampled or what in newest or summary.run not in state.runs:
            continue
        if key_of(summary) in names:
            newest[what] = Other(summary, state.known[state.runs[summary.run].known].algorithms)
    return list(newest.values())


def _size(row: Row) -> int | str | None:
    size: int | str | None = row["profile"] or row["message_bytes"]
    return size


def _size_name(size: int | str | None) -> str:
    return "key" if size is None else written.message_size(size)


def _part(
    algorithm: str,
    rows: list[Row],
    tables: list[dict[str, Any]],
    names: Mapping[Key, str],
    state: State,
) -> report.Part:
    facts = state.algorithms.get(algorithm)
    shown, left_out = _sizes(rows)
    warning = "" if facts is None or facts.status in SOUND else facts.status.capitalize()
    drawn = _drawn(rows, names)
    content = {
        "title": facts.title if facts else algorithm,
        "origin": [algorithm, *([KINDS.get(facts.kind, facts.kind)] if facts else [])],  # type: ignore[call-overload]
        "warning": warning,
        "reason": facts.reason if facts else "",
        "sizes": [_size_name(size) for size in shown],
        "left_out": left_out,
        "sections": list(dict.fromkeys(row["operation"] for row in rows)),
        "lines": _lines(rows, shown, names),
        "plots": [],
        "caption": "Each mark is the newest figure of a machine",
        "plots_folder": None,
        "tables": tables,
    }
    plots: dict[str, Any] = {}
    if drawn is not None:
        panels = [(panel.spec(), panel.room) for panel in marks.panels(drawn)]
        said = {"name": drawn.name, "title": drawn.title, "explanation": drawn.explanation}
        content["plots"] = [said | {"hint": "", "columns": 2, "panels": panels}]
        plots = {drawn.name: panels}
    html = templates().get_template("function.html.jinja").render(content)
    return report.Part(str(content["title"]), html, report.plots_document(plots))


def _sizes(rows: list[Row]) -> tuple[list[int | str | None], str]:
    """The sizes that are shown, and what is said of the others."""
    counts: dict[int | str | None, int] = {}
    for row in rows:
        counts[_size(row)] = counts.get(_size(row), 0) + 1
    commonest = sorted(counts, key=lambda it: -counts[it])[:MOST_SIZES]
    shown = sorted(commonest, key=lambda it: (it is not None, written.size_order(it or 0)))
    more = len(counts) - len(shown)
    said = f"{more} further sizes are on the pages of the runs." if more else ""
    return shown, said


def _lines(
    rows: list[Row], sizes: list[int | str | None], names: Mapping[Key, str]
) -> list[dict[str, Any]]:
    """A line for each implementation on each machine in each way of calling."""
    alike: dict[tuple[Any, ...], dict[int | str | None, Row]] = {}
    for row in rows:
        what = tuple(row[field] for field in (*MACHINE, *CALL))
        alike.setdefault(what, {})[_size(row)] = row
    found = []
    for by_size in alike.values():
        row = max(by_size.values(), key=lambda it: it["run"])
        key = (row["machine_id"], row["machine_kind"], row["machine_name"])
        found.append(
            {
                "key": machine_key(key),
                "machine": names[key],
                "operation": row["operation"],
                "provider": row["provider"],
                "backend": row["backend"],
                "way": _way(row),
                "cells": [_cell(by_size.get(size)) for size in sizes],
            }
        )
    return found


def _way(row: Row) -> str:
    called: Any = SimpleNamespace(
        **row, chunk_bytes=None, switches={"": ""} if row["switched"] else {}
    )
    return way(called)


def _cell(row: Row | None) -> dict[str, Any] | None:
    if row is None:
        return None
    value = row["cycles_per_byte"]
    value = row["cycles_per_message"] if value is None else value
    interval = ""
    if row["ci_low"] is not None:
        low, high = (written.signed(row[it], written.NARROW_SPACE) for it in ("ci_low", "ci_high"))
        interval = f"95 % interval {low} to {high}"
    mark = "" if row["converged"] else UNSETTLED
    return {
        "run": row["run"],
        "text": f"{mark}{written.signed(value, written.NARROW_SPACE)}",
        "order": value,
        "unsettled": not row["converged"],
        "interval": interval,
    }


def _drawn(rows: list[Row], names: Mapping[Key, str]) -> MarkChart | None:
    """The algorithm over all machines at the usual size; nothing where one machine alone has it."""
    usual_rows = [
        row
        for row in rows
        if row["message_bytes"]
        and (row["cycles_per_byte"] or 0) > 0
        and not row["switched"]
        and row["after"] is None
        and all(row[field] == value for field, value in USUAL_CALL.items())
    ]
    [size] = usual(sorted({row["message_bytes"] for row in usual_rows})) or [USUAL_BYTES]
    panels: dict[str, list[Mark]] = {}
    for row in usual_rows:
        if row["message_bytes"] == size:
            key = (row["machine_id"], row["machine_kind"], row["machine_name"])
            mark = Mark(
                line=names[key],
                name=row["provider"],
                origin=row["provider"],
                value=row["cycles_per_byte"],
                source=f"{row['backend']}, run {row['run']}",
            )
            panels.setdefault(row["operation"], []).append(mark)
    if len({mark.line for found in panels.values() for mark in found}) < 2:
        return None
    return MarkChart(
        name="over-machines",
        title=f"On each machine, at {written.message_size(size)}",
        explanation="Cycles per byte by the newest run of each machine, a mark for each library.",
        unit="cycles per byte",
        names="library",
        origins="library",
        panels=[MarkPanel(title=operation, marks=found) for operation, found in panels.items()],
    )


class _Table(NamedTuple):
    """What a run of another workload has of an algorithm."""

    title: str
    heads: list[dict[str, Any]]
    """In groups, as `page_heads` has them."""
    sections: dict[str, list[list[Cell]]]
    legend: list[tuple[str, str]]


def _tables(
    store: Store, algorithm: str, runs: Sequence[Summary], names: Mapping[Key, str]
) -> list[dict[str, Any]]:
    """What other workloads measured of an algorithm, in the columns of their reports: one table for
    all machines that have the same ones. Each line knows its run."""
    found: dict[str, dict[str, Any]] = {}
    for summary in runs:
        workload = workload_of(summary.workload)
        try:
            table = _table(store, summary, algorithm)
        except WorkError:  # it is told as left out
            continue
        shown = found.setdefault(
            f"{table.title} {table.heads}",
            {
                "title": table.title,
                "machine": "Simulated on" if workload.simulated else "Machine",
                "heads": table.heads,
                "sections": {},
                "legend": {},
            },
        )
        shown["legend"] |= dict.fromkeys(table.legend)
        for section, lines in table.sections.items():
            shown["sections"].setdefault(section, []).extend(
                {
                    "machine": names[key_of(summary)],
                    "key": machine_key(key_of(summary)),
                    "run": summary.run,
                    "cells": cells,
                }
                for cells in lines
            )
    return [table for table in found.values() if table["sections"]]


def _table(store: Store, summary: Summary, algorithm: str) -> _Table:
    """The rows of a run that are of one algorithm. Raises `WorkError`."""
    from ciphermark.command.stored import rows_of

    context, workload = store.context(summary.run), workload_of(summary.workload)
    rows = [row for row in rows_of(store, summary.run, context) if row.algorithm == algorithm]
    lines = workload.lines(context, rows)
    if lines is None:
        return _of_export(workload.pivot(context, rows))
    # The page is of one algorithm, and need not name it in each line.
    columns = [column for column in lines.columns if column.name != "Algorithm"]
    sections: dict[str, list[list[Cell]]] = {}
    for row in lines.rows:
        sections.setdefault(lines.section(row), []).append(page_cells(columns, row))
    return _Table(lines.title, page_heads(columns), sections, lines.legend)


def _of_export(pivot: Pivot) -> _Table:
    """Of a workload whose tables have no columns in common: what its export has."""
    heads = [
        {"name": "", "columns": names, "numbers": numbers}
        for names, numbers in (
            (pivot.headings[: pivot.words], False),
            (pivot.headings[pivot.words :], True),
        )
    ]
    sections = {
        title: [
            [
                Cell(text, _order(text), mark="number" if place >= pivot.words else "")
                for place, text in enumerate(cells)
            ]
            for cells in lines
        ]
        for title, lines in pivot.sections.items()
    }
    return _Table(pivot.title, heads, sections, pivot.legend)


def _order(text: str) -> float | str:
    """What a cell is sorted by: its number, else its text."""
    try:
        return float(text.replace(written.NARROW_SPACE, "").lstrip("~*·").split(" ")[0])
    except ValueError:
        return text


def _write_list(
    folder: Folder,
    algorithms: Sequence[str],
    by_algorithm: Mapping[str, list[Row]],
    others: Sequence[Other],
    state: State,
) -> None:
    kinds: dict[str, list[dict[str, Any]]] = {title: [] for title in KINDS.values()}
    for name in algorithms:
        facts = state.algorithms.get(name)
        rows = by_algorithm.get(name, [])
        runs = [other.summary for other in others if name in other.algorithms]
        kind = KINDS.get(facts.kind, "Others") if facts else "Others"  # type: ignore[call-overload]
        machines = {tuple(row[field] for field in MACHINE) for row in rows} | set(map(key_of, runs))
        kinds.setdefault(kind, []).append(
            {
                "key": place_of(name),
                "title": facts.title if facts else name,
                "name": name if facts and facts.title.lower() != name else "",
                "warning": facts.status if facts and facts.status not in SOUND else "",
                "reason": facts.reason if facts else "",
                "providers": ", ".join(sorted({row["provider"] for row in rows})),
                "machines": len(machines),
                "figures": written.grouped(len(rows), separator=written.NARROW_SPACE),
            }
        )
    shown = {title: found for title, found in kinds.items() if found}
    write_page(folder, "functions.html", kinds=shown, count=len(algorithms))
