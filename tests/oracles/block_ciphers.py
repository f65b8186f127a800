"""AES (FIPS 197), RC5-32 (Rivest, 1994) and RC6-32/20 (its submission), a block at a time."""

from __future__ import annotations

from collections.abc import Callable

Encrypt = Callable[[bytes], bytes]


def times(a: int, b: int) -> int:
    """The product of two bytes in the field of AES (FIPS 197, section 4.2)."""
    product = 0
    while b:
        if b & 1:
            product ^= a
        a = a << 1 ^ (0x11B if a & 0x80 else 0)
        b >>= 1
    return product


def substituted(byte: int) -> int:
    """The S-box by its definition (section 5.1.1): the inverse, and then an affine map."""
    inverse = next((b for b in range(256) if times(byte, b) == 1), 0)
    rotations = (inverse << i | inverse >> 8 - i for i in range(5))
    result = 0x63
    for rotation in rotations:
        result ^= rotation
    return result & 0xFF


SBOX = bytes(substituted(byte) for byte in range(256))
DOUBLE = bytes(times(byte, 2) for byte in range(256))


def xor(one: bytes, other: bytes) -> bytes:
    return bytes(a ^ b for a, b in zip(one, other, strict=True))


def aes_round_keys(key: bytes) -> list[bytes]:
    """Section 5.2."""
    words = [key[i : i + 4] for i in range(0, len(key), 4)]
    per_key, constant = len(words), 1
    while len(words) < 4 * (per_key + 7):
        word = words[-1]
        if len(words) % per_key == 0:
            word = word[1:] + word[:1]
            word = xor(word.translate(SBOX), bytes([constant, 0, 0, 0]))
            constant = times(constant, 2)
        elif per_key == 8 and len(words) % per_key == 4:
            word = word.translate(SBOX)
        words.append(xor(words[-per_key], word))
    return [b"".join(words[i : i + 4]) for i in range(0, len(words), 4)]


def mixed(column: bytes) -> bytes:
    """Section 5.1.3."""
    around = column + column[:3]
    return bytes(
        DOUBLE[around[i]] ^ DOUBLE[around[i + 1]] ^ around[i + 1] ^ around[i + 2] ^ around[i + 3]
        for i in range(4)
    )


def aes(key: bytes) -> Encrypt:
    first, *inner, last = aes_round_keys(key)

    def encrypt(block: bytes) -> bytes:
        state = xor(block, first)
        for round_key in [*inner, last]:
            state = bytes(state[5 * i % 16] for i in range(16)).translate(SBOX)
            if round_key is not last:
                state = b"".join(mixed(state[i : i + 4]) for i in range(0, 16, 4))
            state = xor(state, round_key)
        return state

    return encrypt


MASK32 = 0xFFFFFFFF


def rotated(word: int, bits: int) -> int:
    bits %= 32
    return (word << bits | word >> 32 - bits) & MASK32


def words_of(text: bytes) -> list[int]:
    return [int.from_bytes(text[i : i + 4], "little") for i in range(0, len(text), 4)]


def rc_round_keys(key: bytes, count: int) -> list[int]:
    """Section 4.3 of the paper on RC5, section 2.1 of RC6's submission."""
    words = words_of(key)
    keys = [(0xB7E15163 + 0x9E3779B9 * i) & MASK32 for i in range(count)]
    a = b = 0
    for step in range(3 * max(len(keys), len(words))):
        i, j = step % len(keys), step % len(words)
        a = keys[i] = rotated(keys[i] + a + b & MASK32, 3)
        b = words[j] = rotated(words[j] + a + b & MASK32, a + b)
    return keys


def rc5(key: bytes, rounds: int) -> Encrypt:
    """Section 4.1."""
    keys = rc_round_keys(key, 2 * rounds + 2)

    def encrypt(block: bytes) -> bytes:
        a, b = words_of(block)
        a, b = a + keys[0] & MASK32, b + keys[1] & MASK32
        for i in range(1, rounds + 1):
            a = rotated(a ^ b, b) + keys[2 * i] & MASK32
            b = rotated(b ^ a, a) + keys[2 * i + 1] & MASK32
        return b"".join(word.to_bytes(4, "little") for word in (a, b))

    return encrypt


def rc6(key: bytes) -> Encrypt:
    keys = rc_round_keys(key, 44)

    def encrypt(block: bytes) -> bytes:
        a, b, c, d = words_of(block)
        b, d = b + keys[0] & MASK32, d + keys[1] & MASK32
        for i in range(1, 21):
            t = rotated(b * (2 * b + 1) & MASK32, 5)
            u = rotated(d * (2 * d + 1) & MASK32, 5)
            new_a = rotated(a ^ t, u) + keys[2 * i] & MASK32
            new_c = rotated(c ^ u, t) + keys[2 * i + 1] & MASK32
            a, b, c, d = b, new_c, d, new_a
        a, c = a + keys[42] & MASK32, c + keys[43] & MASK32
        return b"".join(word.to_bytes(4, "little") for word in (a, b, c, d))

    return encrypt
