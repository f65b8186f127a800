"""Which cases are measured when there are too many for a plan: whole layers, the same operation and
size of all implementations, so that what is left can be compared."""

from __future__ import annotations

import msgspec

from ciphermark.record import contract

RECEIVING = {"open", "decrypt", "verify"}


class Trimmed(msgspec.Struct):
    cases: list[contract.Case]
    """Numbered from 0."""
    notes: list[str]
    """What was left out, in a sentence."""


def trim(cases: list[contract.Case], sizes: list[int | str], limit: int) -> Trimmed:
    """Keeps the layers that fit into `limit` cases: first sizes and sending operations first.

    A size is a number of bytes or the name of a profile.
    """
    if len(cases) <= limit:
        return Trimmed(cases, [])
    layers: dict[int, list[contract.Case]] = {}
    for case in cases:
        layers.setdefault(_rank(case, sizes), []).append(case)
    kept: set[int] = set()
    sizes_kept: set[int | str | None] = {None}
    for rank in sorted(layers):
        layer = layers[rank]
        size, receiving = _size(layer[0]), layer[0].operation in RECEIVING
        fits = not kept or len(kept) + len(layer) <= limit
        if fits and (size in sizes_kept or not receiving):
            kept.update(case.case for case in layer)
            sizes_kept.add(size)
    left = [case for case in cases if case.case in kept]
    numbered = [msgspec.structs.replace(case, case=number) for number, case in enumerate(left)]
    return Trimmed(numbered, [_note(numbered, len(cases), limit)])


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


def _note(kept: list[contract.Case], all_cases: int, limit: int) -> str:
    operations = dict.fromkeys(case.operation for case in kept)
    sizes = sorted({case.message_bytes for case in kept if case.message_bytes is not None})
    profiles = dict.fromkeys(case.profile for case in kept if case.profile is not None)
    messages = [f"{', '.join(map(str, sizes))} bytes"] * bool(sizes) + list(profiles)
    return (
        f"{len(kept)} of {all_cases} cases, to stay within {limit}: "
        f"{', '.join(operations)} at {', '.join(messages)}; for more choose with "
        "--algorithms or --providers, name --operations and --sizes, or --all"
    )
