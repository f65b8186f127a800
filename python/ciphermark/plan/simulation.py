"""From what the user typed to cases on simulated targets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import get_args

import msgspec

from ciphermark import contract
from ciphermark.contract.others import SimulatedCase
from ciphermark.errors import UsageError
from ciphermark.files import toml_file
from ciphermark.plan import names, quantities
from ciphermark.plan.profiles import has_size, no_such_size

PROVIDER = "kernels"
"""Whose implementations run on targets."""

MOST_CASES = 200_000
"""More than half an hour of two cores."""

_KEYED_FOR = ("decrypt", "open")


class SimulationFile(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """What a plan of simulations says."""

    title: str
    algorithms: list[str]
    sizes: list[int]
    backends: list[str]


class Simulations(msgspec.Struct):
    """Cases, and what was decided on the way."""

    targets: list[str]
    """Their names."""
    cases: list[SimulatedCase]
    algorithms: list[contract.Algorithm]
    notes: list[str]


def default() -> SimulationFile:
    """What is simulated unless told otherwise."""
    return toml_file.read_as(Path(__file__).with_suffix(".toml"), "the plan", SimulationFile)


def find_targets(text: str, known: Iterable[str]) -> list[str]:
    """The targets listed, of those that are known by these names, or all of them."""
    canonical = {name: name for name in known}
    if text.strip().lower() == "all":
        return [*canonical]
    listing = "ciphermark list targets"
    found = [names.find(it, canonical, "target", listing) for it in names.split(text)]
    if not found:
        raise UsageError(f"no target is named; see: {listing}")
    return list(dict.fromkeys(found))


def plan(
    description: contract.Description,
    targets: Sequence[str],
    *,
    algorithms: str | None = None,
    operations: str | None = None,
    backends: str | None = None,
    sizes: str | None = None,
    seeds: int = 1,
) -> Simulations:
    """The cases of these targets. Raises `UsageError` where none is left or a name is wrong."""
    file = default()
    own = [it for it in description.implementations if it.provider == PROVIDER]
    notes: list[str] = []
    wanted = _algorithms(algorithms, file, description, own, notes)
    lengths = file.sizes if sizes is None else _sizes(sizes)
    backend_names = names.backend_names(backends, own) or file.backends
    wanted_operations = names.operation_names(operations)
    calls: list[SimulatedCase] = []
    for algorithm in wanted:
        fitting = [size for size in lengths if has_size(algorithm, size)]
        if lacking := [size for size in lengths if size not in fitting]:
            if algorithms is not None and sizes is not None:
                raise UsageError(no_such_size(algorithm, lacking[0]))
            notes.append(f"{algorithm.name} has no messages of {_listed(lacking)} bytes")
        for kernel in own:
            if kernel.algorithm == algorithm.name and kernel.backend in backend_names:
                calls += _calls(kernel, wanted_operations, fitting, range(1, seeds + 1))
    cases = [msgspec.structs.replace(call, target=target) for target in targets for call in calls]
    _check(cases)
    return Simulations([*targets], cases, wanted, notes)


def _algorithms(
    typed: str | None,
    file: SimulationFile,
    description: contract.Description,
    own: Iterable[contract.Implementation],
    notes: list[str],
) -> list[contract.Algorithm]:
    """The algorithms listed that have a kernel. Those that only a pattern fits and that have none
    are left out with a note; one that is named is refused. Raises `UsageError`."""
    there = {it.algorithm for it in own}
    found = names.algorithm_names(typed or file.algorithms, description)
    lacking = [name for name in found if name not in there]
    patterns = [part for part in names.split(typed or "") if names.is_pattern(part)]
    named = [part for part in names.split(typed or "") if not names.is_pattern(part)]
    refused = set(lacking) & set(names.algorithm_names(named, description))
    found = [name for name in found if name in there]
    if refused or (lacking and not found):
        raise UsageError(
            f"no kernel of ours computes {min(refused) if refused else ', '.join(patterns)}: "
            f"see ciphermark list implementations --providers {PROVIDER}"
        )
    if lacking:
        notes.append(f"left out, as no kernel of ours computes them: {', '.join(lacking)}")
    by_name = {it.name: it for it in description.algorithms}
    return [by_name[name] for name in found]


def _sizes(text: str) -> list[int]:
    found = [size for part in names.split(text) for size in quantities.sizes(part)]
    return list(dict.fromkeys(found))


def _calls(
    kernel: contract.Implementation,
    wanted: Sequence[str],
    sizes: Iterable[int],
    seeds: Iterable[int],
) -> Iterator[SimulatedCase]:
    """All calls of an implementation, for no target yet."""
    for operation in kernel.operations:
        if wanted and operation not in wanted:
            continue
        for seed in seeds:
            base = SimulatedCase(
                target="",
                algorithm=kernel.algorithm,
                operation=operation,
                backend=kernel.backend,
                seed=seed,
            )
            if operation != "setup":
                yield from (msgspec.structs.replace(base, message_bytes=size) for size in sizes)
                continue
            yield base
            for undoing in set(_KEYED_FOR) & set(kernel.operations):
                yield msgspec.structs.replace(base, keyed_for=undoing)


def _check(cases: Sequence[SimulatedCase]) -> None:
    if not cases:
        known = ", ".join(get_args(contract.Operation))
        raise UsageError(
            f"nothing is left to simulate: choose other --algorithms, --sizes or --operations "
            f"(of {known})"
        )
    if len(cases) > MOST_CASES:
        raise UsageError(
            f"{len(cases)} cases are more than {MOST_CASES}: choose fewer targets, --algorithms, "
            "--sizes or --seeds"
        )


def _listed(sizes: Sequence[int]) -> str:
    return ", ".join(map(str, sizes))
