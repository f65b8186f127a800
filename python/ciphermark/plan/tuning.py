"""From what the user typed to the kernels, sizes and targets that are compiled in several ways."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from ciphermark import contract
from ciphermark.contract.others import SimulatedCase
from ciphermark.errors import UsageError
from ciphermark.files import toml_file
from ciphermark.plan import names, simulation

HOST = "host"
"""The name of a machine that is measured rather than simulated."""


class TuningFile(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """What is compiled unless told otherwise."""

    title: str
    algorithms: list[str]
    operations: list[str]
    sizes: list[int]
    host_backends: list[str]
    target_backends: list[str]
    precision: float
    budget_s: float


class Kernels(msgspec.Struct):
    """What is compiled: cases of each target, and what was decided on the way."""

    targets: list[str]
    """With `host` among them where hosts are measured."""
    cases: dict[str, list[SimulatedCase]]
    """By target."""
    algorithms: list[contract.Algorithm]
    notes: list[str]


def default() -> TuningFile:
    """The file beside this one."""
    return toml_file.read_as(Path(__file__).with_suffix(".toml"), "the plan", TuningFile)


def find_targets(text: str, known: Iterable[str]) -> list[str]:
    """The targets listed: `host`, and those that can be simulated."""
    if text.strip().lower() == "all":
        return [HOST, *simulation.find_targets("all", known)]
    return simulation.find_targets(text, [HOST, *known])


def plan(
    description: contract.Description,
    targets: Sequence[str],
    *,
    algorithms: str | None = None,
    operations: str | None = None,
    backends: str | None = None,
    sizes: str | None = None,
) -> Kernels:
    """The cases of each target. Raises `UsageError` where nothing is left or a name is wrong."""
    file = default()
    wanted = names.algorithm_names(algorithms or file.algorithms, description)
    if not wanted:
        raise UsageError("--algorithms names nothing: write a list such as md5,sha256")
    found = Kernels([*targets], {}, [], [])
    for target in targets:
        found.cases[target] = []
        for algorithm in wanted:
            part = simulation.plan(
                description,
                [target],
                algorithms=algorithm,
                operations=operations or ",".join(_has(algorithm, file.operations, description)),
                backends=backends or _backends(target, algorithm, file, description),
                sizes=sizes or ",".join(map(str, file.sizes)),
            )
            found.cases[target] += part.cases
            found.algorithms += [it for it in part.algorithms if it not in found.algorithms]
            found.notes += [note for note in part.notes if note not in found.notes]
    return found


def _has(algorithm: str, wanted: list[str], description: contract.Description) -> list[str]:
    """Of these operations those that our kernel has."""
    has = {operation for it in _own(algorithm, description) for operation in it.operations}
    return [operation for operation in wanted if operation in has]


def _backends(
    target: str, algorithm: str, file: TuningFile, description: contract.Description
) -> str:
    if target != HOST:
        return ",".join(file.target_backends)
    there = {it.backend for it in _own(algorithm, description)}
    found = next((it for it in file.host_backends if it in there), None)
    return found or ",".join(file.host_backends)


def _own(algorithm: str, description: contract.Description) -> list[contract.Implementation]:
    kernels = simulation.PROVIDER
    every = description.implementations
    return [it for it in every if it.provider == kernels and it.algorithm == algorithm]


def constant_time(
    description: contract.Description, cases: Iterable[SimulatedCase]
) -> list[tuple[str, str]]:
    """The kernels among these, algorithm and backend, that state to be of constant time."""
    stated = {
        (it.algorithm, it.backend)
        for it in description.implementations
        if it.provider == simulation.PROVIDER and it.constant_time
    }
    asked = dict.fromkeys((case.algorithm, case.backend) for case in cases)
    return [it for it in asked if it in stated]
