"""How functions are called, as people type it."""

from __future__ import annotations

import pytest

from ciphermark.errors import UsageError
from ciphermark.plan import manner
from ciphermark.plan.manner import Manner, Manners
from lent_engine import all_algorithms


def read(**typed: str) -> Manners:
    return manner.from_options(
        *(typed.get(name) for name in ("pattern", "chunk", "lanes", "keys", "buffers"))
    )


def test_nothing_typed_is_the_usual_way() -> None:
    assert read().all() == [Manner()]


def test_lists_are_crossed() -> None:
    found = read(pattern="one-shot,reused-key", keys="1,1_000", buffers="all").all()
    assert len(found) == 6
    assert found[0] == Manner(pattern="one-shot")
    assert Manner(keys=1000, buffers="stream") in found
    assert Manner(keys=1000, pattern="one-shot") not in found


def test_chunks_are_whole_blocks() -> None:
    [manner] = read(pattern="incremental", chunk="20").all()
    assert [manner.in_blocks(block).chunk_bytes for block in (1, 8, 16)] == [20, 24, 32]
    assert Manner().in_blocks(16) == Manner()


def test_what_has_no_key_is_not_called_with_another() -> None:
    by_name = {it.name: it for it in all_algorithms()}
    [rekeyed] = read(pattern="rekeyed").all()
    assert rekeyed.has("mac", by_name["hmac-sha256"])
    assert not rekeyed.has("setup", by_name["hmac-sha256"])
    assert not rekeyed.has("digest", by_name["sha256"])
    assert not Manner(keys=9).has("digest", by_name["sha256"])
    assert Manner().has("setup", by_name["hmac-sha256"])


def test_chunks_belong_to_the_incremental_pattern_alone() -> None:
    found = read(pattern="all", chunk="128").all()
    assert [it.pattern for it in found if it.chunk_bytes is not None] == ["incremental"]
    assert [it.chunk_bytes for it in read(pattern="incremental").all()] == [64]


def test_lanes_patterns_and_keys_are_not_crossed() -> None:
    assert [(it.lanes, it.keys) for it in read(lanes="1,4", keys="1,9").all()] == [
        (1, 1),
        (1, 9),
        (4, 1),
    ]
    with pytest.raises(UsageError, match="leave out the others"):
        read(lanes="4", pattern="one-shot").all()


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ({"pattern": "oneshot"}, "no pattern 'oneshot'; near: one-shot"),
        ({"buffers": "cold"}, "no kind of buffers 'cold'"),
        ({"keys": "0"}, "--keys '0' is not a number from 1"),
        ({"keys": "many"}, "--keys 'many' is not a number"),
        ({"lanes": "1e9"}, "--lanes '1e9' is not a number from 1 to 1024"),
        ({"chunk": "-1"}, "--chunk '-1' is not a number"),
    ],
)
def test_what_is_none_is_refused_with_its_value(typed: dict[str, str], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        read(**typed)
