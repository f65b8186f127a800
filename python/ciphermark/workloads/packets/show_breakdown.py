"""Where kernels spend their instructions, on a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from ciphermark.measure.breakdown import QUEUE
from ciphermark.show import figures
from ciphermark.show.fitting import Column, print_groups
from ciphermark.workloads.packets.breakdown import Breakdown, Part

EXACT_FROM = 100
"""Instructions of a packet from which on no decimals are shown."""

EXPLANATION = (
    "Instructions executed, counted one by one; those of a part are without those of other parts "
    "that it calls. An instruction that looks up and adds at once counts where the compiler says. "
    "“call” is the engine's way to the function."
)


def print_breakdown(console: Console, found: Iterable[Breakdown]) -> None:
    """Prints a table for each call that was counted, what was not, and how to read them."""
    calls = list(found)
    groups = [(title(call), call.parts) for call in calls if call.error is None]
    print_groups(console, list(_columns()), groups)
    for sentence in sentences(calls):
        console.print(Padding(Text(sentence), (0, 0, 0, 2)))


def title(call: Breakdown) -> str:
    """`uea1 encrypt, reference, 40 B: 7 405 instructions`."""
    parts = [f"{call.algorithm} {call.operation}", call.backend]
    if call.message_bytes is not None:
        parts.append(figures.message_size(call.message_bytes))
    if call.lanes > 1:
        together = "packets" if call.algorithm == QUEUE else "packets of one call"
        parts.append(f"{call.lanes} {together}")
    return f"{', '.join(parts)}: {figures.counted(call.instructions, 'instruction')}"


def sentences(calls: list[Breakdown]) -> Iterator[str]:
    """What failed, whether what was counted is the engine's own code, and what the figures are."""
    for call in calls:
        if call.error is not None:
            yield f"{call.algorithm} {call.operation}, {call.backend}: {call.error}"
    compared = [call for call in calls if call.ratio is not None]
    differing = [call for call in compared if call.instructions != call.own_instructions]
    for call in differing:
        yield (
            f"{call.algorithm} {call.operation}, {call.backend}: the engine's own build executes "
            f"{figures.grouped(call.own_instructions)} instructions ({figures.times(call.ratio)})"
        )
    if compared and not differing:
        calls_ = figures.counted(len(compared), "call")
        yield f"The engine's own build executes as many instructions in {calls_} that both made."
    if any(call.parts for call in calls):
        yield EXPLANATION


def _columns() -> Iterator[Column[Part]]:
    yield Column("\npart", lambda it: Text(it.part), left=True)
    yield Column("instructions\nper packet", _per_packet)
    yield Column("\nper byte", _per_byte)
    yield Column("\nshare", lambda it: Text(f"{100 * it.share:.1f} %"))


def _per_packet(it: Part) -> Text:
    # Counts are exact: no digit before the point is noise.
    return Text(figures.grouped(it.per_packet, 0 if it.per_packet >= EXACT_FROM else 1))


def _per_byte(it: Part) -> Text:
    return Text("" if it.per_byte is None else figures.significant(it.per_byte))
