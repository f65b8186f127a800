"""What a protocol passes through its block cipher to secure a message."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import msgspec

from ciphermark.answers.models.block_fit import Function
from ciphermark.answers.protocols.protocols import Protocol

Side = Literal["send", "receive"]

Mode = Literal["ecb", "ctr", "cbc", "cbc-mac", "cmac"]


class Work(msgspec.Struct, kw_only=True, frozen=True):
    """One pass of a mode of operation over whole blocks."""

    mode: Mode
    blocks: int
    block_bytes: int
    functions: tuple[Function, ...]
    """Those whose cost this is, the most exact first. What follows lacks
    some of the mode's own work: combining blocks, counting."""

    @property
    def message_bytes(self) -> int:
        """Of all blocks."""
        return self.blocks * self.block_bytes


def works(protocol: Protocol, payload_bytes: int, side: Side) -> list[Work]:
    """The passes for one message, of which the tag's is the same on both sides."""
    return [
        Work(
            mode=mode,
            blocks=blocks,
            block_bytes=protocol.block_bytes,
            functions=_functions(protocol.cipher, mode, side),
        )
        for mode, blocks in _passes(protocol, payload_bytes)
        if blocks
    ]


def _passes(protocol: Protocol, payload_bytes: int) -> Iterator[tuple[Mode, int]]:
    """Modes with their blocks."""
    authenticated = protocol.protected_bytes("authenticated")
    body = protocol.body_bytes(payload_bytes) + protocol.protected_bytes("encrypted")
    encrypted = body if protocol.encrypts else 0
    size = protocol.block_bytes
    if protocol.construction == "ccm":
        yield from _ccm(protocol.tag_bytes, authenticated + body - encrypted, encrypted, size)
    elif protocol.construction == "cbc-cbc-mac":
        # The initial vector counts up, so both sides encrypt it before they use it.
        yield "ecb", int(encrypted > 0)
        yield "cbc", _blocks(encrypted, size)
        yield "cbc-mac", _blocks(authenticated + body, size)
    else:
        yield "ctr", _blocks(encrypted, size)
        mac: Mode = "cmac" if protocol.construction == "ctr-cmac" else "cbc-mac"
        yield mac, _blocks(authenticated + body, size)


def _ccm(tag: int, authenticated: int, encrypted: int, size: int) -> Iterator[tuple[Mode, int]]:
    """CCM (RFC 3610, section 2) and CCM* (IEEE 802.15.4-2006, annex B), which may lack a tag.

    The CBC-MAC begins with block B_0 and the length of what is only authenticated, two bytes; the
    tag is encrypted with counter block A_0.
    """
    yield "ctr", int(tag > 0) + _blocks(encrypted, size)
    if tag:
        header = _blocks(2 + authenticated, size) if authenticated else 0
        yield "cbc-mac", 1 + header + _blocks(encrypted, size)


def _blocks(message_bytes: int, size: int) -> int:
    return -(-message_bytes // size)


def _functions(cipher: str, mode: Mode, side: Side) -> tuple[Function, ...]:
    """CBC that encrypts does the work of a CBC-MAC, and that of a CMAC but for its last block."""
    ecb, cbc = Function(f"{cipher}-ecb", "encrypt"), Function(f"{cipher}-cbc", "encrypt")
    if mode == "ecb":
        return (ecb,)
    if mode == "ctr":
        return Function(f"{cipher}-ctr", "encrypt"), ecb
    if mode == "cbc" and side == "receive":
        return Function(f"{cipher}-cbc", "decrypt"), Function(f"{cipher}-ecb", "decrypt")
    if mode == "cbc":
        return cbc, ecb
    cbc_mac = Function(f"cbc-mac-{cipher}", "mac")
    if mode == "cbc-mac":
        return cbc_mac, cbc, ecb
    return Function(f"cmac-{cipher}", "mac"), cbc_mac, cbc, ecb
