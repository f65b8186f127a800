"""How functions are called, as people type it."""

from __future__ import annotations

import msgspec
import pytest

from ciphermark import contract
from ciphermark.errors import UsageError
from ciphermark.plan import manner
from ciphermark.plan.manner import Manner, Manners
from lent_engine import all_algorithms

IMPLEMENTATION = contract.Implementation(
    algorithm="any",
    provider="any",
    backend="default",
    default=True,
    backend_evidence="unknown",
    operations=[],
    most_lanes=256,
)


def facts(name: str) -> contract.Algorithm:
    return next(it for it in all_algorithms() if it.name == name)


def read(**typed: str) -> Manners:
    found = manner.from_options(
        *(typed.get(name) for name in ("pattern", "chunk", "lanes", "keys", "buffers", "after"))
    )
    return Manners() if found is None else found


def test_nothing_typed_leaves_it_to_the_plan() -> None:
    assert manner.from_options(None, None, None, None, None) is None


def test_the_usual_way_is_one() -> None:
    assert read().all() == [Manner()]


def test_lists_are_crossed() -> None:
    found = read(pattern="one-shot,reused-key", keys="1,1_000", buffers="all").all()
    assert len(found) == 12
    assert found[0] == Manner(pattern="one-shot")
    assert Manner(keys=1000, buffers="stream") in found
    assert Manner(keys=1000, pattern="one-shot") not in found


def test_chunks_are_whole_blocks() -> None:
    [manner] = read(pattern="incremental", chunk="20").all()
    chunks = [
        manner.called(IMPLEMENTATION, facts(name)).chunk_bytes
        for name in ("hmac-sha256", "uea1", "aes-128-cbc")
    ]
    assert chunks == [20, 20, 32]
    assert Manner().called(IMPLEMENTATION, facts("aes-128-cbc")) == Manner()


def test_what_has_no_key_is_not_called_with_another() -> None:
    [rekeyed] = read(pattern="rekeyed").all()
    assert rekeyed.has("mac", facts("hmac-sha256"))
    assert not rekeyed.has("setup", facts("hmac-sha256"))
    assert not rekeyed.has("digest", facts("sha256"))
    assert not Manner(keys=9).has("digest", facts("sha256"))
    assert Manner().has("setup", facts("hmac-sha256"))
    [lanes] = read(lanes="4").all()
    assert lanes.called(IMPLEMENTATION, facts("sha256")).has("digest", facts("sha256"))


def test_chunks_belong_to_the_incremental_pattern_alone() -> None:
    found = read(pattern="all", chunk="128").all()
    assert [it.pattern for it in found if it.chunk_bytes is not None] == ["incremental"]
    assert [it.chunk_bytes for it in read(pattern="incremental").all()] == [64]


def test_buffers_repeat_in_chunks_only() -> None:
    found = read(pattern="reused-key,incremental", buffers="hot,repeated", chunk="4096").all()
    assert [(it.pattern, it.chunk_bytes, it.buffers) for it in found] == [
        ("reused-key", None, "hot"),
        ("incremental", 4096, "hot"),
        ("incremental", 4096, "repeated"),
    ]
    every_kind = {it.buffers for it in read(buffers="all").all()}
    assert every_kind == {"hot", "l2", "stream", "cold"}
    every = read(pattern="all", buffers="all").all()
    assert [it.pattern for it in every if it.buffers == "repeated"] == ["incremental"]


def test_a_key_is_set_in_hot_and_in_cold_caches() -> None:
    found = read(buffers="hot,l2,stream,cold").all()
    has_setup = [it.buffers for it in found if it.has("setup", facts("aes-128-gcm"))]
    assert has_setup == ["hot", "cold"]
    assert not Manner(buffers="cold", pattern="rekeyed").has("setup", facts("aes-128-gcm"))


def test_sessions_have_fewer_kinds_of_buffers() -> None:
    options = (None, None, None, None)
    found = manner.from_options(*options, "all", kinds=manner.OF_SESSIONS)
    assert found is not None and found.buffers == ("hot", "stream")
    with pytest.raises(UsageError, match="no kind of buffers 'cold'"):
        manner.from_options(*options, "cold", kinds=manner.OF_SESSIONS)


def test_what_cannot_be_given_repeated_chunks_lacks_them() -> None:
    [repeated] = read(pattern="incremental", buffers="repeated").all()
    able = msgspec.structs.replace(IMPLEMENTATION, patterns=["incremental"], takes_repeats=True)
    assert repeated.lacking(able) is None
    assert repeated.has("mac", facts("hmac-sha256"))
    assert not repeated.has("setup", facts("hmac-sha256"))
    unable = msgspec.structs.replace(able, takes_repeats=False)
    assert "buffers that repeat" in (repeated.lacking(unable) or "")


def test_lanes_patterns_and_keys_are_not_crossed() -> None:
    assert [(it.lanes, it.keys) for it in read(lanes="1,4", keys="1,9").all()] == [
        (1, 1),
        (1, 9),
        (4, 1),
    ]


def test_what_comes_after_another_function_is_measured_alone_too() -> None:
    found = read(after="sha256,aes-128-gcm").all()
    assert found == [Manner(), Manner(after="sha256"), Manner(after="aes-128-gcm")]
    assert not Manner(after="sha256").has("setup", facts("aes-128-gcm"))
    assert Manner(after="sha256") in read(after="sha256", lanes="1,8").all()


def test_lanes_have_a_key_each_unless_told_otherwise() -> None:
    def keys(name: str, **typed: str) -> list[tuple[int | None, int | None]]:
        called = [it.called(IMPLEMENTATION, facts(name)) for it in read(**typed).all()]
        return [(it.lanes, it.keys) for it in called]

    assert keys("uea1", lanes="1,192") == [(1, 1), (192, 192)]
    assert keys("uea1", lanes="192", keys="1,64") == [(192, 1), (192, 64)]
    assert keys("sha256", lanes="192") == [(192, 1)], "what has no key"


def test_all_lanes_are_as_many_as_an_implementation_takes() -> None:
    [every] = read(lanes="all").all()
    many = msgspec.structs.replace(IMPLEMENTATION, most_lanes=2**32 - 1)
    assert every.called(IMPLEMENTATION, facts("uea1")).lanes == 256
    assert every.called(many, facts("uea1")).lanes == 4096
    alone = msgspec.structs.replace(IMPLEMENTATION, most_lanes=1)
    assert every.lacking(alone) == "several lanes"
    assert every.lacking(IMPLEMENTATION) is None
    [under_three] = read(lanes="all", keys="3").all()
    assert under_three.lacking(IMPLEMENTATION) == "a number of lanes that 3 divides"
