"""`botan speed --format=json`; src/cli/speed.cpp of Botan 2.8 and 2.19, src/cli/perf_sym.cpp of 3.

    [
    {"algo": "AES-128", "op": "encrypt", "events": 1024, "cycles": 900, "bps": 3413333333,
     "buf_size": 1024, "nanos": 300}
    ]

Where there is a size, `events` are bytes. `cycles` are ticks of the counter that
`Botan::OS::get_processor_timestamp` reads.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Annotated

import msgspec

from ciphermark.workloads.imported.readers.reading import (
    Direction,
    Figure,
    Reading,
    Unreadable,
    respelt,
)

_OPERATIONS: dict[str, Direction] = {
    "encrypt": "forward",
    "decrypt": "backward",
    "hash": "forward",
    "mac": "forward",
    "write_keystream": "forward",
}

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{\n]')

_RULES = (
    (r"(/[a-z]+)\(\d+\)$", r"\1"),  # the bytes of a tag: AES-128/GCM(16)
    (r"/(pkcs7|nopadding)$", ""),
    (r"^sha-3\((\d+)\)$", r"sha3-\1"),
    (r"^sha-160$", "sha1"),
    (r"^hmac\(sha-160\)$", "hmac-sha1"),
    (r"^(hmac|cmac)\((.*)\)$", r"\1-\2"),
    (r"^ctr-be\((.*)\)$", r"\1-ctr"),
    (r"/ctr-be$", "-ctr"),
    (r"/", "-"),
)

TRAPS = (
    "Botan counts ticks of a counter of constant rate, which are no core cycles: they are left "
    "out, and wall time divides",
    "up to Botan 3.2 each message is timed by itself, with two readings of the clock in its time; "
    "later ones time 64 KiB at a time",
    "up to Botan 2 a MAC is finished once for all messages, and a buffer is encrypted in its own "
    "place: what a message costs beyond its bytes is less than in use",
    "the key is set before; one buffer again and again, in the nearest cache; the mean over all "
    "repetitions, no spread",
)


Text = Annotated[str, msgspec.Meta(max_length=200)]
Count = Annotated[int, msgspec.Meta(ge=-(2**53), le=2**53)]


class _Result(msgspec.Struct, kw_only=True):
    """One timer of Botan's."""

    algo: Text = ""
    op: Text = ""
    events: Count = 0
    nanos: Count = 0
    buf_size: Count = 0
    version: Text = ""


def found_in(text: str) -> bool:
    """Whether a file looks like this."""
    return text.lstrip().startswith("[") and '"algo"' in text


def read(text: str) -> Reading:
    """All figures."""
    reading = Reading(tool="botan speed", provider="botan", divisor="wall-time", traps=list(TRAPS))
    for line, result in zip(_lines(text), _results(text), strict=False):
        reading.version = result.version or reading.version
        direction = _OPERATIONS.get(result.op)
        if direction is None or not result.buf_size:
            reading.skip(f"operations {result.op!r}" if result.op else "lines about the build")
        elif result.events <= 0 or result.nanos <= 0:
            reading.skip("functions that did not run")
        else:
            reading.figures.append(_figure(result, direction, line))
    return reading


def _results(text: str) -> list[_Result]:
    if not text.strip():
        raise Unreadable(1, "there is nothing in it")
    try:
        return msgspec.json.decode(text, type=list[_Result])
    except msgspec.ValidationError as error:
        raise Unreadable(1, f"is not what botan speed --format=json prints: {error}") from None
    except (msgspec.DecodeError, RecursionError) as error:
        last = text.count("\n") + 1
        raise Unreadable(
            last, f"ends what is no whole JSON: the file is cut, or two are in it ({error})"
        ) from None


def _lines(text: str) -> Iterator[int]:
    """Where each result stands: one begins with each brace that is in no text."""
    line = 1
    for token in _TOKEN.finditer(text):
        line += token[0] == "\n"
        if token[0] == "{":
            yield line


def _figure(result: _Result, direction: Direction, line: int) -> Figure:
    said, backend = _parts(result.algo)
    return Figure(
        line=line,
        said=f"{said} {result.op}",
        names=_names(said),
        direction=direction,
        message_bytes=result.buf_size,
        ns=result.nanos * result.buf_size / result.events,
        backend=backend,
        asked=backend,
    )


def _parts(algo: str) -> tuple[str, str | None]:
    """`AES-128 [aesni]` is AES-128 by the code path aesni."""
    match = re.fullmatch(r"(.*?) \[(.*)\]", algo)
    return (match[1], match[2]) if match else (algo, None)


def _names(said: str) -> tuple[str, ...]:
    """Spellings: a block cipher by its name alone is what its mode ECB is here."""
    name = respelt(said.lower(), _RULES)
    return (name, f"{name}-ecb", said.lower().replace("(", "-").removesuffix(")"))
