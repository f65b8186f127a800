"""What is printed in the form of a program is read as what was printed.

The printers are written from the format strings of the programs' sources, independently of the
readers.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ciphermark.workloads.imported.rows import imported_rows
from imports_example import TSC_HZ, imported_run

Rates = dict[str, dict[int, float]]
"""Bytes per second by function and size."""

SIZES = st.lists(st.integers(1, 1 << 20), min_size=1, max_size=6, unique=True).map(sorted)
RATES = st.floats(1e6, 9e9)


def openssl(rates: Rates) -> str:
    """`%7d bytes`, `%-13s`, ` %11.2fk` of apps/speed.c."""
    sizes = list(next(iter(rates.values())))
    lines = ["version: 3.0.19", "The 'numbers' are in 1000s of bytes per second processed."]
    lines.append("type        " + "".join(f"{size:7d} bytes" for size in sizes))
    for name, by_size in rates.items():
        lines.append(f"{name:<13}" + "".join(f" {by_size[it] / 1e3:11.2f}k" for it in sizes))
    return "\n".join(lines) + "\n"


def openssl_mr(rates: Rates) -> str:
    """`+H`, `:%d` and `+F:%u:%s`, `:%.2f`."""
    sizes = list(next(iter(rates.values())))
    lines = ["+H" + "".join(f":{size}" for size in sizes)]
    for number, (name, by_size) in enumerate(rates.items()):
        lines.append(f"+F:{number}:{name}" + "".join(f":{by_size[it]:.2f}" for it in sizes))
    return "\n".join(lines) + "\n"


def botan(rates: Rates) -> str:
    """`JSON_Output::print`, a second for each."""
    said = {"sha256": "SHA-256", "md5": "MD5", "sha512": "SHA-512"}
    results = [
        {"algo": said[name], "op": "hash", "events": round(rate), "buf_size": size, "nanos": 10**9}
        for name, by_size in rates.items()
        for size, rate in by_size.items()
    ]
    return "[\n" + "\n,".join(map(json.dumps, results)) + "\n]\n"


def ipsec(rates: Rates) -> str:
    """`print_times`: ticks, rounded."""
    said = {"sha256": "SHA_256", "md5": "MD5", "sha512": "SHA_512"}
    columns = len(rates)
    lines = ["ARCH" + "\tAVX2" * columns, "CIPHER" + "\tNULL_CIPHER" * columns]
    lines.append("DIR" + "\tENCRYPT" * columns)
    lines.append("HASH_ALG" + "".join(f"\t{said[name]}" for name in rates))
    lines.append("KEY_SIZE" + "\t0" * columns)
    for size in next(iter(rates.values())):
        ticks = (max(1, round(size / by_size[size] * TSC_HZ)) for by_size in rates.values())
        lines.append(f"{size}" + "".join(f"\t{it}" for it in ticks))
    return "\n".join(lines) + "\n"


def supercop(rates: Rates) -> str:
    """Lines of `data`, in cycles at 1 GHz."""
    lines = []
    for name, by_size in rates.items():
        head = f"20240107 host amd64 20240201 crypto_hash {name}"
        lines += [f"{head} implementation crypto_hash/{name}/ref -"]
        lines += [f"{head} cpucycles_persecond 1000000000"]
        lines += [f"{head} cpucycles_implementation amd64-pmc"]
        for size, rate in by_size.items():
            cycles = max(1, round(size / rate * 1e9))
            lines.append(f"{head} cycles {size} {cycles} " + f"{cycles} " * 16)
    return "\n".join(lines) + "\n"


PRINTERS: dict[str, tuple[Callable[[Rates], str], Callable[[int, float], float]]] = {
    "openssl.txt": (openssl, lambda size, rate: 0.005 * 1e3 / rate),
    "mr.txt": (openssl_mr, lambda size, rate: 0.005 / rate),
    "botan.json": (botan, lambda size, rate: 0.5 / rate),
    "ipsec-mb.txt": (ipsec, lambda size, rate: rate / size / TSC_HZ),
    "data": (supercop, lambda size, rate: rate / size / 1e9),
}
"""Each with the relative error that its digits leave."""


@pytest.mark.slow
@pytest.mark.parametrize("name", PRINTERS)
@settings(deadline=None, max_examples=40)
@given(sizes=SIZES, data=st.data())
def test_what_is_printed_is_read(name: str, sizes: list[int], data: st.DataObject) -> None:
    sizes = sorted({*sizes, 4096}) if name == "data" else sizes
    functions = ["sha256", "sha512"] if name == "ipsec-mb.txt" else ["sha256", "md5", "sha512"]
    rates = {it: {size: data.draw(RATES) for size in sizes} for it in functions}
    printer, error = PRINTERS[name]
    with TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_text(printer(rates))
        rows = imported_rows(imported_run(path))
    kept = {(row.algorithm, row.message_bytes) for row in rows}
    everything = {(it, size) for it in functions for size in sizes}
    assert kept == everything or name == "data" and kept < everything
    for row in rows:
        rate = rates[row.algorithm][row.message_bytes]
        tolerance = error(row.message_bytes, rate) + 1e-9
        if tolerance < 0.4:  # a tick or two of a short message tell nothing
            assert math.isclose(row.mbytes_per_second, rate / 1e6, rel_tol=2 * tolerance)
