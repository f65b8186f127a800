"""The oracle of ZUC gives the published answers."""

from __future__ import annotations

import json
from typing import Any

from oracles.further_vectors import VECTORS
from oracles.zuc import eea3, eia3, keystream


def whole_bytes(stem: str) -> list[dict[str, Any]]:
    vectors = json.loads((VECTORS / f"{stem}.json").read_text())["vectors"]
    return [vector for vector in vectors if vector.get("length_bits", 8) % 8 == 0]


def test_published_keystreams_are_reproduced() -> None:
    for vector in whole_bytes("zuc"):
        if "output" in vector and "offset_bytes" not in vector:
            output, iv = bytes.fromhex(vector["output"]), bytes.fromhex(vector["iv"])
            stream = keystream(bytes.fromhex(vector["key"]), iv, -(-len(output) // 4))
            assert stream[: len(output)] == output, vector["id"]


def test_published_messages_are_encrypted_and_authenticated() -> None:
    for stem, function, text, answer in (
        ("zuc-eea3", eea3, "plaintext", "ciphertext"),
        ("zuc-eia3", eia3, "message", "tag"),
    ):
        vectors = whole_bytes(stem)
        assert len(vectors) > 2
        for vector in vectors:
            numbers = vector["count"], vector["bearer"], vector["direction"]
            message = bytes.fromhex(vector[text])[: vector["length_bits"] // 8]
            found = function(bytes.fromhex(vector["key"]), *numbers, message)
            assert found.hex() == vector[answer], vector["id"]
