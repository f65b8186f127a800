"""Plans that no machine could run: the engine refuses each in a sentence and with little memory."""

from __future__ import annotations

import json
import resource
import subprocess
from collections.abc import Callable
from typing import Any

import pytest

from ciphermark import contract
from ciphermark.run.engine import Engine

pytestmark = pytest.mark.engine

MEMORY_BYTES = 256 * 10**6
"""What the engine may have, sentence and all."""

PLAN = {
    "schema": {"major": contract.SCHEMA.major, "minor": contract.SCHEMA.minor},
    "workload": "single", "seed": 1, "precision": 0.01, "budget_s": 1.0,
}  # fmt: skip
CASE = {
    "case": 0, "algorithm": "sha256", "operation": "digest", "provider": "rustcrypto",
    "backend": "default", "message_bytes": 64,
}  # fmt: skip
LOAD = b""""packets": {"packets": 1, "cpus": [0], "submit_cpu": 0, "batch": 1,
    "queue_batches": 1, "least_pairs": 1, "measure_ms": 1.0, "groups": ["""
MIB = 2**20


def plan(cases: int = 1, **changes: Any) -> bytes:
    case = CASE | changes
    return json.dumps(PLAN | {"cases": [case | {"case": it} for it in range(cases)]}).encode()


def raw(field: str, item: str, close: str) -> bytes:
    """A plan of 15 MiB, one field of whose case holds the same again and again."""
    text = json.dumps(PLAN | {"cases": [CASE | {field: "HERE"}]})
    many = item[0] + ",".join([item[1:-1]] * (15 * MIB // (len(item) - 1))) + close
    return text.replace('"HERE"', many).encode()


def switches() -> bytes:
    named = ",".join(f'"{number:x}":""' for number in range(MIB))
    return plan().replace(b'"backend"', b'"switches":{' + named.encode() + b'},"backend"')


HOSTILE: dict[str, tuple[Callable[[], bytes], str]] = {
    "cases": (lambda: plan(100_000), "more than 50000 cases"),
    "size": (lambda: plan(message_bytes=2**40), "messages of 1099511627776 bytes are over 1 GiB"),
    "lanes": (lambda: plan(lanes=1_000_000), "1000000 lanes are more than"),
    "keys": (lambda: plan(keys=2**32 - 1), "4294967295 keys are more than"),
    "chunk": (lambda: plan(chunk_bytes=2**32 - 1), "chunks of 4294967295 bytes"),
    "text": (lambda: plan(algorithm="a" * 15 * MIB), "a name has 15728640 bytes"),
    "spaces": (lambda: b" " * 100 * MIB, "over 16 MiB"),
    "lists": (lambda: b"[" * 15 * MIB, "cannot be read"),
    "lengths": (lambda: raw("lengths", "[0]", "]"), "case 0: "),
    "devices": (lambda: raw("offload_cpus", "[1]", "]"), "CPU 1 stands twice"),
    "groups": (
        lambda: raw("packets", "[[]]", "]}").replace(b'"packets": [', LOAD),
        "groups of CPUs",
    ),
    "unknown": (lambda: raw("nothing", "[{}]", ",7,]"), "cannot be read"),
    "switches": (switches, "switches are more than"),
}
"""What is hostile in a plan, and what the sentence has to say."""


@pytest.mark.parametrize("name", HOSTILE)
def test_a_plan_that_asks_for_too_much_is_refused(engine: Engine, name: str) -> None:
    def bounded() -> None:
        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY_BYTES, MEMORY_BYTES))

    text, words = HOSTILE[name]
    ended = subprocess.run(
        [engine.path, "run"], input=text(), capture_output=True, preexec_fn=bounded, check=False
    )
    said = ended.stderr.decode()
    assert (ended.returncode, ended.stdout) == (2, b""), said[:1000]
    assert words in said, said[:1000]
    assert said.count("\n") == 1 and len(said) < 2500
