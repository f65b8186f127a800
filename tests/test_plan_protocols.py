"""Protocols: what they add to a frame, held against what their specifications say."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ciphermark.answers.protocols import protocols
from ciphermark.answers.protocols.protocols import Protocol
from ciphermark.errors import UsageError

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
    assert {the(name).plain_bytes(0) for name in ("snep", "tinysec-auth", "tinysec-ae")} == {7}


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
    assert len({it.name for it in EVERY}) == len(EVERY) == 12
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
