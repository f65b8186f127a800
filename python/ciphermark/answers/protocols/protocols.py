"""Protocols that secure messages: what of a frame they add, authenticate and encrypt (TOML).

A file describes one protocol, or several that differ in little (`variants`).
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from ciphermark import contract
from ciphermark.files import toml_file
from ciphermark.plan import naming

FOLDER = Path(__file__).parent / "catalogue" / "protocols"

Construction = Literal["ccm", "ctr-cbc-mac", "cbc-cbc-mac", "ctr-cmac"]
"""How block cipher calls make up encryption and tag; see `analyse/constructions.py`."""


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
    fields: list[Field]
    largest_payload_bytes: int | None = None
    """Where the specification limits it."""
    largest_frame_bytes: int | None = None
    status: contract.Status
    """What it is worth today, as of algorithms."""
    status_reason: str
    assumptions: list[str] = []
    """What the specification leaves open, and what is taken for it here."""

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
            it.bytes for it in self.fields if it.protected == protected and it.present != "plain"
        )

    def _sent(self, kind: Literal["plain", "secured"]) -> int:
        return sum(it.bytes for it in self.fields if it.present in ("always", kind))


@cache
def protocols() -> tuple[Protocol, ...]:
    """All protocols, in the order of the files and of the variants in them."""
    return tuple(
        toml_file.as_kind(table, f"the protocol {path}", Protocol)
        for path in sorted(FOLDER.glob("*.toml"))
        for table in _variants(toml_file.read(path, "the protocol"))
    )


def _variants(document: dict[str, Any]) -> list[dict[str, Any]]:
    """Each variant with what it shares with the others."""
    shared = {name: value for name, value in document.items() if name != "variants"}
    return [shared | variant for variant in document.get("variants", [{}])]


def named(text: str) -> list[Protocol]:
    """The protocols of a list of names and patterns (`802.15.4-*`); `all` for all."""
    every = {it.name: it for it in protocols()}
    if text == "all":
        return list(every.values())
    known = {name: name for name in every}
    found = naming.found_names(text, known, "protocol", "ciphermark list protocols")
    return [every[name] for name in found]
