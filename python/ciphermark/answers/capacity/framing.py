"""What a packet becomes on the wire, and what does not fit.

wire bytes = outer + header + iv + ceil((n + trailer) / pad) · pad + icv. The protocol tells what
carries that: datagrams of IP, which go as fragments where they are longer than the link's MTU, each
with an IP header of its own (RFC 791, 3.2); a stream of TCP segments that are taken to be full; a
frame of Ethernet; or a radio bearer, whose own bytes nobody counts here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from ciphermark import contract
    from ciphermark.plan.profile import Profile

ETHERNET_ON_WIRE_BYTES = 38
"""Preamble and start 8, addresses and type 14, check sequence 4, gap 12: IEEE 802.3, clauses 3 and
4.4.2."""

SHORTEST_ETHERNET_BYTES = 46
"""A shorter packet is filled up: IEEE 802.3, 3.2.8 (64 less 18)."""

IP_HEADER_BYTES = 20
"""Of IPv4 without options: RFC 791, 3.1."""

TCP_HEADER_BYTES = 20
"""Without options: RFC 9293, 3.1."""

STREAMS = ("tls13", "ssh")
"""Protocols whose records are bytes of a TCP connection."""

FRAMES = ("macsec",)
"""Protocols of Ethernet itself, whose framing has the type of two bytes that frames have anyway."""

ETHERNET_TYPE_BYTES = 2

FRAGMENT_STEP_BYTES = 8
"""What all fragments but the last are multiples of: RFC 791, 3.1."""

DEFAULT_MTU_BYTES = 1500
"""Of Ethernet: IEEE 802.3, 3.2.7."""


class OnWire(msgspec.Struct, frozen=True, kw_only=True):
    """What becomes of a mix of packets."""

    mtu_bytes: int
    payload_bytes: float
    """Mean of a packet."""
    packet_bytes: float
    """Mean of what is sent for it: all protocol headers, and those of fragments."""
    link_bytes: float
    """The same with what Ethernet adds; as before where it is not Ethernet that carries it."""
    fragmented_share: float
    """Of the packets: those that go as several."""
    largest_bytes: int | None
    """The largest packet that goes as one; None where packets do not become packets."""


def on_wire(suite: contract.Suite, profile: Profile, mtu_bytes: int) -> OnWire:
    """The mix, protected in this way."""
    packet = link = fragmented = 0.0
    for length, share in profile.weighted():
        sent, on_link, pieces = _carried(suite, wire_bytes(suite.framing, length), mtu_bytes)
        packet += share * sent
        link += share * on_link
        fragmented += share * (pieces > 1)
    return OnWire(
        mtu_bytes=mtu_bytes,
        payload_bytes=profile.mean_bytes,
        packet_bytes=packet,
        link_bytes=link,
        fragmented_share=fragmented,
        largest_bytes=_largest(suite.framing, mtu_bytes) if suite.framing.outer_bytes else None,
    )


def _carried(suite: contract.Suite, sealed_bytes: int, mtu_bytes: int) -> tuple[float, float, int]:
    """Bytes with all headers, bytes on the link, and the number of fragments."""
    if suite.framing.outer_bytes:
        packets = fragments(sealed_bytes, mtu_bytes)
        return sum(packets), sum(map(_ethernet, packets)), len(packets)
    if suite.protocol in STREAMS:
        headers = IP_HEADER_BYTES + TCP_HEADER_BYTES
        segments = sealed_bytes / (mtu_bytes - headers)
        sent = sealed_bytes + headers * segments
        return sent, sent + ETHERNET_ON_WIRE_BYTES * segments, 1
    if suite.protocol in FRAMES:
        return sealed_bytes, _ethernet(sealed_bytes - ETHERNET_TYPE_BYTES), 1
    return sealed_bytes, sealed_bytes, 1


def _ethernet(packet_bytes: int) -> int:
    return max(packet_bytes, SHORTEST_ETHERNET_BYTES) + ETHERNET_ON_WIRE_BYTES


def wire_bytes(framing: contract.Framing, message_bytes: int) -> int:
    """Bytes of a protected packet."""
    around = framing.outer_bytes + framing.header_bytes + framing.iv_bytes + framing.icv_bytes
    return around + filled_bytes(framing, message_bytes)


def filled_bytes(framing: contract.Framing, message_bytes: int) -> int:
    """Bytes that are encrypted."""
    pad = framing.pad_to
    return -(-(message_bytes + framing.trailer_bytes) // pad) * pad


def fragments(packet_bytes: int, mtu_bytes: int) -> list[int]:
    """Bytes of each IPv4 packet that goes for one, itself where it fits."""
    if packet_bytes <= mtu_bytes:
        return [packet_bytes]
    left = packet_bytes - IP_HEADER_BYTES
    whole = (mtu_bytes - IP_HEADER_BYTES) // FRAGMENT_STEP_BYTES * FRAGMENT_STEP_BYTES
    full, rest = divmod(left, whole)
    if rest == 0:
        full, rest = full - 1, whole
    return [whole + IP_HEADER_BYTES] * full + [rest + IP_HEADER_BYTES]


def _largest(framing: contract.Framing, mtu_bytes: int) -> int | None:
    return next(
        (it for it in range(mtu_bytes, -1, -1) if wire_bytes(framing, it) <= mtu_bytes), None
    )
