"""What is said of a case of packets in words, on a terminal and in a report alike."""

from __future__ import annotations

from collections.abc import Iterator

from ciphermark.plan.cpu_sets import listed
from ciphermark.plan.loads import USUAL_FLOWS
from ciphermark.show import figures
from ciphermark.workloads.packets.row import PacketRow


def function(row: PacketRow) -> str:
    """`uea1 encrypt, kernels · bytesliced-avx2`."""
    parts = [row.provider, "" if row.backend == "default" else row.backend]
    return f"{row.algorithm} {row.operation}, {' · '.join(filter(None, parts))}"


def implementation(row: PacketRow) -> str:
    return " · ".join(name for name in (row.provider, row.backend) if name != "default")


def case(row: PacketRow) -> str:
    """Which case it is: `uea1 encrypt, kernels, 64 B, 1 000 packets on CPU 0, batches of 32`."""
    parts = [function(row), size(row), where(row), f"batches of {row.batch}", conditions(row)]
    return ", ".join(filter(None, parts))


def size(row: PacketRow) -> str:
    return "" if row.size is None else figures.message_size(row.size)


def where(row: PacketRow) -> str:
    """`64 000 packets on CPUs 0-3`."""
    return f"{figures.counted(row.packets, 'packet')} on {cpus(row)}"


def cpus(row: PacketRow) -> str:
    """`CPU 0`, `CPUs 0-3`."""
    return f"{'CPU' if row.cores == 1 else 'CPUs'} {listed(row.cpus)}"


def conditions(row: PacketRow) -> str:
    """What differs from the usual: `per-flow · block · 4 lanes`; else empty."""
    return " · ".join(_conditions(row))


def unsettled(rows: list[PacketRow]) -> Iterator[tuple[PacketRow, str]]:
    """The measured cases whose figures are less sure than wanted, with why."""
    for row in rows:
        if row.is_measured and not row.converged:
            yield row, row.not_converged_reason or "no reason was given"


def remarks(rows: list[PacketRow]) -> Iterator[str]:
    """What one must know to read the figures, a sentence each."""
    measured = [row for row in rows if row.is_measured]
    if measured:
        yield _delivered(measured)
    if any(row.submit_cpu in row.cpus for row in measured):
        yield (
            "where all CPUs process packets, one of them submits them as well, and processes when "
            "the queue is full"
        )
    yield from dict.fromkeys(_devices(measured))
    if waiting := [row for row in rows if not row.is_measured and row.error is None]:
        yield f"{figures.counted(len(waiting), 'case')} not reached in the time"


def _conditions(row: PacketRow) -> Iterator[str]:
    if row.offload != "none":
        yield _offload(row)
    if row.lanes > 1:
        yield f"{row.lanes} lanes"
    if row.keys not in (1, USUAL_FLOWS):
        yield f"{figures.grouped(row.keys)} flows"
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
    """Every row with figures has had all of its packets: others are errors."""
    passes = sum(2 * row.pairs * row.packets for row in rows)
    return (
        f"all {figures.grouped(passes)} packets arrived, each once, in the order that was wanted "
        "and with the right answer"
    )


def _devices(rows: list[PacketRow]) -> Iterator[str]:
    for row in rows:
        if row.device is not None:
            yield f"{row.offload} is {row.device}"
