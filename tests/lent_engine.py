"""Stands where the engine is: knows all algorithms, and measures by making up samples."""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from ciphermark import contract
from ciphermark.plan.cpu_sets import Limits
from ciphermark.plan.planfile import PlanFile
from ciphermark.run import here
from ciphermark.run.here import limits
from packets_example import packets_events, passed
from sessions_example import sessions_events, steady
from suites_example import all_suites
from synthetic import ALGORITHMS, CRASH, synthetic_events, synthetic_hello

OPERATIONS: dict[contract.Kind, list[contract.Operation]] = {
    "aead": ["setup", "seal", "open"],
    "cipher": ["setup", "encrypt", "decrypt"],
    "mac": ["setup", "mac", "verify"],
    "hash": ["digest"],
    "stream": ["setup", "keystream"],
    "suite": ["setup", "seal", "open"],
}
"""As `Kind::operations` of the engine has them."""


@cache
def all_algorithms() -> tuple[contract.Algorithm, ...]:
    """The facts of every algorithm that people can choose."""
    facts = [
        msgspec.convert(tomllib.loads(path.read_text("utf-8")), contract.Algorithm)
        for path in sorted(ALGORITHMS.glob("*.toml"))
    ]
    return tuple(it for it in facts if it.name != "empty")


def provider(name: str, reason: str = "") -> contract.Provider:
    """A library, which is usable unless there is a reason why not."""
    return contract.Provider(
        name=name,
        title=name.title(),
        usable=not reason,
        reason=reason,
        version="" if reason else "1.2.3",
        location="" if reason else f"/usr/lib/lib{name}.so",
        build="",
    )


def implementation(
    algorithm: contract.Algorithm, provider: str, backend: str = "default", default: bool = True
) -> contract.Implementation:
    """An implementation with all operations that the algorithm has."""
    return contract.Implementation(
        algorithm=algorithm.name,
        provider=provider,
        backend=backend,
        default=default,
        backend_evidence="reported",
        constant_time=None,
        operations=OPERATIONS[algorithm.kind],
    )


def description(*absent: str) -> contract.Description:
    """Two libraries with all algorithms and suites, and names of others that are not here."""
    algorithms = [*all_algorithms(), *all_suites()]
    names = ("openssl", "rustcrypto")
    return contract.Description(
        schema=contract.SCHEMA,
        engine=contract.EngineBuild(
            version="0.1.0", target="x86_64", rustc="1.89.0", profile="release", rustflags=""
        ),
        algorithms=algorithms,
        providers=[
            *(provider(name) for name in names),
            *(provider(name, "not here") for name in absent if name not in names),
        ],
        implementations=[implementation(it, name) for name in names for it in algorithms],
    )


def with_device(name: str, algorithms: tuple[str, ...] = ("uea1",)) -> contract.Description:
    """The same beside a device that has these algorithms."""
    facts = description()
    facts.providers.append(provider(name))
    facts.implementations += [
        implementation(it, name) for it in all_algorithms() if it.name in algorithms
    ]
    return facts


def description_for(plan: PlanFile) -> contract.Description:
    """The same with our kernels, which every engine has, by the code paths that a plan names; its
    other providers are not here."""
    lists = [part.providers for part in plan.parts if isinstance(part.providers, list)]
    named = dict.fromkeys(name for names in lists for name in names if name != "kernels")
    paths = [part.backends for part in plan.parts if isinstance(part.backends, list)]
    facts = description(*named)
    facts.providers.append(provider("kernels"))
    facts.implementations += [
        implementation(it, "kernels", backend, default=False)
        for backend in dict.fromkeys(name for names in paths for name in names)
        for it in all_algorithms()
    ]
    return facts


class LentEngine:
    """Has the interface of `ciphermark.run.engine.Engine`."""

    crashing: Collection[tuple[str, str]] = ()
    """Algorithms and providers whose cases fail."""

    def __init__(self, path: Path | None = None) -> None:
        self.path = path or Path(__file__)

    def describe(self, libraries: dict[str, str] | None = None) -> contract.Description:
        return description()

    def look_at_code_paths(
        self,
        description: contract.Description,
        algorithms: list[str],
        providers: set[str],
        libraries: dict[str, str] | None = None,
    ) -> None:
        """Sees no more than `describe` has told."""

    def remember(
        self, providers: list[contract.Provider], seen: list[contract.Implementation]
    ) -> None:
        """Forgets."""

    def environment(self) -> contract.Environment:
        return synthetic_hello().environment

    def limits(self) -> Limits:
        return limits()

    def may_bound_cpu(self) -> bool:
        return here.may_bound_cpu()

    def may_be_real_time(self) -> bool:
        return here.may_be_real_time()

    def stored(self) -> None:
        """Has nothing to forget."""

    def measure(
        self, plan: contract.Plan, interrupts: object, begun: object = None
    ) -> Iterator[contract.Event]:
        """Many sessions do a million messages a second on each CPU."""
        failed = {
            case.case: CRASH
            for case in plan.cases
            if (case.algorithm, case.provider) in self.crashing
        }
        if plan.workload == "sessions":
            good = [case for case in plan.cases if case.case not in failed]
            yield from sessions_events(plan.cases, [steady(case) for case in good], failed)
            return
        if plan.workload == "packets":
            good = [case for case in plan.cases if case.case not in failed]
            runs = [passed(case.packets, case=case.case) for case in good]
            yield from packets_events(plan.cases, runs, failed)
            return
        # The seed also says when a made-up run began, so it cannot be any number.
        yield from synthetic_events(msgspec.structs.replace(plan, seed=0), failed=failed)


def in_groups(options: dict[str, Any], *kinds: type[Any]) -> list[Any]:
    """Options of a command in the groups that declare them; the rest of a group is as usual."""
    groups = [
        kind(**{name: text for name, text in options.items() if name in vars(kind())})
        for kind in kinds
    ]
    assert all(any(name in vars(group) for group in groups) for name in options)
    return groups
