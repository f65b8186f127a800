"""The paper's model: t ≈ (a + b·blocks) / (clock · bus width), fitted to the relative error; and
costs by it, with the errors that it has made.

a and b are in cycles·bits, and so independent of clock and bus. A function is fitted to all
processors at once by least squares of (a + b·blocks)/cost − 1, which is how the paper's own
parameters come about. Source: Ganesan, Venugopalan, Peddabachagari, Dean, Mueller, Sichitiu,
Analyzing and Modeling Encryption Overhead for Sensor Network Nodes, WSNA 2003, equation (1).

A hash appends a byte and the message's length before it cuts the message into blocks. The paper's
formula leaves that out: by it an empty message has no block, and one of 64 bytes has one. So there
are two rules, the one that is printed and the one by which the function works.

Functions that multiply have parameters for processors with and without a multiply instruction,
equation (2). The adjustment for RISC and CISC, equation (3), is left out: the paper prints it in a
form that contradicts itself, and its CISC side rests on one processor.

The interval is from the model's errors at processors that it was not fitted to: each is left out in
turn, what it costs is predicted from the others, and the logarithms of predicted / observed are
taken to scatter around 0.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from functools import cached_property
from typing import Literal, NamedTuple

import msgspec
import numpy as np

from ciphermark.answers.models.observations import (
    MODELLED_BACKEND,
    Function,
    Observation,
    Observed,
)
from ciphermark.answers.models.processors import KnownProcessor, Prediction, nearest
from ciphermark.run.targets.target import Processor
from ciphermark.statistics import line
from ciphermark.statistics.quantiles import student_quantile

Rule = Literal["printed", "padded"]
RULES: tuple[Rule, ...] = ("printed", "padded")


class Blocks(NamedTuple):
    """The blocks that one pass over a message works on."""

    bits: int
    padding_bytes: int = 0
    """The fewest that are appended to a message before it is cut."""
    least: int = 0
    """Blocks of an empty message, which a MAC pads to a whole one."""
    tail: float = 0.2
    """The most that copying and padding a last block add, as a share of the cost of a block.
    `benchmarks/block_costs.py` prints how often intervals made with it hold."""

    def number(self, message_bytes: int, rule: Rule) -> int:
        """Counts the blocks of a message."""
        if rule == "printed":
            return -(-8 * message_bytes // self.bits)
        return max(self.least, -(-8 * (message_bytes + self.padding_bytes) // self.bits))


_MD = Blocks(512, 9)  # RFC 1321, 3.1 and 3.2; FIPS 180-4, 5.1.1: a byte, and eight of length
_MD_WIDE = Blocks(1024, 17)  # FIPS 180-4, 5.1.2: sixteen of length

_OF_ALGORITHM: dict[str, tuple[Blocks, ...]] = {
    "*sha384": (_MD_WIDE,),
    "*sha512*": (_MD_WIDE,),
    "*sha3-224": (Blocks(1152, 1),),  # FIPS 202, table 3: the rate
    "*sha3-256": (Blocks(1088, 1),),
    "*sha3-384": (Blocks(832, 1),),
    "*sha3-512": (Blocks(576, 1),),
    "kmac128": (Blocks(1344, 4),),  # SP 800-185, 4.3: two bits and the length of the output
    "kmac256": (Blocks(1088, 4),),
    **dict.fromkeys(("*md5", "*sha1", "*sha224", "*sha256", "ripemd160", "sm3"), (_MD,)),
    "blake2b*": (Blocks(1024, 0, 1),),  # RFC 7693, 3.3
    "blake*": (Blocks(512, 0, 1),),
    "ascon-aead128": (Blocks(128, 1),),  # SP 800-232, 4.1: the rate; padded with at least a bit
    "ascon-hash256": (Blocks(64, 1),),  # SP 800-232, 5.1
    # RFC 8439, 2.3 and 2.5: of key stream, and of the MAC.
    "*chacha20-poly1305": (Blocks(512), Blocks(128)),
    "*chacha20": (Blocks(512),),
    "poly1305": (Blocks(128),),
    "siphash-*": (Blocks(64, 1, 0, 0.5),),  # a byte of length completes the last word
    "umac-*": (Blocks(256, 0, 1, 0.5),),  # RFC 4418, 5.2.2
    "vmac-*": (Blocks(128, 0, 1, 0.5),),
    **dict.fromkeys(("rc5-*", "idea-*", "tea-*", "xtea-*", "treyfer-*"), (Blocks(64),)),
    **dict.fromkeys(("kasumi-*", "uea1", "speck-64-*"), (Blocks(64),)),
    "uia1": (Blocks(64, 1),),  # 3GPP TS 35.201, 4.5: the direction and a one
    "uia2": (Blocks(64, 0, 1),),
    **dict.fromkeys(("seal3", "snow3g", "zuc", "uea2", "eea3", "eia3"), (Blocks(32),)),
    "eia2": (Blocks(128, 8),),  # 3GPP TS 33.401, B.2.3: 64 bits before the message
    "aegis-128l": (Blocks(256),),
    "cmac-*": (Blocks(128, 0, 1),),  # SP 800-38B, 6.2, step 3
    **dict.fromkeys(("cbc-mac-*", "gmac-*", "aegis-256", "eea2"), (Blocks(128),)),
    **dict.fromkeys(
        (f"*-{mode}" for mode in ("ecb", "cbc", "ctr", "ccm", "gcm", "gcm-siv", "ocb")),
        (Blocks(128),),
    ),
    "rc4-*": (Blocks(8),),
}
"""Passes over a message by pattern of the algorithm's name; the first that fits counts."""

