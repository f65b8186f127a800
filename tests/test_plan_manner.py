"""How functions are called, as people type it."""

from __future__ import annotations

import pytest

from ciphermark.errors import UsageError
from ciphermark.plan import manner
from ciphermark.plan.manner import Manner, Manners


def read(**typed: str) -> Manners:
    return manner.from_options(
        *(typed.get(name) for name in ("pattern", "chunk", "lanes", "keys", "buffers"))
    )


def test_nothing_typed_is_the_usual_way() -> None:
    assert read().all() == [Manner()]


def test_lists_are_crossed() -> None:
    found = read(pattern="one-shot,reused-key", keys="1,1_000", buffers="all").all()
    assert len(found) == 8
    assert found[0] == Manner(pattern="one-shot")
    assert Manner(keys=1000, buffers="stream") in found


def test_chunks_belong_to_the_incremental_pattern_alone() -> None:
    found = read(pattern="all", chunk="128").all()
    assert [it.pattern for it in found if it.chunk_bytes is not None] == ["incremental"]
    assert [it.chunk_bytes for it in read(pattern="incremental").all()] == [64]


def test_lanes_are_measured_in_the_usual_way_only() -> None:
    assert [(it.lanes, it.keys) for it in read(lanes="1,4", keys="1,9").all()] == [
        (1, 1),
        (1, 9),
        (4, 1),
    ]
    with pytest.raises(UsageError, match="leave out --pattern"):
        read(lanes="4", pattern="one-shot").all()


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ({"pattern": "oneshot"}, "no pattern 'oneshot'; near: one-shot"),
        ({"buffers": "cold"}, "no kind of buffers 'cold'"),
        ({"keys": "0"}, "--keys '0' is not a number from 1"),
        ({"keys": "many"}, "--keys 'many' is not a number"),
        ({"lanes": "1e9"}, "--lanes '1e9' is not a number from 1 to 4096"),
        ({"chunk": "-1"}, "--chunk '-1' is not a number"),
    ],
)
def test_what_is_none_is_refused_with_its_value(typed: dict[str, str], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        read(**typed)
