"""Which cases are measured when there are too many for a plan: whole layers, the same operation and
size of all implementations, so that what is left can be compared. The others are left out. Or none
is, and the engine measures the most telling layers first, and the others as far as its budget has
room.

The sizes that a cost card needs stay whatever else goes, of the sending operations: the smallest,
which tells the fixed cost, the largest, which tells that of a byte, and two between, by which a
line is known to be straight or not. Three sizes leave a line one degree of freedom, from which no
error can be told. So the receiving side, the key setup and further sizes make room first, and where
that is not enough there are more cases than wanted. No library and no algorithm is left out: which
of them are slow is what is asked.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from ciphermark import contract

RECEIVING = {"open", "decrypt", "verify"}

BETWEEN = 2
"""Sizes between the smallest and the largest that a cost card needs."""


class Trimmed(msgspec.Struct):
    cases: list[contract.Case]
    """Numbered from 0."""
    order: list[int] = []
    """Their numbers from the least telling one on: layer by layer, each by function."""
    notes: list[str] = []
    """What was left out, in a sentence."""


def trim(
    cases: list[contract.Case],
    sizes: list[int | str],
    limit: int,
    cost_cards: bool = True,
    all_optional: bool = False,
) -> Trimmed:
    """Keeps the layers that cost cards need, unless there are to be none, and of the others those
    that fit into `limit` cases: first sizes and sending operations first. Or all of them.

    A size is a number of bytes or the name of a profile.
    """
    needed = of_cost_card(sizes) if cost_cards else set()

    def trimmed(kept: list[contract.Case], notes: Sequence[str] = ()) -> Trimmed:
        ordered = sorted(kept, key=lambda it: _importance(it, sizes, needed))
        return Trimmed(kept, [case.case for case in reversed(ordered)], [*notes])

    if all_optional or len(cases) <= limit:
        return trimmed(cases)
    layers: dict[int, list[contract.Case]] = {}
    for case in cases:
        layers.setdefault(_rank(case, sizes), []).append(case)
    kept: set[int] = set()
    sizes_kept: set[int | str | None] = {None}
    for rank in sorted(layers, key=lambda it: _importance(layers[it][0], sizes, needed)):
        layer = layers[rank]
        size, receiving = _size(layer[0]), layer[0].operation in RECEIVING
        fits = not kept or len(kept) + len(layer) <= limit or _is_needed(layer[0], needed)
        if fits and (size in sizes_kept or not receiving):
            kept.update(case.case for case in layer)
            sizes_kept.add(size)
    left = [case for case in cases if case.case in kept]
    if len(left) == len(cases):
        return trimmed(cases)
    numbered = [msgspec.structs.replace(case, case=number) for number, case in enumerate(left)]
    return trimmed(numbered, [_note(numbered, cases, limit)])


def of_cost_card(sizes: list[int | str]) -> set[int | str]:
    """The sizes that a cost card needs, of those of a plan, the most telling of which come first;
    all where they are not more."""
    lengths = [size for size in sizes if isinstance(size, int)]
    if not lengths:
        return set()
    ends = {min(lengths), max(lengths)}
    between = [size for size in lengths if size not in ends][:BETWEEN]
    return {*ends, *between}


def _is_needed(case: contract.Case, needed: set[int | str]) -> bool:
    return case.operation not in RECEIVING and case.message_bytes in needed and not case.profile


def _importance(
    case: contract.Case, sizes: list[int | str], needed: set[int | str]
) -> tuple[bool, int]:
    """The smaller, the more a case tells."""
    return not _is_needed(case, needed), _rank(case, sizes)


def _size(case: contract.Case) -> int | str | None:
    return case.profile or case.message_bytes


def _rank(case: contract.Case, sizes: list[int | str]) -> int:
    """The place of a case's layer: a receiving side comes when two sizes of the sending side are
    there, the key setup after that."""
    if case.operation == "setup":
        return 11
    size = _size(case)
    assert size is not None
    place = 4 * sizes.index(size)
    return place + 9 if case.operation in RECEIVING else place


def _note(kept: list[contract.Case], cases: list[contract.Case], limit: int) -> str:
    return (
        f"{len(kept)} of {len(cases)} cases are measured ({_why(len(kept), limit)}): "
        f"{_what(kept)}; left out: {_left_out(kept, cases)}; for more name --algorithms, "
        "--providers, --operations or --sizes, or give --all"
    )


def _why(kept: int, limit: int) -> str:
    if kept <= limit:
        return f"at most {limit}"
    return f"more than {limit} only for the sizes that cost cards need"


def _what(cases: list[contract.Case]) -> str:
    """`seal, open at 64, 1024 bytes`."""
    operations = ", ".join(dict.fromkeys(case.operation for case in cases))
    where = _sizes(cases)
    return f"{operations} at {where}" if where else operations


def _sizes(cases: list[contract.Case]) -> str:
    sizes = sorted({it.message_bytes for it in cases if it.message_bytes is not None})
    profiles = dict.fromkeys(case.profile for case in cases if case.profile is not None)
    messages = [f"{', '.join(map(str, sizes))} bytes"] * bool(sizes) + list(profiles)
    return ", ".join(messages)


def _left_out(kept: list[contract.Case], cases: list[contract.Case]) -> str:
    """Whole sizes, and then the operations that are missing at the others."""
    measured = {_size(case) for case in kept}
    sizes = [it for it in cases if _size(it) is not None and _size(it) not in measured]
    layers = {(case.operation, _size(case)) for case in kept}
    others = [
        case
        for case in cases
        if (_size(case) is None or _size(case) in measured)
        and (case.operation, _size(case)) not in layers
    ]
    return "; ".join(filter(None, [_sizes(sizes), _what(others)]))
