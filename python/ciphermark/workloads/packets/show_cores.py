"""The fewest cores that do what is wanted of packets, on a terminal, and what the others keep."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from ciphermark.show import figures
from ciphermark.show.fitting import Column, print_groups, print_left_out
from ciphermark.workloads.packets.cores import CoresNeeded
from ciphermark.workloads.sessions.show_limits import latency

NOTHING = "–"
ABOUT = "≈"
"""Before what is extrapolated."""

EXPLAINED = (
    "cores: those that process packets, in the best batches; the core that submits them is not "
    "counted. busy: cores' worth of CPU time that the rate burns"
)
EXTRAPOLATED = (
    f"{ABOUT} no number of cores that was measured does it: what it would take if each added as "
    "much, an extrapolation"
)


def print_cores_needed(console: Console, needed: Sequence[CoresNeeded]) -> None:
    """Prints a table for each wish, then a sentence for each function; nothing without a wish."""
    if not needed:
        return
    groups: dict[str, list[CoresNeeded]] = {}
    for it in needed:
        groups.setdefault(f"Fewest cores for {wanted(it)}", []).append(it)
    console.print()
    left_out = print_groups(console, list(_columns()), list(groups.items()))
    for sentence in sentences(needed):
        console.print(Text(sentence))
    about = [EXTRAPOLATED] if any(it.if_even is not None for it in needed) else []
    for sentence in [EXPLAINED, *about]:
        console.print(Padding(Text(sentence, style="dim"), (0, 0, 0, 2)))
    print_left_out(console, left_out)


def sentences(needed: Sequence[CoresNeeded]) -> Iterator[str]:
    """What the largest packets of each function take, the CPU alone first."""
    alike: dict[Hashable, list[CoresNeeded]] = {}
    for it in needed:
        alike.setdefault((it.algorithm, it.operation, it.wanted), []).append(it)
    for group in alike.values():
        largest = max((it.size for it in group), key=figures.size_order)
        ways = [it for it in group if it.size == largest]
        yield f"{_function(ways[0])}, {wanted(ways[0])}: {'; '.join(map(_takes, ways))}."


def wanted(it: CoresNeeded) -> str:
    """`1 000 000 packets/s`, `a p99 within 20.0 µs with the queue kept full`."""
    if it.wanted == "rate":
        return f"{figures.significant(it.value)} packets/s"
    load = "with the queue kept full"
    if it.offered_per_s is not None:
        load = f"at {figures.significant(it.offered_per_s)} packets/s"
    return f"a p99 within {latency(it.value)} {load}"


def _columns() -> Iterator[Column[CoresNeeded]]:
    yield Column("", lambda it: Text(_function(it)), left=True)
    yield Column("by", lambda it: Text(_way(it)), left=True)
    yield Column("batch", lambda it: Text(figures.grouped(it.batch)), 3)
    yield Column("in\nflight", lambda it: Text(figures.grouped(it.in_flight)), 3)
    yield Column("cores", _cores)
    yield Column("as the\ndevice", lambda it: Text(str(it.device_cores or "")), 1)
    yield Column("busy", _busy, 2)
    yield Column("left", _left)
    yield Column("", _share, 1, "share left")


def _function(it: CoresNeeded) -> str:
    return f"{it.algorithm} {it.operation} {figures.message_size(it.size)}"


def _way(it: CoresNeeded) -> str:
    """`the CPU alone`, `other cores with openssl`, `af_alg (kernel: ctr-aes-aesni)`."""
    if it.offload == "none":
        return "the CPU alone"
    if it.offload == "cores":
        return f"other cores with {it.provider}"
    return it.offload if it.device is None else f"{it.offload} ({it.device})"


def _cores(it: CoresNeeded) -> Text:
    if it.cores is not None:
        return Text(str(it.cores))
    return Text(NOTHING if it.if_even is None else f"{ABOUT}{it.if_even}", style="yellow")


def _busy(it: CoresNeeded) -> Text:
    return Text(NOTHING if it.busy is None else figures.significant(it.busy, 2))


def _left(it: CoresNeeded) -> Text:
    return Text(NOTHING if it.left is None else f"{it.left} of {it.machine_cores}")


def _share(it: CoresNeeded) -> Text:
    return Text("" if it.left is None else figures.percent(it.left / it.machine_cores))


def _takes(it: CoresNeeded) -> str:
    """`opencl (…) needs 1 core and leaves 15 of 16 to others`."""
    if it.cores is None:
        number, figure = it.best
        reached = f"{figures.significant(figure)} packets/s"
        if it.wanted == "p99":
            reached = latency(figure)
        return f"{_way(it)} does not do it, {figures.counted(number, 'core')} reached {reached}"
    beside = f" and {it.device_cores} more as the device" if it.device_cores else ""
    return (
        f"{_way(it)} needs {figures.counted(it.cores, 'core')}{beside} and leaves {it.left} of "
        f"{it.machine_cores} to others"
    )
