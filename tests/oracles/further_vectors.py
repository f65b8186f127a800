"""Vectors that nobody has published, made by the oracles beside this: prints one file of them.

cd tests && python -m oracles.further_vectors uhash2000-more
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from hashlib import shake_128
from pathlib import Path
from typing import Any

from oracles.block_ciphers import rc5, xor
from oracles.universal_hashes import CIPHERS, hash127_rc6, uhash2000, umac2000
from oracles.zuc import eea3, eia3, keystream

VECTORS = Path(__file__).parents[2] / "algorithms" / "vectors"
Vector = dict[str, Any]
DRAFT = "draft-krovetz-umac-01"
RC6 = "RC6-32/20/16"
EMPTY = "An empty message is one block of 32 zero bytes whose length is 0, as in RFC 4418."
# Below, at and above a group of 32 bytes and a block of 1024.
LENGTHS = (1, 32, 33, 1024, 1025, 4096)
# Past the first polynomial of layer 2: 512 KiB with words of 2 bytes, 16 MiB with words of 4.
LONG = {2: (64, 8193), 4: (64, 262160)}


def random_bytes(name: str, count: int) -> bytes:
    return shake_128(name.encode()).digest(count)


def message_of(name: str, length: int) -> tuple[bytes, str]:
    message = random_bytes(f"{name} message", length)
    return message, message.hex()


def long_message(name: str, word_bytes: int) -> tuple[bytes, dict[str, Any]]:
    size, count = LONG[word_bytes]
    repeat, tail = random_bytes(f"{name} message", size), b"end"
    return repeat * count + tail, {"repeat": repeat.hex(), "count": count, "tail": tail.hex()}


def uhash2000_vector(word_bytes: int, output_bytes: int, length: int | None) -> Vector:
    """Of a long message where there is no length."""
    ending = "long" if length is None else f"len{length}"
    name = f"uhash{8 * word_bytes}-{output_bytes}-{ending}"
    key = random_bytes(f"{name} key", 16)
    message, written = (
        long_message(name, word_bytes) if length is None else message_of(name, length)
    )
    output = uhash2000(word_bytes, output_bytes, CIPHERS["AES-128"](key), message)
    return {
        "id": name,
        "set": f"w{word_bytes}",
        "origin": "generated",
        "word_len": word_bytes,
        "output_len": output_bytes,
        "key": key.hex(),
        "message": written,
        "output": output.hex(),
    }


def uhash2000_vectors() -> Iterator[Vector]:
    for word_bytes in (2, 4):
        yield uhash2000_vector(word_bytes, 8, 0)
        for output_bytes in (4, 12, 16):
            for length in (0, *LENGTHS):
                yield uhash2000_vector(word_bytes, output_bytes, length)
        yield uhash2000_vector(word_bytes, 16, None)


def umac2000_vector(
    word_bytes: int,
    tag_bytes: int,
    name: str,
    nonce_bytes: int,
    length: int | None,
    cipher: str = "AES-128",
) -> Vector:
    name = f"umac{8 * word_bytes}-{tag_bytes}-{name}"
    key = random_bytes(f"{name} key", 32 if cipher == "AES-256" else 16)
    nonce = random_bytes(f"{name} nonce", nonce_bytes)
    message, written = (
        long_message(name, word_bytes) if length is None else message_of(name, length)
    )
    tag = umac2000(word_bytes, tag_bytes, CIPHERS[cipher], key, nonce, message)
    flavour = {"flavour": "draft-text"} if word_bytes == 4 and cipher != RC6 else {}
    return {
        "id": name,
        "set": f"further{tag_bytes}",
        "origin": "generated",
        **flavour,
        "word_len": word_bytes,
        "output_len": tag_bytes,
        "block_cipher": cipher,
        "key": key.hex(),
        "nonce": nonce.hex(),
        "message": written,
        "tag": tag.hex(),
    }


def umac2000_vectors(word_bytes: int) -> Iterator[Vector]:
    for tag_bytes in (4, 8, 12, 16):
        yield umac2000_vector(word_bytes, tag_bytes, "empty", 8, 0)
        yield umac2000_vector(word_bytes, tag_bytes, "key32-len1500", 8, 1500, "AES-256")
        for nonce_bytes in (1, 2, 7, 12, 15, 16):
            name = f"nonce{nonce_bytes}"
            yield umac2000_vector(word_bytes, tag_bytes, name, nonce_bytes, 43)
    yield umac2000_vector(word_bytes, 8, "long", 8, None)


def umac2000_rc6_vectors() -> Iterator[Vector]:
    yield printed_with_rc6()
    for word_bytes in (2, 4):
        for tag_bytes in (4, 8, 12, 16):
            for length in (0, *LENGTHS):
                name = f"rc6-len{length}"
                yield umac2000_vector(word_bytes, tag_bytes, name, 8, length, RC6)
            for nonce_bytes in (1, 7, 16):
                name = f"rc6-nonce{nonce_bytes}"
                yield umac2000_vector(word_bytes, tag_bytes, name, nonce_bytes, 43, RC6)


def printed_with_rc6() -> Vector:
    """The authors' own, which the file of UMAC-2 has as a variant."""
    published = json.loads((VECTORS / "umac2000-16.json").read_text("utf-8"))["vectors"]
    [printed] = (vector for vector in published if vector["block_cipher"] == RC6)
    return printed


