"""The columns of simulated processors, on a terminal, in a report and in exports."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ciphermark.show import figures
from ciphermark.show.column import Column, Place, count, of_words
from ciphermark.workloads.simulation import remarks as simulation_words
from ciphermark.workloads.simulation.lines import Line, sizes, weightiest

PAGE, EXPORT, TERMINAL = Place.PAGE, Place.EXPORT, Place.TERMINAL

MEMORY = (("code", 1), ("context", 2), ("stack", 3))
"""Columns in bytes, and how soon they make room for others; sizes go before all of them."""

MOST_SIZES = 8
"""Columns of sizes in the report; the exports have all."""


def columns(lines: list[Line]) -> Iterator[Column[Line]]:
    """What a call costs by the size of its message, and the memory that it takes."""
    yield of_words("Target", lambda line: line.first.target, places=PAGE, kind="name")
    metric = simulation_words.METRICS
    yield of_words("Figures", lambda line: metric[line.first.metric], places=PAGE)
    yield of_words("Algorithm", lambda line: line.first.algorithm, heading="function", places=~PAGE)
    yield of_words("Function", lambda line: line.function, places=PAGE)
    yield of_words("Operation", lambda line: line.operation, heading="\n", page_heading="Operation")
    several = len({line.first.backend for line in lines}) > 1
    places = EXPORT | TERMINAL if several else EXPORT
    yield of_words("Backend", lambda line: line.first.backend, heading="backend", places=places)
    call = "cycles or instructions of a call\n"
    yield Column("key setup", Line.of_setup, "key\nsetup", count, page_heading=call + "key setup")
    present = sizes(lines)
    ranks = {place: rank for rank, place in enumerate(weightiest(len(present)))}
    for place, size in enumerate(present):
        on_page = PAGE if ranks[place] < MOST_SIZES else Place(0)
        yield Column(
            figures.message_size(size),
            _at(size),
            form=count,
            page_heading=call + figures.message_size(size),
            dispensable=len(MEMORY) + ranks[place] if ranks[place] > 1 else 0,
            called="further sizes",
            places=EXPORT | TERMINAL | on_page,
        )
    if present:
        # The largest is always among those of the report.
        largest = f"at {figures.message_size(present[-1])}\n"
        for head, field in (("per byte", "value_per_byte"), ("µs", "microseconds")):
            yield Column("", _of_call(present[-1], field), largest + head, places=PAGE)
    for name, dispensable in MEMORY:
        yield Column(
            f"{name} bytes",
            _most(f"{name}_bytes"),
            f"{name}\nbytes",
            count,
            page_heading=f"bytes of\n{name}",
            dispensable=dispensable,
            called=f"bytes of {name}",
        )


def _at(size: int) -> Callable[[Line], int | None]:
    return lambda line: line.at(size)


def _most(field: str) -> Callable[[Line], int | None]:
    return lambda line: line.most(field)


def _of_call(message_bytes: int, field: str) -> Callable[[Line], float | None]:
    """Of the call whose figure is shown: the cost of a byte, or the time at the target's clock,
    which instructions lack."""

    def value(line: Line) -> float | None:
        shown = line.at(message_bytes)
        calls = (row for row in line.own if row.message_bytes == message_bytes)
        return next((getattr(row, field) for row in calls if row.value == shown), None)

    return value
