"""What a packet's cost is made of, on a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from ciphermark.show import figures
from ciphermark.show.fitting import Column, print_groups
from ciphermark.workloads.packets.terms import Hypothesis, PacketTerms, Term

TITLE = "What a packet's cost is made of"


def print_packet_terms(console: Console, found: Iterable[PacketTerms]) -> None:
    """Prints the terms of each function at both ends of its sizes, and the hypothesis."""
    for terms in found:
        console.print()
        ends = list(dict.fromkeys((terms.sizes[0], terms.sizes[-1])))
        print_groups(console, list(_columns(ends)), [(title(terms), terms.terms)])
        for sentence in sentences(terms):
            console.print(Padding(Text(sentence), (0, 0, 0, 2)))


def title(terms: PacketTerms) -> str:
    """`What a packet's cost is made of: uea1 encrypt, kernels · table`."""
    parts = [terms.provider, "" if terms.backend == "default" else terms.backend]
    named = " · ".join(filter(None, parts))
    offload = "" if terms.offload == "none" else f", on {terms.offload}"
    return f"{TITLE}: {terms.algorithm} {terms.operation}, {named}{offload}"


def sentences(terms: PacketTerms) -> Iterator[str]:
    """The whole cost, the hypothesis, and the terms that are not told."""
    sizes = dict.fromkeys((terms.sizes[0], terms.sizes[-1]))
    whole = " and ".join(
        f"{figures.significant(terms.cycles[size])} at {figures.message_size(size)}"
        for size in sizes
    )
    yield f"A packet costs {whole}, cycles; shares are of that, and some terms contain others."
    if terms.hypothesis is not None:
        yield verdict(terms.hypothesis)
    for lacking in terms.lacking:
        yield f"Not told: {lacking}"


def verdict(it: Hypothesis) -> str:
    """Whether overheads dominate small packets and raw speed large ones, with the size between."""
    line = f"{figures.significant(it.a)} + {figures.significant(it.b)}·n cycles"
    said = {True: "holds", False: "does not hold", None: "is left open"}[it.holds]
    claim = f"That overheads dominate small packets and raw speed large ones {said}"
    if it.crossing_bytes is None:
        return f"{claim}: {line}, which do not grow with the size."
    equal = f"{claim}: {line}, equal at {figures.significant(it.crossing_bytes)} bytes"
    if it.crossing_low is None:
        return f"{equal} (without an interval)."
    high = "any size" if it.crossing_high is None else figures.significant(it.crossing_high)
    between = f"{figures.significant(it.crossing_low)}–{high}"
    return f"{equal} ({between})."


def _columns(sizes: list[int]) -> Iterator[Column[Term]]:
    yield Column("\ninfluence", lambda it: Text(it.influence), left=True)
    yield Column("\nterm", lambda it: Text(it.term), left=True)
    for size in sizes:
        heading = f"{figures.message_size(size)}\ncycles"
        yield Column(heading, _cell(size, "cycles", figures.significant))
        yield Column("\nshare", _cell(size, "shares", lambda share: f"{100 * share:.1f} %"))
    yield Column("", lambda it: Text(it.note, style="dim"), left=True)


def _cell(size: int, field: str, shown: Callable[[float], str]) -> Callable[[Term], Text]:
    def cell(it: Term) -> Text:
        value = getattr(it, field).get(size)
        return Text("" if value is None else shown(value))

    return cell
