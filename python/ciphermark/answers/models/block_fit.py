"""The paper's model: t ≈ (a + b·blocks) / (clock · bus width), fitted to the relative error.

a and b are in cycles·bits, and so independent of clock and bus. A function is fitted to all
processors at once by least squares of (a + b·blocks)/cost − 1, which is how the paper's own
parameters come about.
Source: Ganesan, Venugopalan, Peddabachagari, Dean, Mueller, Sichitiu, Analyzing and Modeling
Encryption Overhead for Sensor Network Nodes, WSNA 2003, equation (1).

A hash appends a byte and the message's length before it cuts the message into blocks. The paper's
formula leaves that out: by it an empty message has no block, and one of 64 bytes has one. So there
are two rules, the one that is printed and the one by which the function works.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

import msgspec
import numpy as np

from ciphermark.answers.models.observations import Function, Observation, Observed
from ciphermark.statistics import line

Rule = Literal["printed", "padded"]
RULES: tuple[Rule, ...] = ("printed", "padded")


class Blocks(NamedTuple):
    """The blocks of a function."""

    bits: int
    padding_bytes: int = 0
    """The fewest that are appended to a message before it is cut."""

    def number(self, message_bytes: int, rule: Rule) -> int:
        """How many a message has."""
        padding = self.padding_bytes if rule == "padded" else 0
        return -(-8 * (message_bytes + padding) // self.bits)


_BY_BYTE = Blocks(8)
_MD = Blocks(512, 9)
_MD_WIDE = Blocks(1024, 17)

_OF_ALGORITHM = {
    "md5": _MD,  # RFC 1321, 3.1 and 3.2: a byte, and eight of length
    "sha1": _MD,  # FIPS 180-4, 5.1.1
    "sha256": _MD,
    "sha512": _MD_WIDE,  # FIPS 180-4, 5.1.2: sixteen of length
    "rc5-32-8-8-ecb": Blocks(64),
    "rc5-32-12-8-ecb": Blocks(64),
    "rc5-32-16-8-ecb": Blocks(64),
    "idea-ecb": Blocks(64),
    "tea-ecb": Blocks(64),
    "treyfer-ecb": Blocks(64),
    "kasumi-ecb": Blocks(64),
    "speck-64-128-ecb": Blocks(64),
    "aes-128-ecb": Blocks(128),
    "ascon-aead128": Blocks(128, 1),  # SP 800-232, 4.1: the rate; padded with at least a bit
    "chacha20-poly1305": Blocks(512),  # RFC 8439, 2.3: of key stream
    "seal3": Blocks(32),  # its key stream comes in words
}


def blocks_of(algorithm: str) -> Blocks:
    """The blocks of an algorithm; of those that are not listed, and of RC4, each byte is one."""
    return _OF_ALGORITHM.get(algorithm, _BY_BYTE)


SETUPS = ("setup", "init")
"""Names of key setup: ours, and that of published tables. One that is for decrypting alone is
`init-decrypt`."""
CIPHERING = ("encrypt", "decrypt", "keystream")
"""Operations that cost nothing for a message without blocks. Of others, an empty message has a cost
of its own: a hash pads it, a MAC makes a tag."""


class Point(NamedTuple):
    """One observation as the model sees it."""

    processor: str
    message_bytes: int | None
    """None of key setup alone."""
    cost: float
    """Cycles·bits; of a cipher, key setup and message together."""

    def blocks(self, blocks: Blocks, rule: Rule) -> int:
        """Key setup alone has none."""
        return 0 if self.message_bytes is None else blocks.number(self.message_bytes, rule)


Points = dict[Function, list[Point]]


def points(observed: Observed) -> Points:
    """The points of each function. Key setup is a function of its own where it does not belong to
    those of a cipher."""
    setups = {
        (it.processor, *it.function): it.cycles
        for it in observed.observations
        if it.message_bytes is None
    }
    found: Points = defaultdict(list)
    for it in observed.observations:
        width = observed.processors[it.processor].processor.bus_width_bits
        for function, message_bytes, cycles in _parts(it, setups):
            if cycles > 0:
                found[function].append(Point(it.processor, message_bytes, cycles * width))
    ciphers = {it.algorithm for it in found if it.operation in CIPHERING}
    return {
        function: list(dict.fromkeys(them))
        for function, them in found.items()
        if not (function.operation == "setup" and function.algorithm in ciphers)
    }


def function_blocks(observed: Observed, function: Function) -> Blocks:
    """The blocks of a function in this source."""
    own = blocks_of(function.algorithm)
    if function.operation in CIPHERING and observed.cipher_block_bits is not None:
        return Blocks(observed.cipher_block_bits)
    return own


def _parts(
    it: Observation, setups: dict[tuple[str, str, str], float]
) -> Iterator[tuple[Function, int | None, float]]:
    """What an observation tells: of a cipher's message, the key setup alone and both together."""
    if it.operation not in CIPHERING:
        if it.message_bytes is not None or it.operation == "setup":
            yield it.function, it.message_bytes, it.cycles
        return
    setup = setup_cycles(it, setups)
    if setup is not None:
        yield it.function, None, setup
    yield it.function, it.message_bytes, it.cycles + (setup or 0.0)


def setup_cycles(it: Observation, setups: dict[tuple[str, str, str], float]) -> float | None:
    """Cycles of the key setup before a message, for this direction where each has its own."""
    found = (setups.get((it.processor, it.algorithm, name)) for name in setup_names(it.operation))
    return next((cycles for cycles in found if cycles is not None), None)