def hash127_rc6_vector(length: int, nonce_bytes: int) -> Vector:
    name = f"len{length}-nonce{nonce_bytes}"
    key, nonce = random_bytes(f"{name} key", 16), random_bytes(f"{name} nonce", nonce_bytes)
    message, written = message_of(name, length)
    return {
        "id": name,
        "set": "gen",
        "origin": "generated",
        "key": key.hex(),
        "nonce": nonce.hex(),
        "message": written,
        "tag": hash127_rc6(key, nonce, message).hex(),
    }


def hash127_rc6_vectors() -> Iterator[Vector]:
    for length in (0, 1, 3, 4, 43, 44, 256, 511, 512, 513, 1500, 4096):
        yield hash127_rc6_vector(length, 8)
    for nonce_bytes in (1, 15, 16):
        yield hash127_rc6_vector(100, nonce_bytes)


def rc5_vector(name: str, origin: str, rounds: int, key: bytes, plaintext: bytes) -> Vector:
    blocks = (plaintext[i : i + 8] for i in range(0, len(plaintext), 8))
    return {
        "id": name,
        "set": f"r{rounds}",
        "origin": origin,
        "rounds": rounds,
        "key": key.hex(),
        "plaintext": plaintext.hex(),
        "ciphertext": b"".join(map(rc5(key, rounds), blocks)).hex(),
    }


def rc5_vectors() -> Iterator[Vector]:
    """With 8 and 16 rounds; of each the first is published, as CBC."""
    published = "RFC 2040 section 9, where the IV is what the plaintext here is already XORed with"
    key, plaintext = bytes.fromhex("0102030405060708"), bytes.fromhex("1020304050607080")
    for rounds in (8, 16):
        name = f"rc5-r{rounds}"
        yield rc5_vector(f"{name}-rfc2040", published, rounds, key, xor(plaintext, key))
        # One block, and more and fewer than the four that faster kernels take side by side.
        for number, blocks in enumerate((1, 1, 1, 1, 3, 4, 5, 9)):
            of = f"{name}-{number}"
            drawn = random_bytes(f"{of} key", 8), random_bytes(f"{of} plaintext", 8 * blocks)
            yield rc5_vector(of, "generated", rounds, *drawn)


def vector_file(
    algorithm: str, source: str, conventions: str, vectors: Iterator[Vector]
) -> dict[str, Any]:
    return {
        "algorithm": algorithm,
        "source": source,
        "conventions": conventions,
        "verified_with": ["own Python (tests/oracles), which reproduces the published vectors"],
        "vectors": list(vectors),
    }


# Where a cell of ZUC's register becomes 0, by its round and the COUNT with which it does: one in
# 2^31 does. Version 1.3 of ipsec-mb left it 0 in its calls for one buffer (its issue 144, where the
# first is from); the others were found by trying. BEARER and DIRECTION are 0, the key is 00 .. 0f.
ZUC_ZEROS = {42: 0xCF50724B, 29: 23571780, 2: 2130687480}


