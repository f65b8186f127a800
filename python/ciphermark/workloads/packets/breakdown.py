"""Where a kernel spends its instructions: parts of an algorithm, of calls that were counted.

An instruction is of the part of the innermost function that has one here: helpers without a part,
such as rotations, count to whoever they were inlined into. What has no part at all is of its own
function, so that kernels of which nothing stands here are broken down all the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import msgspec
from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from ciphermark.measure.breakdown import QUEUE, Counted, Frame, Place
from ciphermark.show import figures
from ciphermark.show.tables import Column, print_groups

if TYPE_CHECKING:
    from ciphermark.measure.engine import Engine


KEY_SCHEDULE = "key schedule"
MODE = "mode"
COPY = "copy"
"""Words from bytes and back: messages, keystream, and blocks between cipher and mode."""

_OTHER = "other"
"""Jumps between libraries, which have no line in the source."""


class _Rule(NamedTuple):
    """Functions of files whose names begin so."""

    part: str
    files: tuple[str, ...]
    functions: frozenset[str] | None = None
    """None for all."""


def _rule(part: str, files: str, functions: str | None = None) -> _Rule:
    named = None if functions is None else frozenset(functions.split())
    return _Rule(part, tuple(files.split()), named)


_KASUMI = "reference/kasumi portable/kasumi x86/kasumi arm/kasumi lanes/kasumi"
_SNOW3G = "reference/snow3g portable/snow3g x86/snow3g arm/snow3g lanes/snow3g"
_ZUC = "reference/zuc portable/zuc x86/zuc arm/zuc lanes/zuc"
_AES = "reference/aes portable/aes x86/aes arm/aes universal/aes"

_MOVES = (
    "load_le16 load_be16 load_le32 load_be32 load_le64 load_be64 store_le16 store_be16 "
    "store_le32 store_be32 store_le64 store_be64 xor_bytes"
)

_RULES = (
    _rule("S7", _KASUMI, "s7 first_s7 second_s7 kasumi_s7_first kasumi_s7_second"),
    _rule("S9", _KASUMI, "s9 first_s9 second_s9 kasumi_s9_first kasumi_s9_second"),
    _rule("S7 and S9", _KASUMI, "first_step second_step"),
    _rule("FI", _KASUMI, "fi"),
    _rule("FO", _KASUMI, "fo first_fi second_fi third_fi"),
    _rule("FL", _KASUMI, "fl fl_sum fl_left fl_right add_fl"),
    _rule(
        "rounds",
        _KASUMI,
        "f odd_round even_round sum encrypt_block decrypt_block encrypt decrypt begin_round "
        "end_round one_round encrypt_together encrypt_groups add_halves",
    ),
    _rule(
        KEY_SCHEDULE,
        f"{_KASUMI} lanes/key_lanes lanes/byte_blocks lanes/plane_blocks",
        "ciphermark_kasumi_set_key set_key set_lane_keys modify_lane_keys complete_lane_keys "
        "load_lane_keys load_one_key load_keys start_keys",
    ),
    _rule("LFSR", f"{_SNOW3G} {_ZUC}", "clock_lfsr fed_back times_each add"),
    _rule("FSM", _SNOW3G, "clock_fsm"),
    _rule("S-boxes", f"{_SNOW3G} {_ZUC}", "substitute"),
    _rule("F", _ZUC, "f l1 l2"),
    _rule("bit reorganisation", _ZUC, "high_low low_high"),
    _rule("initialisation", f"{_SNOW3G} {_ZUC}", "start load initial"),
    _rule("keystream", f"{_SNOW3G} {_ZUC}", "generate next"),
    _rule("keystream", "portable/stream_run.h"),
    _rule(
        "polynomial", f"{_SNOW3G} x86/pclmulqdq", "evaluate multiply_out product times_x multiply"
    ),
    _rule("universal hash", _ZUC, "sum windows"),
    _rule("S-box and rows", _AES, "substitute_and_shift unshift_and_substitute"),
    _rule("columns", _AES, "mix_columns unmix_columns times_x"),
    _rule("table look-ups", _AES, "look_up look_up_last"),
    _rule("rounds", _AES, "encrypt_block decrypt_block encrypt decrypt add_key"),
    _rule(COPY, "common/words.h", _MOVES),
    _rule(COPY, "common/part.h"),
    _rule(COPY, _KASUMI, "load_half store_block joined"),
    _rule(COPY, _AES, "load_block store_block"),
    _rule(COPY, "lanes/transpose lanes/byte_blocks lanes/plane_blocks lanes/lane_texts"),
    _rule(COPY, "lanes/encrypt_lanes.h", "encrypt_end encrypt_ends"),
    _rule(MODE, "modes/ lanes/f8 lanes/f9 lanes/uea2 lanes/uia2 lanes/eea3 lanes/key_lanes"),
    _rule("lanes", "lanes/"),
)


def part_of(frames: Iterable[Frame]) -> str:
    """The part of an instruction, by its function and those that it was inlined into."""
    named = ""
    for frame in frames:
        for rule in _RULES:
            if frame.file.startswith(rule.files) and _has(rule, frame.function):
                return rule.part
        named = frame.function
    return named or _OTHER


def _has(rule: _Rule, function: str) -> bool:
    return rule.functions is None or function in rule.functions


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
    "Instructions executed, counted one by one; a part excludes the parts that it calls. An "
    "instruction that looks up and adds at once belongs to the part that the compiler names. "
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
