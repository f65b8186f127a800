"""What is known of a candidate: from `algorithms/`, and of a suite from its parts; and the chance
that a made-up message passes for a good one, with how long that takes to happen.

Of a tag of t bits a guess is right with 2^-t where tags look random. Universal hashes let an
attacker do better with longer messages; the bound here is what their authors prove or NIST states.
The formulas' names are those of `catalogue/bounds/forgery.toml`, which has the sources.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from fnmatch import fnmatchcase
from typing import Any

import msgspec

from ciphermark import contract
from ciphermark.answers.advice.uses import KEYED, Bound, Unmeasured, Use, bounds, suite_parts
from ciphermark.answers.capacity import keys

STATUSES = ("broken", "legacy", "acceptable", "recommended")
"""From the worst to the best."""

FORGERY = "forgery"


class Part(msgspec.Struct, kw_only=True):
    """One function in a suite, or all of a plain algorithm."""

    name: str
    title: str
    status: contract.Status
    status_reason: str
    sources: list[str]


class Facts(msgspec.Struct, kw_only=True):
    """Of one suite or algorithm."""

    name: str
    title: str
    kind: str
    status: contract.Status
    status_reason: str
    strength_bits: int
    strength_kind: str
    fips_approved: bool
    tag_bytes: int
    """0 where nothing shows that a message was changed."""
    whole_tag_bytes: int
    """Of the function before it is cut."""
    tagged_by: str | None
    """The algorithm whose tag it is."""
    parts: list[Part]
    """What it is made of, the cipher first."""
    sources: list[str]
    """Of the suite as such, or of the algorithm."""
    standing: str = ""
    """What the protocol's standard says of it."""
    limits: list[str] = []
    """How much one key may protect."""
    framing: contract.Framing | None = None
    """How a packet grows; None where it is not known, as of what is put together from parts."""

    @property
    def rank(self) -> int:
        """Of its status; more is better."""
        return STATUSES.index(self.status)

    @property
    def weak_parts(self) -> list[Part]:
        """Those that make its status what it is."""
        return [it for it in self.parts if it.status == self.status]

    @property
    def forbidden(self) -> bool:
        """Whether the protocol's standard forbids it."""
        return "MUST NOT" in self.standing


Known = Mapping[str, contract.Algorithm]


def facts(name: str, use: Use, known: Known) -> Facts | None:
    """Of a suite or algorithm; None where nothing is known of it, or of one of its parts."""
    protocol, cipher, integrity = suite_parts(name)
    if protocol is None:
        algorithm = known.get(name)
        return None if algorithm is None else _of_algorithm(algorithm)
    whole = known.get(name)
    suite = None if whole is None else whole.suite
    bits: int | None
    if suite is not None:
        cipher_name, tagged, bits = suite.cipher, suite.integrity, 8 * suite.framing.icv_bytes
    else:
        cipher_name = use.parts.get(cipher, cipher)
        tagged, bits = part_of_tag(integrity, use, known)
    first = _part(cipher_name, use, known)
    second = None if tagged is None else _part(tagged, use, known)
    if first is None or (tagged is not None and second is None):
        return None if whole is None or suite is None else _of_whole(whole, suite)
    return _together(name, whole, first, second, bits)


def _of_whole(it: contract.Algorithm, suite: contract.Suite) -> Facts:
    """Of a suite whose parts are not known, as on a machine that has its run and no engine."""
    tag_bytes = suite.framing.icv_bytes
    return msgspec.structs.replace(
        _of_algorithm(it),
        tag_bytes=tag_bytes,
        whole_tag_bytes=tag_bytes,
        tagged_by=(suite.integrity or suite.cipher) if tag_bytes else None,
        **_of_protocol(suite),
    )


def _of_protocol(suite: contract.Suite) -> dict[str, Any]:
    """What the protocol adds to the facts of the parts."""
    limits = [f"{it.amount}: {it.reason} ({it.source})" for it in keys.limits("", suite)]
    return {"standing": suite.standing, "framing": suite.framing, "limits": limits}


def part_of_tag(integrity: str | None, use: Use, known: Known) -> tuple[str | None, int | None]:
    """The algorithm of `hmac-sha1-96` and the bits that its tag is cut to."""
    if integrity is None:
        return None, None
    name = use.parts.get(integrity, integrity).removesuffix("-etm")
    if name in known:
        return name, None
    cut = re.fullmatch(r"(.+)-(\d+)", name)
    return (name, None) if cut is None else (cut[1], int(cut[2]))


def _part(name: str, use: Use, known: Known) -> Facts | None:
    if name in known:
        return _of_algorithm(known[name])
    return next((_of_algorithm(it) for it in use.unmeasured if it.name == name), None)


def _of_algorithm(it: contract.Algorithm | Unmeasured) -> Facts:
    itself = Part(
        name=it.name,
        title=it.title,
        status=it.status,
        status_reason=it.status_reason,
        sources=list(it.sources),
    )
    return Facts(
        name=it.name,
        title=it.title,
        kind=it.kind,
        status=it.status,
        status_reason=it.status_reason,
        strength_bits=it.strength_bits,
        strength_kind=it.strength_kind,
        fips_approved=it.fips_approved,
        tag_bytes=it.tag_bytes,
        whole_tag_bytes=it.tag_bytes,
        tagged_by=it.name if it.kind in ("aead", "mac", "hash") else None,
        parts=[itself],
        sources=list(it.sources),
    )


