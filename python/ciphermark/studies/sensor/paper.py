"""What the paper measured, and which of our functions and targets stand for it."""

from __future__ import annotations

from functools import cache
from typing import Literal, NamedTuple

from ciphermark.answers.models import sensor_2003
from ciphermark.answers.models.block_model import blocks_of
from ciphermark.answers.models.sensor_2003 import Platform, Time
from ciphermark.files import reading

MD5, SHA1, IDEA, RC4 = "md5", "sha1", "idea-ecb", "rc4-128"
RC5_OF = {8: "rc5-32-8-8-ecb", 12: "rc5-32-12-8-ecb", 16: "rc5-32-16-8-ecb"}
"""By the number of rounds, which the paper does not print."""
RC5 = RC5_OF[12]
"""What stands for the paper's RC5 wherever nothing else is said: the nominal number of rounds."""

FUNCTIONS = (MD5, SHA1, RC5, IDEA, RC4)
HASHES, CIPHERS = (MD5, SHA1), (RC5, IDEA, RC4)
TITLES = {MD5: "MD5", SHA1: "SHA-1", RC5: "RC5", IDEA: "IDEA", RC4: "RC4"}

FUTURE = ("seal3", "tea-ecb", "treyfer-ecb")
"""What its section 6 would evaluate."""
TODAY = (
    "aes-128-ecb",
    "ascon-aead128",
    "chacha20-poly1305",
    "speck-64-128-ecb",
    "kasumi-ecb",
    "sha256",
)
"""What a node would use now, and KASUMI, which phones had then."""

DIGEST, SETUP, ENCRYPT = "digest", "setup", "encrypt"
DECRYPT: Literal["decrypt"] = "decrypt"
KEYSTREAM, SEAL = "keystream", "seal"

SENDING = {
    **dict.fromkeys((MD5, SHA1, "sha256"), DIGEST),
    **dict.fromkeys((RC4, "seal3"), KEYSTREAM),
    **dict.fromkeys(("ascon-aead128", "chacha20-poly1305"), SEAL),
}
"""What is done to a message that is sent, where that is not `encrypt`."""

BLOCK_BYTES = {
    "aes-128-ecb": 16,
    **dict.fromkeys(
        (*RC5_OF.values(), IDEA, "tea-ecb", "treyfer-ecb", "speck-64-128-ecb", "kasumi-ecb"), 8
    ),
}
"""Of ciphers that take whole blocks only."""

TEXT_BYTES = 16
""""The plaintext that is input to all the symmetric cryptography algorithms is 128 bits long"
(4.1)."""
LONGEST = 130
"""Bytes of the longest message: a little more than two blocks of a hash."""

ATMEGA103, ATMEGA128, M16C = "atmega103", "atmega128", "m16c"
SA1110, PXA250_400, PXA250_200 = "sa1110", "pxa250-400", "pxa250-200"
ULTRASPARC2 = "ultrasparc2"
AVR = (ATMEGA103, ATMEGA128)
XSCALE = (PXA250_400, PXA250_200)
PLATFORMS = (*AVR, M16C, SA1110, *XSCALE, ULTRASPARC2)
"""In the order of its Table 3."""
WORD_BITS = {8: AVR, 16: (M16C,), 32: (SA1110, *XSCALE, ULTRASPARC2)}
"""Its three classes. It compiled for the SPARC in 32-bit mode."""

OTHERS = (
    *("octeon", "cortex-a8", "cortex-m0", "cortex-m4"),
    *("ppc7400", "pentium3", "rv32imc", "rv32i"),
)
"""Targets that the paper does not have."""
TARGETS = (*PLATFORMS, *OTHERS)

NAMES = {
    ATMEGA103: "ATmega103",
    ATMEGA128: "ATmega128",
    M16C: "M16C/10",
    SA1110: "SA-1110",
    PXA250_400: "PXA250 400",
    PXA250_200: "PXA250 200",
    ULTRASPARC2: "UltraSPARC II",
    "octeon": "OCTEON",
    "cortex-a8": "Cortex-A8",
    "cortex-m0": "Cortex-M0",
    "cortex-m4": "Cortex-M4",
    "ppc7400": "PPC 7400",
    "pentium3": "Pentium III",
    "rv32imc": "RV32IMC",
    "rv32i": "RV32I",
}
"""The paper's StrongARM, Xscale(400), Xscale(200) and Sparc(440) by their processors; the number is
the clock."""

