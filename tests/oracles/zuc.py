"""ZUC, 128-EEA3 and 128-EIA3, as their specification says it, 3GPP TS 35.221 and 35.222."""

from __future__ import annotations

from dataclasses import dataclass

from oracles.block_ciphers import xor

S0 = bytes.fromhex(
    "3e725b47cae0003304d1549809b96dcb7b1bf932af9d6aa5b82dfc1d08530390"
    "4d4e8499e4ced991ddb685488b296eaccdc1f81e734369c6b5bdfd396320d438"
    "767db2a7cfed57c5f32cbb142106559be3ef5e314f7f5aa40d8251495fba581c"
    "4a16d517a892241f8cffd8ae2e01d3ad3b4bda46ebc9de9a8f87d73a806f2fc8"
    "b1b437f70a2213287ccc3c89c7c3965607bf7ef00b2b975235417961a64c10fe"
    "bc2695888ab0a3fbc01894f2e1e5e95dd0dc1166645cec59427512f5749caa23"
    "0e86abbe2a02e767e644a26cc2939ff1f6fa36d250689e6271153dd640c4e20f"
    "8e83776b25053f0c30ea70b7a1e8a9658d271adb81b3a0f4457a19dfee783460"
)
S1 = bytes.fromhex(
    "55c263713bc847869f3cda5b29aafd778cc5940ca61a1300e3a8167240f9f842"
    "4426689681d9453e1076c6a78b3943e13ab5562ac06db3052266bfdc0bfa6248"
    "dd20110636c9c1cff62752bb69f5d4877f844cd29c57a4bc4f9adffed68d7aeb"
    "2b53d85ca11417fb23d57d3067730809eeb7703f61b2198e4ee54b938f5ddba9"
    "adf1ae2ecb0dfcf42d466e1d97e8d1e94d37a5755e839eab829db91ce0cd4989"
    "01b6bd5824a25f387899159050b895e4d091c7ceed0fb46fa0ccf0024a79c3de"
    "a3efea51e66b18ec1b2c80f774e7ff215a6a541e41319235c433070aba7e0e34"
    "88b1987cf33d606c7bcad31f3265042864be859b2f598ad7b025acaf1203e2f2"
)
# The constants of section 3.5.1, 15 bits each.
CONSTANTS = [
    0x44D7, 0x26BC, 0x626B, 0x135E, 0x5789, 0x35E2, 0x7135, 0x09AF,
    0x4D78, 0x2F13, 0x6BC4, 0x1AF1, 0x5E26, 0x3C4D, 0x789A, 0x47AC,
]  # fmt: skip
PRIME = 2**31 - 1
INITIAL_ROUNDS = 32


def rotated(word: int, bits: int) -> int:
    return (word << bits | word >> (32 - bits)) & 0xFFFFFFFF


def substituted(word: int) -> int:
    one, two, three, four = word.to_bytes(4, "big")
    return int.from_bytes(bytes([S0[one], S1[two], S0[three], S1[four]]), "big")


def diffused(word: int, rotations: tuple[int, ...]) -> int:
    result = word
    for bits in rotations:
        result ^= rotated(word, bits)
    return result


@dataclass
class Generator:
    """The state of ZUC (TS 35.222, section 3)."""

    cells: list[int]
    r1: int = 0
    r2: int = 0
    rounds: int = 0

    def round(self) -> int:
        """The word of a round, of which the first 32 go into the register."""
        s = self.cells
        x0 = s[15] >> 15 << 16 | s[14] & 0xFFFF
        x1, x2, x3 = ((s[i] & 0xFFFF) << 16 | s[j] >> 15 for i, j in ((11, 9), (7, 5), (2, 0)))
        word = (x0 ^ self.r1) + self.r2 & 0xFFFFFFFF
        w1, w2 = self.r1 + x1 & 0xFFFFFFFF, self.r2 ^ x2
        self.r1 = substituted(diffused((w1 << 16 | w2 >> 16) & 0xFFFFFFFF, (2, 10, 18, 24)))
        self.r2 = substituted(diffused((w2 << 16 | w1 >> 16) & 0xFFFFFFFF, (8, 14, 22, 30)))
        new = (s[15] << 15) + (s[13] << 17) + (s[10] << 21) + (s[4] << 20) + s[0] * 257
        if self.rounds < INITIAL_ROUNDS:
            new += word >> 1
        # Section 3.2: a cell of 0 is written as the prime.
        self.cells = [*s[1:], new % PRIME or PRIME]
        self.rounds += 1
        return word ^ x3


def keystream(key: bytes, iv: bytes, words: int) -> bytes:
    cells = [k << 23 | d << 8 | i for k, d, i in zip(key, CONSTANTS, iv, strict=True)]
    generator = Generator(cells)
    for _ in range(INITIAL_ROUNDS + 1):
        generator.round()
    return b"".join(generator.round().to_bytes(4, "big") for _ in range(words))


def eea3(key: bytes, count: int, bearer: int, direction: int, text: bytes) -> bytes:
    """TS 35.221, section 3, of whole bytes."""
    iv = (count.to_bytes(4, "big") + bytes([bearer << 3 | direction << 2, 0, 0, 0])) * 2
    stream = keystream(key, iv, -(-len(text) // 4))
    return xor(text, stream[: len(text)])


def eia3(key: bytes, count: int, bearer: int, direction: int, message: bytes) -> bytes:
    """TS 35.221, section 4, of whole bytes."""
    half = count.to_bytes(4, "big") + bytes([bearer << 3, 0, 0, 0])
    iv = bytearray(half + half)
    iv[8] ^= direction << 7
    iv[14] ^= direction << 7
    words = -(-len(message) // 4) + 2
    stream = int.from_bytes(keystream(key, bytes(iv), words), "big")

    def word_at(bit: int) -> int:
        return stream >> (32 * words - 32 - bit) & 0xFFFFFFFF

    tag = word_at(8 * len(message)) ^ word_at(32 * (words - 1))
    for bit in range(8 * len(message)):
        if message[bit // 8] >> (7 - bit % 8) & 1:
            tag ^= word_at(bit)
    return tag.to_bytes(4, "big")
