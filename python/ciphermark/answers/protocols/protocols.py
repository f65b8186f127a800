"""Protocols that secure messages: what of a frame they add, authenticate and encrypt (TOML).

And what they pass through their block cipher for a message.

A file describes one protocol, or several that differ in little (`variants`).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from ciphermark import contract
from ciphermark.answers.models.observations import Function
from ciphermark.files import toml_file
from ciphermark.plan import names
from ciphermark.plan.catalogue import Catalogue

Construction = Literal["ccm", "ctr-cbc-mac", "cbc-cbc-mac", "ctr-cmac", "cbc-mac-chain"]
"""How block cipher calls make up encryption and tag; see `works`."""


class Field(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """Some bytes of a frame beside payload and tag."""

    name: str
    bytes: Annotated[int, msgspec.Meta(ge=1)]
    present: Literal["always", "plain", "secured", "computed"] = "always"
    """`plain`: only in a frame without security. `computed`: never sent, both sides know it."""
    protected: Literal["no", "authenticated", "encrypted"] = "no"


class Protocol(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """One way to secure a message."""

    name: str
    title: str
    specification: str
    """Where the frame and the way of securing it are specified."""
    construction: Construction
    cipher: str
    """Of the names of its modes: `aes-128` of `aes-128-ctr` and `cbc-mac-aes-128`."""
    block_bytes: Literal[8, 16]
    key_bits: int
    tag_bytes: Annotated[int, msgspec.Meta(ge=0, le=16)]
    encrypts: bool = True
    """Whether the payload is."""
    keys: Annotated[int, msgspec.Meta(ge=1, le=16)] = 1
    """Schedules that a node keeps for one peer."""
    kept_messages: Annotated[int, msgspec.Meta(ge=0, le=1000)] = 0
    """That a receiver keeps until it can check them."""
    fields: list[Field]
    largest_payload_bytes: int | None = None
    """Where the specification limits it."""
    largest_frame_bytes: int | None = None
    status: contract.Status
    """What it is worth today, as of algorithms."""
    status_reason: str
    assumptions: list[str] = []
    """What the specification leaves open, and what is taken for it here."""

    @property
    def tagged_by(self) -> str:
        """The algorithm whose tag it is."""
        if self.construction == "ccm":
            return f"{self.cipher}-ccm"
        mac = "cmac" if self.construction == "ctr-cmac" else "cbc-mac"
        return f"{mac}-{self.cipher}"

    def plain_bytes(self, payload_bytes: int) -> int:
        """Of the frame without security."""
        return self._sent("plain") + payload_bytes

    def secured_bytes(self, payload_bytes: int) -> int:
        """Of the frame with security."""
        return self._sent("secured") + self.body_bytes(payload_bytes) + self.tag_bytes

    def body_bytes(self, payload_bytes: int) -> int:
        """Of the payload as it is sent with security. Stealing ciphertext, which keeps it from
        growing in CBC, needs a whole block."""
        grows = self.construction == "cbc-cbc-mac" and self.encrypts and payload_bytes > 0
        return max(payload_bytes, self.block_bytes) if grows else payload_bytes

    def protected_bytes(self, protected: Literal["authenticated", "encrypted"]) -> int:
        """Of the fields that are only authenticated, or encrypted with the payload."""
        return sum(
            field.bytes
            for field in self.fields
            if field.protected == protected and field.present != "plain"
        )

    def _sent(self, kind: Literal["plain", "secured"]) -> int:
        return sum(field.bytes for field in self.fields if field.present in ("always", kind))


def read(path: Path) -> list[Protocol]:
    """The protocols of a file: each variant with what it shares with the others."""
    shared = toml_file.read(path, "the protocol")
    variants = shared.pop("variants", [{}])
    whose = f"the protocol {path}"
    return [toml_file.as_kind(shared | variant, whose, Protocol) for variant in variants]


FILES = Catalogue(Path(__file__).parent / "catalogue" / "protocols", "protocol", read)


@cache
def protocols() -> tuple[Protocol, ...]:
    """All protocols, in the order of the files and of the variants in them."""
    return tuple(protocol for variants in FILES.all() for protocol in variants)


def named(text: str) -> list[Protocol]:
    """The protocols of a list of names and patterns (`802.15.4-*`); `all` for all."""
    every = {protocol.name: protocol for protocol in protocols()}
    if text == "all":
        return list(every.values())
    known = {name: name for name in every}
    found = names.found_names(text, known, "protocol", "ciphermark list protocols")
    return [every[name] for name in found]


def of_use(name: str | None) -> Protocol | None:
    """Returns the protocol of that name; None where there is none."""
    return next((it for it in protocols() if it.name == name), None)


Side = Literal["send", "receive"]

Mode = Literal["setup", "ecb", "ctr", "cbc", "cbc-mac", "cmac"]


class Work(msgspec.Struct, kw_only=True, frozen=True):
    """One pass of a mode of operation over whole blocks, or the setup of a key, which counts as one
    block."""

    mode: Mode
    blocks: int
    block_bytes: int
    functions: tuple[Function, ...]
    """Those whose cost this is, the most exact first. What follows lacks
    some of the mode's own work: combining blocks, counting."""

    @property
    def message_bytes(self) -> int | None:
        """Of all blocks; None of a setup."""
        return None if self.mode == "setup" else self.blocks * self.block_bytes


def works(protocol: Protocol, payload_bytes: int, side: Side) -> list[Work]:
    """The passes for one message; the tag's is the same on both sides."""
    return [
        Work(
            mode=mode,
            blocks=blocks,
            block_bytes=protocol.block_bytes,
            functions=_functions(protocol.cipher, mode, side),
        )
        for mode, blocks in _passes(protocol, payload_bytes, side)
        if blocks
    ]


def _passes(protocol: Protocol, payload_bytes: int, side: Side) -> Iterator[tuple[Mode, int]]:
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
    elif protocol.construction == "cbc-mac-chain":
        # Each interval has a key of its own. Whoever receives it puts it through the chain's
        # one-way function first.
        yield "setup", 1
        yield "ecb", int(side == "receive")
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
    """CBC that encrypts does the work of a CBC-MAC, and that of a CMAC except its last block."""
    ecb, cbc = Function(f"{cipher}-ecb", "encrypt"), Function(f"{cipher}-cbc", "encrypt")
    if mode == "setup":
        return (Function(f"{cipher}-ecb", "setup"),)
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
