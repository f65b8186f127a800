"""Cases on simulated targets, side by side over the cores of this machine."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from subprocess import SubprocessError
from typing import NamedTuple

import msgspec

from ciphermark.contract import Algorithm
from ciphermark.contract.simulation import SimulatedCase, SimulatedTarget, Simulation
from ciphermark.errors import WorkError
from ciphermark.measure.targets import builds, calls
from ciphermark.measure.targets.questions import Question
from ciphermark.measure.targets.rows import Row
from ciphermark.measure.targets.simulation import Asked, TargetSimulation, at_host
from ciphermark.measure.targets.simulator import Simulator
from ciphermark.measure.targets.target import FOLDER, Target, read
from ciphermark.measure.targets.toolchain import Toolchain
from ciphermark.measure.targets.verification import Bench

Watch = Callable[[str, int, int], None]
"""Is told the title of a target, how many of its cases are done, and how many it has."""


class Simulated(NamedTuple):
    """What came of all cases."""

    targets: list[SimulatedTarget]
    simulations: list[Simulation]
    """None of targets that cannot be simulated here."""


def simulate(
    targets: Sequence[Target],
    cases: Sequence[SimulatedCase],
    facts: Mapping[str, Algorithm],
    questions: Sequence[Question],
    watch: Watch,
) -> Simulated:
    """Simulates cases; those that are done when the user stops are what is returned.

    Raises `WorkError` where this machine's own compiler is missing, by whose answers those of
    targets are judged.
    """
    with tempfile.TemporaryDirectory(prefix="ciphermark-") as images:
        asked = ask_here(cases, facts, questions, Path(images), targets)
        return _on_all(targets, cases, asked, Path(images), watch)


def _on_all(
    targets: Sequence[Target],
    cases: Sequence[SimulatedCase],
    asked: Asked,
    images: Path,
    watch: Watch,
) -> Simulated:
    found: dict[str, tuple[SimulatedTarget, list[Simulation]]] = {}
    workers = os.cpu_count() or 1
    jobs = max(1, workers // len(targets))
    with ThreadPoolExecutor(workers) as pool:
        waiting = {}
        for target in targets:
            own = [case for case in cases if case.target == target.name]
            place = images / target.name
            waiting[pool.submit(_on_target, target, own, asked, place, jobs, watch)] = target.name
        for future in as_completed(waiting):
            found[waiting[future]] = future.result()
    ordered = [found[target.name] for target in targets]
    return Simulated([it for it, _ in ordered], [it for _, own in ordered for it in own])


def _on_target(
    target: Target,
    cases: Sequence[SimulatedCase],
    asked: Asked,
    images: Path,
    jobs: int,
    watch: Watch,
) -> tuple[SimulatedTarget, list[Simulation]]:
    images.mkdir()
    told = SimulatedTarget(
        target=target.name,
        title=target.title,
        compiler="",
        flags=" ".join([*target.flags, target.optimise]),
        runner="",
        description=(FOLDER / f"{target.name}.toml").read_text("utf-8"),
    )
    found: list[Simulation] = []
    watch(target.title, 0, len(cases))
    try:
        toolchain = ready(target, images, jobs)
        told.compiler = builds.compiler_line(target)
        told.runner = Simulator(target, toolchain.kernels, toolchain.folder).version()
        bench = TargetSimulation(toolchain, asked)
        for one in bench.run(cases, lambda more: watch(target.title, more, len(cases))):
            found.append(one)
    except WorkError as error:
        told.reason = str(error)
    except (OSError, SubprocessError) as error:  # the other targets go on
        told.reason = f"{target.title} could not be simulated: {error}"
    return told, found


def ready(target: Target, images: Path, jobs: int) -> Toolchain:
    """The tools of a target, all there. Raises `WorkError` with what has to be installed."""
    try:
        toolchain = builds.toolchain(target, images, jobs)
    except WorkError:
        raise WorkError(Toolchain(target, builds.kernel_sources(), images).lacking()) from None
    if missing := toolchain.missing():
        raise WorkError(missing)
    return toolchain


def ask_here(
    cases: Sequence[SimulatedCase],
    facts: Mapping[str, Algorithm],
    questions: Sequence[Question],
    images: Path,
    targets: Iterable[Target],
) -> Asked:
    """Makes all calls on this machine once, for the answers; `images` is a folder for programs.

    Raises `WorkError` where this machine's own compiler is missing.
    """
    folders = tuple(dict.fromkeys(folder for target in targets for folder in target.kernels))
    host = msgspec.structs.replace(read(FOLDER / "host.toml"), kernels=folders)
    place = images / host.name
    place.mkdir()
    toolchain = ready(host, place, os.cpu_count() or 1)
    bench = Bench(toolchain)
    rows = bench.rows(bench.groups)
    wanted = list(dict.fromkeys(at_host(case) for case in cases))
    found = (calls.call_of(case, rows, facts[case.algorithm]) for case in wanted)
    made = [call for call in found if call is not None]
    symbols = [group.symbol for group in bench.groups]
    image = toolchain.link("measure", "all", symbols, calls.data(made))
    lines = Simulator(host, toolchain.kernels, toolchain.folder).measure(image).lines
    outcomes = calls.outcomes(lines, made)
    right = {
        call.case: outcome.told
        for call, outcome in zip(made, outcomes, strict=True)
        if outcome.kind == "done" and outcome.told is not None
    }
    return Asked(facts, questions, homes(bench, rows), right)


def homes(bench: Bench, rows: Iterable[Row]) -> dict[tuple[str, str], set[str]]:
    """Names of the groups that have an algorithm by a backend."""
    homes: dict[tuple[str, str], set[str]] = {}
    for row in rows:
        name = bench.groups[row.group].name
        homes.setdefault((row.algorithm, row.backend), set()).add(name)
    return homes
