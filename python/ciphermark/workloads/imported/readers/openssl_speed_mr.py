"""`openssl speed -mr`, made for other programs to read; apps/speed.c of OpenSSL 1.1.1, 3.0 and 3.5.

    +DT:sha256:1:64                          while it measures, on the stream of errors
    +R:2365676:sha256:0.960000
    +H:64:256                                 the sizes
    +F:25:sha256:157711733.33:303711733.33    a function, and bytes per second at each size

It says neither the version nor what time divides.
"""

from __future__ import annotations

import re

from ciphermark.workloads.imported.readers import openssl_speed as words
from ciphermark.workloads.imported.readers.reading import (
    Figure,
    Line,
    Reading,
    Unreadable,
    lines_of,
    positive,
    whole,
)

_OF_PUBLIC_KEYS = re.compile(r"\+(DTP|R\d+|F\d+|DTW)")


def found_in(text: str) -> bool:
    """Whether a file looks like this."""
    return re.search(r"^\+(H|F|DT):", text, re.MULTILINE) is not None


def read(text: str, elapsed: bool | None) -> Reading:
    """All figures; `elapsed` is what the user says about -elapsed."""
    lines = lines_of(text)
    reading = Reading(
        tool=f"{words.TOOL} -mr", provider=words.PROVIDER, divisor=words.divisor_of(elapsed)
    )
    sizes: list[int] = []
    measured, rows = set(), 0
    for line in lines:
        kind, _, rest = line.text.partition(":")
        if line.text.startswith(("Forked child", "Got")):
            raise Unreadable(line.number, words.MULTI)
        if kind == "+H":
            if sizes:
                raise Unreadable(line.number, "begins a second table: put each into its own file")
            sizes = [whole(size, line.number) for size in rest.split(":")]
        elif kind == "+F":
            _read_function(line, sizes, reading)
            rows += 1
        elif kind == "+DT":
            measured.add(rest.split(":")[0])
        elif _OF_PUBLIC_KEYS.fullmatch(kind):
            reading.skip("public-key operations")
        elif kind != "+R" and line.text.strip() and not line.text.startswith(words.ELAPSED):
            raise Unreadable(line.number, "is no line of openssl speed -mr")
    _check_whole(lines, len(measured), rows)
    reading.traps = words.traps_of(reading.divisor, {it.said for it in reading.figures})
    return reading


def _check_whole(lines: list[Line], measured: int, rows: int) -> None:
    if not rows or measured > rows:
        raise Unreadable(
            lines[-1].number,
            f"ends the file with {rows} functions of {max(measured, 1)} that were measured: it is "
            "cut",
        )


def _read_function(line: Line, sizes: list[int], reading: Reading) -> None:
    _, _, said, *rates = line.text.split(":") if line.text.count(":") > 2 else ("", "", "")
    if not sizes or len(rates) != len(sizes):
        raise Unreadable(
            line.number, f"has {len(rates)} figures and there are {len(sizes)} sizes: it is cut"
        )
    for size, rate in zip(sizes, rates, strict=True):
        if rate == "0.00":
            reading.skip("figures of 0")
            continue
        ns = size / positive(rate, line.number) * 1e9
        reading.figures.append(
            Figure(
                line=line.number, said=said, names=words.names_of(said), message_bytes=size, ns=ns
            )
        )
