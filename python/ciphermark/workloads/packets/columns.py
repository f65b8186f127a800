"""The columns of packets, on a terminal, in a report and in exports."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ciphermark.plan.cpu_sets import listed
from ciphermark.show.column import Column, Place, count, half_width, of_words
from ciphermark.show.problems import UNSETTLED
from ciphermark.workloads.packets import remarks as packet_words
from ciphermark.workloads.packets.row import Figure, PacketRow

PAGE, EXPORT, TERMINAL = Place.PAGE, Place.EXPORT, Place.TERMINAL


def columns(rows: list[PacketRow]) -> Iterator[Column[PacketRow]]:
    """Cycles first; what makes room for them on a narrow terminal last."""
    yield of_words("Algorithm", lambda row: row.algorithm, places=PAGE, kind="name")
    yield of_words("Operation", lambda row: row.operation, places=PAGE)
    yield of_words("Implementation", packet_words.implementation, places=PAGE)
    yield of_words("Provider", lambda row: row.provider, places=EXPORT)
    yield of_words("Backend", lambda row: row.backend, places=EXPORT)
    yield of_words(
        "Called", packet_words.conditions, heading="called", page_heading="Called", at_end=True
    )
    size = {"heading": "packet", "page_heading": "Packet", "order": lambda row: row.message_bytes}
    yield of_words("Packet", packet_words.size, **size)
    yield _case("Packets", "packets", rows)
    cpus = {"page_heading": "CPUs", "order": lambda row: row.cores}
    yield of_words("CPUs", lambda row: listed(row.cpus), **cpus)
    yield _case("Batch", "batch", rows)
    a_packet = "cycles/packet\n"
    yield _figure("transfer", "transfer_cycles_per_packet", a_packet + "transfer")
    yield _settled("processing", "processing_cycles_per_packet", a_packet + "processing")
    yield _half("processing", a_packet + "±")
    yield _settled("actual", "actual_cycles_per_packet", a_packet + "actual")
    yield _half("actual", a_packet + "±")
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
        lambda row: row.packets_per_second and row.packets_per_second / 1e6,
        "million\npackets/s",
        page_heading="Million/s",
    )
    yield _figure("MB/s", "mbytes_per_second", "MB/s", dispensable=4)
    for name, dispensable in (("p50", 7), ("p90", None), ("p99", 5), ("p999", None)):
        head = "p99.9" if name == "p999" else name
        yield Column(
            f"{head} µs",
            _latency(name),
            f"latency\n{head} µs",
            page_heading=f"latency, µs\n{head}",
            called="latency" if name == "p50" else f"latency {head}",
            dispensable=dispensable or 0,
            places=PAGE if dispensable is None else Place.EVERYWHERE,
        )
    for name, field, called in (
        ("lost", "lost", "lost"),
        ("twice", "duplicated", "delivered twice"),
    ):
        heading = f"packets\n{name}"
        yield _count(name, field, name, page_heading=heading, dispensable=8, called=called)
    yield _count("out of order", "out_of_order", "packets\nout of order", places=PAGE)
    yield _count("queue full", "queue_full", "a pass\nqueue full", places=PAGE)
    yield _count("flushed", "flushed", "a pass\nflushed", places=PAGE)
    yield Column("MiB", lambda row: row.buffer_bytes and row.buffer_bytes / 2**20, places=PAGE)
    yield Column("GHz", lambda row: row.core_hz and row.core_hz / 1e9, places=PAGE)


def _field(name: str) -> Callable[[PacketRow], float | None]:
    return lambda row: getattr(row, name)


def _figure(name: str, field: str, heading: str, **fields) -> Column[PacketRow]:  # noqa: ANN003
    return Column(name, _field(field), heading, **fields)


def _settled(name: str, field: str, heading: str, **fields) -> Column[PacketRow]:  # noqa: ANN003
    """A figure that is marked where it is less sure than wanted."""
    return _figure(
        name, field, heading, mark=lambda row: "" if row.converged else UNSETTLED, **fields
    )


def _count(name: str, field: str, heading: str, **fields) -> Column[PacketRow]:  # noqa: ANN003
    return _figure(name, field, heading, form=count, **fields)


def _case(name: str, field: str, rows: list[PacketRow]) -> Column[PacketRow]:
    """A number that stays on the screen where it tells cases apart."""
    differs = len({getattr(row, field) for row in rows}) > 1
    return _count(name, field, field, page_heading=name, dispensable=1 if differs else 9)


def _half(name: Figure, heading: str) -> Column[PacketRow]:
    """Half of the interval of these cycles, per packet."""

    def value(row: PacketRow) -> float | None:
        half = row.cycles(name).half
        return None if half is None else half / row.packets

    return Column("", value, heading, form=half_width, kind="interval", places=PAGE)


def _latency(name: str) -> Callable[[PacketRow], float | None]:
    return lambda row: row.latency_ns and getattr(row.latency_ns, name) / 1e3
