"""The page of UMAC's authors: its functions, its tables and its figures."""

from __future__ import annotations

from functools import cache

import msgspec

from ciphermark.files import reading

PENTIUM, POWERPC = "pentium3-700", "powerpc7400-450"
"""The platforms, by their names in the published data."""

PLATFORMS = {PENTIUM: "Pentium III", POWERPC: "PowerPC 7400"}

DECIMALS = 1
"""Decimals of its printed cycles per byte."""

LONG = 256 * 1024
"""The page's 256 KB."""

SIZES = (43, 256, 1500, 4096, LONG)
"""Bytes of all messages of the page."""

COMPARED_ONLY = 4096
"""The one that its last table alone has."""

SIZES_OF_TAGS = tuple(size for size in SIZES if size != COMPARED_ONLY)
"""Those that it has for UMAC and UHASH."""

TAG_BYTES = (4, 8, 12, 16)

BLOCK_BYTES = {"cbc-mac-rc6-128": 16, "hash127": 4}
"""Of functions of whole blocks, for which zeros follow a message."""


class Function(msgspec.Struct, frozen=True):
    """One of the 21 functions."""

    name: str
    """As the page has it: `UMAC-4/8`."""
    algorithm: str
    """What it is here; a UMAC with RC6 as the cipher of keys and pads."""
    with_aes: str | None = None
    """The same with AES."""


class Section(msgspec.Struct, frozen=True):
    """One of the five tables."""

    title: str
    functions: tuple[Function, ...]


class Published(msgspec.Struct, kw_only=True):
    """A cell of the page's tables."""

    function: str
    platform: str
    message_bytes: int
    cycles_per_byte: float
    note: str
    """Why it looks wrong, where it does."""


def umac(word_bytes: int, tag_bytes: int) -> Function:
    algorithm = f"umac2000-{word_bytes}-{tag_bytes}"
    return Function(f"UMAC-{word_bytes}/{tag_bytes}", f"{algorithm}-rc6", algorithm)


def uhash(word_bytes: int, output_bytes: int) -> Function:
    return Function(f"UHASH-{word_bytes}/{output_bytes}", f"uhash2000-{word_bytes}-{output_bytes}")


def _of_tags(title: str, tag_bytes: int) -> Section:
    functions = [make(word_bytes, tag_bytes) for make in (umac, uhash) for word_bytes in (4, 2)]
    return Section(title, tuple(functions))


CBC_RC6 = Function("CBC-RC6-MAC", "cbc-mac-rc6-128")
HMAC_SHA1 = Function("HMAC-SHA1", "hmac-sha1")
HASH127_RC6 = Function("hash127-RC6", "hash127-rc6")
SHA1 = Function("SHA1", "sha1")
HASH127 = Function("hash127", "hash127")

TAGS = (
    _of_tags("32-bit “light” security", 4),
    _of_tags("64-bit “commercial” security", 8),
    _of_tags("96-bit “extra” security", 12),
    _of_tags("128-bit “extremist” security", 16),
)
COMPARISON = Section("Comparison algorithms", (CBC_RC6, HMAC_SHA1, HASH127_RC6, SHA1, HASH127))
FUNCTIONS = tuple(function for section in (*TAGS, COMPARISON) for function in section.functions)


def measured_bytes(algorithm: str, message_bytes: int) -> int:
    """Bytes of a message with the zeros that a function of whole blocks needs after it."""
    block = BLOCK_BYTES.get(algorithm, 1)
    return -(-message_bytes // block) * block


@cache
def cells() -> dict[tuple[str, str, int], Published]:
    """The page's cells by function, platform and bytes of the message."""
    return {
        (it.function, it.platform, it.message_bytes): it
        for it in reading.published("umac-2000", Published)
    }


def published(function: Function, message_bytes: int, platform: str = PENTIUM) -> float | None:
    """Cycles per byte that the page prints."""
    cell = cells().get((function.name, platform, message_bytes))
    return cell.cycles_per_byte if cell else None


def factor(slow: Function, fast: Function, message_bytes: int, platform: str = PENTIUM) -> float:
    """Returns the quotient of the printed costs of two functions."""
    one, other = (cells()[it.name, platform, message_bytes] for it in (slow, fast))
    return one.cycles_per_byte / other.cycles_per_byte
