"""Where a kernel spends its instructions: parts of an algorithm, of calls that were counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import msgspec
from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from ciphermark.measure.breakdown import QUEUE, Counted, Place
from ciphermark.show import figures
from ciphermark.show.fitting import Column, print_groups
from ciphermark.workloads.packets.kernel_parts import KEY_SCHEDULE, part_of

if TYPE_CHECKING:
    from ciphermark.measure.engine import Engine

CALL = "call"
"""The engine's way to the function: lengths are checked, a structure is filled."""

C_LIBRARY = "C library"

_OUTSIDE = {"engine": CALL, "library": C_LIBRARY, QUEUE: QUEUE}


class Part(msgspec.Struct, kw_only=True):
    """Instructions of one part, without those of other parts that it calls."""

    part: str
    instructions: int
    """Of the call: those of all parts are those of the call, exactly."""
    per_packet: float
    per_byte: float | None
    """None for `setup`, and for empty messages."""
    share: float
    """Of the call."""


class Breakdown(msgspec.Struct, kw_only=True):
    """One call of a kernel, by parts."""

    algorithm: str
    operation: str
    """`setup` for the setting of a key."""
    backend: str
    message_bytes: int | None
    lanes: int
    """Packets of the call."""
    instructions: int = 0
    own_instructions: int | None = None
    """The same call of the engine's own build, where that was counted."""
    ratio: float | None = None
    """`instructions` over `own_instructions`: 1 where both compilers made the same code."""
    parts: list[Part] = []
    """The largest first."""
    error: str | None = None


def broken_down(counted: Counted) -> Breakdown:
    """A call by its parts."""
    own = counted.own_instructions
    return Breakdown(
        algorithm=counted.algorithm,
        operation=counted.operation,
        backend=counted.backend,
        message_bytes=counted.message_bytes,
        lanes=counted.lanes,
        instructions=counted.instructions,
        own_instructions=own,
        ratio=counted.instructions / own if own and counted.error is None else None,
        parts=_parts(counted),
        error=counted.error,
    )


def _parts(counted: Counted) -> list[Part]:
    sums: Counter[str] = Counter()
    for place, instructions in counted.places.items():
        sums[_part(place, counted.operation)] += instructions
    return [_figures(part, sums[part], counted) for part, _ in sums.most_common()]


def _part(place: Place, operation: str) -> str:
    if place.of in _OUTSIDE:
        return _OUTSIDE[place.of]
    return KEY_SCHEDULE if operation == "setup" else part_of(place.frames)


def _figures(part: str, instructions: int, counted: Counted) -> Part:
    per_packet = instructions / counted.lanes
    return Part(
        part=part,
        instructions=instructions,
        per_packet=per_packet,
        per_byte=per_packet / counted.message_bytes if counted.message_bytes else None,
        share=instructions / counted.instructions,
    )


def breakdown(engine: Engine, algorithms: Sequence[str], sizes: Sequence[int]) -> list[Breakdown]:
    """Where our kernels of these algorithms spend their instructions, at these sizes.

    Raises `WorkError` where there is no compiler, and where no kernel has an algorithm.
    """
    from ciphermark.measure.breakdown import count

    return [broken_down(counted) for counted in count(engine, algorithms, sizes)]


EXACT_FROM = 100
"""Instructions of a packet from which on no decimals are shown."""

EXPLANATION = (
    "Instructions executed, counted one by one; those of a part are without those of other parts "
    "that it calls. An instruction that looks up and adds at once counts where the compiler says. "
    "“call” is the engine's way to the function."
)


def print_breakdown(console: Console, breakdowns: Iterable[Breakdown]) -> None:
    """Prints a table for each call that was counted, what was not, and how to read them."""
    calls = list(breakdowns)
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
    compared = [
        (call, own, ratio)
        for call in calls
        if (ratio := call.ratio) is not None and (own := call.own_instructions) is not None
    ]
    differing = [it for it in compared if it[0].instructions != it[1]]
    for call, own, ratio in differing:
        yield (
            f"{call.algorithm} {call.operation}, {call.backend}: the engine's own build executes "
            f"{figures.grouped(own)} instructions ({figures.times(ratio)})"
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