_ELSE = (Blocks(8, tail=64),)
"""Every byte a block, where blocks of up to 64 bytes are possible."""

_ONE_AT_A_TIME = ("reference", "table")
"""Backends that work on a block after the other."""
_FOUR_BLOCKS = (Blocks(512),)
"""Bit-sliced AES: four blocks at a time, or as long for fewer (`kernels/portable/`)."""


def passes_of(algorithm: str, backend: str) -> tuple[Blocks, ...]:
    """Returns the passes of a kernel. One that works on several blocks at a time may take as long
    for one as for all of them."""
    found = next((it for name, it in _OF_ALGORITHM.items() if fnmatchcase(algorithm, name)), _ELSE)
    if backend in _ONE_AT_A_TIME:
        return found
    if backend == "portable" and any(
        fnmatchcase(algorithm, f"aes-*-{it}") for it in ("ecb", "ctr")
    ):
        found = _FOUR_BLOCKS
    return tuple(it._replace(tail=max(1.0, it.tail)) for it in found)


def blocks_of(algorithm: str) -> Blocks:
    """Returns the blocks of an algorithm; of RC4, and of algorithms that are not listed, each byte
    is one."""
    return passes_of(algorithm, MODELLED_BACKEND)[0]


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
        (observation.processor, *observation.function): observation.cycles
        for observation in observed.observations
        if observation.message_bytes is None
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
    and b cannot be distinguished, unless that is none: then there is no b."""
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
    off = np.abs([cell.relative_error for cell in cells])
    ratios = np.array([cell.model_cycles / cell.observed_cycles for cell in cells])
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


MULTIPLYING = ("idea-ecb", "chacha20-poly1305")
"""Algorithms whose definition multiplies words."""


class BlockCosts:
    """Parameters of all functions, computed when they are asked for."""

    def __init__(self, observed: Observed, points: Points, rule: Rule) -> None:
        self.points = points
        self._observed = observed
        self._rule = rule
        self._solved: dict[tuple[Function, bool | None], Parameters | None] = {}

    def without(self, processor: str) -> BlockCosts:
        """The same, as if this processor were not in the data."""
        others = {
            function: [it for it in them if it.processor != processor]
            for function, them in self.points.items()
        }
        kept = {function: them for function, them in others.items() if them}
        return BlockCosts(self._observed, kept, self._rule)

    def cycles(
        self, processor: Processor, algorithm: str, operation: str, message_bytes: int | None
    ) -> float | None:
        """What a call costs; None where the data have no such function or do not tell."""
        function = self.function(algorithm, operation)
        parameters = self._parameters(function, processor)
        if parameters is None:
            return None
        cost = parameters.a if operation not in CIPHERING else 0.0
        if message_bytes is not None:
            blocks = function_blocks(self._observed, function)
            cost += parameters.b * blocks.number(message_bytes, self._rule)
        return cost / processor.bus_width_bits if cost > 0 else None

    def function(self, algorithm: str, operation: str) -> Function:
        """The function whose parameters tell; key setup is part of what a cipher does with it."""
        own = Function(algorithm, operation)
        if own in self.points or not _is_setup(operation):
            return own
        wanted = operation.removeprefix("init-")
        found = (Function(algorithm, it) for it in (wanted, *CIPHERING) if it in CIPHERING)
        return next((it for it in found if it in self.points), own)

    def _parameters(self, function: Function, processor: Processor) -> Parameters | None:
        """Those of the processors that multiply, or do not, as this one; where the function
        multiplies and there are such."""
        multiplies = processor.multiply_bits > 0 if function.algorithm in MULTIPLYING else None
        key = (function, multiplies)
        if key not in self._solved:
            self._solved[key] = self._solve(function, multiplies)
        return self._solved[key]

    def _solve(self, function: Function, multiplies: bool | None) -> Parameters | None:
        every = self.points.get(function)
        if every is None:
            return None
        alike = [it for it in every if multiplies in (None, self._multiplies(it.processor))]
        return solve(alike or every, function_blocks(self._observed, function), self._rule)

    def _multiplies(self, name: str) -> bool:
        return self._observed.processors[name].processor.multiply_bits > 0


def _is_setup(operation: str) -> bool:
    return operation in SETUPS or operation.startswith("init-")


FEWEST_LEFT_OUT = 3
"""Processors with whose errors an interval can be stated."""


class BlockModel:
    """Fitted to observations; see `ProcessorModel`."""

    def __init__(self, observed: Observed, rule: Rule = "padded") -> None:
        self._observed = observed
        self._costs = BlockCosts(observed, points(observed), rule)

    def predict(
        self,
        processor: KnownProcessor,
        algorithm: str,
        operation: str,
        message_bytes: int | None,
    ) -> Prediction:
        """What a call costs, or why that is not known."""
        function = self._costs.function(algorithm, operation)
        cycles = self._costs.cycles(processor.processor, algorithm, operation, message_bytes)
        factor = self._factors.get((algorithm, operation))
        low = high = None
        if cycles is not None and factor is not None:
            low, high = cycles / factor, cycles * factor
        return Prediction(
            cycles=cycles,
            low=low,
            high=high,
            basis="paper-model",
            nearest=nearest(processor.processor, self._observed.processors.values()),
            outside=self._outside(processor.processor, function, cycles),
        )

    @cached_property
    def _factors(self) -> dict[tuple[str, str], float]:
        """Of each operation, the factor that bounds 95 % of the errors."""
        scatter: dict[tuple[str, str], list[float]] = defaultdict(list)
        for name, them in self._by_processor().items():
            for call, errors in self._left_out(name, them).items():
                scatter[call].append(float(np.mean(np.square(errors))))
        return {
            call: math.exp(student_quantile(0.975, len(squares) - 1) * math.sqrt(np.mean(squares)))
            for call, squares in scatter.items()
            if len(squares) >= FEWEST_LEFT_OUT
        }

    def _by_processor(self) -> dict[str, list[Observation]]:
        found: dict[str, list[Observation]] = defaultdict(list)
        for it in self._observed.observations:
            found[it.processor].append(it)
        return found

    def _left_out(self, name: str, them: list[Observation]) -> dict[tuple[str, str], list[float]]:
        """Logarithms of predicted / observed on one processor, from the others alone."""
        others = self._costs.without(name)
        processor = self._observed.processors[name].processor
        errors: dict[tuple[str, str], list[float]] = defaultdict(list)
        for it in them:
            cycles = others.cycles(processor, it.algorithm, it.operation, it.message_bytes)
            if cycles is not None and it.cycles > 0:
                errors[it.algorithm, it.operation].append(math.log(cycles / it.cycles))
        return errors

    def _outside(
        self,
        processor: Processor,
        function: Function,
        cycles: float | None,
    ) -> str | None:
        """Why this is beyond the data, if it is."""
        if function not in self._costs.points:
            return f"no figure of {function.name} in {self._observed.source}"
        if cycles is None:
            return "the observations do not determine the cost of a message"
        widths = {it.processor.bus_width_bits for it in self._observed.processors.values()}
        if processor.bus_width_bits not in widths:
            return f"no known processor has a bus of {processor.bus_width_bits} bits"
        return None
