"""Protocols: what they add to a frame, held against what their specifications say.

And what they pass through their block ciphers, counted by hand.
"""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ciphermark.answers.protocols import protocols
from ciphermark.answers.protocols.protocols import Protocol, Side, Work, works
from ciphermark.errors import UsageError
from lent_engine import all_algorithms

EVERY = protocols.protocols()


def the(name: str) -> Protocol:
    [protocol] = protocols.named(name)
    return protocol


def added(protocol: Protocol, payload_bytes: int = 24) -> int:
    return protocol.secured_bytes(payload_bytes) - protocol.plain_bytes(payload_bytes)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("snep", 8),  # SPINS, section 5.1
        ("mutesla", 8 + 8),  # the tag, and the key of the interval before
        ("tinysec-auth", 1),  # TinySec, figure 2
        ("tinysec-ae", 5),
        # Security control, frame counter and key index, and the tag.
        ("802.15.4-mic-32", 6 + 4),
        ("802.15.4-mic-64", 6 + 8),
        ("802.15.4-mic-128", 6 + 16),
        ("802.15.4-enc", 6),
        ("802.15.4-enc-mic-32", 6 + 4),
        ("802.15.4-enc-mic-64", 6 + 8),
        ("802.15.4-enc-mic-128", 6 + 16),
        ("lorawan", 4),
    ],
)
def test_a_frame_grows_by_what_the_specification_says(name: str, expected: int) -> None:
    assert added(the(name)) == expected


@pytest.mark.parametrize(
    ("name", "secured"), [("tinysec-auth", 8), ("tinysec-ae", 12), ("lorawan", 13)]
)
def test_a_frame_has_the_header_that_the_specification_says(name: str, secured: int) -> None:
    """TinySec, figure 2, with the MAC; LoRaWAN 1.0.3, MHDR to FPort and MIC."""
    assert the(name).secured_bytes(20) - 20 == secured


def test_a_frame_of_tinyos_has_7_bytes_around_its_data() -> None:
    tinyos = ("snep", "mutesla", "tinysec-auth", "tinysec-ae")
    assert {the(name).plain_bytes(0) for name in tinyos} == {7}


def test_a_key_of_the_chain_is_set_up_for_each_message_and_checked_by_who_receives_it() -> None:
    passes = {
        side: [(it.mode, it.message_bytes) for it in works(the("mutesla"), 24, side)]
        for side in ("send", "receive")
    }
    assert passes["send"] == [("setup", None), ("cbc-mac", 24)]
    assert passes["receive"] == [("setup", None), ("ecb", 8), ("cbc-mac", 24)]


def test_oscore_adds_what_the_vector_of_its_rfc_adds() -> None:
    """RFC 8613, appendix C.4: 22 bytes become 35, with an option value of two bytes (flags and
    Partial IV) and no kid; ours has a kid and one more byte of the Partial IV."""
    protocol = the("oscore")
    fields = [
        msgspec.structs.replace(it, bytes=it.bytes - 2 * (it.name == "OSCORE option"))
        for it in protocol.fields
    ]
    assert added(msgspec.structs.replace(protocol, fields=fields)) == 35 - 22


def test_names_are_unique_and_status_is_explained() -> None:
    assert len({it.name for it in EVERY}) == len(EVERY) == 13
    for it in EVERY:
        assert it.status_reason.endswith("."), it.name
        assert it.specification, it.name


def test_the_seven_levels_of_802_15_4_are_there() -> None:
    levels = protocols.named("802.15.4-*")
    assert [(it.encrypts, it.tag_bytes) for it in levels] == [
        *((False, 4), (False, 8), (False, 16)),
        *((True, 0), (True, 4), (True, 8), (True, 16)),
    ]


def test_lists_patterns_and_all_are_names() -> None:
    assert [it.name for it in protocols.named("tinysec-*,snep")] == [
        *("tinysec-auth", "tinysec-ae", "snep"),
    ]
    assert protocols.named("all") == list(EVERY)


@pytest.mark.parametrize("text", ["zigbee", "zig*", "tinysec"])
def test_an_unknown_name_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="protocol"):
        protocols.named(text)


@given(st.sampled_from(EVERY), st.integers(0, 120))
def test_a_longer_payload_makes_no_shorter_frame(protocol: Protocol, payload: int) -> None:
    assert protocol.secured_bytes(payload + 1) >= protocol.secured_bytes(payload)
    assert added(protocol, payload) >= 0


