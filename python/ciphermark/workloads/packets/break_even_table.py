"""Comparison of a device with the CPU in words, for a terminal and a report alike."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ciphermark.plan.cpu_sets import listed
from ciphermark.statistics.estimate import Estimate, in_threes
from ciphermark.view import figures
from ciphermark.view.blocks import Block, Notes, Section, Table
from ciphermark.view.column import Column, count, of_text, of_words
from ciphermark.workloads.flows import cpus
from ciphermark.workloads.packets.break_even import (
    BreakEven,
    Comparison,
    Point,
    best,
    grouped,
)

METHOD = (
    "Faster: fewer core cycles of wall time for all packets, queue included, than the fastest "
    "function of the CPU alone on the same CPUs in batches of the same size. Intervals are of "
    "95 %: all sizes at which the difference of the costs cannot be distinguished from zero. "
    "Between measured sizes costs are interpolated by straight lines."
)

FREED = "Freed: CPU time of all threads, without the useful work done while the device worked."


TITLE = "From which packet size on a device beats the CPU"
NOTHING = "–"
NO_RIVAL = (
    "No break-even: it needs the same packets with a device and without one, in batches of the "
    "same size; write for example ciphermark packets --break-even --offload cores,af_alg,opencl"
)

SHORT = {
    "always": "always",
    "never": "never",
    "several": "at some sizes",
    "even": "no difference",
    "no-figure": NOTHING,
}
"""Outcomes without a size of their own."""


def sentences(found: Sequence[Comparison]) -> Iterator[str]:
    """Yields the advice, and its limits."""
    yield from advice(found)
    yield from cautions(found)


def advice(found: Iterable[Comparison]) -> Iterator[str]:
    """Yields one sentence for each function, device and set of CPUs."""
    for group in grouped(it for it in found if not it.is_cpu):
        yield (
            f"{function(group[0])}: {device(group[0])} is {_faster(group)}; it {_freeing(group)}. "
            f"{_rival(group)}"
        )


def cautions(found: Sequence[Comparison]) -> Iterator[str]:
    """Yields a sentence for each device that is made of this machine's CPUs."""
    for name in dict.fromkeys(device(it) for it in found if it.is_cpu):
        yield (
            f"{name} is the CPU itself, reached through OpenCL: its figures are the CPU's, and "
            "give no break-even."
        )
    for on in dict.fromkeys(cpus(it.offload_cpus) for it in found if it.offload == "cores"):
        yield (
            f"The device cores consists of {on} of this machine: its working time is CPU time, "
            "and counted as such."
        )


def function(found: Comparison) -> str:
    """`uea1 encrypt`."""
    return f"{found.algorithm} {found.operation}"


def device(found: Comparison) -> str:
    """`af_alg (kernel: ctr-aes-aesni)`; cores run a library, which is named."""
    if found.offload == "cores":
        return f"cores ({cpus(found.offload_cpus)} with {found.provider})"
    return found.offload if found.device is None else f"{found.offload} ({found.device})"


def arrangement(found: Comparison) -> str:
    """`batches of 32, 4 in flight`."""
    return f"batches of {found.batch}, {found.in_flight} in flight"


def size(message_bytes: float | None) -> str:
    """Formats a size between the measured ones, to three digits and the byte at best.

    Empty where there is none.
    """
    if message_bytes is None:
        return ""
    return f"{figures.grouped(float(f'{message_bytes:.3g}'))} B"


def interval(found: BreakEven | None) -> str:
    """Formats an interval, `610 B to 840 B`, with words for open ends; else empty."""
    if found is None or not found.has_interval:
        return ""
    low = "less than measured" if found.low is None else size(found.low)
    high = "more than measured" if found.high is None else size(found.high)
    return f"{low} to {high}"


def _rival(group: Sequence[Comparison]) -> str:
    """Names the rival on the CPU at the largest size, where the device does best."""
    last = best(group, "throughput").points[-1]
    return f"On the CPU, {last.rival} is the fastest at {figures.message_size(last.message_bytes)}."


def _faster(group: Sequence[Comparison]) -> str:
    """Describes the throughput in the arrangement that suits the device best."""
    chosen = best(group, "throughput")
    result = chosen.found("throughput")
    if result.outcome == "never":
        slower = dict.fromkeys(_slower(point) for point in (chosen.points[0], chosen.points[-1]))
        return (
            f"never faster: at best, with {arrangement(chosen)}, the time of a packet is "
            f"{' and '.join(slower)} that of the CPU, and the gap does not close for longer "
            f"ones{_doubt(result)}"
        )
    others = [arrangement(it) for it in group if it.found("throughput").outcome == "never"]
    never = f", never with {' or '.join(others)}" if others else ""
    return f"{_where(result, 'faster', chosen)} with {arrangement(chosen)}{never}"


