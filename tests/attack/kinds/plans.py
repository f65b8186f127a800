"""Plans that no workbench would write, given to the engine: a sentence or a run, no panic, and an
end within seconds of Ctrl-C."""

from __future__ import annotations

import json
import random
import signal
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any, get_args

from attack import hostile
from attack.attempt import Attempt
from attack.failure import Failure
from ciphermark import contract

PATTERNS = get_args(contract.Pattern)
BUFFERS = get_args(contract.Buffers)
OFFLOADS = ("none", "none", *get_args(contract.Offload))
SIZES = (0, 1, 8, 15, 16, 17, 64, 1000, 1024, 65536)
VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1, 2, 7, 255, 256, 65536, 2**31 - 1, 2**31, 2**32 - 1, 2**32),
    *(
        2**53,
        2**63 - 1,
        2**63,
        2**64 - 1,
        2**64,
        0.5,
        -0.5,
        1e-300,
        1e300,
        "",
        "x",
        "openssl",
        "all",
    ),
    *(
        "a" * 5000,
        "\u0000",
        "\ud83d\ude00",
        [],
        [[]],
        {},
        [0],
        [1, 0],
        [2**31],
        {"x": 1},
        [None],
        ["x"],
    ),
)
EXTREMES = {
    "packets": (0, 1, 10**6, 2**64 - 1),
    "least_pairs": (0, 2 * 10**9, 2**32 - 1),
    "keys": (0, 2, 1000, 10**6, 2**32 - 1),
    "lanes": (0, 2, 8, 4096, 2**32 - 1),
    "sessions": (0, 1, 3, 100, 100_000, 2**32 - 1),
    "message_bytes": (*SIZES, 2**30, 2**30 + 1, 2**40, 2**64 - 1),
    "cpu": (0, 1, 2, 1000, 2**32 - 1),
    "queue_batches": (0, 1, 3, 2**32 - 1),
    "batch": (0, 1, 2**32 - 1),
    "in_flight": (0, 2**32 - 1),
    "priorities": (0, 1, 64, 2**32 - 1),
    "slices_per_group": (0, 1, 1000, 1001),
    "min_processes": (0, 5, 6, 2**32 - 1),
    "rounds_per_process": (0, 1, 1000, 1001),
    "nice": (-20, 19, 20, -(2**31)),
    "life": ({"shortest_ms": 0, "longest_ms": 0}, {"shortest_ms": 9, "longest_ms": 1}),
}  # fmt: skip
"""What a field may have that is out of its range, or just within."""


def attempt(it: Attempt) -> None:
    described = _description(it.setting.replay.with_name("description"))
    text = json.dumps(_spoilt(it.lots, plan(it.lots, described))).encode()
    if it.lots.random() < 0.2:
        text = hostile.data(it.lots, text)
    it.say(text.decode(errors="replace")[:2000])
    engine = it.engine(text)
    if not engine.poll(5):
        engine.signal(signal.SIGINT)
    ended = engine.end(why=" after Ctrl-C")
    ended.check()
    lines = ended.output.splitlines()
    try:
        events = [json.loads(line) for line in lines]
    except ValueError as error:
        raise Failure("other", f"a line of the engine is no JSON: {error}") from None
    if ended.code == 0 and not (
        events and events[-1].get("type", events[-1].get("event")) == "bye"
    ):
        raise Failure("other", f"the engine ended well without a farewell: {lines[-1:]!r}"[:300])
    if ended.code != 0 and not ended.messages.strip():
        raise Failure("other", f"the engine ended with {ended.code} and no sentence")


def plan(lots: random.Random, described: dict[str, Any]) -> dict[str, Any]:
    """A plan of what an engine describes. Four in five keep to the rules of what goes with what,
    since the others are refused before anything is run."""
    workload = lots.choice(("single", "single", "sessions", "packets"))
    orderly = lots.random() < 0.8
    return {
        "schema": dict(described["schema"]),
        "workload": workload,
        "seed": lots.getrandbits(53),
        "precision": 0.1,
        "budget_s": 0.1,
        "cpu": None,
        "libraries": {},
        "sampling": {"slice_us": 12.0, "slices_per_group": 5, "min_groups": 6, "min_processes": 6,
                     "min_span_ms": 5.0, "rounds_per_process": 3},
        "code_paths": [],
        "cases": [_case(lots, described, number, workload, orderly)
                  for number in range(lots.choice((1, 2, 4)))],
    }  # fmt: skip


