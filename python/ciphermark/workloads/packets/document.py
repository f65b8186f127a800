"""Screen, report and exports of packets."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from ciphermark.plan.cpu_sets import listed
from ciphermark.record.case_row import settled
from ciphermark.statistics.estimate import Estimate
from ciphermark.statistics.quantiles import FEWEST_GROUPS
from ciphermark.view import figures
from ciphermark.view.blocks import Block, Facts, Note, Notes, Section, Table
from ciphermark.view.column import Column, Fact, Place, count, of_words
from ciphermark.view.problems import REMARK, UNSETTLED
from ciphermark.workloads import energy, flows
from ciphermark.workloads.flows import field, latency_us
from ciphermark.workloads.packets import remarks
from ciphermark.workloads.packets.figures import MOST_AWAY, MOST_CLOCK_MOVE
from ciphermark.workloads.packets.row import CoreShare, Figure, PacketRow
from ciphermark.workloads.packets.scaling import Step, packet_scalings
from ciphermark.workloads.single.method import ANSWERS, cycles
from ciphermark.workloads.surroundings import failed, surroundings

if TYPE_CHECKING:
    from ciphermark.record.run import Context, Run

PAGE, TERMINAL = Place.PAGE, Place.TERMINAL

NAMED = 3
"""Number of unsettled cases on a terminal."""


def blocks(context: Context, rows: list[PacketRow], run: Run | None) -> Iterator[Block]:
    """Yields the table, the charts, what did not settle, and the parts of the figures."""
    measured = [row for row in rows if row.is_measured]
    if run is not None:
        yield Facts(facts=_facts(context, rows), places=PAGE)
    legend = [Note(sentence, REMARK) for sentence in remarks.remarks(rows)]
    if not all(row.converged for row in measured):
        legend.insert(0, Note("did not settle", UNSETTLED))
    yield Section(
        title="Core cycles per packet",
        anchor="figures",
        about="Transfer is the way through the queue without the cryptographic work, processing "
        "the same with it, actual the difference; all are core clock times wall time over the "
        "packets, and CPU is the CPU time of all threads. Click a heading to sort.",
        blocks=[
            Table(
                columns=list(columns(measured)),
                rows=measured,
                section=flows.function,
                title_on_screen=remarks.function,
                legend=legend,
                filter="uea1 0-1",
            ),
            # An empty table shows no legend, which says how many cases were not reached.
            Notes(notes=[] if measured else legend, places=PAGE | TERMINAL),
            failed(rows),
        ],
    )
    if run is not None:
        from ciphermark.workloads.packets.plots import charts

        yield from charts(rows)
    yield _unsettled(rows)
    if run is not None:
        yield _scalings(measured)
        yield _shares(measured)
        yield _devices([row for row in measured if row.device_times is not None])
        yield from surroundings(run, rows, _method(context))


def _unsettled(rows: list[PacketRow]) -> Notes:
    count = settled(rows)
    return Notes.of(
        [f"{remarks.case(row)}: {why}" for row, why in remarks.unsettled(rows)],
        title=f"{count.unsettled} of {figures.counted(count.cases, 'case')} did not settle",
        anchor="unsettled",
        shown=NAMED,
        places=PAGE | TERMINAL,
    )


class _Scaled(NamedTuple):
    """A number of cores on a curve."""

    row: PacketRow
    step: Step


def _scalings(rows: list[PacketRow]) -> Section:
    columns: list[Column[_Scaled]] = [
        of_words("Case", lambda it: remarks.messages(it.row)),
        Column("Packets", lambda it: it.row.packets, form=count),
        Column("Cores", lambda it: it.step.cores, form=count),
        Column("Speed-up", lambda it: it.step.speed_up),
        Column("Efficiency", lambda it: it.step.efficiency, form=_share),
        of_words("", lambda it: "one also submits" if it.step.submits_too else ""),
    ]
    steps = [_Scaled(it.rows[0], step) for it in packet_scalings(rows) for step in it.steps]
    return Section(
        title="Speed-up and efficiency over cores",
        about="Speed-up is packets per second over those of one core, efficiency the same over "
        "the number of cores.",
        blocks=[Table(columns=columns, rows=steps)],
        folded=True,
    )


class _Shared(NamedTuple):
    """A CPU of a case."""

    row: PacketRow
    share: CoreShare


def _shares(rows: list[PacketRow]) -> Section:
    columns: list[Column[_Shared]] = [
        of_words("Case", lambda it: remarks.case(it.row)),
        Column("CPU", lambda it: it.share.cpu, form=count),
        of_words("", lambda it: "submits" if it.share.submits else ""),
        Column("Packets", lambda it: it.share.packets, form=count),
        Column("Share", lambda it: it.share.share, form=_share),
        Column("CPU cycles/packet", lambda it: it.share.cpu_cycles / it.row.packets),
    ]
    several = [_Shared(row, it) for row in rows if len(row.shares) > 1 for it in row.shares]
    return Section(
        title="What each CPU did",
        about="CPU time is in core cycles over all packets of the case, so that it adds up over "
        "the CPUs.",
        blocks=[Table(columns=columns, rows=several)],
        folded=True,
    )


def _devices(rows: list[PacketRow]) -> Section:
    columns: list[Column[PacketRow]] = [
        of_words("Case", remarks.case),
        of_words("Device", lambda row: row.device or ""),
        Column("Submissions", lambda row: _of_device(row, "submissions"), form=count),
        *(
            Column(name, partial(_of_device, name=f"{name}_cycles", packets=True))
            for name in ("in", "compute", "out", "wall")
        ),
        Column("useful", lambda it: it.useful_cycles and it.useful_cycles / it.packets),
    ]
    return Section(
        title="Where the time of devices went",
        about="Core cycles over all packets. What a device does not tell apart is empty; useful is "
        "the work that was done meanwhile.",
        blocks=[Table(columns=columns, rows=rows)],
        folded=True,
    )


def _of_device(row: PacketRow, name: str, *, packets: bool = False) -> float | None:
    value: float | None = getattr(row.device_times, name)
    return value if value is None or not packets else value / row.packets


def _share(value: float, separator: str) -> str:
    return figures.percent(value, 3)


def columns(rows: list[PacketRow]) -> Iterator[Column[PacketRow]]:
    """Yields cycles first, and last the columns that a narrow terminal hides first."""
    yield from flows.names(remarks.conditions)
    yield flows.sizes("Packet")
    yield _case("Packets", "packets")
    yield of_words("CPUs", lambda row: listed(row.cpus), order=lambda row: row.cores, key=True)
    yield _case("Batch", "batch")
    a_packet = "cycles/packet\n"
    yield _figure("transfer", "transfer_cycles_per_packet", a_packet + "transfer", dispensable=1)
    for name in ("processing", "actual"):
        yield _settled(
            name,
            f"{name}_cycles_per_packet",
            a_packet + name,
            estimate=partial(_cycles, name=name),
        )
    yield _figure("CPU", "cpu_cycles_per_packet", a_packet + "CPU", places=PAGE)
    yield _settled("actual cycles/bit", "cycles_per_bit", "actual\ncycles/bit", dispensable=2)
    yield _settled(
        "",
        "processing_cycles_per_byte",
        "cycles/byte\nprocessing",
        dispensable=3,
        places=TERMINAL,
    )
    yield _figure("", "processing_cycles_per_byte", "cycles/byte\nprocessing", places=PAGE)
    for state in ("hot", "cold"):
        yield _figure(
            "",
            f"{state}_cycles_per_byte",
            f"function alone\n{state}",
            page_heading=f"cycles/byte\nalone, {state}",
            called="function hot" if state == "hot" else state,
            dispensable=6,
            places=TERMINAL | PAGE,
        )
    yield Column(
        "million/s",
        field("packets_per_second", 1e6),
        "million\npackets/s",
        page_heading="Million/s",
    )
    yield _figure("MB/s", "mbytes_per_second", "MB/s", dispensable=4)
    has_bytes = any(row.packet_bytes != 0 for row in rows)
    yield from energy.columns(lambda row: row.energy, rows, per_message=not has_bytes)
    for name, dispensable in (("p50", 7), ("p90", None), ("p99", 5), ("p999", None)):
        head = "p99.9" if name == "p999" else name
        yield Column(
            f"{head} µs",
            latency_us(name),
            f"latency\n{head} µs",
            page_heading=f"latency, µs\n{head}",
            called="latency" if name == "p50" else f"latency {head}",
            dispensable=dispensable or 0,
            places=PAGE if dispensable is None else Place.EVERYWHERE,
        )
    if any(row.latency_by_priority_ns for row in rows):
        for place, which in ((0, "most"), (-1, "least")):
            yield Column(
                f"{which} urgent p50 µs",
                _latency_of_priority(place),
                f"{which} urgent\np50 µs",
                page_heading=f"latency, µs\n{which} urgent, p50",
                called="latency by priority",
                dispensable=2,
            )
    for name, counted, called in (
        ("lost", "lost", "lost"),
        ("twice", "duplicated", "delivered twice"),
    ):
        heading = f"packets\n{name}"
        yield _count(name, counted, name, page_heading=heading, dispensable=8, called=called)
    yield _count("out of order", "out_of_order", "packets\nout of order", places=PAGE)
    yield _count("queue full", "queue_full", "a pass\nqueue full", places=PAGE)
    yield _count("flushed", "flushed", "a pass\nflushed", places=PAGE)
    yield Column("MiB", field("buffer_bytes", 2**20), places=PAGE)
    yield Column("GHz", field("core_hz", 1e9), places=PAGE)


def _latency_of_priority(place: int) -> Callable[[PacketRow], float | None]:
    def value(row: PacketRow) -> float | None:
        latencies = row.latency_by_priority_ns
        return latencies[place].p50 / 1e3 if latencies else None

    return value


def _figure(name: str, of: str, heading: str, **others: Any) -> Column[PacketRow]:  # noqa: ANN401
    return Column(name, field(of), heading, **others)


def _settled(name: str, of: str, heading: str, **others: Any) -> Column[PacketRow]:  # noqa: ANN401
    """Returns a figure that is marked while it has not converged."""
    return _figure(name, of, heading, mark=lambda row: "" if row.converged else UNSETTLED, **others)


def _count(name: str, of: str, heading: str, **others: Any) -> Column[PacketRow]:  # noqa: ANN401
    return _figure(name, of, heading, form=count, **others)


def _case(name: str, of: str) -> Column[PacketRow]:
    """Returns a number of the case; hidden first where all rows have the same."""
    return _count(name, of, of, page_heading=name, dispensable=9, key=True)


def _cycles(row: PacketRow, name: Figure) -> Estimate | None:
    return row.cycles(name)


def _facts(context: Context, rows: list[PacketRow]) -> list[Fact]:
    count = settled(rows)
    counted = Fact(
        f"Settled to ±{100 * context.precision:g} %",
        f"{count.settled} of {count.cases}",
        f"{figures.grouped(2 * sum(row.pairs for row in rows))} passes",
    )
    most = figures.grouped(flows.most_of(rows, "packets"))
    return flows.facts(context, rows, ("Packets", most), counted)


def _method(context: Context) -> dict[str, str]:
    """Returns the heading and paragraph of each rule."""
    return {
        "Packets": (
            "All packets and the room for their answers are in memory before the clock starts. "
            "One CPU submits them in batches through a bounded queue; other CPUs take them out "
            "and process them. A pass lasts from the first submission to the last delivery. "
            "Packet n belongs to flow n modulo the number of flows, and each flow has a key."
        ),
        "Transfer, processing, actual": (
            "Passes are made in pairs: one without the cryptographic work, which is the "
            "transfer, and one with it, which is the processing; the order within a pair "
            "alternates. Actual is the median of the differences. On several cores it is the "
            "time that the work adds, and not the time of each core."
        ),
        "Alone": (
            "Beside it one thread does the same work without a queue: hot on a few packets that "
            "stay in the nearest cache, cold on all of them one after the other from memory."
        ),
        "Cycles": (
            f"{cycles(context.engine_hello.environment.clocks)} Cycles of a pass are core clock "
            "times wall time; CPU cycles are the CPU time of all its threads. Cycles per bit are "
            "the actual cycles over the bits that cross the function, once for each operation."
        ),
        "Latency": (
            "From the submission of a packet to its delivery, for the first and the last packet "
            "of each batch. Without an offered rate the queue is full, and most of the latency "
            "is waiting in it."
        ),
        "Interval": (
            "A figure is the median of the undisturbed pairs; its 95 % interval comes from order "
            "statistics. A case has settled with at least "
            f"{FEWEST_GROUPS} such pairs and half of the interval of the processing within "
            f"{figures.percent(context.precision, 1)}. A pair is disturbed when a thread that "
            "processes and never sleeps was away from its CPU for over "
            f"{figures.percent(MOST_AWAY, 1)} of a pass, another was preempted more often than the "
            "kernel's own threads explain, or the clock was over "
            f"{figures.percent(MOST_CLOCK_MOVE, 1)} from its usual rate."
        ),
        "Answers": (
            f"{ANSWERS} After each pass it is counted whether every packet arrived once and in "
            "order; after each processing its answer is compared."
        ),
    }
