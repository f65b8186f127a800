"""Simulations made up from known costs: cycles·bits of key setup and of each block.

`simulated_run` is a run that can be stored; nothing was executed for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

import msgspec

from ciphermark import contract
from ciphermark.contract.others import (
    SimulatedCase,
    SimulatedTarget,
    Simulation,
    board_label,
    target_of_board,
)
from ciphermark.record.run import Run
from ciphermark.run.targets import target
from ciphermark.run.targets.target import Processor
from synthetic import synthetic_run

Cost = tuple[float, float, int]
"""a, b and the bytes of a block."""

CIPHERS: dict[str, Cost] = {"idea-ecb": (60_000.0, 40_000.0, 8), "rc4-128": (70_000.0, 800.0, 1)}
HASHES: dict[str, Cost] = {"md5": (50_000.0, 200_000.0, 64)}
OPERATIONS = {"idea-ecb": "encrypt", "rc4-128": "keystream", "md5": "digest"}
SIZES = (8, 16, 32, 64)

TARGETS = ("atmega103", "atmega128", "m16c", "sa1110", "cortex-m4", "rv32i")
CODE_BYTES, CONTEXT_BYTES, STACK_BYTES = 1500, 300, 100
OPERATION_COUNTS = {"add-32": 7, "load-32": 3, "branch-taken": 1}


def simulations(
    targets: Iterable[str] = TARGETS, factors: Mapping[str, float] | None = None
) -> list[Simulation]:
    """Of all functions on these targets, on each dearer by its factor, which is 1 unless given."""
    factors = factors or {}
    return [
        _simulation(name, algorithm, operation, size, cost * factors.get(name, 1.0))
        for name in targets
        for algorithm, operation, size, cost in _costs()
    ]


def on_a_board(found: Iterable[Simulation], name: str, factor: float) -> list[Simulation]:
    """The simulations of a target as its board would have them, dearer by a factor."""
    return [
        msgspec.structs.replace(
            it,
            case=msgspec.structs.replace(it.case, target=board_label(name)),
            metric="cycles-measured",
            value=None if it.value is None else round(it.value * factor),
            code_bytes=None,
            stack_bytes=None,
        )
        for it in found
        if it.case.target == name
    ]


def described(name: str) -> SimulatedTarget:
    """A target with its own file, or its board."""
    file = target_of_board(name) or name
    return SimulatedTarget(
        target=name,
        title=name,
        compiler="",
        flags="",
        runner="",
        description=(target.FOLDER / f"{file}.toml").read_text("utf-8"),
    )


def simulated_run(found: list[Simulation] | None = None, seed: int = 0) -> Run:
    """A run that has nothing but these."""
    found = simulations() if found is None else found
    empty = synthetic_run([], rounds=0, seed=seed)
    context = msgspec.structs.replace(empty.context, workload="simulation", plan_name="simulate")
    names = dict.fromkeys(it.case.target for it in found)
    return msgspec.structs.replace(
        empty, context=context, simulations=found, targets=[described(name) for name in names]
    )


def simulated_example() -> Run:
    """A run that has every kind of figure, an error, and a target that lacks its tools."""
    found = simulations(["atmega128", "cortex-m4", "rv32i", "octeon"])
    place = next(at for at, it in enumerate(found) if it.case.operation == "encrypt")
    found[place] = failure(found[place])
    run = simulated_run(found)
    missing = described("m16c")
    missing.title, missing.reason = "M16C/10", "M16C/10 needs its tools: make m16c"
    run.targets.append(missing)
    run.context.cases, run.context.converged, run.context.errors = len(found), len(found) - 1, 1
    return run


def failure(found: Simulation) -> Simulation:
    """The same case, gone wrong."""
    error = contract.Failure(kind="wrong-answer", message="made up")
    return msgspec.structs.replace(found, value=None, metric=None, error=error)


def write_target(folder: Path, name: str, like: str, **changes: str) -> Path:
    """A file like that of a target, with other values of its processor."""
    text = (target.FOLDER / f"{like}.toml").read_text("utf-8")
    head, _, processor = text.partition("[processor]")
    for field, value in changes.items():
        old = next(line for line in processor.splitlines() if line.startswith(f"{field} ="))
        processor = processor.replace(old, f"{field} = {value}", 1)
    path = folder / f"{name}.toml"
    path.write_text(f'title = "{name}"\n[processor]{processor}', "utf-8")
    return path


def _costs() -> Iterable[tuple[str, str, int | None, float]]:
    """Algorithm, operation, size, cycles·bits."""
    for algorithm, (a, b, block) in CIPHERS.items():
        yield algorithm, "setup", None, a
        for size in SIZES:
            yield algorithm, OPERATIONS[algorithm], size, b * size / block
    for algorithm, (a, b, block) in HASHES.items():
        for size in (0, 55, 56, 119):
            yield algorithm, OPERATIONS[algorithm], size, a + b * ((size + 9 + block - 1) // block)


def _simulation(
    name: str, algorithm: str, operation: str, size: int | None, cost: float
) -> Simulation:
    processor = _processor(name)
    return Simulation(
        case=SimulatedCase(
            target=name, algorithm=algorithm, operation=operation, message_bytes=size
        ),
        metric=processor.metric,
        value=round(cost / processor.bus_width_bits),
        code_bytes=CODE_BYTES,
        context_bytes=CONTEXT_BYTES,
        stack_bytes=STACK_BYTES,
        operations=OPERATION_COUNTS if name == "rv32i" else None,
    )


@cache
def _processor(name: str) -> Processor:
    return target.read(target.FOLDER / f"{name}.toml").processor