def _case(
    lots: random.Random, described: dict[str, Any], number: int, workload: str, orderly: bool
) -> dict[str, Any]:
    implementations = described["implementations"]
    if orderly and workload != "single":
        implementations = [it for it in implementations if it["operations"] != ["setup"]]
    known = lots.choice(implementations)
    algorithm = _algorithm(described, known["algorithm"])
    keyless = not algorithm["key_bytes"]
    operations = known["operations"]
    pattern = lots.choice(PATTERNS)
    keys, lanes = lots.choice((1, 1, 1, 2, 8, 1000)), lots.choice((1, 1, 1, 2, 8))
    buffers = lots.choice(BUFFERS) if lots.random() < 0.5 else "hot"
    offload = lots.choice(OFFLOADS)
    size = lots.choice(SIZES)
    if orderly:
        if workload != "single":
            operations = [it for it in operations if it != "setup"]
        patterns = ["reused-key"] if workload == "packets" else known["patterns"]
        patterns = [it for it in patterns if not (keyless and it == "rekeyed")]
        pattern = lots.choice(patterns or ["reused-key"])
        buffers = "hot" if workload != "single" or buffers == "repeated" else buffers
        offload = "none" if workload != "single" or offload not in ("cores", "split") else offload
    operation = lots.choice(operations)
    if orderly:
        if operation == "setup":
            pattern, buffers, offload = "reused-key", "hot", "none"
        several = pattern == "reused-key" and operation != "setup" and offload != "split"
        keys = keys if several and not keyless and workload != "sessions" else 1
        lanes = min(lanes, known["most_lanes"]) if several and workload == "single" else 1
        lanes = lanes if buffers == "hot" else 1
        size = lots.choice((64, 1024))  # whole blocks of each cipher
    return {
        "case": number,
        "algorithm": known["algorithm"],
        "operation": operation,
        "provider": known["provider"],
        "backend": known["backend"] if orderly else lots.choice(("default", known["backend"])),
        "pattern": pattern,
        "chunk_bytes": (16 if orderly else lots.choice((1, 16, 64)))
        if pattern == "incremental"
        else None,
        "offload": offload,
        "offload_cpus": lots.choice(([0], [0, 1]) if offload != "none" else ([],)),
        "message_bytes": None if operation == "setup" else size,
        "lanes": lanes,
        "keys": keys,
        "buffers": buffers,
        "switches": known["switches"] if orderly else {},
        "sessions": _sessions(lots, pattern, orderly) if workload == "sessions" else None,
        "packets": _packets(lots, operation, operations, orderly)
        if workload == "packets"
        else None,
    }


def _algorithm(described: dict[str, Any], name: str) -> dict[str, Any]:
    return next(it for it in described["algorithms"] if it["name"] == name)


def _sessions(lots: random.Random, pattern: str, orderly: bool) -> dict[str, Any]:
    cpus = lots.choice(([0], [0, 1]))
    return {
        "sessions": lots.choice((1, 2, 5)), "cpus": cpus,
        "placement": lots.choice(get_args(contract.Placement)),
        "threads": lots.choice(get_args(contract.Threads)),
        "contexts": "own" if orderly and pattern != "reused-key"
        else lots.choice(get_args(contract.Contexts)),
        "execution_ms": 50.0, "opens_ms": 10.0, "closes_ms": 40.0, "life": None,
        "offered_per_s": lots.choice((None, None, 100.0)),
        "policy": _policy(lots, cpus, orderly), "nice": 0,
        "quota_cpus": None, "neighbours": lots.choice((0, 0, 1)), "look_ms": 20.0,
        "most_attempts": 1,
    }  # fmt: skip


def _packets(
    lots: random.Random, operation: str, operations: list[str], orderly: bool
) -> dict[str, Any]:
    cpus, then = lots.choice(([0], [1], [0, 1])), None
    architecture = lots.choice(get_args(contract.Architecture))
    if operation == "encrypt" and "decrypt" in operations and lots.random() < 0.5:
        cpus, then = [0, 1], "decrypt"
    elif orderly:
        architecture = "run-to-completion"
    return {
        "packets": lots.choice((1, 100, 1000)), "cpus": cpus,
        "submit_cpu": lots.choice((0, 1)), "then": then, "batch": lots.choice((1, 4)),
        "flush_us": None, "queue_batches": lots.choice((1, 2, 8)),
        "delivery": lots.choice(get_args(contract.Delivery)),
        "architecture": architecture,
        "waiting": lots.choice(get_args(contract.Waiting)),
        "key_setup": lots.choice(get_args(contract.KeySetup)),
        "priorities": lots.choice((1, 2)), "groups": [],
        "policy": _policy(lots, [0, 1] if orderly else cpus, orderly),
        "offered_per_s": None, "in_flight": 1,
        "least_pairs": 2, "measure_ms": 20.0,
    }  # fmt: skip


def _policy(lots: random.Random, cpus: list[int], orderly: bool) -> str:
    """Real-time threads on all CPUs are refused."""
    policy = lots.choice(get_args(contract.Policy))
    return "other" if orderly and policy == "round-robin" and len(cpus) > 1 else policy


def _spoilt(lots: random.Random, sound: dict[str, Any]) -> dict[str, Any]:
    for _ in range(lots.choice((0, 0, 1, 1, 1, 2, 4))):
        places = list(_places(sound))
        if lots.random() < 0.5:
            places = [it for it in places if it[1] in EXTREMES] or places
        holder, name = lots.choice(places)
        if isinstance(holder, dict) and lots.random() < 0.1:
            del holder[name]
        elif name in EXTREMES and lots.random() < 0.8:
            holder[name] = lots.choice(EXTREMES[name])
        else:
            holder[name] = deepcopy(lots.choice(VALUES))  # of its own: more may be put into it
    return sound


def _places(value: Any) -> Any:
    """Each place in a document: what holds it, and its name there."""
    if isinstance(value, dict):
        names: Any = list(value)
    elif isinstance(value, list):
        names = range(len(value))
    else:
        return
    for name in names:
        yield value, name
        yield from _places(value[name])


@cache
def _description(path: Path) -> dict[str, Any]:
    return json.loads(path.read_text("utf-8"))
