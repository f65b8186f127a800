"""Profiles: mixes of message sizes with weights (TOML), and the lengths that follow from them."""

from __future__ import annotations

import math
import random
import tomllib
from fractions import Fraction
from pathlib import Path
from typing import Annotated

import msgspec

from ciphermark.errors import UsageError
from ciphermark.plan import names
from ciphermark.plan.quantities import LARGEST_MESSAGE_BYTES
from ciphermark.record import contract

FOLDER = Path(__file__).parents[1] / "profiles"

FEW_MESSAGES = 64
"""Of a case whose calls take fewer: enough to be near a mix, and few enough for a short slice."""

_Bytes = Annotated[int, msgspec.Meta(ge=0, le=LARGEST_MESSAGE_BYTES)]
_Ends = Annotated[list[_Bytes], msgspec.Meta(min_length=2, max_length=2)]


class Part(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """Messages of one length, or of all lengths between two, equally often."""

    bytes: _Bytes | _Ends
    weight: Annotated[int, msgspec.Meta(ge=1, le=1_000_000)]

    @property
    def ends(self) -> tuple[int, int]:
        """The shortest and the longest message."""
        low, high = [self.bytes] * 2 if isinstance(self.bytes, int) else self.bytes
        return low, high

    def lengths(self, count: int) -> list[int]:
        """So many lengths, spread evenly."""
        low, high = self.ends
        return [low + (high - low) * (2 * place + 1) // (2 * count) for place in range(count)]


class _File(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    title: str
    messages: Annotated[list[Part], msgspec.Meta(min_length=1)]
    source: str = ""


class Profile(msgspec.Struct, frozen=True):
    """A mix of message sizes."""

    name: str
    title: str
    parts: tuple[Part, ...]

    def lengths(self, lanes: int, seed: int) -> list[int]:
        """Lengths of messages in turn, whole calls of `lanes`, in an order that follows from the
        seed. The shares are as near to the weights as the number of messages allows."""
        count = self._count(lanes)
        found = [
            length
            for part, messages in zip(self.parts, self._shares(count), strict=True)
            for length in part.lengths(messages)
        ]
        random.Random(f"{seed} {self.name} {count}").shuffle(found)
        return found

    def lacks(self, algorithm: contract.Algorithm) -> int | None:
        """A length that it has and the function has not."""
        block, most = algorithm.block_bytes, algorithm.max_message_bytes
        for low, high in (part.ends for part in self.parts):
            if low < algorithm.min_message_bytes or low % block:
                return low
            if most is not None and high > most or high % block:
                return high
            if low < high and block > 1:
                return low + 1
        return None

    def _count(self, lanes: int) -> int:
        """Messages in which the weights come out even, where these are few; else a call, or of
        small ones several."""
        whole = math.lcm(lanes, self._weight // math.gcd(*(it.weight for it in self.parts)))
        few = max(FEW_MESSAGES, 4 * lanes)
        if whole <= few:
            return max(1, FEW_MESSAGES // whole) * whole
        return -(-FEW_MESSAGES // lanes) * lanes

    def _shares(self, count: int) -> list[int]:
        """Messages of each part, rounded so that they sum up: the largest remainders up."""
        exact = [Fraction(count * part.weight, self._weight) for part in self.parts]
        shares = [math.floor(it) for it in exact]
        by_remainder = sorted(range(len(exact)), key=lambda it: shares[it] - exact[it])
        for part in by_remainder[: count - sum(shares)]:
            shares[part] += 1
        return shares

    @property
    def _weight(self) -> int:
        return sum(part.weight for part in self.parts)


def from_option(text: str) -> list[Profile]:
    """Reads `--profile`: names of profiles, or paths of files, comma-separated."""
    found = list(dict.fromkeys(names.split(text)))
    if not found:
        raise UsageError(f"--profile {text!r} names nothing: write for example imix")
    profiles = [_find(name) for name in found]
    for place, profile in enumerate(profiles):
        if profile.name in [it.name for it in profiles[:place]]:
            raise UsageError(f"two profiles are called {profile.name}: give one file another name")
    return profiles


def known() -> dict[str, Path]:
    """The files of the profiles that come with ciphermark, by name."""
    return {path.stem: path for path in sorted(FOLDER.glob("*.toml"))}


def _find(name: str) -> Profile:
    """A name stands for a profile of ours; what looks like a path is a file."""
    if "/" in name or name.endswith(".toml"):
        return read(Path(name).expanduser())
    files = known()
    listing = f"{', '.join(files)}, or the path of a file of your own"
    return read(files[names.find(name, {it: it for it in files}, "profile", listing)])


def read(path: Path) -> Profile:
    """Reads a profile; the error is a sentence that names the file and the field."""
    try:
        file = msgspec.convert(tomllib.loads(path.read_text("utf-8")), _File)
    except OSError as error:
        raise UsageError(f"the profile {path} cannot be read: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, msgspec.ValidationError) as error:
        raise UsageError(f"the profile {path} is not valid: {error}") from None
    for part in file.messages:
        low, high = part.ends
        if low > high:
            raise UsageError(
                f"the profile {path} is not valid: bytes = [{low}, {high}] begin with the longer: "
                f"write [{high}, {low}]"
            )
    return Profile(path.stem, file.title, tuple(file.messages))