@pytest.mark.parametrize(("payload", "body"), [(0, 0), (1, 8), (7, 8), (8, 8), (9, 9)])
def test_stealing_ciphertext_needs_a_block(payload: int, body: int) -> None:
    assert the("tinysec-ae").body_bytes(payload) == body
    assert the("tinysec-auth").body_bytes(payload) == payload


def blocks(name: str, payload_bytes: int, side: Side = "send") -> dict[str, int]:
    return {it.mode: it.blocks for it in works(the(name), payload_bytes, side)}


@pytest.mark.parametrize(
    ("name", "payload", "expected"),
    [
        # 3 blocks of payload; the counter's block before them in the MAC.
        ("snep", 24, {"ctr": 3, "cbc-mac": 4}),
        ("snep", 25, {"ctr": 4, "cbc-mac": 5}),
        # The length's block, and 4 bytes of header with 24 of payload.
        ("tinysec-auth", 24, {"cbc-mac": 1 + 4}),
        # The initial vector; the length's block, and 8 bytes of header with 24 of payload.
        ("tinysec-ae", 24, {"ecb": 1, "cbc": 3, "cbc-mac": 1 + 4}),
        ("tinysec-ae", 3, {"ecb": 1, "cbc": 1, "cbc-mac": 1 + 2}),
        ("tinysec-ae", 0, {"cbc-mac": 1 + 1}),
        # A_0; B_0, and 2 bytes of length with a header of 9 + 6 bytes and the payload.
        ("802.15.4-mic-32", 24, {"ctr": 1, "cbc-mac": 1 + 3}),
        ("802.15.4-enc", 24, {"ctr": 2}),
        ("802.15.4-enc", 0, {}),
        # A_0 and the payload; B_0, 2 + 15 bytes, the payload.
        ("802.15.4-enc-mic-64", 24, {"ctr": 1 + 2, "cbc-mac": 1 + 2 + 2}),
        ("802.15.4-enc-mic-64", 0, {"ctr": 1, "cbc-mac": 1 + 2}),
        # k = ceil(24 / 16); the CMAC is over B0, 9 bytes of header, and the payload.
        ("lorawan", 24, {"ctr": 2, "cmac": 4}),
        ("lorawan", 7, {"ctr": 1, "cmac": 2}),
        # A_0 and code, path, marker and payload, 31 bytes; B_0, 2 + 22 bytes, the 31 bytes.
        ("oscore", 24, {"ctr": 1 + 2, "cbc-mac": 1 + 2 + 2}),
    ],
)
def test_blocks(name: str, payload: int, expected: dict[str, int]) -> None:
    assert blocks(name, payload) == expected


def test_both_sides_make_the_same_tag_and_a_receiver_decrypts() -> None:
    send, receive = (works(the("tinysec-ae"), 24, side) for side in ("send", "receive"))
    assert [it.mode for it in send] == [it.mode for it in receive] == ["ecb", "cbc", "cbc-mac"]
    assert (send[0], send[2]) == (receive[0], receive[2])
    assert receive[1].functions[0] == ("rc5-32-12-8-cbc", "decrypt")
    assert send[1].functions[0] == ("rc5-32-12-8-cbc", "encrypt")


def test_the_mode_itself_is_asked_first_and_the_bare_cipher_last() -> None:
    ctr, cmac = works(the("lorawan"), 24, "receive")
    assert ctr.functions == (("aes-128-ctr", "encrypt"), ("aes-128-ecb", "encrypt"))
    assert cmac.functions[0] == ("cmac-aes-128", "mac")
    assert cmac.functions[-1] == ("aes-128-ecb", "encrypt")
    assert cmac.message_bytes == 64


@pytest.mark.parametrize("protocol", EVERY, ids=lambda it: it.name)
def test_the_bare_cipher_is_an_algorithm_that_there_is(protocol: Protocol) -> None:
    there = {it.name for it in all_algorithms()}
    for side in ("send", "receive"):
        for work in works(protocol, 24, side):
            assert work.functions[-1][0] in there


def _total(done: list[Work]) -> int:
    return sum(it.blocks for it in done)


@given(st.sampled_from(EVERY), st.integers(0, 100), st.sampled_from(["send", "receive"]))
def test_a_longer_payload_takes_no_fewer_blocks(
    protocol: Protocol, payload: int, side: Side
) -> None:
    assert _total(works(protocol, payload + 1, side)) >= _total(works(protocol, payload, side))


@given(st.integers(0, 80))
def test_encrypting_too_takes_more_blocks(payload: int) -> None:
    both, mac_only, encryption_only = (
        _total(works(the(f"802.15.4-{level}"), payload, "send"))
        for level in ("enc-mic-64", "mic-64", "enc")
    )
    assert both >= max(mac_only, encryption_only)
