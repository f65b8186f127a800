"""The suites of `suites/` as the engine composes them, without the engine."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import msgspec

from ciphermark import contract
from synthetic import ALGORITHMS

SUITES = ALGORITHMS.parent / "suites"


@cache
def all_suites() -> tuple[contract.Algorithm, ...]:
    """Every suite: sizes, framing and limits as its protocol's file has them."""
    return tuple(suite for path in sorted(SUITES.glob("*.toml")) for suite in _suites_of(path))


def _suites_of(path: Path) -> Iterable[contract.Algorithm]:
    protocol = tomllib.loads(path.read_text("utf-8"))
    for entry in protocol["suites"]:
        yield _composed(protocol, protocol | entry)


def _composed(protocol: dict, entry: dict) -> contract.Algorithm:
    names = [entry.get(it) for it in ("cipher", "header_protection", "integrity")]
    parts = [
        msgspec.convert(
            tomllib.loads((ALGORITHMS / f"{it}.toml").read_text("utf-8")), contract.Algorithm
        )
        for it in names
        if it
    ]
    protecting = [it for it in parts if it.name != entry.get("header_protection")]
    framing = {it: entry[it] for it in contract.Framing.__struct_fields__}
    limits = [it for name in entry["limits"] for it in protocol["limits"][name]]
    return contract.Algorithm(
        name=f"{protocol['protocol']}:{entry['name']}",
        title=f"{protocol['title']} {entry['name']}",
        aliases=[],
        kind="suite",
        key_bytes=sum(it.key_bytes for it in parts) + entry["salt_bytes"],
        nonce_bytes=8,
        nonce_fields=[],
        tag_bytes=0,
        block_bytes=1,
        min_message_bytes=protocol["min_packet_bytes"],
        max_message_bytes=protocol["max_packet_bytes"],
        standard=protocol["sources"][0],
        status=min((it.status for it in protecting), key=_RANKS.index),
        status_reason=parts[0].status_reason,
        strength_bits=min(it.strength_bits for it in parts),
        strength_kind=parts[0].strength_kind,
        sources=protocol["sources"],
        survey=False,
        fips_approved=all(it.fips_approved for it in parts),
        suite=contract.Suite(
            protocol=protocol["protocol"],
            cipher=entry["cipher"],
            integrity=entry.get("integrity"),
            header_protection=entry.get("header_protection"),
            salt_bytes=entry["salt_bytes"],
            framing=contract.Framing(**framing),
            standing=entry["standing"],
            limits=msgspec.convert(limits, list[contract.KeyLimit]),
        ),
    )


_RANKS = ["broken", "legacy", "acceptable", "recommended"]
