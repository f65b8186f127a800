"""Mixes in the form of RFC 6985 (A. Morton, IMIX Genome, 2013): a letter for each packet in turn.

`imix:aaaaabbd` is a sequence of eight Ethernet frames that repeats. Small letters are the sizes of
the RFC's table (section 4); capital letters are sizes of one's own, given after a colon each:
`imix:7A4B1C:A=40:B=576:C=1500`, where a number before a letter says how often it stands there.
"""

from __future__ import annotations

import re
from collections import Counter

from ciphermark.errors import UsageError

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


def frames(text: str) -> list[tuple[int, int]]:
    """Bytes of each frame that the genome has, with how often it has it. Raises `UsageError`."""
    sequence, *sizes = (part.strip() for part in text.removeprefix(PREFIX).split(":"))
    table = FRAME_BYTES | _own_sizes(text, sizes)
    counts: Counter[str] = Counter()
    for count, letter in _genes(text, sequence):
        if letter not in table:
            raise UsageError(_no_size(text, letter))
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


def _no_size(text: str, letter: str) -> str:
    if letter.isupper():
        return f"--profile {text}: {letter} has no size: write it after a colon, :{letter}=1400"
    known = ", ".join(f"{name} {size}" for name, size in FRAME_BYTES.items())
    return f"--profile {text}: {letter} is no letter of RFC 6985: there are {known}"