OTHERWISE_COMPILED = {ATMEGA128: "atmega1284p", M16C: "m16c-o3"}
"""Targets with the instructions of another that are compiled by another optimisation."""

COMPILERS = {
    **dict.fromkeys(AVR, "GCC 3.0"),
    M16C: "Mitsubishi nc30 3.00.01, -O3",
    SA1110: "GNU gcc",
    **dict.fromkeys(XSCALE, "Microsoft eVC++"),
    ULTRASPARC2: "GNU gcc, 32-bit mode",
}
"""The paper's (3.1 to 3.5), which states no flags but those of the M16C."""

BUILD_M16C = "make m16c"
"""Builds the tools for the paper's 16-bit processor, which Debian does not package."""


class Work(NamedTuple):
    """One call of a function."""

    algorithm: str
    operation: str
    message_bytes: int | None = None
    """None of a key setup."""
    keyed_for: Literal["decrypt", "open"] | None = None
    """Of a key setup: what the key is for, where decryption needs another one."""


class Cell(NamedTuple):
    """A row of Table 3."""

    function: str
    """One of `FUNCTIONS`."""
    action: str
    """`digest`, `init`, `init-encrypt`, `init-decrypt`, `encrypt` or `decrypt`."""
    printed_bytes: str
    """`16`, or a range of lengths: `1-26`."""

    @property
    def work(self) -> Work:
        """What stands for it; of a range of lengths the longest."""
        if self.action == "init-decrypt":
            return Work(self.function, SETUP, keyed_for=DECRYPT)
        if self.action.startswith("init"):
            return Work(self.function, SETUP)
        operation = self.action if self.action == DECRYPT else sending(self.function)
        return Work(self.function, operation, self.ends[-1])

    @property
    def ends(self) -> list[int]:
        """The shortest and the longest text that it is printed for."""
        return [int(it) for it in self.printed_bytes.split("-")]

    @property
    def blocks(self) -> int:
        """That a hash processes of the longest."""
        return hash_blocks(self.ends[-1])

    @property
    def names(self) -> list[str]:
        """Function, bytes and action, as a table has them."""
        return [TITLES[self.function], self.printed_bytes.replace("-", "–"), self.action]

    def __str__(self) -> str:
        title, size, action = self.names
        if self.function in CIPHERS:
            return f"{title} {action}"
        return f"{title} of {size} {'byte' if size == '1' else 'bytes'}"


def sending(algorithm: str) -> str:
    """What is done to a message that is sent."""
    return SENDING.get(algorithm, ENCRYPT)


def padded(algorithm: str, message_bytes: int) -> int:
    """The length that is processed: a cipher's text is padded to whole blocks (4.1)."""
    block = BLOCK_BYTES.get(algorithm, 1)
    return -(-message_bytes // block) * block


def hash_blocks(message_bytes: int) -> int:
    """Blocks that MD5 and SHA-1 process, which pad alike."""
    return blocks_of(MD5).number(message_bytes, "padded")


def name(target: str) -> str:
    """What a target is called in tables."""
    return NAMES[target]


def title(algorithm: str) -> str:
    """What a function is called in tables: bare blocks need no mode's name."""
    return TITLES.get(algorithm, algorithm.removesuffix("-ecb"))


@cache
def platforms() -> dict[str, Platform]:
    """Table 2 by the names of targets."""
    return {it.platform: it for it in sensor_2003.platforms()}


@cache
def times() -> dict[str, dict[Cell, int]]:
    """Table 3: microseconds by platform and row, rows in its order."""
    found: dict[str, dict[Cell, int]] = {platform: {} for platform in platforms()}
    for it in reading.published("sensor-2003-times", Time):
        cell = Cell(sensor_2003.ALGORITHMS[it.function], it.action, it.message_bytes)
        found[it.platform][cell] = int(it.microseconds)
    return found


@cache
def cells() -> tuple[Cell, ...]:
    """The rows of Table 3."""
    return tuple(next(iter(times().values())))
