"""The published figures of the sensor study, as observations and parameters of its model."""

from __future__ import annotations

from functools import cache

import msgspec

from ciphermark.answers.models.fits import Adjustment, PublishedFit
from ciphermark.answers.models.observations import Observation, Observed
from ciphermark.answers.models.processors import KnownProcessor, described_processors
from ciphermark.files import reading

NAME = "sensor-2003"

WHOLE_TEXT_BITS = 128
"""What Table 4's b of a cipher is the cost of: the whole plaintext of 16 bytes, whatever block the
table prints beside it."""

ALGORITHMS = {
    "md5": "md5",
    "sha1": "sha1",
    "rc5-32/12/8": "rc5-32-12-8-ecb",
    "idea": "idea-ecb",
    "rc4-128": "rc4-128",
}
OF_TABLE_4 = {
    "md5": ("md5", "digest"),
    "sha1": ("sha1", "digest"),
    "rc5 init/encrypt": ("rc5-32-12-8-ecb", "encrypt"),
    "rc5 init/decrypt": ("rc5-32-12-8-ecb", "decrypt"),
    "idea encrypt": ("idea-ecb", "encrypt"),
    "idea decrypt": ("idea-ecb", "decrypt"),
    "rc4": ("rc4-128", "keystream"),
}


class Time(msgspec.Struct, frozen=True):
    """A cell of Table 3."""

    function: str
    message_bytes: str
    """A number, or from one to another where a row is printed for all of them: `62-80`."""
    action: str
    platform: str
    microseconds: float


class Platform(msgspec.Struct, frozen=True):
    """A row of Table 2, with what section 3 adds."""

    platform: str
    name: str
    clock_mhz: float
    bus_width_bits: int
    isa: str
    multiply: str
    icache_kb: float
    dcache_kb: float


class Line(msgspec.Struct, frozen=True):
    """A row of Table 4."""

    function: str
    a: float
    b: float
    block_bits: int


class AdjustmentLine(msgspec.Struct, frozen=True):
    """A row of Table 5 or 6."""

    function: str
    condition: str
    a: float
    b: float


@cache
def observed() -> Observed:
    """Table 3 in cycles: each time multiplied by its processor's clock."""
    targets = {it.name: it for it in described_processors()}
    processors = {it.platform: _processor(it, targets[it.platform]) for it in platforms()}
    return Observed(
        source="Table 3 of the paper",
        processors=processors,
        observations=[
            _observation(it, processors[it.platform])
            for it in reading.published("sensor-2003-times", Time)
        ],
        cipher_block_bits=WHOLE_TEXT_BITS,
    )


@cache
def platforms() -> list[Platform]:
    """Table 2."""
    return reading.published("sensor-2003-platforms", Platform)


@cache
def parameters() -> list[PublishedFit]:
    """Table 4."""
    return [_published(it) for it in reading.published("sensor-2003-model", Line)]


@cache
def adjustments() -> list[Adjustment]:
    """Tables 5 and 6."""
    return [
        Adjustment(
            table="Table 5" if "multiply" in it.condition else "Table 6",
            condition=it.condition,
            a=it.a,
            b=it.b,
        )
        for it in reading.published("sensor-2003-model-adjustments", AdjustmentLine)
    ]


def _processor(it: Platform, known: KnownProcessor) -> KnownProcessor:
    """The target of that name, with what the paper says of it where both say something."""
    changes = {"clock_mhz": it.clock_mhz, "bus_width_bits": it.bus_width_bits, "isa": it.isa}
    return KnownProcessor(
        name=it.platform,
        title=it.name,
        processor=msgspec.structs.replace(known.processor, **changes),
    )


def _observation(it: Time, known: KnownProcessor) -> Observation:
    algorithm = ALGORITHMS[it.function]
    return Observation(
        processor=it.platform,
        algorithm=algorithm,
        operation=_operation(algorithm, it.action),
        message_bytes=None
        if it.action.startswith("init")
        else int(it.message_bytes.split("-")[-1]),
        cycles=it.microseconds * known.processor.clock_mhz,
        metric="cycles-published",
        backend="published",
    )


def _operation(algorithm: str, action: str) -> str:
    """What the table calls encrypting with RC4 is making its key stream."""
    return "keystream" if (algorithm, action) == ("rc4-128", "encrypt") else action


def _published(it: Line) -> PublishedFit:
    algorithm, operation = OF_TABLE_4[it.function]
    return PublishedFit(
        function=it.function,
        algorithm=algorithm,
        operation=operation,
        a=it.a,
        b=it.b,
        block_bits=it.block_bits if operation == "digest" else WHOLE_TEXT_BITS,
    )
