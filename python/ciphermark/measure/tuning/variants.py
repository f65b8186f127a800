"""Which variants of a target there are: each compiler with each set of flags, and the default."""

from __future__ import annotations

import shlex
from collections.abc import Iterable

import msgspec

from ciphermark.contract.tuning import Variant
from ciphermark.errors import UsageError
from ciphermark.measure.targets.target import Target
from ciphermark.measure.tuning.compilers import Compiler
from ciphermark.plan.flag_sets import FlagSet
from ciphermark.plan.tuning import HOST

DEFAULT = "default"

FASTER_FOLDERS = {"portable": "-O3", "x86": "-O3", "arm": "-O3"}
"""How `kernels/build.rs` compiles these folders into the engine; the others as a target's
`optimise`."""


class Way(msgspec.Struct, kw_only=True, frozen=True):
    """A variant, and how its compiler is called."""

    variant: Variant
    command: tuple[str, ...]
    """Compiler, target and flags."""
    links_at_once: bool = False
    """All files of a kernel are compiled as one."""


def ways(
    target: Target, own: Compiler, compilers: Iterable[Compiler], sets: Iterable[FlagSet]
) -> list[Way]:
    """The default of a target first, then each compiler with each set, in their order.

    Raises `UsageError` for a set of the user's that is for the machine which compiles.
    """
    is_host = target.name == HOST
    found = [_default(target, own)]
    for compiler in compilers:
        for chosen in sets:
            is_default = compiler.line == own.line and chosen.flags == (target.optimise,)
            if is_host or not (chosen.hosts_only or is_default):
                found.append(_way(target, compiler, chosen))
    return found


def check(target: Target, sets: Iterable[FlagSet]) -> None:
    """Refuses flags that mean the machine which compiles, where another is compiled for."""
    for it in sets:
        if it.hosts_only and it.reason == "given by the user" and target.name != HOST:
            raise UsageError(
                f"--flags '{it.text}' means the processor that compiles, which is not "
                f"{target.title}: name a processor, or tune the target {HOST} alone"
            )


def optimise(target: Target, folder: str) -> str:
    """With which level a folder of kernels is compiled by default."""
    return FASTER_FOLDERS.get(folder, target.optimise) if target.name == HOST else target.optimise


def _default(target: Target, own: Compiler) -> Way:
    levels = target.optimise
    if target.name == HOST:
        levels += f" ({', '.join(FASTER_FOLDERS)}: -O3)"
    variant = _variant(target, own, DEFAULT, levels, "what kernels are compiled with otherwise")
    return Way(
        variant=msgspec.structs.replace(variant, is_default=True),
        command=(own.command, *own.flags, *target.flags),
    )


def _way(target: Target, compiler: Compiler, chosen: FlagSet) -> Way:
    name = f"{compiler.name}-{chosen.name}"
    variant = _variant(target, compiler, name, chosen.text, chosen.reason)
    return Way(
        variant=msgspec.structs.replace(variant, shippable=chosen.shippable),
        command=(compiler.command, *compiler.flags, *target.flags, *chosen.flags),
        links_at_once=any(it.startswith("-flto") for it in chosen.flags),
    )


def _variant(target: Target, compiler: Compiler, name: str, flags: str, reason: str) -> Variant:
    return Variant(
        target=target.name,
        name=name,
        compiler=compiler.command,
        compiler_name=compiler.name,
        compiler_line=compiler.line,
        target_flags=shlex.join([*compiler.flags, *target.flags]),
        flags=flags,
        reason=reason,
    )
