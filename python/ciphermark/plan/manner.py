"""How functions are called: pattern, lanes, keys and buffers of a case."""

from __future__ import annotations

from itertools import product
from typing import get_args

import msgspec

from ciphermark.errors import UsageError
from ciphermark.plan import names
from ciphermark.record import contract

MOST_KEYS = 100_000_000
MOST_LANES = 1024


class Manner(msgspec.Struct, frozen=True, kw_only=True):
    """One way of calling; the defaults are the usual one."""

    pattern: contract.Pattern = "reused-key"
    chunk_bytes: int | None = None
    """Bytes that the library is given at a time, with the pattern `incremental`."""
    lanes: int = 1
    keys: int = 1
    buffers: contract.Buffers = "hot"

    @property
    def is_possible(self) -> bool:
        """Pattern, lanes and keys each say what becomes of the key, so one of them is unusual at
        most."""
        return (self.pattern != "reused-key") + (self.lanes > 1) + (self.keys > 1) <= 1

    def has(self, operation: str, algorithm: contract.Algorithm) -> bool:
        """Whether an operation can be called like this: a key setup in the usual way only, and a
        function without a key has one."""
        if operation == "setup":
            return msgspec.structs.replace(self, chunk_bytes=None) == Manner()
        return bool(algorithm.key_bytes) or (self.keys == 1 and self.pattern != "rekeyed")

    def in_blocks(self, block_bytes: int) -> Manner:
        """With chunks of whole blocks."""
        if self.chunk_bytes is None:
            return self
        blocks = -(-self.chunk_bytes // block_bytes)
        return msgspec.structs.replace(self, chunk_bytes=blocks * block_bytes)

    def lacking(self, implementation: contract.Implementation) -> str | None:
        """What an implementation lacks to be called like this."""
        if self.pattern not in ("reused-key", *implementation.patterns):
            return f"the pattern {self.pattern}"
        if self.lanes > implementation.most_lanes:
            return f"{self.lanes} lanes"
        return None


class Manners(msgspec.Struct, frozen=True, kw_only=True):
    """What the user asked for, each a list; the defaults are the usual way."""

    patterns: tuple[contract.Pattern, ...] = ("reused-key",)
    chunk_bytes: int = 64
    lanes: tuple[int, ...] = (1,)
    keys: tuple[int, ...] = (1,)
    buffers: tuple[contract.Buffers, ...] = ("hot",)

    def all(self) -> list[Manner]:
        """Every combination that there is."""
        found = [
            Manner(
                pattern=pattern,
                chunk_bytes=self.chunk_bytes if pattern == "incremental" else None,
                lanes=lanes,
                keys=keys,
                buffers=buffers,
            )
            for pattern, lanes, keys, buffers in product(
                self.patterns, self.lanes, self.keys, self.buffers
            )
        ]
        possible = [it for it in found if it.is_possible]
        if not possible:
            raise UsageError(
                "of an unusual --pattern, several --lanes and several --keys only one goes at a "
                "time: leave out the others"
            )
        return possible


def from_options(
    pattern: str | None,
    chunk: str | None,
    lanes: str | None,
    keys: str | None,
    buffers: str | None,
) -> Manners:
    """Reads `--pattern`, `--chunk`, `--lanes`, `--keys` and `--buffers`."""
    given: dict[str, object] = {
        "patterns": pattern and _names(pattern, contract.Pattern, "pattern"),
        "chunk_bytes": chunk and _number(chunk, "--chunk", 1 << 20),
        "lanes": lanes and _numbers(lanes, "--lanes", MOST_LANES),
        "keys": keys and _numbers(keys, "--keys", MOST_KEYS),
        "buffers": buffers and _names(buffers, contract.Buffers, "kind of buffers"),
    }
    return Manners(**{name: value for name, value in given.items() if value})  # type: ignore[arg-type]


def _names(text: str, kind: object, what: str) -> tuple[str, ...]:
    every = get_args(kind)
    if text.strip().lower() == "all":
        return every
    known = {name: name for name in every}
    listing = "ciphermark survey --help"
    found = [names.find(part, known, what, listing) for part in names.split(text)]
    return tuple(dict.fromkeys(found))


def _numbers(text: str, option: str, most: int) -> tuple[int, ...]:
    return tuple(dict.fromkeys(_number(part, option, most) for part in names.split(text)))


def _number(text: str, option: str, most: int) -> int:
    digits = text.strip().replace("_", "")
    if not digits.isascii() or not digits.isdigit() or not 1 <= int(digits) <= most:
        raise UsageError(f"{option} {text!r} is not a number from 1 to {most}: write for example 4")
    return int(digits)
