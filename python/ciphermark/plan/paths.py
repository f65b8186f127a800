"""Code paths that the user asks for, by their names or by the features that are hidden, one or
several at once."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

import msgspec

from ciphermark import contract
from ciphermark.plan import names
from ciphermark.plan.manner import Manner


def chosen(
    wanted: list[str] | str,
    offered: list[contract.Implementation],
    known: list[contract.Implementation],
) -> list[contract.Implementation]:
    """The implementations whose code path or backend is wanted; those are names of `known`."""
    if wanted in ("all", ["all"]):
        return offered
    if wanted in ("default", ["default"]):
        return [it for it in offered if it.default]
    found = names.backend_names(wanted, known)
    return [
        it
        for it in offered
        if it.path in found or it.backend in found or (it.default and "default" in found)
    ]


def taking(
    manner: Manner, it: contract.Implementation, others: list[contract.Implementation]
) -> contract.Implementation:
    """What a library is called with by default: what it takes by itself or, where that does not
    take so many messages in a call, the first of its backends that does."""
    if manner.takes_lanes(it):
        return it
    what = (it.algorithm, it.provider)
    alike = (other for other in others if (other.algorithm, other.provider) == what)
    return next(filter(manner.takes_lanes, alike), it)


def ablated(
    offered: list[contract.Implementation], providers: list[contract.Provider]
) -> list[contract.Implementation]:
    """Each implementation, and once more for every feature that can be hidden from it and that it
    was seen to use by itself."""
    hiding = {provider.name: provider.switches for provider in providers}
    found = []
    for it in offered:
        found.append(it)
        for feature, variables in hiding[it.provider].items():
            if feature in it.features and not it.switches:
                found.append(_switched(it, variables))
    return found


def without(
    offered: list[contract.Implementation],
    features: list[str],
    providers: list[contract.Provider],
) -> list[contract.Implementation]:
    """Each implementation with these features hidden at once, where its library can be told."""
    variables = {provider.name: hiding_together(features, provider) for provider in providers}
    return [
        _switched(it, hiding)
        for it in offered
        if not it.switches and (hiding := variables[it.provider]) is not None
    ]


def switched(
    offered: list[contract.Implementation], variables: dict[str, str]
) -> list[contract.Implementation]:
    """Each implementation under these switches; as it is where there are none."""
    return [_switched(it, variables) for it in offered] if variables else offered


def _switched(it: contract.Implementation, variables: dict[str, str]) -> contract.Implementation:
    """Which path it takes then, nobody has looked at."""
    return msgspec.structs.replace(it, default=False, path="", features=[], switches=variables)


def fastest(
    offered: list[contract.Implementation], providers: dict[tuple[str, str], str]
) -> list[contract.Implementation]:
    """Of each algorithm and operation what the provider offers that was found to be the fastest,
    or the first one where it was not looked at."""
    taken = dict(providers)
    for it in offered:
        for operation in it.operations:
            taken.setdefault((it.algorithm, operation), it.provider)
    best = [
        msgspec.structs.replace(
            it,
            operations=[op for op in it.operations if taken[it.algorithm, op] == it.provider],
        )
        for it in offered
    ]
    return [it for it in best if it.operations]


def with_several(offered: list[contract.Implementation]) -> list[contract.Implementation]:
    """Those of algorithms that a provider has by several code paths."""
    often = Counter((it.algorithm, it.provider) for it in offered)
    return [it for it in offered if often[it.algorithm, it.provider] > 1]


def identity(it: contract.Implementation) -> tuple[str, str, str, tuple[tuple[str, str], ...]]:
    """What tells one code path from all others."""
    return it.algorithm, it.provider, it.path, tuple(sorted(it.switches.items()))


_MASKS = re.compile(r"~0x[0-9a-f]+(:~0x[0-9a-f]+)*")
"""Words of bits that are cleared: `OPENSSL_ia32cap` (OPENSSL_ia32cap(3))."""

_NAMES = re.compile(r"[a-z0-9_]+(,[a-z0-9_]+)*")
"""Names of what is left alone: `BOTAN_CLEAR_CPUID`, and the variables of ciphermark's own."""


def hiding_together(features: Iterable[str], provider: contract.Provider) -> dict[str, str] | None:
    """The variables that hide these features, as far as the processor has them and the library can
    be told; None where nothing can be hidden, or where one of them cannot be hidden with another.
    """
    found: dict[str, str] = {}
    for feature in features:
        for variable, value in provider.switches.get(feature, {}).items():
            both = _hiding_both(found[variable], value) if variable in found else value
            if both is None:
                return None
            found[variable] = both
    return found or None


def _hiding_both(one: str, other: str) -> str | None:
    """A value that hides what both hide."""
    if _MASKS.fullmatch(one) and _MASKS.fullmatch(other):
        pairs = zip(_words(one), _words(other), strict=True)
        return ":".join(f"~{a | b:#x}" for a, b in pairs)
    if _NAMES.fullmatch(one) and _NAMES.fullmatch(other):
        return ",".join(dict.fromkeys([*one.split(","), *other.split(",")]))
    return None


def _words(masks: str) -> list[int]:
    return [int(word.removeprefix("~"), 16) for word in masks.split(":")]
