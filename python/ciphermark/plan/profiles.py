"""Message sizes, and profiles of them by what people type: names, files (TOML or CSV), genomes.

A genome is a mix in the form of RFC 6985 (A. Morton, IMIX Genome, 2013), a letter for each packet
in turn: `imix:aaaaabbd` is a sequence of eight Ethernet frames that repeats. Small letters are the
sizes of the RFC's table (section 4); capital letters are sizes of your own, given after a colon
each: `imix:7A4B1C:A=40:B=576:C=1500`, where a number before a letter says how often it stands
there.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import ciphermark
from ciphermark import contract
from ciphermark.errors import UsageError
from ciphermark.plan import names, profile_file
from ciphermark.plan.catalogue import Catalogue
from ciphermark.plan.profile import Part, Profile, of_frames

PREFIX = "imix:"

LARGEST_OF_ETHERNET = 1518
"""`z` is the largest frame that the link takes; without a word about it, Ethernet's."""

FRAME_BYTES = {
    **{"a": 64, "b": 128, "c": 256, "d": 512, "e": 1024, "f": 1280, "g": 1518},
    # From memory: no copy of the RFC's table with these was at hand.
    **{"h": 2112, "i": 9000, "j": 16_000, "z": LARGEST_OF_ETHERNET},
}
"""RFC 6985, section 4; frames from the destination address to the check sequence."""

MOST_PACKETS = 1_000_000
_GENE = re.compile(r"(\d{0,6})([a-zA-Z])")
_SIZE = re.compile(r"([A-Z])\s*=\s*(\d{1,5})")


def is_genome(text: str) -> bool:
    """Whether it is meant as one."""
    return text.startswith(PREFIX)


def genome_frames(text: str) -> list[tuple[int, int]]:
    """Bytes of each frame that the genome has, with how often it has it. Raises `UsageError`."""
    sequence, *sizes = (part.strip() for part in text.removeprefix(PREFIX).split(":"))
    table = FRAME_BYTES | _own_sizes(text, sizes)
    counts: Counter[str] = Counter()
    for count, letter in _genes(text, sequence):
        if letter not in table:
            raise UsageError(_no_size_of_letter(text, letter))
        counts[letter] += count
    unused = [it for it in table if it.isupper() and it not in counts]
    if unused:
        raise UsageError(
            f"--profile {text}: {unused[0]} has a size and is not in the sequence {sequence}"
        )
    if not 0 < counts.total() <= MOST_PACKETS:
        raise UsageError(
            f"--profile {text} has {counts.total()} packets: write 1 to {MOST_PACKETS}, for "
            "example imix:aaaaabbd"
        )
    return [(table[letter], counts[letter]) for letter in counts if counts[letter]]


def _genes(text: str, sequence: str) -> list[tuple[int, str]]:
    """Each letter with how often it stands there."""
    genes = _GENE.findall(sequence)
    if not genes or "".join(count + letter for count, letter in genes) != sequence:
        raise UsageError(
            f"--profile {text}: {sequence!r} is no sequence of letters: write for example "
            "imix:aaaaabbd, or imix:5a2bd"
        )
    return [(int(count or 1), letter) for count, letter in genes]


def _own_sizes(text: str, sizes: list[str]) -> dict[str, int]:
    found: dict[str, int] = {}
    for part in sizes:
        match = _SIZE.fullmatch(part)
        if match is None or int(match[2]) == 0 or match[1] in found:
            raise UsageError(
                f"--profile {text}: {part!r} is not the size of one more capital letter: write "
                "for example A=40"
            )
        found[match[1]] = int(match[2])
    return found


def _no_size_of_letter(text: str, letter: str) -> str:
    if letter.isupper():
        return f"--profile {text}: {letter} has no size: write it after a colon, :{letter}=1400"
    known = ", ".join(f"{name} {size}" for name, size in FRAME_BYTES.items())
    return f"--profile {text}: {letter} is no letter of RFC 6985: there are {known}"


def from_option(text: str) -> list[Profile]:
    """Reads `--profile`: names of profiles, paths of files, or genomes, comma-separated."""
    found = list(dict.fromkeys(names.split(text)))
    if not found:
        raise UsageError(f"--profile {text!r} names nothing: write for example imix")
    profiles = [_find(name) for name in found]
    for place, profile in enumerate(profiles):
        if profile.name in [it.name for it in profiles[:place]]:
            raise UsageError(f"two profiles are called {profile.name}: give one file another name")
    return profiles


def read(path: Path) -> Profile:
    """Reads the file of a profile; the error is a sentence that names it and what is wrong."""
    is_csv = path.suffix.lower() == ".csv"
    return profile_file.read_csv(path) if is_csv else profile_file.read_toml(path)


PROFILES = Catalogue(
    Path(ciphermark.__file__).parent / "profiles",
    "profile",
    read,
    "ciphermark list profiles",
    endings=(".toml", ".csv"),
)


def _find(name: str) -> Profile:
    """A name stands for a profile of ours; what looks like a path is a file."""
    if is_genome(name):
        return _of_genome(name)
    return PROFILES.from_option(
        name, ", or give the path of a file of your own, or a genome such as imix:aaaaabbd"
    )


def _of_genome(text: str) -> Profile:
    frames = genome_frames(text)
    try:
        parts = of_frames(Part(bytes=size, weight=count) for size, count in frames)
    except ValueError as error:
        raise UsageError(f"--profile {text}: {error}") from None
    return Profile(
        text,
        f"IMIX genome {text.removeprefix(PREFIX)}: "
        + ", ".join(f"{count} frames of {size}" for size, count in frames),
        tuple(parts),
        source="A. Morton, IMIX Genome, RFC 6985, 2013, section 4",
        layer="ethernet",
    )


Size = int | Profile
"""Bytes of all messages of a case, or the mix that they are of."""


def size_label(size: Size) -> int | str:
    """What stands for it in a case: a number of bytes, or the profile's name."""
    return size.name if isinstance(size, Profile) else size


def has_size(algorithm: contract.Algorithm, size: Size) -> bool:
    """Whether the function takes messages of that many bytes, or of all lengths of the profile."""
    if isinstance(size, Profile):
        return size.lacks(algorithm) is None
    longest = size if algorithm.max_message_bytes is None else algorithm.max_message_bytes
    return algorithm.min_message_bytes <= size <= longest and size % algorithm.block_bytes == 0


def no_such_size(algorithm: contract.Algorithm, size: Size) -> str:
    """The sentence about a size that the function does not have."""
    if isinstance(size, Profile):
        return (
            f"the profile {size.name} has messages of {size.lacks(algorithm)} bytes, and "
            f"{algorithm.name} has none: write --profile with a file of lengths that it has"
        )
    if size % algorithm.block_bytes:
        below = size // algorithm.block_bytes * algorithm.block_bytes
        near = [it for it in (below, below + algorithm.block_bytes) if it > 0]
        return (
            f"{algorithm.name} takes whole blocks of {algorithm.block_bytes} bytes, and {size} is "
            f"none: write {' or '.join(f'--sizes {it}' for it in near)}"
        )
    if size < algorithm.min_message_bytes:
        bound = f"at least --sizes {algorithm.min_message_bytes}"
    else:
        bound = f"at most --sizes {algorithm.max_message_bytes}"
    return f"{algorithm.name} has no message of {size} bytes: write {bound}"
