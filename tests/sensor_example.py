"""Runs of the sensor study made up from simple formulas: as the paper's processors, and as here."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from ciphermark.contract.others import Metric, SimulatedCase, SimulatedTarget, Simulation
from ciphermark.record.run import Run
from ciphermark.run.targets.target import FOLDER
from ciphermark.studies.sensor import simulated
from ciphermark.studies.sensor.evidence import printed
from ciphermark.studies.sensor.paper import (
    ATMEGA103,
    ATMEGA128,
    AVR,
    BUILD_M16C,
    IDEA,
    M16C,
    OTHERWISE_COMPILED,
    RC5_OF,
    SA1110,
    SETUP,
    TARGETS,
    XSCALE,
    Work,
    hash_blocks,
)
from synthetic import synthetic_run

WITH_MODEL = {SA1110, *XSCALE, "cortex-m0", "cortex-m4"}
SETUP_CYCLES = {"seal3": 900_000.0}
"""Where that is far from the others'."""
PER_BLOCK = {"md5": 800.0, "sha1": 2500.0, "sha256": 3000.0}
"""Of 64 bytes, on 32 bits."""
PER_BYTE = 20.0
"""Of what is not a hash, with 12 rounds of RC5."""
CODE = {"md5": 3000, "sha1": 1200, "rc5-32-12-8-ecb": 700, "idea-ecb": 1100, "rc4-128": 240}
INSTRUCTIONS_A_CYCLE = 0.75
SMALLER = OTHERWISE_COMPILED[ATMEGA128]
"""Whose code is compiled to be small."""
SLOWER = 1.25
CODE_LINES, DATA_LINES = 20, 5
"""That a call fetches into empty caches."""


MISSES = {"instruction_misses": CODE_LINES, "data_misses": DATA_LINES, "evictions": 0}


def metric(target: str) -> Metric:
    """Of the targets as they are."""
    if target in (*AVR, SMALLER):
        return "cycles-simulated"
    return "cycles-model" if target in WITH_MODEL else "instructions"


def cycles(case: SimulatedCase) -> int:
    """More on smaller words, and for rotations where they depend on the seed."""
    if case.target == SMALLER:
        return round(SLOWER * cycles(msgspec.structs.replace(case, target=ATMEGA128)))
    words = 6.0 if case.target in AVR else 1.0
    if case.operation == SETUP:
        cost = SETUP_CYCLES.get(case.algorithm, 2000.0)
        return round(words * cost * (4.0 if case.keyed_for else 1.0))
    if case.algorithm in PER_BLOCK:
        per_block = PER_BLOCK[case.algorithm] * hash_blocks(case.message_bytes)
        return round(words * (300 + per_block))
    rounds = next((n for n, it in RC5_OF.items() if it == case.algorithm), 12)
    cost = 100 + PER_BYTE * case.message_bytes * rounds / 12
    if case.algorithm == IDEA and case.target == ATMEGA103:
        cost *= 3
    if case.algorithm in RC5_OF.values() and case.target in AVR:
        cost *= 1 + 0.01 * (case.seed % 5)
    return round(words * cost)


def simulation(case: SimulatedCase, value: int | None = None, **changes: object) -> Simulation:
    """A case that went well."""
    found = cycles(case) if value is None else value
    counted = metric(case.target) == "instructions"
    code = CODE.get(case.algorithm, 900) * (3 if case.target in AVR else 1)
    fields = {
        "metric": metric(case.target),
        "value": found,
        "instructions": found if counted else round(INSTRUCTIONS_A_CYCLE * found),
        "stack_bytes": 64,
        "code_bytes": code,
        **(MISSES if case.target in (SA1110, *XSCALE) else {}),
        "context_bytes": 104,
        "vectors_passed": 3,
    }
    return Simulation(case=case, **fields | changes)


def used(target: str, reason: str = "") -> SimulatedTarget:
    """A target as it was used, or why it was not."""
    flags = "-Os" if target == SMALLER else "-O2"
    return SimulatedTarget(
        target=target,
        title=target,
        compiler="gcc 12",
        flags=flags,
        runner="a simulator",
        description=(FOLDER / f"{target}.toml").read_text("utf-8"),
        reason=reason,
    )


def run_of(simulations: Iterable[Simulation], missing: Iterable[str] = ()) -> Run:
    """A run of the study with these simulations."""
    run = synthetic_run()
    run.context.plan_name = "sensor"
    reason = f"no compiler m32c-elf-gcc: {BUILD_M16C}"
    targets = [
        used(it, reason if it in missing else "") for it in (*TARGETS, *OTHERWISE_COMPILED.values())
    ]
    return msgspec.structs.replace(run, simulations=list(simulations), targets=targets)


def as_here(without: Iterable[str] = (M16C, OTHERWISE_COMPILED[M16C])) -> Run:
    """All targets but those whose tools are missing, each with the figures that it can have."""
    cases = simulated("quick")
    return run_of((simulation(it) for it in cases if it.target not in without), without)


def as_printed(**factors: float) -> Run:
    """The rows of Table 3 as if all processors were simulated in cycles; figures of a platform
    multiplied."""
    found = [
        simulation(
            case_of(platform, cell.work),
            round(value * factors.get(platform.replace("-", "_"), 1.0)),
            metric="cycles-simulated",
        )
        for platform, by_cell in printed().cycles.items()
        for cell, value in by_cell.items()
    ]
    return run_of(found)


def case_of(target: str, work: Work, seed: int = 1) -> SimulatedCase:
    """The case of a work on a target."""
    return SimulatedCase(
        target=target,
        algorithm=work.algorithm,
        operation=work.operation,
        message_bytes=work.message_bytes,
        keyed_for=work.keyed_for,
        seed=seed,
    )
