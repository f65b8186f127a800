"""Suites by the names on the command line, and the functions that they are made of."""

from __future__ import annotations

from collections.abc import Iterable

from ciphermark import contract
from ciphermark.errors import UsageError
from ciphermark.plan import names
from ciphermark.plan.planfile import Part, PlanFile

LISTING = "ciphermark list suites"

SIDES = {"seal": ("seal", "encrypt", "mac"), "open": ("open", "decrypt", "mac")}
"""Operations of a suite's parts in each of its own: AEAD, cipher, MAC."""


def suites_of(facts: contract.Description) -> list[contract.Algorithm]:
    """Returns all suites of the engine."""
    return [it for it in facts.algorithms if it.suite is not None]


def suite_names(typed: str | list[str] | None, facts: contract.Description) -> list[str]:
    """Returns canonical names of the suites listed.

    `esp:aes-128-gcm`, a protocol's name for all that it has, `all`, and patterns of names.
    """
    known = suites_of(facts)
    by_protocol: dict[str, list[str]] = {}
    for it in known:
        assert it.suite is not None
        by_protocol.setdefault(it.suite.protocol, []).append(it.name)
    named = {it.name: it.name for it in known} | {it: it for it in by_protocol}
    suites: list[str] = []
    for name in names.split(typed) if isinstance(typed, str) else typed or []:
        if name == "all":
            suites += [it.name for it in known]
            continue
        for one in names.found_names([name], named, "suite or protocol", LISTING):
            suites += by_protocol.get(one, [one])
    return list(dict.fromkeys(suites))


def parts_of(algorithm: contract.Algorithm) -> list[str]:
    """Returns the canonical names of a suite's functions: cipher, then MAC."""
    suite = algorithm.suite
    return [] if suite is None else [it for it in (suite.cipher, suite.integrity) if it is not None]


def whole_blocks(bytes_: int, block_bytes: int) -> int:
    """Returns the size of a part for a packet: filled up to whole blocks."""
    return -(-bytes_ // block_bytes) * block_bytes


def parts(
    chosen: Iterable[tuple[contract.Algorithm, str | None]],
    operations: list[str],
    sizes: list[int],
    facts: contract.Description,
) -> list[Part]:
    """Returns plan parts that measure suites' functions alone, in the suite's library.

    Without a named library they are measured in all that are chosen anyway.
    """
    by_name = {it.name: it for it in facts.algorithms}
    wanted: dict[tuple[str | None, str], None] = {}
    for algorithm, provider in chosen:
        for name in parts_of(algorithm):
            wanted[provider, name] = None
    made = []
    for provider, name in wanted:
        part = by_name[name]
        sides = {side for it in operations for side in SIDES.get(it, ())}
        own = [it for it in _operations(facts, name) if it in sides]
        if not own:
            continue
        blocks = list(dict.fromkeys(whole_blocks(it, part.block_bytes) for it in sizes))
        made.append(
            Part(
                algorithms=[name],
                operations=own,
                sizes=blocks,
                providers="all" if provider is None else [provider],
            )
        )
    return made


def many_keys(
    file: PlanFile,
    suites: list[str],
    operations: list[str],
    sizes: list[int] | None,
    tunnels: int,
) -> list[Part]:
    """Returns the part that measures suites with a key for each tunnel; none for one tunnel.

    Sizes, unless given, are those of the plan's own part with many keys.
    """
    if tunnels == 1:
        return []
    part = next((it for it in file.also if it.keys is not None), file)
    fields = {name: getattr(part, name) for name in Part.__struct_fields__}
    changed = {"algorithms": suites, "operations": operations, "sizes": sizes or part.sizes}
    return [Part(**fields | changed | {"keys": tunnels})]


def _operations(facts: contract.Description, name: str) -> list[str]:
    """Returns the operations of an algorithm that some implementation here has."""
    had = [op for it in facts.implementations if it.algorithm == name for op in it.operations]
    return list(dict.fromkeys(had))


def check_operations(operations: list[str]) -> None:
    """Refuses what no suite has."""
    for it in operations:
        if it not in (*SIDES, "setup"):
            raise UsageError(
                f"suites have no operation {it}: write --operations seal,open or setup"
            )
