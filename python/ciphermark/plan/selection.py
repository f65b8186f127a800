"""What the user asks for, apart from a plan file: cases, and builds of libraries and kernels."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import msgspec

from ciphermark.errors import UsageError
from ciphermark.plan import extensions, names, profiles, quantities
from ciphermark.plan.cpu_sets import Cpus
from ciphermark.plan.manner import Manners
from ciphermark.plan.profile import Profile

KERNEL = "kernel"
"""The provider of shared objects that follow kernel.h."""


def read_builds(libraries: list[str], kernels: list[str]) -> dict[str, str]:
    """Paths by provider of `--library PROVIDER=PATH` and `--kernel PATH`.

    Several builds of one library are distinguished by what follows an `@`: what the user has
    written there, else a number. A kernel is called by its file. Kernels of the folder of
    extensions follow.
    """
    paths = [*kernels, *(path for path in extensions.kernels() if path not in kernels)]
    named = [_library(text) for text in libraries] + [_kernel(text) for text in paths]
    often = Counter(name for name, _ in named)
    seen: Counter[str] = Counter()
    builds: dict[str, str] = {}
    for name, path in named:
        seen[name] += 1
        build = name if often[name] == 1 else _numbered(name, seen[name])
        if build in builds:
            raise UsageError(f"two libraries are called {build}: write {build}-2=PATH for one")
        builds[build] = path
    return builds


def old_and_new(old: str, new: str) -> dict[str, str]:
    """Paths by provider of `--ab OLD NEW`, each `PATH` (a kernel) or `PROVIDER=PATH`:
    `kernel@old`, `kernel@new`."""
    (old_name, old_path), (new_name, new_path) = _build(old), _build(new)
    if old_name != new_name:
        raise UsageError(
            f"--ab compares builds of one library, and {old_name} is not {new_name}: for two "
            "libraries write --providers and ciphermark compare last:ONE last:OTHER"
        )
    return {f"{old_name}@old": old_path, f"{new_name}@new": new_path}


def _build(text: str) -> tuple[str, str]:
    provider, separator, path = text.partition("=")
    return (provider.lower(), path) if separator else (KERNEL, text)


def _library(text: str) -> tuple[str, str]:
    provider, separator, path = text.partition("=")
    if not (provider and separator and path):
        raise UsageError(
            f"--library {text!r} is not PROVIDER=PATH: write for example "
            "openssl=/opt/lib/libcrypto.so.3"
        )
    return provider.lower(), path


def _kernel(path: str) -> tuple[str, str]:
    stem = Path(path).name.split(".")[0].removeprefix("lib").lower()
    return f"{KERNEL}@{stem or KERNEL}", path


def _numbered(name: str, number: int) -> str:
    return f"{name}-{number}" if "@" in name else f"{name}@{number}"


class Selection(msgspec.Struct, kw_only=True):
    """Overrides of a plan file. Lists are as typed: not looked up yet."""

    algorithms: list[str] | None = None
    providers: list[str] | None = None
    backends: list[str] | None = None
    operations: list[str] | None = None
    sizes: list[int] | None = None
    profiles: list[Profile] | None = None
    """Mixes of message sizes, instead of all sizes."""
    precision: float | None = None
    budget_s: float | None = None
    cpu: int | None = None
    cpus: Cpus | None = None
    """The CPUs that sessions and packets may have, instead of all that are allowed."""
    seed: int | None = None
    libraries: dict[str, str] = {}
    """Provider to path; of several builds of one library `openssl@1`, `openssl@2`."""
    manners: Manners | None = None
    ablate: bool = False
    """Also with each feature of the processor hidden that a library is seen to use."""

    loads: dict[str, Any] = {}
    """Fields of the workload's table, `plan.loads.SessionLoads` or `PacketLoads`, instead of the
    plan's."""
    fastest: dict[tuple[str, str], str] = {}
    """By algorithm and operation the provider that was found to be the fastest."""
    paired: bool = False
    """Two builds are compared with each other, round by round."""
    all_of_theirs: bool = False
    """Whatever algorithms the builds have are meant, so that nobody misses those that they lack."""

    def needs_code_paths(self, backends: list[str] | str) -> bool:
        """Whether the engine has to look which code paths there are; `backends` are the plan's."""
        return self.ablate or (self.backends or backends) not in ("default", ["default"])

    @property
    def chooses_implementations(self) -> bool:
        """Whether the user has said which implementations are measured."""
        return bool(self.providers or self.backends or self.libraries)

    def choose_only(self, libraries: dict[str, str]) -> None:
        """Measures these builds against each other and nothing else; all of their algorithms unless
        some are named."""
        self.paired = True
        self.libraries = libraries
        self.providers = list(libraries)
        self.all_of_theirs = not self.algorithms
        self.algorithms = self.algorithms or ["all"]


def from_options(
    *,
    algorithms: str | None = None,
    providers: str | None = None,
    backends: str | None = None,
    operations: str | None = None,
    sizes: str | None = None,
    profile: str | None = None,
    precision: str | None = None,
    budget: str | None = None,
    cpus: str | None = None,
    library: list[str] | None = None,
    kernel: list[str] | None = None,
    manners: Manners | None = None,
) -> Selection:
    """Reads the options that all measuring commands share."""
    if sizes is not None and profile is not None:
        raise UsageError("--sizes and --profile exclude each other: give one of them")
    return Selection(
        algorithms=_list(algorithms, "--algorithms"),
        providers=_list(providers, "--providers"),
        backends=_list(backends, "--backends"),
        operations=_list(operations, "--operations"),
        sizes=_sizes(sizes),
        profiles=None if profile is None else profiles.from_option(profile),
        precision=None if precision is None else quantities.share(precision, "--precision"),
        budget_s=None if budget is None else quantities.seconds(budget, "--budget"),
        cpu=None if cpus is None else quantities.cpu(cpus),
        libraries=read_builds(library or [], kernel or []),
        manners=manners,
    )


def _list(text: str | None, option: str) -> list[str] | None:
    if text is None:
        return None
    parts = names.split(text)
    if not parts:
        raise UsageError(f"{option} {text!r} names nothing: write a list such as a,b")
    return parts


def _sizes(text: str | None) -> list[int] | None:
    parts = _list(text, "--sizes")
    return None if parts is None else [size for part in parts for size in quantities.sizes(part)]
