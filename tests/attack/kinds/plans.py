"""Plans that no workbench would write, given to the engine: a sentence or a run, no panic, and an
end within seconds of Ctrl-C."""

from __future__ import annotations

import json
import random
import signal
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any

from attack import hostile
from attack.attempt import Attempt
from attack.failure import Failure

PATTERNS = ("reused-key", "rekeyed", "one-shot", "fetched", "incremental")
BUFFERS = ("hot", "stream", "repeated", "l2", "cold")
OFFLOADS = ("none", "none", "none", "cores", "split", "opencl", "af_alg")
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
    """A plan that may be run, of what an engine describes."""
    workload = lots.choice(("single", "single", "sessions", "packets"))
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
        "cases": [_case(lots, described, number, workload)
                  for number in range(lots.choice((1, 2, 4)))],
    }  # fmt: skip


def _case(
    lots: random.Random, described: dict[str, Any], number: int, workload: str
) -> dict[str, Any]:
    known = lots.choice(described["implementations"])
    operation = lots.choice(known["operations"])
    pattern = lots.choice(PATTERNS)
    return {
        "case": number,
        "algorithm": known["algorithm"],
        "operation": operation,
        "provider": known["provider"],
        "backend": lots.choice(("default", known["backend"])),
        "pattern": pattern,
        "chunk_bytes": lots.choice((1, 16, 64)) if pattern == "incremental" else None,
        "offload": lots.choice(OFFLOADS),
        "offload_cpus": lots.choice(([], [0], [0, 1])),
        "message_bytes": None if operation == "setup" else lots.choice(SIZES),
        "lanes": lots.choice((1, 1, 1, 2, 8)),
        "keys": lots.choice((1, 1, 1, 2, 8, 1000)),
        "buffers": lots.choice(BUFFERS) if lots.random() < 0.5 else "hot",
        "switches": {},
        "sessions": _sessions(lots) if workload == "sessions" else None,
        "packets": _packets(lots) if workload == "packets" else None,
    }


def _sessions(lots: random.Random) -> dict[str, Any]:
    return {
        "sessions": lots.choice((1, 2, 5)), "cpus": lots.choice(([0], [0, 1])),
        "placement": lots.choice(("free", "fixed")),
        "threads": lots.choice(("per-session", "per-cpu")),
        "contexts": lots.choice(("own", "shared")),
        "execution_ms": 50.0, "opens_ms": 10.0, "closes_ms": 40.0, "life": None,
        "offered_per_s": lots.choice((None, None, 100.0)),
        "policy": lots.choice(("other", "batch", "idle", "round-robin")), "nice": 0,
        "quota_cpus": None, "neighbours": lots.choice((0, 0, 1)), "look_ms": 20.0,
        "most_attempts": 1,
    }  # fmt: skip


def _packets(lots: random.Random) -> dict[str, Any]:
    return {
        "packets": lots.choice((1, 100, 1000)), "cpus": lots.choice(([0], [1], [0, 1])),
        "submit_cpu": lots.choice((0, 1)), "then": None, "batch": lots.choice((1, 4)),
        "flush_us": None, "queue_batches": lots.choice((1, 2, 8)),
        "delivery": lots.choice(("ordered", "per-flow", "unordered")),
        "architecture": lots.choice(("parallel", "pipeline")),
        "waiting": lots.choice(("spin", "sleep")), "key_setup": lots.choice(("once", "per-packet")),
        "priorities": lots.choice((1, 2)), "groups": [],
        "policy": lots.choice(("other", "batch", "round-robin")),
        "offered_per_s": None, "in_flight": 1,
        "least_pairs": 2, "measure_ms": 20.0,
    }  # fmt: skip


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
