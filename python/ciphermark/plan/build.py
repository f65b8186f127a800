"""From a plan file and the user's selection to numbered cases.

Sizes that a function does not have are an error when the user named both, and are skipped with a
note when one of them came from defaults.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable

import msgspec

from ciphermark.errors import UsageError
from ciphermark.plan import naming
from ciphermark.plan.planfile import PlanFile
from ciphermark.plan.selection import Selection
from ciphermark.record import contract
from ciphermark.record.contract import SCHEMA


class Built(msgspec.Struct):
    """A plan ready for the engine, and what was decided on the way."""

    plan: contract.Plan
    algorithms: list[contract.Algorithm]
    notes: list[str]


class _Choice(msgspec.Struct):
    """The plan file with the user's selection laid over it, all names looked up."""

    algorithms: list[contract.Algorithm]
    implementations: list[contract.Implementation]
    operations: list[str]
    sizes: list[int]
    named_algorithms: bool
    named_operations: bool
    named_sizes: bool
    unusable: list[contract.Provider]
    """Providers that are wanted and not to be had here."""


def build(file: PlanFile, selection: Selection, description: contract.Description) -> Built:
    """Numbers the cases; raises UsageError when nothing is left or a name is wrong."""
    choice = _choose(file, selection, description)
    sizes = _sizes(choice)
    cases = _cases(choice, sizes)
    if not cases:
        raise UsageError(_nothing_left(choice))
    if len(cases) > file.max_cases:
        raise UsageError(
            f"{len(cases)} cases are more than the {file.max_cases} of this plan: "
            "choose fewer with --algorithms, --providers, --operations or --sizes"
        )
    plan = contract.Plan(
        schema=SCHEMA,
        workload=file.workload,
        seed=secrets.randbits(53) if selection.seed is None else selection.seed,
        precision=selection.precision or file.precision,
        budget_s=selection.budget_s or file.budget_s,
        cpu=selection.cpu,
        libraries=selection.libraries,
        sampling=contract.Sampling(),
        cases=cases,
    )
    used = {case.algorithm for case in cases}
    algorithms = [it for it in choice.algorithms if it.name in used]
    return Built(plan, algorithms, _notes(choice, sizes))


def _choose(file: PlanFile, selection: Selection, facts: contract.Description) -> _Choice:
    algorithms = _algorithms(file, selection, facts)
    providers = _providers(file, selection, facts)
    backends = selection.backends or file.backends
    return _Choice(
        algorithms=algorithms,
        implementations=_implementations(providers, backends, facts, algorithms),
        operations=naming.operation_names(selection.operations or file.operations),
        sizes=list(dict.fromkeys(selection.sizes or file.sizes)),
        # "all" names none of them: what one does not have is left out.
        named_algorithms=selection.algorithms not in (None, ["all"]),
        named_operations=selection.operations is not None,
        named_sizes=selection.sizes is not None,
        unusable=[it for it in facts.providers if it.name in providers and not it.usable],
    )


def _algorithms(
    file: PlanFile, selection: Selection, facts: contract.Description
) -> list[contract.Algorithm]:
    wanted = selection.algorithms or file.algorithms
    if wanted == ["all"]:
        wanted = "all"
    if wanted == "all":
        return facts.algorithms
    if wanted == "survey":
        return [it for it in facts.algorithms if it.survey]
    by_name = {it.name: it for it in facts.algorithms}
    return [by_name[name] for name in naming.algorithm_names(wanted, facts)]


def _implementations(
    providers: set[str],
    backends: list[str] | str,
    facts: contract.Description,
    algorithms: list[contract.Algorithm],
) -> list[contract.Implementation]:
    chosen = {it.name for it in algorithms}
    offered = [
        it for it in facts.implementations if it.algorithm in chosen and it.provider in providers
    ]
    if not offered:
        raise UsageError(
            f"no provider here has {_listed(chosen)}: see ciphermark list providers for why"
        )
    return _of_backends(backends, offered)


def _providers(file: PlanFile, selection: Selection, facts: contract.Description) -> set[str]:
    """Those that are wanted; one that the user named must be usable."""
    named = [*(selection.providers or []), *selection.libraries]
    found = naming.provider_names(named, facts)
    for provider in facts.providers:
        if provider.name in found and not provider.usable:
            raise UsageError(f"{provider.name} cannot be used: {provider.reason}")
    wanted = selection.providers or file.providers
    if wanted == "all":
        return {it.name for it in facts.providers}
    return set(naming.provider_names(wanted, facts))