def zuc_vectors(stem: str) -> Iterator[Vector]:
    key, text = bytes(range(16)), random_bytes("zuc text", 512)
    numbers = {"bearer": 0, "direction": 0, "length_bits": 8 * len(text)}
    for register_round, count in ZUC_ZEROS.items():
        vector = {
            "id": f"zero-in-round-{register_round}",
            "set": "zero",
            "origin": "generated",
            "key": key.hex(),
        }
        if stem == "zuc":
            iv = (count.to_bytes(4, "big") + bytes(4)) * 2
            vector |= {"iv": iv.hex(), "output": keystream(key, iv, len(text) // 4).hex()}
        elif stem == "zuc-eea3":
            ciphertext = eea3(key, count, 0, 0, text)
            vector |= {"count": count, **numbers}
            vector |= {"plaintext": text.hex(), "ciphertext": ciphertext.hex()}
        else:
            vector |= {"count": count, **numbers}
            vector |= {"message": text.hex(), "tag": eia3(key, count, 0, 0, text).hex()}
        yield vector


def zuc_file(stem: str, algorithm: str) -> dict[str, Any]:
    return vector_file(
        algorithm,
        "3GPP TS 35.221 and 35.222, section 3.2: a cell of 0 is written as 2^31 - 1",
        f"As in {stem}.json. A cell of the register becomes 0 in the round that the id says, "
        "counted from the first of the initialisation.",
        zuc_vectors(stem),
    )


def umac2000_file(word_bytes: int) -> dict[str, Any]:
    algorithm = f"UMAC{8 * word_bytes} (UMAC-{word_bytes}/*, year 2000)"
    conventions = f"As in umac2000-{8 * word_bytes}.json. {EMPTY}"
    return vector_file(algorithm, DRAFT, conventions, umac2000_vectors(word_bytes))


FILES = {
    "uhash2000-more": lambda: vector_file(
        "UHASH-16 / UHASH-32 of the year 2000 (no pad)",
        f"{DRAFT}, sections 5 and 6",
        f"As in uhash2000.json. {EMPTY}",
        uhash2000_vectors(),
    ),
    "umac2000-16-more": lambda: umac2000_file(2),
    "umac2000-32-more": lambda: umac2000_file(4),
    "umac2000-rc6": lambda: vector_file(
        "UMAC16 and UMAC32 (UMAC-2/*, UMAC-4/*, year 2000) with RC6-32/20/16",
        f"{DRAFT}; authors' reference code v0.05 (October 2000)",
        "As in umac2000-16.json and umac2000-32.json, flavour draft-text, with RC6 instead of AES. "
        f"set=author is that of umac2000-16.json. {EMPTY}",
        umac2000_rc6_vectors(),
    ),
    "zuc-more": lambda: zuc_file("zuc", "ZUC-128 keystream (version 1.5+)"),
    "zuc-eea3-more": lambda: zuc_file("zuc-eea3", "128-EEA3 (ZUC)"),
    "zuc-eia3-more": lambda: zuc_file("zuc-eia3", "128-EIA3 (ZUC)"),
    "rc5-more": lambda: vector_file(
        "RC5-32/r/8 (8 and 16 rounds)",
        "RFC 2040; Rivest 1994",
        "As in rc5.json, ECB of any number of blocks. RFC 2040 has the IV 0102030405060708, "
        "which is its key too.",
        rc5_vectors(),
    ),
    "hash127-rc6": lambda: vector_file(
        "hash127 with RC6-32/20/16",
        "own definition: r = RC6(16 bytes 0xff), k = RC6(nonce, zero bytes after it)",
        "message and nonce are extended with zero bytes to whole words of 4 bytes and to a block; "
        "tag = u as 16 bytes little-endian.",
        hash127_rc6_vectors(),
    ),
}


def text(stem: str) -> str:
    """A whole file, as it is stored."""
    return json.dumps(FILES[stem](), indent=1) + "\n"


if __name__ == "__main__":
    print(text(sys.argv[1]), end="")
