"""How many blocks a message has: the count that the model of blocks multiplies.

A hash appends a byte and the message's length before it cuts the message into blocks. The paper's
formula leaves that out: by it an empty message has no block, and one of 64 bytes has one. So there
are two rules, the one that is printed and the one by which the function works.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

Rule = Literal["printed", "padded"]
RULES: tuple[Rule, ...] = ("printed", "padded")


class Blocks(NamedTuple):
    """The blocks of a function."""

    bits: int
    padding_bytes: int = 0
    """The fewest that are appended to a message before it is cut."""

    def count(self, message_bytes: int, rule: Rule) -> int:
        """How many a message has."""
        padding = self.padding_bytes if rule == "padded" else 0
        return -(-8 * (message_bytes + padding) // self.bits)


_BY_BYTE = Blocks(8)
_MD = Blocks(512, 9)
_MD_WIDE = Blocks(1024, 17)

_OF_ALGORITHM = {
    "md5": _MD,  # RFC 1321, 3.1 and 3.2: a byte, and eight of length
    "sha1": _MD,  # FIPS 180-4, 5.1.1
    "sha256": _MD,
    "sha512": _MD_WIDE,  # FIPS 180-4, 5.1.2: sixteen of length
    "rc5-32-8-8-ecb": Blocks(64),
    "rc5-32-12-8-ecb": Blocks(64),
    "rc5-32-16-8-ecb": Blocks(64),
    "idea-ecb": Blocks(64),
    "tea-ecb": Blocks(64),
    "treyfer-ecb": Blocks(64),
    "kasumi-ecb": Blocks(64),
    "speck-64-128-ecb": Blocks(64),
    "aes-128-ecb": Blocks(128),
    "ascon-aead128": Blocks(128, 1),  # SP 800-232, 4.1: the rate; padded with at least a bit
    "chacha20-poly1305": Blocks(512),  # RFC 8439, 2.3: of key stream
    "seal3": Blocks(32),  # its key stream comes in words
}


def blocks_of(algorithm: str) -> Blocks:
    """The blocks of an algorithm; of those that are not listed, and of RC4, each byte is one."""
    return _OF_ALGORITHM.get(algorithm, _BY_BYTE)
