"""Remarks in words on a case of packets, for a terminal and a report alike."""

from __future__ import annotations

from collections.abc import Iterator

from ciphermark.plan.cpu_sets import listed
from ciphermark.plan.loads import USUAL_FLOWS
from ciphermark.view import figures
from ciphermark.workloads import energy, flows
from ciphermark.workloads.packets.row import PacketRow


def function(row: PacketRow) -> str:
    """`uea1 encrypt, kernels · bytesliced-avx2`."""
    return f"{row.algorithm} {row.operation}, {flows.implementation(row)}"


def messages(row: PacketRow) -> str:
    """`uea1 encrypt, kernels, 64 B`."""
    return flows.joined(function(row), flows.size(row))


def case(row: PacketRow) -> str:
    """Names the case: `uea1 encrypt, kernels, 64 B, 1 000 packets on CPU 0, batches of 32`."""
    return flows.joined(messages(row), where(row), f"batches of {row.batch}", conditions(row))


def where(row: PacketRow) -> str:
    """`64 000 packets on CPUs 0-3`."""
    return f"{figures.counted(row.packets, 'packet')} on {flows.cpus(row.cpus)}"


def conditions(row: PacketRow) -> str:
    """Returns unusual conditions: `per-flow · block · 4 lanes`; else empty."""
    return " · ".join([*_way(row), *load_conditions(row)])


def unsettled(rows: list[PacketRow]) -> Iterator[tuple[PacketRow, str]]:
    """Yields measured cases that have not converged, with the reason."""
    for row in rows:
        if row.error is None and row.why_unsettled:
            yield row, row.why_unsettled


def remarks(rows: list[PacketRow]) -> Iterator[str]:
    """Yields sentences for reading the figures."""
    measured = [row for row in rows if row.is_measured]
    if measured:
        yield _delivered(measured)
    if any(row.submit_cpu in row.cpus for row in measured):
        yield (
            "where all CPUs process packets, one of them also submits them, and processes when "
            "the queue is full"
        )
    devices = ((row.offload, row.device) for row in measured if row.device is not None)
    yield from (f"{offload} is {device}" for offload, device in dict.fromkeys(devices))
    yield from flows.clocks(measured)
    yield from energy.remarks(measured)
    yield from flows.not_reached(rows)


def _way(row: PacketRow) -> Iterator[str]:
    """Yields the manner of calling a function."""
    if row.offload != "none":
        yield _offload(row)
    if row.lanes > 1:
        yield f"{row.lanes} lanes"
    if row.keys not in (1, USUAL_FLOWS):
        yield f"{figures.grouped(row.keys)} flows"


def load_conditions(row: PacketRow) -> Iterator[str]:
    """Yields unusual conditions beside the manner of calling: `per-flow`, `block`."""
    for value, usual in (
        (row.delivery, "unordered"),
        (row.architecture, "run-to-completion"),
        (row.waiting, "poll"),
    ):
        if value != usual:
            yield value
    if row.key_setup != "cached":
        yield f"key schedule {row.key_setup}"
    if row.priorities > 1:
        yield f"{row.priorities} priorities"
    if row.policy != "other":
        yield row.policy
    if row.groups:
        yield "groups " + " + ".join(map(listed, row.groups))
    if row.flush_us is not None:
        yield f"flushed after {row.flush_us:g} µs"
    if row.offered_per_s is not None:
        yield f"{figures.significant(row.offered_per_s)}/s offered"


def _offload(row: PacketRow) -> str:
    there = f" {listed(row.offload_cpus)}" if row.offload_cpus else ""
    waits = f", {row.in_flight} in flight" if row.in_flight > 1 else ""
    return f"{row.offload}{there}{waits}"


def _delivered(rows: list[PacketRow]) -> str:
    """Returns the sentence that all packets of rows with figures were delivered."""
    passes = sum(2 * row.pairs * row.packets for row in rows)
    return (
        f"all {figures.grouped(passes)} packets arrived, each once, in the wanted order and with "
        "the right answer"
    )
