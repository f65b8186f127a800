"""What several threads of the workbench do at once, and must not do."""

from __future__ import annotations

import re
from pathlib import Path

import ciphermark

PACKAGE = Path(ciphermark.__file__).parent
BY_TYPE = re.compile(r"msgspec\.(json\.decode|msgpack\.decode|convert)\(")


def test_types_that_threads_decode_are_known_beforehand() -> None:
    """msgspec 0.22 crashes where two threads are the first to decode a type, so modules whose
    functions run in threads make a decoder when they are imported."""
    found = [
        f"{path.relative_to(PACKAGE)}: {line.strip()}"
        for path in (PACKAGE / "run/targets").rglob("*.py")
        for line in path.read_text().splitlines()
        if BY_TYPE.search(line)
    ]
    # Parameters of all cores are decoded once where they are listed.
    assert [line for line in found if "kind.Parameters" not in line] == []


def test_advice_decodes_in_one_thread() -> None:
    modules = (PACKAGE / "answers").rglob("*.py")
    assert not [path for path in modules if "threading" in path.read_text()]
