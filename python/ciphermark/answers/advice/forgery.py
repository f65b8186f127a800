"""The chance that a made-up message passes for a good one, and how long that takes to happen.

Of a tag of t bits a guess is right with 2^-t where tags look random. Universal hashes let an
attacker do better with longer messages; the bound here is what their authors prove or NIST states.
The formulas' names are those of `advice/bounds/forgery.toml`, which has the sources.
"""

from __future__ import annotations

import math
from fnmatch import fnmatchcase

import msgspec

from ciphermark.answers.advice.uses import Bound, bounds

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