def _together(
    name: str,
    whole: contract.Algorithm | None,
    cipher: Facts,
    integrity: Facts | None,
    bits: int | None,
) -> Facts:
    """A suite is as good as the worse of its parts. What only hides bytes of headers, as in QUIC,
    is no part: nothing of the message's protection rests on it."""
    parts = [it for it in (cipher, integrity) if it is not None]
    worst = min(parts, key=lambda it: it.rank)
    tagged = integrity or cipher
    tag_bytes = tagged.tag_bytes if bits is None or tagged.tagged_by is None else bits // 8
    found = Facts(
        name=name,
        title=_title(cipher, integrity, bits),
        kind="suite",
        status=worst.status,
        status_reason=worst.status_reason,
        strength_bits=min(it.strength_bits for it in parts),
        strength_kind=KEYED,
        fips_approved=all(it.fips_approved for it in parts),
        tag_bytes=tag_bytes,
        whole_tag_bytes=tagged.whole_tag_bytes,
        tagged_by=tagged.tagged_by,
        parts=[part for it in parts for part in it.parts],
        sources=[],
    )
    if whole is None or whole.suite is None:
        return found
    sources = list(whole.sources)
    return msgspec.structs.replace(found, sources=sources, **_of_protocol(whole.suite))


def _title(cipher: Facts, integrity: Facts | None, bits: int | None) -> str:
    if integrity is None:
        return cipher.title
    cut = bits is not None and bits < 8 * integrity.tag_bytes
    return f"{cipher.title} + {integrity.title}{f'-{bits}' if cut else ''}"


SECONDS_PER_YEAR = 365.25 * 86_400
"""The Julian year."""

_BLOCK_BYTES = 16


class Forgery(msgspec.Struct, kw_only=True):
    """Of one function, with tags and messages of one length."""

    algorithm: str
    tag_bytes: int
    message_bytes: int
    """The longest message, which is the attacker's best."""
    chance: float
    """Of one made-up message, at most."""
    log2_chance: float
    in_words: str
    """The formula."""
    source: str
    attempts_per_second: float | None
    years: float | None
    """Until one such message is expected to have passed, with so many attempts."""
    attempts: float | None
    chance_of_any: float | None
    """That at least one of so many attempts passes."""


def forgery(
    algorithm: str,
    tag_bytes: int,
    message_bytes: int,
    aad_bytes: int = 0,
    *,
    attempts_per_second: float | None = None,
    attempts: float | None = None,
) -> Forgery | None:
    """None where no bound is known, as for functions without a key."""
    bound = _bound(algorithm)
    if bound is None or not tag_bytes:
        return None
    log2 = min(0.0, _FORMULAS[bound.formula](8 * tag_bytes, message_bytes, aad_bytes))
    chance = 2.0**log2
    per_year = (attempts_per_second or 0.0) * SECONDS_PER_YEAR
    return Forgery(
        algorithm=algorithm,
        tag_bytes=tag_bytes,
        message_bytes=message_bytes,
        chance=chance,
        log2_chance=log2,
        in_words=bound.in_words,
        source=bound.source,
        attempts_per_second=attempts_per_second,
        years=1 / (chance * per_year) if per_year else None,
        attempts=attempts,
        chance_of_any=None if attempts is None else any_of(chance, attempts),
    )


def any_of(chance: float, attempts: float) -> float:
    """That one of so many independent attempts passes: 1 − (1 − p)^n, exact for a tiny p too."""
    if chance >= 1:
        return 1.0 if attempts else 0.0
    return -math.expm1(attempts * math.log1p(-chance))


def _bound(algorithm: str) -> Bound | None:
    fitting = (
        it for it in bounds() if any(fnmatchcase(algorithm, pattern) for pattern in it.names)
    )
    return next(fitting, None)


def _guess(tag_bits: int, message_bytes: int, aad_bytes: int) -> float:
    return -tag_bits


def _blocks(tag_bits: int, message_bytes: int, aad_bytes: int) -> float:
    """(n + 1) / 2^t: blocks of message and associated data, and that of their lengths."""
    return math.log2(_count(message_bytes) + _count(aad_bytes) + 1) - tag_bits


def _poly1305(tag_bits: int, message_bytes: int, aad_bytes: int) -> float:
    """8⌈L/16⌉ / 2^106, where both parts are padded to blocks and a block of lengths follows. A tag
    that is cut is as good as a guess of what is left."""
    blocks = _count(message_bytes) + _count(aad_bytes) + 1
    return max(math.log2(8 * blocks) - 106, -tag_bits)


def _poly1305_alone(tag_bits: int, message_bytes: int, aad_bytes: int) -> float:
    return max(math.log2(8 * max(1, _count(message_bytes))) - 106, -tag_bits)


def _thirty_of_32(tag_bits: int, message_bytes: int, aad_bytes: int) -> float:
    return -30 * tag_bits / 32


def _sixty_of_64(tag_bits: int, message_bytes: int, aad_bytes: int) -> float:
    return -60 * tag_bits / 64


def _count(message_bytes: int) -> int:
    return -(-message_bytes // _BLOCK_BYTES)


_FORMULAS = {
    "guess": _guess,
    "blocks": _blocks,
    "poly1305": _poly1305,
    "poly1305-alone": _poly1305_alone,
    "thirty-of-32": _thirty_of_32,
    "sixty-of-64": _sixty_of_64,
}