def _freeing(group: Sequence[Comparison]) -> str:
    """Describes the CPU time in the arrangement that suits the device best."""
    chosen = best(group, "cpu_time")
    result = chosen.found("cpu_time")
    if result.outcome == "never":
        return "never frees CPU time"
    if result.outcome == "no-figure":
        return "leaves its use of CPU time unknown"
    sentence = f"is {_where(result, 'cheaper in CPU time', chosen)} with {arrangement(chosen)}"
    return f"{sentence}{_freed(chosen)}"


def _where(found: BreakEven, what: str, of: Comparison) -> str:
    """`faster from 730 B on (95 %: 610 B to 840 B)`."""
    sizes = [point.message_bytes for point in of.points]
    span = " to ".join(dict.fromkeys(figures.message_size(it) for it in (sizes[0], sizes[-1])))
    match found.outcome:
        case "always":
            said = f"{what} at every size that was measured ({span})"
        case "from":
            said = f"{what} from {size(found.message_bytes)} on{_in_brackets(found)}"
        case "up-to":
            said = f"{what} up to {size(found.message_bytes)}{_in_brackets(found)}"
        case "several":
            said = f"{what} at some sizes and not at others, with no one break-even"
        case "even":
            return f"neither {what} nor the opposite at any size, within the uncertainty,"
        case "beyond" if found.message_bytes is not None:
            said = (
                f"not {what} within what was measured ({span}; the fitted lines would meet at "
                f"about {size(found.message_bytes)}, an extrapolation)"
            )
        case _:
            said = f"not {what} within what was measured ({span})"
    return said + _doubt(found)


def _in_brackets(found: BreakEven) -> str:
    bounds = interval(found)
    return f" (95 %: {bounds})" if bounds else " (no interval)"


def _doubt(found: BreakEven) -> str:
    if not found.doubtful:
        return ""
    sizes = ", ".join(figures.message_size(it) for it in found.doubtful)
    return f" (at {sizes} the difference is within the uncertainty)"


def _slower(point: Point) -> str:
    """`3.20 times (64 B)`."""
    ratio = point.device_wall_cycles.value / point.cpu_wall_cycles.value
    return f"{figures.significant(ratio)} times ({figures.message_size(point.message_bytes)})"


def _freed(found: Comparison) -> str:
    """Describes the CPU time that the largest packets free, if any."""
    point = found.points[-1]
    freed = point.freed_cycles
    if freed is None or point.freed_cycles_per_byte is None or freed.value <= 0:
        return ""
    each = figures.significant(point.freed_cycles_per_byte)
    return (
        f", and frees {figures.significant(freed.value)} CPU cycles of a packet of "
        f"{figures.message_size(point.message_bytes)}, {each} a byte"
    )


def break_even_blocks(found: Sequence[Comparison]) -> Iterator[Block]:
    """Yields the table, then the advice, then the meaning of the figures."""
    table = Table(columns=list(_columns()), rows=found, section=function)
    said = list(sentences(found)) if found else [NO_RIVAL]
    explained = Notes.of([METHOD, FREED] if found else [], style="dim")
    yield Section(title=TITLE, blocks=[table, Notes.of(said), explained])


def document(found: Sequence[Comparison]) -> dict[str, object]:
    """Returns what `--json` adds."""
    return {"break_even": in_threes(found), "advice": [*sentences(found)]}


def _columns() -> Iterator[Column[Comparison]]:
    yield of_words("", device, "device")
    yield of_words("", lambda it: listed(it.cpus), "CPUs", dispensable=4, key=True)
    yield Column("", lambda it: it.batch, "batch", count)
    yield Column("", lambda it: it.in_flight, "in\nflight", count)
    yield of_text("faster\nfrom", lambda it: _outcome(it, it.throughput))
    yield of_text("", lambda it: interval(it.throughput), kind="interval")
    yield of_text("cheaper in\nCPU time from", lambda it: _outcome(it, it.cpu_time))
    yield of_text("", lambda it: interval(it.cpu_time), kind="interval")
    yield of_text("at", lambda it: figures.message_size(it.points[-1].message_bytes), dispensable=2)
    yield of_text(
        "freed cycles/\npacket", lambda it: _shown(it.points[-1].freed_cycles), dispensable=2
    )
    yield of_text("/byte", lambda it: _shown(it.points[-1].freed_cycles_per_byte), dispensable=3)


def _outcome(it: Comparison, found: BreakEven | None) -> str:
    if found is None:
        return "is the CPU"
    if found.outcome in SHORT:
        return SHORT[found.outcome]
    if found.outcome == "beyond":
        return f"> {figures.message_size(it.points[-1].message_bytes)}"
    where = size(found.message_bytes)
    return f"up to {where}" if found.outcome == "up-to" else where


def _shown(cycles: Estimate | float | None) -> str:
    value = cycles.value if isinstance(cycles, Estimate) else cycles
    return NOTHING if value is None else figures.signed(value)
