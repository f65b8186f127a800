"""How functions are called: pattern, lanes, keys and buffers of a case."""

from __future__ import annotations

from itertools import product
from typing import get_args

import msgspec

from ciphermark import contract
from ciphermark.errors import UsageError
from ciphermark.plan import names, quantities

MOST_KEYS = 100_000_000
MOST_LANES = 4096

OF_SESSIONS: tuple[contract.Buffers, ...] = ("hot", "stream", "repeated")
"""Kinds of buffers that sessions have: threads share caches, so that none could say what is in
one."""


class Manner(msgspec.Struct, frozen=True, kw_only=True):
    """One way of calling; the defaults are the usual one."""

    pattern: contract.Pattern = "reused-key"
    chunk_bytes: int | None = None
    """Bytes that the library is given at a time, with the pattern `incremental`."""
    lanes: int | None = 1
    """Messages of a call; None for as many as an implementation takes."""
    keys: int | None = 1
    """None for one for each lane."""
    buffers: contract.Buffers = "hot"
    after: str | None = None
    """The algorithm that is called before each message."""

    @property
    def is_possible(self) -> bool:
        """A pattern says what becomes of the one key of one message; keys are those of whole
        lanes; a buffer that repeats is one chunk; what comes after another function is
        called in the usual way."""
        if self.after is not None and self != Manner(after=self.after):
            return False
        if self.buffers == "repeated" and self.pattern != "incremental":
            return False
        if self.pattern != "reused-key":
            return self.lanes == self.keys == 1
        return self.lanes in (None, 1) or self.keys is None or self.lanes % self.keys == 0

    def has(self, operation: str, algorithm: contract.Algorithm) -> bool:
        """Whether an operation can be called like this: a key setup in the usual way only, hot or
        cold, and a function without a key has one."""
        if operation == "setup":
            hot = "hot" if self.buffers == "cold" else self.buffers
            return msgspec.structs.replace(self, chunk_bytes=None, buffers=hot) == Manner()
        return bool(algorithm.key_bytes) or (self.keys == 1 and self.pattern != "rekeyed")

    def called(
        self, implementation: contract.Implementation, algorithm: contract.Algorithm
    ) -> Manner:
        """With the numbers that it means for an implementation: lanes, keys, and chunks of whole
        blocks."""
        lanes = self.lanes or _most(implementation)
        keys = self.keys or (lanes if algorithm.key_bytes else 1)
        chunk = self.chunk_bytes
        if chunk is not None:
            chunk = -(-chunk // algorithm.block_bytes) * algorithm.block_bytes
        return msgspec.structs.replace(self, lanes=lanes, keys=keys, chunk_bytes=chunk)

    def takes_lanes(self, implementation: contract.Implementation) -> bool:
        """Whether an implementation takes so many messages in a call; several, where as many as it
        takes are meant."""
        return implementation.most_lanes >= (self.lanes or 2)

    def lacking(self, implementation: contract.Implementation) -> str | None:
        """What an implementation lacks to be called like this."""
        if self.pattern not in ("reused-key", *implementation.patterns):
            return f"the pattern {self.pattern}"
        if self.buffers == "repeated" and not implementation.takes_repeats:
            return "buffers that repeat, as MACs and hashes have that take chunks"
        if not self.takes_lanes(implementation):
            return f"{self.lanes or 'several'} lanes"
        if self.lanes is None and self.keys and _most(implementation) % self.keys:
            return f"a number of lanes that {self.keys} divides"
        return None


def _most(implementation: contract.Implementation) -> int:
    """Messages that it is given in one call where it is to take as many as it does."""
    return min(implementation.most_lanes, MOST_LANES)


class Manners(msgspec.Struct, frozen=True, kw_only=True):
    """What the user asked for, each a list; the defaults are the usual way."""

    patterns: tuple[contract.Pattern, ...] = ("reused-key",)
    chunk_bytes: int = 64
    lanes: tuple[int | None, ...] = (1,)
    keys: tuple[int | None, ...] = (None,)
    buffers: tuple[contract.Buffers, ...] = ("hot",)
    after: tuple[str | None, ...] = (None,)

    def all(self) -> list[Manner]:
        """Every combination that there is."""
        found = [
            Manner(
                pattern=pattern,
                chunk_bytes=self.chunk_bytes if pattern == "incremental" else None,
                lanes=lanes,
                keys=1 if lanes == 1 and keys is None else keys,
                buffers=buffers,
                after=after,
            )
            for pattern, lanes, keys, buffers, after in product(
                self.patterns, self.lanes, self.keys, self.buffers, self.after
            )
        ]
        possible = [it for it in found if it.is_possible]
        if not possible:
            raise UsageError(
                "a --pattern other than reused-key goes with one of --lanes and of --keys only, "
                "and the number of --keys must divide that of --lanes: leave out one of them"
            )
        for after in self.after:
            if not any(it.after == after for it in possible):
                raise UsageError(
                    f"--after {after} measures one hot message per call, under a constant key: "
                    "leave out --pattern, --lanes, --keys and --buffers"
                )
        return possible


def from_options(
    pattern: str | None,
    chunk: str | None,
    lanes: str | None,
    keys: str | None,
    buffers: str | None,
    after: str | None = None,
    kinds: tuple[contract.Buffers, ...] = get_args(contract.Buffers),
) -> Manners | None:
    """Reads `--pattern`, `--chunk`, `--lanes`, `--keys`, `--buffers`, which is one of `kinds`, and
    `--after`; None where none is given."""
    patterns = _names(pattern, get_args(contract.Pattern), "pattern") if pattern else ()
    given: dict[str, object] = {
        "patterns": patterns,
        "chunk_bytes": chunk and quantities.whole(chunk, "--chunk", 1, 1 << 20),
        "lanes": lanes and _lanes(lanes),
        "keys": keys and _numbers(keys, "--keys", MOST_KEYS),
        "buffers": buffers and _buffers(buffers, kinds, patterns),
        # Alone, too, so that the difference stands beside it.
        "after": after and (None, *dict.fromkeys(names.split(after))),
    }
    typed = {name: value for name, value in given.items() if value}
    return Manners(**typed) if typed else None  # type: ignore[arg-type]


def _names(text: str, every: tuple[str, ...], what: str) -> tuple[str, ...]:
    if _is_all(text):
        return every
    known = {name: name for name in every}
    listing = "ciphermark survey --help"
    found = [names.find(part, known, what, listing) for part in names.split(text)]
    return tuple(dict.fromkeys(found))


def _is_all(text: str) -> bool:
    return text.strip().lower() == "all"


def _buffers(
    text: str, kinds: tuple[contract.Buffers, ...], patterns: tuple[str, ...]
) -> tuple[str, ...]:
    """`all` are those that go with the patterns."""
    found = _names(text, kinds, "kind of buffers")
    if "repeated" not in found or "incremental" in patterns:
        return found
    if _is_all(text):
        return tuple(name for name in found if name != "repeated")
    raise UsageError(
        "--buffers repeated goes with --pattern incremental only: add that, and with --chunk the "
        "bytes of the buffer"
    )


def _lanes(text: str) -> tuple[int | None, ...]:
    """Numbers, and None for `all`: as many as an implementation takes."""
    found = [
        None if part.lower() == "all" else quantities.whole(part, "--lanes", 1, MOST_LANES)
        for part in names.split(text)
    ]
    return tuple(dict.fromkeys(found))


def _numbers(text: str, option: str, most: int) -> tuple[int, ...]:
    return tuple(
        dict.fromkeys(quantities.whole(part, option, 1, most) for part in names.split(text))
    )
