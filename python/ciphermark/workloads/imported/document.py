"""Screen, report and exports of an imported run: throughput, which every program tells."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING

from ciphermark.view import figures
from ciphermark.view.blocks import Block, Facts, Note, Section, Table
from ciphermark.view.column import Column, Fact, Place, of_words
from ciphermark.view.problems import REMARK
from ciphermark.workloads.single.plots.over_size import throughput_chart
from ciphermark.workloads.single.sections import Line, lines, packet_bytes, sections, sizes
from ciphermark.workloads.surroundings import SOUND

if TYPE_CHECKING:
    from ciphermark.contract.others import ImportOrigin
    from ciphermark.record.run import Context, Run
    from ciphermark.workloads.single.row import Row

PAGE, EXPORT, TERMINAL = Place.PAGE, Place.EXPORT, Place.TERMINAL

TITLE = "MB/s by message size, as another program said"

DIVISORS = {
    "cpu-time": "CPU time",
    "wall-time": "wall time",
    "ticks": "ticks",
    "core-cycles": "core cycles",
    "unknown": "not known",
}


def blocks(context: Context, rows: list[Row], run: Run | None) -> Iterator[Block]:
    """Yields the table with its notes, the chart, and the origin of the figures."""
    arranged = sections(context, rows, [])
    if run is not None:
        yield Facts(facts=_facts(run, _origin(run)), places=PAGE)
    yield Section(
        title=TITLE,
        anchor="figures",
        about="ciphermark has verified neither the answers nor the machine, and there are no "
        "intervals. 1 MB is 10⁶ bytes. Click a heading to sort.",
        blocks=[
            Table(
                columns=list(columns(sizes(arranged))),
                rows=lines(arranged),
                section=lambda line: line.section,
                legend=[Note(note, REMARK) for note in context.notes],
                filter="aes",
            )
        ],
    )
    if run is not None:
        yield throughput_chart(arranged, imported=True)
        yield Section(
            title="Where the figures come from",
            blocks=[Facts.of(_told(_origin(run)))],
            places=PAGE,
            folded=True,
        )


def page_title(run: Run) -> str:
    """Returns the title of a report: the machine and the program."""
    place = run.context.cpu_name or run.context.machine_name
    return f"Cost of cryptography on {place} as {_origin(run).tool} printed it"


def columns(measured: list[int | str]) -> Iterator[Column[Line]]:
    """Yields names, MB/s at each size, the cost of a packet, and implementations."""
    yield of_words("MB/s", lambda line: line.algorithm.name, places=TERMINAL)
    yield of_words(
        "Algorithm",
        lambda line: line.algorithm.title,
        places=PAGE | EXPORT,
        kind="name",
        note=lambda line: "" if line.algorithm.status in SOUND else line.algorithm.status,
    )
    yield of_words("Provider", lambda line: line.provider, places=EXPORT)
    yield of_words(
        "Backend", lambda line: " · ".join(filter(None, (line.backend, line.way))), places=EXPORT
    )
    yield of_words("Operation", lambda line: line.operation, places=PAGE)
    yield of_words("Implementation", lambda line: line.implementation, places=PAGE)
    packet = packet_bytes(measured)
    for place, size in enumerate(measured):
        # The smallest, the largest and the packet tell most.
        telling = size in (measured[0], measured[-1], packet)
        yield Column(
            figures.message_size(size),
            _figure("mbytes_per_second", size),
            dispensable=0 if telling else 4 + place % 2,
        )
    if packet is not None:
        at = f"at {figures.message_size(packet)}"
        for name, field, dispensable in (
            ("ns/message", "ns_per_message", 3),
            ("cycles/byte", "cycles_per_byte", 2),
        ):
            yield Column(
                name,
                _figure(field, packet),
                f"{name}\n{at}",
                dispensable=dispensable,
                called=name,
                places=TERMINAL,
            )
    last = partial(of_words, key=True, places=TERMINAL)
    yield last("library", lambda line: line.provider, dispensable=1)
    yield last("called", lambda line: line.way, dispensable=7, at_end=True)
    yield last("backend", lambda line: line.backend, dispensable=8, at_end=True)


def _figure(field: str, size: int | str) -> Callable[[Line], float | None]:
    return lambda line: getattr(line.by_size.get(size), field, None)


def _origin(run: Run) -> ImportOrigin:
    assert run.origin is not None, "of an imported run"
    return run.origin


def _facts(run: Run, origin: ImportOrigin) -> list[Fact]:
    clock, source = run.context.core_hz, run.context.cycle_source
    return [
        Fact("Program", origin.tool, origin.tool_version or "its version is not in the file"),
        Fact("Figures", figures.grouped(len(run.cases)), "not verified, without intervals"),
        Fact("Divided by", DIVISORS[origin.divisor], "what a message's time was"),
        Fact(
            "Clock",
            "not told" if clock is None else figures.clock(clock),
            "no cycles" if source is None else f"cycles {source}",
        ),
    ]


def _told(origin: ImportOrigin) -> dict[str, str]:
    """Returns the facts on the file and the program that are known."""
    facts = {
        "Program": origin.tool,
        "Version": origin.tool_version,
        "Command": origin.tool_command,
        "File": origin.file,
        "Part of the file": origin.part,
        "SHA-256 of the file": origin.sha256,
        **origin.told,
    }
    return {name: text for name, text in facts.items() if text}
