"""The pages of functions: each algorithm on all machines, in all libraries, by the newest runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple

from ciphermark.answers.machines.figures import MACHINE, OF_MACHINE, USUAL_BYTES, usual
from ciphermark.answers.machines.machine import Key, key_of
from ciphermark.errors import WorkError
from ciphermark.record.case_row import way
from ciphermark.site.folder import Folder
from ciphermark.site.listing import machine_key
from ciphermark.site.pages import templates, write_page
from ciphermark.site.state import State, digest, place_of
from ciphermark.statistics.estimate import Estimate
from ciphermark.view import figures as written
from ciphermark.view.blocks import Chart, Section, Table, charts
from ciphermark.view.column import Cell, Column, of_words
from ciphermark.view.export import table_of
from ciphermark.view.findings import Mark, MarkChart, MarkPanel
from ciphermark.view.page import Part, plots_document
from ciphermark.view.plots import marks
from ciphermark.view.problems import UNSETTLED
from ciphermark.workload import workload_of
from ciphermark.workloads.single.row import USUAL_CALL
from ciphermark.workloads.single.sections import KINDS
from ciphermark.workloads.surroundings import SOUND

if TYPE_CHECKING:
    from ciphermark.record.query import Figures
    from ciphermark.record.run import Summary
    from ciphermark.record.store import Store

MOST_SIZES = 12
"""Most columns of a page; of more sizes, those with most figures."""

CALL = ("algorithm", "operation", "provider", "backend_asked", "pattern", "lanes", "keys",
        "buffers", "offload", "after", "switched")  # fmt: skip
VALUES = ("run", "backend", "cycles_per_byte", "ci_low", "ci_high", "cycles_per_message",
          "converged")  # fmt: skip

Row = dict[str, Any]
Size = int | str | None


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
    algorithms = sorted({*by_algorithm, *(name for other in others for name in other.algorithms)})
    kept = set()
    for algorithm in algorithms:
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
        part = _part(
            algorithm, rows, [*_others_tables(store, algorithm, runs, names)], names, state
        )
        folder.write_data(name, part._asdict())
        state.made_of[name] = made_of
    folder.keep_only("data/function", kept)
    _write_list(folder, algorithms, by_algorithm, others, state)


def _newest(figures: Figures) -> Iterable[Row]:
    """Returns the newest figure of each implementation, way of calling and machine."""
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


class Line(NamedTuple):
    """One implementation on one machine, called in one way."""

    newest: Row
    by_size: dict[Size, Row]


def _size(row: Row) -> Size:
    size: Size = row["profile"] or row["message_bytes"]
    return size


def _size_name(size: Size) -> str:
    return "key" if size is None else written.message_size(size)


def _part(
    algorithm: str,
    rows: list[Row],
    others: Sequence[Table[Any]],
    names: Mapping[Key, str],
    state: State,
) -> Part:
    facts = state.algorithms.get(algorithm)
    blocks = [_one_thread(rows, names), *_charts(rows, names), *_together(others)]
    content = {
        "title": facts.title if facts else algorithm,
        "origin": [algorithm, *([KINDS.get(facts.kind, facts.kind)] if facts else [])],  # type: ignore[call-overload]
        "warning": "" if facts is None or facts.status in SOUND else facts.status.capitalize(),
        "reason": facts.reason if facts else "",
        "blocks": blocks,
        "caption": "Each mark is the newest figure of a machine",
        "plots_folder": None,
    }
    html = templates().get_template("function.html.jinja").render(content)
    return Part(str(content["title"]), html, plots_document(charts(blocks)))


def _one_thread(rows: list[Row], names: Mapping[Key, str]) -> Section:
    """Returns a line for each implementation on each machine in each way of calling."""
    shown, left_out = _sizes(rows)
    alike: dict[tuple[Any, ...], dict[Size, Row]] = {}
    for row in rows:
        what = tuple(row[field] for field in (*MACHINE, *CALL))
        alike.setdefault(what, {})[_size(row)] = row
    lines = [
        Line(max(by_size.values(), key=lambda it: it["run"]), by_size) for by_size in alike.values()
    ]
    columns: list[Column[Line]] = [
        _machine("Machine", lambda line: _key(line.newest), names),
        of_words("Operation", lambda line: line.newest["operation"]),
        of_words("Library", lambda line: line.newest["provider"]),
        of_words("Code path", lambda line: line.newest["backend"]),
        of_words("Way of calling", lambda line: _way(line.newest)),
        *map(_of_size, shown),
    ]
    return Section(
        title="One thread",
        anchor="figures",
        about="Cycles per byte by the size of a message; of key setup, cycles for each key. The "
        "newest run of each machine counts, and each figure leads to its run. ~ did not settle. "
        f"{left_out}Click a heading to sort.",
        blocks=[
            Table(
                columns=columns,
                rows=lines,
                section=lambda line: line.newest["operation"],
                filter="openssl",
            )
        ],
    )


def _key(row: Row) -> Key:
    return (row["machine_id"], row["machine_kind"], row["machine_name"])


def _machine(heading: str, key: Callable[[Any], Key], names: Mapping[Key, str]) -> Column[Any]:
    return of_words(
        heading,
        lambda row: names[key(row)],
        link=lambda row: f"machine.html?machine={machine_key(key(row))}",
    )


def _of_size(size: Size) -> Column[Line]:
    def value(line: Line) -> float | None:
        row = line.by_size.get(size)
        if row is None:
            return None
        cycles: float = row[
            "cycles_per_message" if row["cycles_per_byte"] is None else "cycles_per_byte"
        ]
        return cycles

    def interval(line: Line) -> Estimate | None:
        row = line.by_size[size]
        if row["cycles_per_byte"] is None or row["ci_low"] is None:
            return None
        return Estimate(row["cycles_per_byte"], row["ci_low"], row["ci_high"])

    return Column(
        _size_name(size),
        value,
        mark=lambda line: "" if line.by_size[size]["converged"] else UNSETTLED,
        estimate=interval,
        link=lambda line: _run(line.by_size[size]["run"]),
    )


def _run(run: str) -> str:
    return f"run.html?run={run}"


def _sizes(rows: list[Row]) -> tuple[list[Size], str]:
    """Returns the sizes that are shown, and a sentence on the others."""
    counts = Counter(map(_size, rows))
    commonest = [size for size, _ in counts.most_common(MOST_SIZES)]
    shown = sorted(commonest, key=lambda it: (it is not None, written.size_order(it or 0)))
    more = len(counts) - len(shown)
    return shown, f"{more} further sizes are on the pages of the runs. " if more else ""


def _way(row: Row) -> str:
    called: Any = SimpleNamespace(
        **row, chunk_bytes=None, switches={"": ""} if row["switched"] else {}
    )
    return way(called)


def _charts(rows: list[Row], names: Mapping[Key, str]) -> Iterator[Chart]:
    """Yields the algorithm over all machines at the usual size, where several have it."""
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
            mark = Mark(
                line=names[_key(row)],
                name=row["provider"],
                origin=row["provider"],
                value=row["cycles_per_byte"],
                source=f"{row['backend']}, run {row['run']}",
            )
            panels.setdefault(row["operation"], []).append(mark)
    if len({mark.line for drawn in panels.values() for mark in drawn}) < 2:
        return
    chart = MarkChart(
        name="over-machines",
        title=f"On each machine, at {written.message_size(size)}",
        explanation="Cycles per byte by the newest run of each machine, a mark for each library.",
        unit="cycles per byte",
        names="library",
        origins="library",
        panels=[MarkPanel(title=operation, marks=drawn) for operation, drawn in panels.items()],
    )
    yield marks.chart_of(chart)


@dataclass(frozen=True, kw_only=True)
class _Together(Table[Any]):
    """Tables with the same headings, one below the other."""

    parts: Sequence[Table[Any]]

    def lines(self) -> Iterator[tuple[str, list[Cell]]]:
        for part in self.parts:
            yield from part.lines()


def _together(found: Iterable[Table[Any]]) -> Iterator[Section]:
    """Yields a table for all machines whose tables have the same headings."""
    alike: dict[str, list[Table[Any]]] = {}
    for table in found:
        alike.setdefault(f"{table.title} {table.heads()}", []).append(table)
    for parts in alike.values():
        legend = {note.text: note for part in parts for note in part.legend}
        rows = [row for part in parts for row in part.rows]
        table = _Together(
            columns=parts[0].columns, rows=rows, legend=[*legend.values()], parts=parts
        )
        yield Section(title=parts[0].title, about=OTHERS, blocks=[table])


OTHERS = "The newest run of each machine and plan; each figure leads to its run."


def _others_tables(
    store: Store, algorithm: str, runs: Sequence[Summary], names: Mapping[Key, str]
) -> Iterator[Table[Any]]:
    """Yields the rows of one algorithm in runs, each with its machine and run."""
    from ciphermark.command.stored import rows_of

    for summary in runs:
        workload = workload_of(summary.workload)
        try:
            context = store.context(summary.run)
            rows = rows_of(store, summary.run, context)
        except WorkError:  # a problem of its run
            continue
        own = [row for row in rows if row.algorithm == algorithm]
        yield _linked(table_of(context, own), workload.simulated, summary, names)


def _linked(
    table: Table[Any], simulated: bool, summary: Summary, names: Mapping[Key, str]
) -> Table[Any]:
    """Returns a table that names the machine, with links; the page names the algorithm."""

    def link(row: Any) -> str:
        return _run(summary.run)

    machine = _machine(
        "Simulated on" if simulated else "Machine", lambda row: key_of(summary), names
    )
    columns = [
        replace(column, link=link) if column.kind == "number" else column
        for column in table.columns
        if column.name != "Algorithm"
    ]
    return replace(table, columns=[machine, *columns])


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
    shown = {title: entries for title, entries in kinds.items() if entries}
    write_page(folder, "functions.html", kinds=shown, count=len(algorithms))
