"""UMAC and UHASH of the year 2000, and hash127, by Python's integers of any size.

They follow draft-krovetz-umac-01 and Bernstein's definition line by line and share nothing with the
kernels, so that both can be compared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache

from oracles.block_ciphers import Encrypt, aes, rc6, xor

L1_KEY_BYTES = 1024
P19 = 2**19 - 1
P36 = 2**36 - 5
P127 = 2**127 - 1
# Of POLY by the bits of its words: the prime, the first word that is escaped, the key's mask.
POLY = {
    32: (2**32 - 5, 2**32 - 6, 0x1FFFFFFF),
    64: (2**64 - 59, 2**64 - 2**32, 0x01FFFFFF01FFFFFF),
    128: (2**128 - 159, 2**128 - 2**96, 0x01FFFFFF01FFFFFF01FFFFFF01FFFFFF),
}
# The polynomials one after the other, and up to which byte of layer 1 each but the last goes.
LADDER = {2: ((32, 2**11), (64, 2**33), (128, None)), 4: ((64, 2**17), (128, None))}


def pieces(data: bytes, size: int) -> Iterator[bytes]:
    return (data[i : i + size] for i in range(0, len(data), size))


def big(data: bytes) -> int:
    return int.from_bytes(data, "big")


def derived(encrypt: Encrypt, index: int, count: int) -> bytes:
    """KDF: output feedback."""
    output, block = b"", bytes(15) + bytes([index])
    while len(output) < count:
        block = encrypt(block)
        output += block
    return output[:count]


@lru_cache(maxsize=64)
def nh(word_bytes: int, key: bytes, block: bytes) -> int:
    """Layer 1: blocks are kept, since long messages repeat them."""
    bits = 8 * word_bytes
    padded = block + bytes(-len(block) % 32 if block else 32)
    message = [int.from_bytes(word, "little") for word in pieces(padded, word_bytes)]
    words = [big(word) for word in pieces(key, word_bytes)]
    sums = [(m + k) % 2**bits for m, k in zip(message, words, strict=False)]
    if word_bytes == 2:
        sums = [word - 2**bits if word >> bits - 1 else word for word in sums]
    half = 16 // word_bytes
    products = (
        sums[group + i] * sums[group + half + i]
        for group in range(0, len(sums), 2 * half)
        for i in range(half)
    )
    return (sum(products) + 8 * len(block)) % 2 ** (2 * bits)


def poly(bits: int, key: bytes, data: bytes) -> int:
    prime, limit, mask = POLY[bits]
    k = big(key) & mask
    y = 1
    for m in map(big, pieces(data, bits // 8)):
        if m >= limit:
            y = (k * y + prime - 1) % prime
            m -= 2**bits - prime
        y = (k * y + m) % prime
    return y


def ladder(word_bytes: int, key: bytes, data: bytes) -> int:
    """Layer 2: a larger prime takes over when a polynomial has had as much as it may."""
    start, begin = b"", 0
    for bits, end in LADDER[word_bytes]:
        size = bits // 8
        part = data[begin:end]
        is_last = end is None or len(data) <= end
        if start and is_last:
            part += b"\x80"
            part += bytes(-len(part) % size)
        y = poly(bits, key[:size], start + part)
        if is_last:
            break
        start, begin, key = y.to_bytes(2 * size, "big"), end, key[size:]
    return y


def inner_product(word_bytes: int, key: bytes, hashed: bytes) -> int:
    """Layer 3, without its second key."""
    prime = P36 if word_bytes == 4 else P19
    keys = [big(word) % prime for word in pieces(key, 2 * word_bytes)]
    words = map(big, pieces(hashed, 2))
    return sum(m * k for m, k in zip(words, keys, strict=True)) % prime % 2 ** (8 * word_bytes)


def overlapped(l3_keys: bytes, streams: int) -> bytes:
    """The flavour of the authors' code: of its four keys, stream i begins at i instead of 4 i."""
    kept = b"".join(key[32:] for key in pieces(l3_keys, 64))
    return b"".join(
        l3_keys[64 * i : 64 * i + 32] + kept[8 * i : 8 * i + 32] for i in range(streams)
    )


def uhash2000(
    word_bytes: int, output_bytes: int, encrypt: Encrypt, message: bytes, flavour: str = ""
) -> bytes:
    streams = output_bytes // word_bytes
    l2_bytes = {2: 28, 4: 24}[word_bytes]
    l1 = derived(encrypt, 0, L1_KEY_BYTES + (streams - 1) * 16)
    l2 = derived(encrypt, 1, streams * l2_bytes)
    l3 = derived(encrypt, 2, streams * 16 * word_bytes)
    l3_pad = derived(encrypt, 3, streams * word_bytes)
    if flavour == "reference-code":
        l3 = overlapped(l3, streams)
    output = b""
    for i in range(streams):
        key = l1[16 * i : 16 * i + L1_KEY_BYTES]
        blocks = pieces(message, L1_KEY_BYTES) if message else [b""]
        hashed = b"".join(
            nh(word_bytes, key, block).to_bytes(2 * word_bytes, "big") for block in blocks
        )
        if len(message) > L1_KEY_BYTES:
            hashed = ladder(word_bytes, l2[l2_bytes * i :], hashed).to_bytes(16, "big")
        l3_key = l3[16 * word_bytes * i : 16 * word_bytes * (i + 1)]
        product = inner_product(word_bytes, l3_key, hashed.rjust(16, b"\0"))
        output += product.to_bytes(word_bytes, "big")
    return xor(output, l3_pad)


def umac2000(
    word_bytes: int,
    tag_bytes: int,
    cipher: Callable[[bytes], Encrypt],
    key: bytes,
    nonce: bytes,
    message: bytes,
    flavour: str = "",
) -> bytes:
    """The nonce chooses its part of the pad before it is extended, as the authors' code does."""
    encrypt = cipher(key)
    parts = {4: 4, 8: 2}.get(tag_bytes, 1)
    index = nonce[-1] % parts
    block = (nonce[:-1] + bytes([nonce[-1] - index])).ljust(16, b"\0")
    pad = cipher(derived(encrypt, 128, len(key)))(block)[index * tag_bytes :][:tag_bytes]
    return xor(uhash2000(word_bytes, tag_bytes, encrypt, message, flavour), pad)


def signed_words(data: bytes) -> list[int]:
    return [int.from_bytes(word, "little", signed=True) for word in pieces(data, 4)]


def number(data: bytes) -> int:
    return sum(word << 32 * i for i, word in enumerate(signed_words(data)))


def hash127(r: bytes, k: bytes, message: bytes) -> bytes:
    y = 1
    for word in signed_words(message):
        y = (y * number(r) + word) % P127
    return ((y * number(r) + number(k)) % P127).to_bytes(16, "little")


def hash127_rc6(key: bytes, nonce: bytes, message: bytes) -> bytes:
    """RC6 makes r of all ones and k of the nonce; both nonce and message get zeros at their end."""
    encrypt = rc6(key)
    padded = message + bytes(-len(message) % 4)
    return hash127(encrypt(b"\xff" * 16), encrypt(nonce.ljust(16, b"\0")), padded)


CIPHERS: dict[str, Callable[[bytes], Encrypt]] = {
    "AES-128": aes,
    "AES-256": aes,
    "RC6-32/20/16": rc6,
}
