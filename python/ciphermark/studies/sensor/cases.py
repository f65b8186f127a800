"""What the study simulates."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ciphermark.contract.others import SimulatedCase
from ciphermark.plan.planfile import Effort
from ciphermark.studies.sensor.paper import (
    CIPHERS,
    DECRYPT,
    ENCRYPT,
    FUNCTIONS,
    FUTURE,
    HASHES,
    IDEA,
    LONGEST,
    OTHERWISE_COMPILED,
    RC5_OF,
    SETUP,
    TARGETS,
    TEXT_BYTES,
    TODAY,
    Work,
    cells,
    padded,
    sending,
)

FEW_LENGTHS = (0, 1, 3, 8, 16, 26, 32, 55, 56, 62, 64, 80, 119, 120, 128, 130)
"""Those of Table 3, and both sides of each step of a hash."""
OTHER_LENGTHS = (16, 64, 128)
"""Of functions that the paper does not have: packets of a node."""
SEEDS = {"quick": 4, "usual": 32, "full": 256}
"""Random keys and inputs by effort; the spread that is seen grows with them."""


def simulated(effort: Effort) -> list[SimulatedCase]:
    """Each work on each target, and those of the paper with other keys and inputs too; the rows of
    its Table 3 by other flags as well."""
    lengths = FEW_LENGTHS if effort == "quick" else range(LONGEST + 1)
    works = list(dict.fromkeys([*_of_paper(lengths), *_beside()]))
    varied = list(varying())
    own = [
        _case(target, work, seed)
        for target in TARGETS
        for seed in range(1, SEEDS[effort] + 1)
        for work in (works if seed == 1 else varied)
    ]
    otherwise = [
        _case(target, work) for target in OTHERWISE_COMPILED.values() for work in _of_table()
    ]
    return own + otherwise


def _case(target: str, work: Work, seed: int = 1) -> SimulatedCase:
    return SimulatedCase(
        target=target,
        algorithm=work.algorithm,
        operation=work.operation,
        message_bytes=work.message_bytes,
        keyed_for=work.keyed_for,
        seed=seed,
    )


def _of_table() -> list[Work]:
    """The rows of Table 3, texts padded to whole blocks."""
    works = [cell.work for cell in cells()]
    return list(
        dict.fromkeys(
            work
            if work.message_bytes is None
            else work._replace(message_bytes=padded(work.algorithm, work.message_bytes))
            for work in works
        )
    )


def varying() -> Iterator[Work]:
    """Whose time may depend on keys and inputs."""
    for algorithm in FUNCTIONS:
        yield from _setups(algorithm)
        for operation in operations(algorithm):
            yield Work(algorithm, operation, TEXT_BYTES)


def operations(algorithm: str) -> list[str]:
    """What is done to a message; of a cipher of blocks both directions."""
    found = sending(algorithm)
    return [found, DECRYPT] if found == ENCRYPT else [found]


def _setups(algorithm: str) -> Iterator[Work]:
    if algorithm not in (*HASHES, "sha256"):
        yield Work(algorithm, SETUP)
    if algorithm == IDEA:
        yield Work(algorithm, SETUP, keyed_for=DECRYPT)


def _of_paper(lengths: Iterable[int]) -> Iterator[Work]:
    """Its functions at these lengths, ciphers of blocks where those are whole ones."""
    for algorithm in FUNCTIONS:
        yield from _setups(algorithm)
        for size in lengths:
            if padded(algorithm, size) == size and (size or algorithm in HASHES):
                for operation in operations(algorithm):
                    yield Work(algorithm, operation, size)


def _beside() -> Iterator[Work]:
    """RC5 with other numbers of rounds as the paper has it, and the functions of its future."""
    for algorithm in RC5_OF.values():
        yield from _setups(algorithm)
        for operation in operations(algorithm):
            yield Work(algorithm, operation, TEXT_BYTES)
    for algorithm in (*CIPHERS, *HASHES, *FUTURE, *TODAY):
        yield from _setups(algorithm)
        for size in OTHER_LENGTHS:
            yield Work(algorithm, sending(algorithm), size)
