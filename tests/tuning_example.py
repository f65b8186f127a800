"""A run of kernels in variants, made up: nothing was compiled for it."""

from __future__ import annotations

import msgspec

from ciphermark import contract
from ciphermark.contract.others import SimulatedCase, Simulation, Variant
from ciphermark.record.run import Run
from simulation_example import described, simulated_run
from synthetic import synthetic_cases, synthetic_run

TARGET = "atmega128"

FIGURES = {
    "default": ("-O2", 1000, 500, 40),
    "gcc-5-o3": ("-O3", 800, 950, 40),
    "gcc-5-os": ("-Os", 1500, 300, 30),
    "gcc-5-o1": ("-O1", 1600, 510, 40),
    "gcc-5-o2-alike": ("-O2 -fno-inline", 1000, 500, 40),
    "gcc-5-o3-native": ("-O3 -mhere", 700, 400, 30),
}
"""By variant: flags, cycles, bytes of code, bytes of stack."""


def variant(name: str, target: str = TARGET, flags: str = "") -> Variant:
    return Variant(
        target=target,
        name=name,
        compiler="avr-gcc",
        compiler_name="gcc-5",
        compiler_line="avr-gcc (GCC) 5.4.0",
        target_flags="-mmcu=atmega128",
        flags=flags,
        reason="made up",
        is_default=name == "default",
        shippable="native" not in name,
    )


def tuned_run() -> Run:
    """All of `FIGURES`, one variant with a wrong answer, and two that this machine measured."""
    variants = [variant(name, flags=flags) for name, (flags, *_) in FIGURES.items()]
    found = [
        Simulation(
            case=case(it.label),
            metric="cycles-simulated",
            value=cycles,
            code_bytes=code,
            stack_bytes=stack,
            vectors_passed=12,
        )
        for it, (_, cycles, code, stack) in zip(variants, FIGURES.values(), strict=True)
    ]
    broken = variant("gcc-5-broken", flags="-O2 -Dfor=if")
    wrong = contract.Failure(kind="wrong-answer", message="wrong on the target: made up")
    found.append(Simulation(case=case(broken.label), error=wrong))
    hosts = [variant(name, "host", flags) for name, flags in MEASURED.items()]
    found += [Simulation(case=case(it.label), code_bytes=700, stack_bytes=96) for it in hosts]
    run = simulated_run([])
    context = msgspec.structs.replace(
        run.context, workload="tuning", plan_name="tune", cases=len(found), errors=1
    )
    return msgspec.structs.replace(
        run,
        context=context,
        simulations=found,
        targets=[described(TARGET), described("host")],
        variants=[*variants, broken, *hosts],
        also=[measured_run()],
    )


MEASURED = {"default": "-O2", "gcc-12-o3": "-O3"}
"""Flags by variants of the host, whose costs are those of the two providers of `synthetic`."""


def measured_run(alike: bool = False) -> Run:
    """What the engine would say of the variants of the host: the second takes three quarters, or
    as much as the first."""
    cases = synthetic_cases(["sha256"], sizes=(64,))
    if alike:
        cases[1] = msgspec.structs.replace(cases[0], case=1)
    run = synthetic_run(cases, rounds=30, seed=5)
    for record, name in zip(run.cases, MEASURED, strict=True):
        record.case = msgspec.structs.replace(
            record.case, provider=f"kernel@{name}", backend="reference"
        )
    return run


def case(label: str) -> SimulatedCase:
    return SimulatedCase(target=label, algorithm="sha256", operation="digest", message_bytes=64)