def _of_backends(
    wanted: list[str] | str, offered: list[contract.Implementation]
) -> list[contract.Implementation]:
    if wanted in ("all", ["all"]):
        return offered
    if wanted in ("default", ["default"]):
        return [it for it in offered if it.default]
    found = naming.backend_names(wanted, offered)
    return [it for it in offered if it.backend in found]


def _cases(choice: _Choice, sizes: dict[str, list[int]]) -> list[contract.Case]:
    cases: list[contract.Case] = []
    for implementation in choice.implementations:
        for operation in choice.operations:
            if operation not in implementation.operations:
                continue
            for size in [None] if operation == "setup" else sizes[implementation.algorithm]:
                cases.append(_case(len(cases), implementation, operation, size))
    return cases


def _sizes(choice: _Choice) -> dict[str, list[int]]:
    """The sizes that each function has; one that it lacks is an error when both were named."""
    found = {}
    for algorithm in choice.algorithms:
        sizes = [size for size in choice.sizes if _has_size(algorithm, size)]
        if len(sizes) < len(choice.sizes) and choice.named_algorithms and choice.named_sizes:
            missing = next(size for size in choice.sizes if size not in sizes)
            raise UsageError(_no_such_size(algorithm, missing))
        found[algorithm.name] = sizes
    return found


def _notes(choice: _Choice, sizes: dict[str, list[int]]) -> list[str]:
    """What of the choice is not measured, said once for all algorithms alike."""
    offered = {it.algorithm for it in choice.implementations}
    absent = [it.name for it in choice.algorithms if it.name not in offered]
    notes = [f"{it.name} is left out: {it.reason}" for it in choice.unusable]
    if absent:
        notes.append(f"left out, no chosen provider or backend has it: {_listed(absent)}")
    lacking: dict[tuple[int, ...], list[str]] = {}
    for algorithm, found in sizes.items():
        missing = tuple(size for size in choice.sizes if size not in found)
        if missing and algorithm in offered:
            lacking.setdefault(missing, []).append(algorithm)
    return notes + [
        f"left out, no such messages: {_listed(missing)} bytes of {_listed(algorithms)}"
        for missing, algorithms in lacking.items()
    ]


def _has_size(algorithm: contract.Algorithm, size: int) -> bool:
    longest = size if algorithm.max_message_bytes is None else algorithm.max_message_bytes
    return algorithm.min_message_bytes <= size <= longest and size % algorithm.block_bytes == 0


def _no_such_size(algorithm: contract.Algorithm, size: int) -> str:
    if size % algorithm.block_bytes:
        below = size // algorithm.block_bytes * algorithm.block_bytes
        near = [it for it in (below, below + algorithm.block_bytes) if it > 0]
        return (
            f"{algorithm.name} takes whole blocks of {algorithm.block_bytes} bytes, and {size} is "
            f"none: write {' or '.join(f'--sizes {it}' for it in near)}"
        )
    if size < algorithm.min_message_bytes:
        bound = f"at least --sizes {algorithm.min_message_bytes}"
    else:
        bound = f"at most --sizes {algorithm.max_message_bytes}"
    return f"{algorithm.name} has no message of {size} bytes: write {bound}"


def _case(
    number: int, implementation: contract.Implementation, operation: str, size: int | None
) -> contract.Case:
    return contract.Case(
        case=number,
        algorithm=implementation.algorithm,
        operation=operation,
        provider=implementation.provider,
        backend=implementation.backend,
        message_bytes=size,
    )


def _nothing_left(choice: _Choice) -> str:
    algorithms = _listed(it.name for it in choice.algorithms)
    if choice.named_operations:
        has = {operation for it in choice.implementations for operation in it.operations}
        return (
            f"{algorithms} has no operation {_listed(choice.operations)}: "
            f"write --operations {','.join(sorted(has))}"
        )
    return (
        f"nothing is left to measure of {algorithms} at {_listed(choice.sizes)} bytes: "
        "choose others with --algorithms or --sizes"
    )


def _listed(values: Iterable[str] | Iterable[int]) -> str:
    return ", ".join(str(value) for value in sorted(values))