def setup_names(operation: str) -> tuple[str, ...]:
    """Names that the key setup before an operation can have, the most particular first."""
    return (f"init-{operation}", *SETUPS)


class Parameters(NamedTuple):
    """a + b·blocks, cycles·bits."""

    a: float
    b: float

    def cost(self, blocks: int) -> float:
        return self.a + self.b * blocks


class Cell(msgspec.Struct, kw_only=True):
    """One observation beside what the model says of it."""

    processor: str
    message_bytes: int | None
    """None of key setup alone; else, of a cipher, key setup and message together."""
    blocks: int
    observed_cycles: float
    model_cycles: float
    relative_error: float
    """(model − observed) / observed."""


class Errors(msgspec.Struct, kw_only=True):
    """How far a model is off, over several cells."""

    median_relative_error: float
    """Of the absolute values."""
    worst_relative_error: float
    worst_factor: float
    """The larger of model/observed and observed/model, where that is largest."""
    within_10_percent: float
    """Share of the cells."""
    within_20_percent: float


class BlockFit(Errors, kw_only=True):
    """A function's parameters. Errors are of all its cells."""

    function: str
    algorithm: str
    operation: str
    rule: Rule | None
    """How blocks were counted; None where both rules give the same."""
    a: float | None
    """Cycles·bits; None, as b, where the observations do not tell them apart."""
    b: float | None
    """Per block of `block_bits`; 0 of key setup, which has none."""
    a_plus_b: float
    """What one block costs, which they always tell."""
    block_bits: int
    true_block_bits: int
    processors: int
    cells: list[Cell]


def fits(observed: Observed, rules: Sequence[Rule] = RULES) -> list[BlockFit]:
    """The fits of all functions; by both rules where they count blocks differently."""
    return [
        _fit(observed, function, them, rule)
        for function, them in points(observed).items()
        for rule in _rules(observed, function, them, rules)
    ]


def solve(them: Sequence[Point], blocks: Blocks, rule: Rule) -> Parameters | None:
    """The parameters of the least relative error; None where all have the same blocks, so that a
    and b cannot be told apart, unless that is none: then there is no b."""
    counts = np.array([it.blocks(blocks, rule) for it in them], float)
    costs = np.array([it.cost for it in them])
    if not counts.any():
        return Parameters(_constant(costs), 0.0)
    if len(set(counts)) == 1:
        return None
    found = line.fitted(counts, costs, costs, np.zeros_like(costs))
    return Parameters(found.a, found.b)


def errors(cells: Sequence[Cell]) -> Errors:
    """What the cells say together."""
    off = np.abs([it.relative_error for it in cells])
    ratios = np.array([it.model_cycles / it.observed_cycles for it in cells])
    return Errors(
        median_relative_error=float(np.median(off)),
        worst_relative_error=float(off.max()),
        worst_factor=_worst_factor(ratios),
        within_10_percent=float(np.mean(off <= 0.1)),
        within_20_percent=float(np.mean(off <= 0.2)),
    )


def cells(
    observed: Observed, them: Sequence[Point], model: Parameters, blocks: Blocks, rule: Rule
) -> list[Cell]:
    """Each point beside the model."""
    found = []
    for it in them:
        count = it.blocks(blocks, rule)
        width = observed.processors[it.processor].processor.bus_width_bits
        found.append(
            Cell(
                processor=it.processor,
                message_bytes=it.message_bytes,
                blocks=count,
                observed_cycles=it.cost / width,
                model_cycles=model.cost(count) / width,
                relative_error=model.cost(count) / it.cost - 1,
            )
        )
    return found


def _fit(
    observed: Observed, function: Function, them: Sequence[Point], rule: Rule | None
) -> BlockFit:
    blocks = function_blocks(observed, function)
    counted = rule or RULES[0]
    separate = solve(them, blocks, counted)
    # With one number of blocks everywhere any a and b of this sum are as good.
    model = separate or Parameters(_constant(np.array([it.cost for it in them])), 0.0)
    found = cells(observed, them, model, blocks, counted)
    return BlockFit(
        **msgspec.structs.asdict(errors(found)),
        function=function.name,
        algorithm=function.algorithm,
        operation=function.operation,
        rule=rule,
        a=separate and separate.a,
        b=separate and separate.b,
        a_plus_b=model.cost(1),
        block_bits=blocks.bits,
        true_block_bits=blocks_of(function.algorithm).bits,
        processors=len({it.processor for it in them}),
        cells=found,
    )


def _rules(
    observed: Observed, function: Function, them: Sequence[Point], rules: Sequence[Rule]
) -> Sequence[Rule | None]:
    """The rules that count the blocks of these points differently, or None for all of them."""
    blocks = function_blocks(observed, function)
    counts = {tuple(it.blocks(blocks, rule) for it in them) for rule in RULES}
    return rules if len(counts) > 1 else [None]


def _constant(costs: np.ndarray) -> float:
    """The constant c of least sum of (c/cost − 1)²."""
    return float(np.sum(1 / costs) / np.sum(1 / costs**2))


def _worst_factor(ratios: np.ndarray) -> float:
    """A model that gives nothing, or less, is off by any factor."""
    if (ratios <= 0).any():
        return float("inf")
    return float(np.exp(np.abs(np.log(ratios)).max()))
