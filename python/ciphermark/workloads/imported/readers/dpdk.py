"""`dpdk-test-crypto-perf --ptest throughput`, with --csv-friendly or without.

Columns and the lines above them are those of app/test-crypto-perf of DPDK
(cperf_test_throughput.c, `cperf_options_dump` in cperf_options_parsing.c):

    # crypto operation: aead
    # aead algorithm: aes-gcm
    #lcore id,Buffer Size(B),Burst Size,Enqueued,…,Ops(Millions),Throughput(Gbps),Cycles/Buf

    3,64,32,1000000,1000000,0,0,2.105,1.078,1045.000
"""

from __future__ import annotations

import re
from statistics import fmean

from ciphermark.plan.quantities import whole_number
from ciphermark.workloads.imported.readers.reading import (
    Direction,
    Figure,
    Line,
    Reading,
    Unreadable,
    lines_of,
    number,
    start_of_table,
    whole,
)

COLUMNS = 10

_OPTION = re.compile(r"# ([a-z][a-z -]+): (.*)")
_HEADER = re.compile(r"\s*#?lcore id", re.IGNORECASE)
_RULES = {
    "snow3g-uea2": "uea2",
    "snow3g-uia2": "uia2",
    "zuc-eea3": "eea3",
    "zuc-eia3": "eia3",
    "kasumi-f8": "uea1",
    "kasumi-f9": "uia1",
}
_PROVIDERS = {"aesni_mb": "ipsec-mb", "aesni_gcm": "ipsec-mb", "openssl": "openssl"}
_UNDOING = ("decrypt", "verify")

TRAPS = (
    "Cycles/Buf are ticks of the TSC, which are no core cycles, and are left out; time is that of "
    "the rate of operations",
    "making and freeing the operations is in the time; nothing is received, sent or looked up",
    "the rate is that of one lcore, which also polls; a device does the work beside it",
    "the same vector again and again, warm caches; the mean over all operations, no spread",
)


def found_in(text: str) -> bool:
    """Whether a file looks like this."""
    return any(_HEADER.match(line) and "ops" in line.lower() for line in text.splitlines())


def read(text: str) -> Reading:
    """All figures: of several lcores the mean, since each is a core of its own."""
    lines = lines_of(text)
    options = {match[1]: match[2].strip() for it in lines if (match := _OPTION.match(it.text))}
    start = lines[start_of_table(lines, _HEADER.match)].number
    if options.get("cperf test", "throughput") != "throughput":
        raise Unreadable(start, f"is of the test {options['cperf test']}: run --ptest throughput")
    said, names, direction = _function(options, start)
    reading = Reading(
        tool="dpdk-test-crypto-perf",
        provider=_provider(options.get("cryptodev type", "")),
        divisor="wall-time",
        told=options,
        traps=list(TRAPS),
    )
    seen: dict[tuple[int, int], dict[int, tuple[int, float]]] = {}
    for line in lines[start:]:
        _read_row(line, seen)
    for (message_bytes, burst), by_core in seen.items():
        reading.figures.append(
            Figure(
                line=min(at for at, _ in by_core.values()),
                said=said,
                names=names,
                direction=direction,
                message_bytes=message_bytes,
                ns=fmean(ns for _, ns in by_core.values()),
                lanes=burst,
            )
        )
    reading.check_not_cut(lines)
    return reading


def _function(options: dict[str, str], line: int) -> tuple[str, tuple[str, ...], Direction]:
    """What was measured; the table itself does not say it."""
    parts = [kind for kind in ("aead", "cipher", "auth") if f"{kind} algorithm" in options]
    if not parts:
        raise Unreadable(
            line, "begins a table above which no algorithm is named: run it without --silent"
        )
    undoes = any(options.get(f"{kind} operation") in _UNDOING for kind in parts)
    said = " and ".join(options[f"{kind} algorithm"] for kind in parts)
    names = (_name(options, parts[0]),) if len(parts) == 1 else ()
    return said, names, "backward" if undoes else "forward"


def _name(options: dict[str, str], kind: str) -> str:
    """`aes-cbc` with a key of 16 bytes is `aes-128-cbc`, `sha1-hmac` is `hmac-sha1`."""
    said, key = options[f"{kind} algorithm"], options.get(f"{kind} key size", "")
    if said in _RULES:
        return _RULES[said]
    if said.endswith("-hmac"):
        return f"hmac-{said.removesuffix('-hmac')}"
    if said.startswith("aes-") and (key_bytes := whole_number(key)):
        return said.replace("aes-", f"aes-{8 * key_bytes}-")
    return said


def _provider(device: str) -> str:
    return _PROVIDERS.get(device.removeprefix("crypto_"), device or "dpdk")


def _read_row(line: Line, seen: dict[tuple[int, int], dict[int, tuple[int, float]]]) -> None:
    if not line.text.strip() or line.text.startswith("#"):
        return
    cells = line.text.split("," if "," in line.text else None)
    if len(cells) != COLUMNS:
        raise Unreadable(line.number, f"has {len(cells)} columns and not {COLUMNS}: it is cut")
    core, message_bytes, burst = (whole(cell, line.number) for cell in cells[:3])
    millions, gigabits = (number(cell, line.number) for cell in cells[7:9])
    by_core = seen.setdefault((message_bytes, burst), {})
    if core in by_core:
        raise Unreadable(
            line.number,
            f"has lcore {core} at {message_bytes} bytes again: put each table into its own file",
        )
    by_core[core] = (line.number, _ns(message_bytes, millions, gigabits, line.number))


def _ns(message_bytes: int, millions: float, gigabits: float, line: int) -> float:
    """Of one operation, from the larger rate: both have three decimals."""
    if gigabits > millions and message_bytes:
        return 8 * message_bytes / gigabits
    if millions <= 0:
        raise Unreadable(line, "has a rate of 0: nothing was processed")
    return 1e3 / millions
