"""From targets, compilers and flags to tasks that workers do."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

import msgspec

import ciphermark
from ciphermark.contract import Algorithm, Question
from ciphermark.contract.others import SimulatedCase, SimulatedTarget, Variant
from ciphermark.errors import WorkError
from ciphermark.plan.flag_sets import FlagSet
from ciphermark.plan.tuning import HOST, Kernels
from ciphermark.run.targets import simulation
from ciphermark.run.targets.simulation import Asked
from ciphermark.run.targets.target import FOLDER, Target, read
from ciphermark.run.targets.toolchain import Toolchain
from ciphermark.run.targets.verification import Bench
from ciphermark.run.tuning import compilers, variants
from ciphermark.run.tuning.compilers import Compiler
from ciphermark.run.tuning.variant_builds import HostTask, TargetTask, part_of
from ciphermark.run.tuning.variants import Kernel, Name, Way


class Place(msgspec.Struct, kw_only=True):
    """A target with the ways in which kernels are compiled for it."""

    target: Target
    told: SimulatedTarget
    """As the run keeps it, with the reason where its tools are missing."""
    cases: list[SimulatedCase]
    ways: list[Way] = []

    @property
    def is_host(self) -> bool:
        return self.target.name == HOST


class Tasks(msgspec.Struct, kw_only=True):
    """What workers are given."""

    of_targets: list[TargetTask] = []
    of_hosts: list[HostTask] = []
    unsupported: list[tuple[Variant, SimulatedCase, str]] = []
    """Cases that a target has no kernel for."""


def places(
    planned: Kernels, sets: Sequence[FlagSet], asked: Sequence[str] | None, images: Path
) -> list[Place]:
    """Every target, with its variants where its tools are there.

    Raises `UsageError` for compilers and flags that fit no target.
    """
    found = [_place(name, planned.cases[name], sets, images) for name in planned.targets]
    there = [it for it in found if not it.told.reason]
    by_target: dict[str, list[Compiler]] = {
        it.target.name: compilers.found(it.target)
        if asked is None
        else compilers.named(it.target, asked)
        for it in there
    }
    if asked is not None and there:
        compilers.check_named(asked, by_target)
    for it in there:
        own = compilers.default(it.target)
        it.ways = variants.ways(
            it.target, _named_alike(own, by_target[it.target.name]), by_target[it.target.name], sets
        )
    return found


def _named_alike(own: Compiler, among: Iterable[Compiler]) -> Compiler:
    """The default compiler by the name that it has among the others."""
    return next((it for it in among if it.line == own.line), own)


def _place(name: str, cases: list[SimulatedCase], sets: Sequence[FlagSet], images: Path) -> Place:
    file = FOLDER / f"{name}.toml"
    target = simulation.narrowed(read(file), cases)
    if name == HOST:
        target = variants.for_host(target)
    variants.check(target, sets)
    told = SimulatedTarget(
        target=name,
        title=target.title,
        compiler="",
        flags=" ".join([*target.flags, target.optimise]),
        runner=target.simulator or "",
        description=file.read_text("utf-8"),
    )
    try:
        own = images / f"{name}-probe"
        own.mkdir()
        simulation.ready(target, own, 1)
        told.compiler = compilers.default(target).line
    except WorkError as error:
        told.reason = str(error)
    return Place(target=target, told=told, cases=cases)


def tasks(
    there: Sequence[Place],
    facts: Mapping[str, Algorithm],
    questions: Sequence[Question],
    images: Path,
    watch: Callable[[str], None],
) -> Tasks:
    """One task for each kernel in each variant of a simulated target, and one for each variant of
    hosts. `watch` is told what is being compiled. Raises `WorkError`."""
    asked = _asked([it for it in there if not it.is_host], facts, questions, images, watch)
    made = Tasks()
    for place in there:
        watch(place.target.title)
        folder = images / f"{place.target.name}-default"
        folder.mkdir()
        base = variants.base_toolchain(place.target, folder, os.cpu_count() or 1)
        wanted = [(case.algorithm, case.backend) for case in place.cases]
        own = variants.kernels_of(base, _homes(base) if place.is_host else asked.homes, wanted)
        for way in place.ways:
            if place.is_host:
                made.of_hosts.append(_host_task(place, way, own, facts))
            else:
                _add(made, place, way, own, asked)
    return made


def _asked(
    simulated: Sequence[Place],
    facts: Mapping[str, Algorithm],
    questions: Sequence[Question],
    images: Path,
    watch: Callable[[str], None],
) -> Asked:
    """The answers of this machine, which those of simulated targets are compared with."""
    if not simulated:
        return Asked(facts, questions, {}, {})
    watch("this machine")
    every = [case for place in simulated for case in place.cases]
    return simulation.ask_here(every, facts, questions, images, [it.target for it in simulated])


def _homes(base: Toolchain) -> dict[Name, set[str]]:
    bench = Bench(base)
    return simulation.homes(bench, bench.rows(bench.groups))


def _labelled(place: Place, way: Way) -> list[SimulatedCase]:
    label = way.variant.label
    return [msgspec.structs.replace(it, target=label) for it in place.cases]


def _host_task(
    place: Place, way: Way, own: Mapping[Name, Kernel], facts: Mapping[str, Algorithm]
) -> HostTask:
    cases = _labelled(place, way)
    return HostTask(
        version=ciphermark.__version__,
        target=place.target,
        way=way,
        kernels=[*own.values()],
        cases=cases,
        facts={it.algorithm: facts[it.algorithm] for it in cases},
    )


def _add(made: Tasks, place: Place, way: Way, own: Mapping[Name, Kernel], asked: Asked) -> None:
    """A task for each kernel."""
    cases = _labelled(place, way)
    for name in dict.fromkeys((it.algorithm, it.backend) for it in cases):
        its_cases = [it for it in cases if (it.algorithm, it.backend) == name]
        if name in own:
            made.of_targets.append(
                TargetTask(
                    version=ciphermark.__version__,
                    target=place.target,
                    way=way,
                    kernel=own[name],
                    cases=its_cases,
                    asked=part_of(asked, own[name], its_cases),
                )
            )
        else:
            lacking = f"no kernel of {place.target.title} has {' '.join(name)}"
            made.unsupported += [(way.variant, it, lacking) for it in its_cases]
