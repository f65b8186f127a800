"""Screen, report and exports of many sessions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from ciphermark.plan.cpu_sets import listed
from ciphermark.record.case_row import settled
from ciphermark.view import figures
from ciphermark.view.blocks import Block, Facts, Note, Notes, Section, Table
from ciphermark.view.column import Column, Fact, Place, count, of_words
from ciphermark.view.problems import UNSETTLED
from ciphermark.workloads import energy, flows
from ciphermark.workloads.flows import field, latency_us
from ciphermark.workloads.sessions import remarks
from ciphermark.workloads.sessions.figures import MOST_CLOCK_SPREAD, MOST_OFFSET_NS
from ciphermark.workloads.sessions.row import SessionRow
from ciphermark.workloads.sessions.scaling import (
    Scaling,
    explanations,
    scaling_columns,
    scalings,
    with_room,
)
from ciphermark.workloads.single.method import ANSWERS, calling, cycles
from ciphermark.workloads.surroundings import failed, surroundings

if TYPE_CHECKING:
    from ciphermark.record.run import Context, Run

PAGE, EXPORT, TERMINAL = Place.PAGE, Place.EXPORT, Place.TERMINAL

NAMED = 3
"""Number of cases with rejected attempts on a terminal."""


def blocks(context: Context, rows: list[SessionRow], run: Run | None) -> Iterator[Block]:
    """Yields the table, how throughput grows, and the attempts that do not count."""
    measured = [row for row in rows if row.is_measured]
    if run is not None:
        yield Facts(facts=_facts(context, rows), places=PAGE)
    legend = [*_not_valid(rows), *(Note(text, mark) for mark, text in remarks.remarks(rows))]
    yield Section(
        title="Core cycles per byte of many sessions at once",
        anchor="figures",
        about="Absolute is the CPU time of all sessions over their bytes, apparent the time that "
        "passed, a session's the time that passed over its own bytes. Click a heading to sort.",
        blocks=[
            Table(
                columns=list(columns(measured)),
                rows=measured,
                section=flows.function,
                title_on_screen=lambda row: f"{flows.function(row)} · {flows.implementation(row)}",
                legend=legend,
                filter="aes 0-1",
            ),
            # An empty table shows no legend, which says how many cases were not reached.
            Notes(notes=[] if measured else legend, places=PAGE | TERMINAL),
            failed(rows),
        ],
    )
    yield scaling(context, rows)
    if run is not None:
        from ciphermark.workloads.sessions.plots import charts

        yield from charts(run, rows)
    yield _rejected(rows)
    if run is not None:
        yield _extremes([row for row in measured if row.sessions > 1])
        yield from surroundings(run, rows, _method(context))


def scaling(context: Context, rows: list[SessionRow]) -> Section:
    """Returns how throughput grows with cores and sessions."""
    core_cpus = context.engine_hello.environment.state.core_cpus
    scaled = with_room(scalings(rows, core_cpus))
    by_case = {row.case: row for row in rows}
    table = Table[Scaling](
        columns=list(scaling_columns(by_case)),
        rows=scaled,
        section=lambda it: f"over {it.over}",
        legend=[Note(text, mark) for mark, text in explanations(scaled)],
    )
    return Section(title="How throughput grows", blocks=[table], places=PAGE | TERMINAL)


def _not_valid(rows: list[SessionRow]) -> Iterator[Note]:
    settled_rows = settled(rows)
    if settled_rows.unsettled:
        count = f"{settled_rows.unsettled} of {figures.counted(settled_rows.cases, 'case')}"
        verb = "is" if settled_rows.unsettled == 1 else "are"
        yield Note(f"{count} {verb} not valid; the reasons are below", UNSETTLED)


def _rejected(rows: list[SessionRow]) -> Notes:
    """Returns the attempts that do not count, those of cases without a valid one first."""
    troubled = sorted((row for row in rows if remarks.rejected(row)), key=lambda row: row.valid)
    return Notes(
        title="Attempts that do not count, and why",
        anchor="attempts",
        notes=[
            Note(
                f"{remarks.case(row)}: {remarks.outcome(row)}",
                below=remarks.rejected_together(row),
            )
            for row in troubled
        ],
        shown=NAMED,
        places=PAGE | TERMINAL,
    )


def _extremes(rows: list[SessionRow]) -> Section:
    """Returns the sessions that were served most and least of each case."""
    columns = [of_words("Case", remarks.case)]
    for name, heading in (
        ("most_scheduled", "most CPU time"),
        ("least_scheduled", "least CPU time"),
    ):
        columns += _served(name, heading)
    for name, heading in (("cpu_spread", "CPU time"), ("apparent_spread", "apparent")):
        columns.append(
            Column("", field(name), f"spread of\n{heading}", lambda it, _: figures.percent(it, 2))
        )
    return Section(
        title="The sessions that were served most and least",
        about="Spread is the distance of the 90th from the 10th percentile of the sessions, over "
        "their median.",
        blocks=[Table(columns=columns, rows=rows)],
        places=PAGE,
        folded=True,
    )


def _served(name: str, heading: str) -> Iterator[Column[SessionRow]]:
    def of(part: str, divisor: float = 1) -> Callable[[SessionRow], float | None]:
        def value(row: SessionRow) -> float | None:
            # Of empty messages a session has no cycles per byte.
            figure: float | None = getattr(getattr(row, name), part, None)
            return None if figure is None else figure / divisor

        return value

    yield Column("", of("session"), f"{heading}\nwhich", count)
    yield Column("", of("cpu_ns", 1e6), f"{heading}\nCPU ms")
    yield Column("", of("apparent_cycles_per_byte"), f"{heading}\napparent cycles/byte")


def columns(rows: list[SessionRow]) -> Iterator[Column[SessionRow]]:
    """Yields cycles first, and last the columns that a narrow terminal hides first."""
    yield from flows.names(remarks.conditions)
    yield flows.sizes("Message")
    yield Column(
        "Sessions",
        lambda row: row.sessions,
        "sessions",
        form=count,
        page_heading="Sessions",
        key=True,
    )
    yield of_words("CPUs", lambda row: listed(row.cpus), order=lambda row: row.cores, key=True)
    per_byte = any(row.absolute_cycles_per_byte is not None for row in rows)
    yield from _cycles("byte", PAGE | EXPORT | (TERMINAL if per_byte else PAGE))
    if not per_byte:
        yield from _cycles("message", TERMINAL)
        yield Column(
            "", field("messages_per_second"), "messages\nper s", dispensable=2, places=TERMINAL
        )
    yield Column(
        "session's cycles/byte",
        field("wall_cycles_per_byte"),
        "wall per\nsession",
        page_heading="cycles/byte\na session",
        dispensable=6,
    )
    yield Column("MB/s", field("mbytes_per_second"), dispensable=2)
    yield from energy.columns(lambda row: row.energy, rows, per_message=not per_byte)
    yield Column(
        "",
        field("device_cpus"),
        "device\nCPUs",
        page_heading="device CPUs",
        dispensable=1,
        called="CPUs of the device",
        places=TERMINAL | PAGE,
    )
    for name, head, dispensable in (
        ("p50", "p50", 4),
        ("p90", "p90", None),
        ("p99", "p99", 3),
        ("p999", "p99.9", 4),
    ):
        yield Column(
            f"{head} µs",
            latency_us(name),
            f"{head}\nµs",
            page_heading=f"latency, µs\n{head}",
            called="latency p99" if name == "p99" else "latency",
            dispensable=dispensable or 0,
            places=PAGE if dispensable is None else Place.EVERYWHERE,
        )
    yield Column(
        "fairness",
        field("fairness"),
        "fair-\nness",
        _index(3),
        dispensable=1,
        called="fairness",
        places=~PAGE,
    )
    yield Column("", field("fairness"), "fairness of\nbytes", _index(4), places=PAGE)
    yield Column("", field("cpu_fairness"), "fairness of\nCPU time", _index(4), places=PAGE)
    for name, head in (("preemptions", "preempt-\nions/s"), ("migrations", "migra-\ntions/s")):
        yield Column("", _per_second(name), head, dispensable=8, called=name, places=TERMINAL)
    for name in ("preemptions", "waits", "migrations", "never_ran"):
        head = f"in the window\n{name.replace('_', ' ')}"
        yield Column("", field(name), head, count, places=PAGE)
    yield Column(
        "",
        field("session_bytes", 1024),
        "KiB per\nsession",
        page_heading="KiB each",
        dispensable=7,
        called="memory per session",
        places=TERMINAL | PAGE,
    )
    yield Column("GHz", field("core_hz", 1e9), places=PAGE)


def _cycles(unit: str, places: Place) -> Iterator[Column[SessionRow]]:
    """Yields cycles of a byte, or of a message where messages are empty."""
    for kind in ("absolute", "apparent"):
        yield Column(
            f"{kind} cycles/{unit}",
            field(f"{kind}_cycles_per_{unit}"),
            f"{kind}\ncycles/{unit}",
            mark=_absolute_mark if kind == "absolute" else _mark,
            page_heading=f"cycles/{unit}\n{kind}",
            places=places,
        )


def _mark(row: SessionRow) -> str:
    return "" if row.valid else UNSETTLED


def _absolute_mark(row: SessionRow) -> str:
    return UNSETTLED if row.absolute_is_estimated else _mark(row)


def _per_second(name: str) -> Callable[[SessionRow], float | None]:
    def value(row: SessionRow) -> float | None:
        events = getattr(row, name)
        return 1e3 * events / row.window_ms if events is not None and row.window_ms else None

    return value


def _index(decimals: int) -> Callable[[Any, str], str]:
    """Formats an index between 0 and 1."""
    return lambda value, separator: f"{value:.{decimals}f}"


def _facts(context: Context, rows: list[SessionRow]) -> list[Fact]:
    attempts = sum(len(row.attempts) for row in rows)
    count = settled(rows)
    most = figures.grouped(flows.most_of(rows, "sessions"))
    valid = f"{count.settled} of {count.cases}"
    counted = Fact("Valid", valid, figures.counted(attempts, "execution"))
    return flows.facts(context, rows, ("Sessions at once", most), counted)


def _method(context: Context) -> dict[str, str]:
    """Returns the heading and paragraph of each rule."""
    return {
        "Sessions": (
            "Each session has a key, nonces and buffers of its own, and takes one message after "
            "the other. It has a thread of its own, or takes turns with others on a thread for "
            "each CPU where that is said. All are made ready, wait, and start at once."
        ),
        **calling(context.plan),
        "Window": (
            "The window opens when every thread has run. At both edges the CPU time and the "
            "work of each thread are read; only the difference counts. Sessions go on after the "
            "window, so that none stops within it."
        ),
        "Absolute and apparent": (
            "Absolute cycles per byte are the CPU time of all sessions, as cycles, divided by "
            "their bytes: the cost of the work. Apparent cycles per byte are the elapsed time, "
            "as cycles, divided by the same bytes. On one CPU the two differ only by the time "
            "of other work on it; on p CPUs the apparent ones fall towards the p-th part. "
            "Wall-clock cycles per byte are those of one session, which waits for the others."
        ),
        "Cycles": cycles(context.engine_hello.environment.clocks),
        "Estimate": (
            f"Where wall clocks of CPUs differ by more than {MOST_OFFSET_NS / 1e3:g} µs, or "
            f"their core clocks by more than {figures.percent(MOST_CLOCK_SPREAD, 1)}, the "
            "absolute figure is the apparent one times the number of CPUs that the sessions "
            "kept busy by the kernel's accounts."
        ),
        "Fairness": (
            "Jain's index of the bytes that each session did: 1 when all did the same, 1/n when "
            "one of n did everything."
        ),
        "Validity": (
            "Each execution is checked: whether others used the CPUs, the rate was steady, "
            "every session ran, there were enough messages, the clock was constant, and CPU "
            "time was evenly shared. If a check fails, times are adjusted and the execution is "
            "repeated; every attempt is listed with the reason of its rejection."
        ),
        "Answers": ANSWERS,
    }
