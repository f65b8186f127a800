"""The oracle of RC5 gives the published answers."""

from __future__ import annotations

import json

from oracles.block_ciphers import rc5, xor
from oracles.further_vectors import VECTORS


def test_published_vectors_are_reproduced() -> None:
    published = json.loads((VECTORS / "rc5.json").read_text())["vectors"]
    assert {vector["rounds"] for vector in published} == {8, 12}
    for vector in published:
        block = xor(bytes.fromhex(vector["plaintext"]), bytes.fromhex(vector.get("iv", "00" * 8)))
        encrypt = rc5(bytes.fromhex(vector["key"]), vector["rounds"])
        assert encrypt(block).hex() == vector["ciphertext"], vector["id"]
