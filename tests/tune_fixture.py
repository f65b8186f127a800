"""What tests of `ciphermark tune` ask, and what must be true of the variants of hosts."""

from __future__ import annotations

from typing import Any

from engine_fixture import Ended

BROKEN = "-O2 '-Dfor(...)=if(0)'"
"""No loop of a kernel does anything: nothing is written, and the vectors notice."""

KERNEL = ("--algorithms", "tea-ecb", "--operations", "encrypt", "--sizes", "64")
VARIANTS = ("--compilers", "gcc", "--flags=-O1", "--flags=-Os", f"--flags={BROKEN}")

HOST = (
    *("tune", "host", *KERNEL, "--compilers", "gcc", "--flags=-O1", f"--flags={BROKEN}"),
    *("--backends", "reference"),
    *("--budget", "2", "--precision", "10%", "--json"),
)


def by_flags(ended: Ended) -> dict[str, dict[str, Any]]:
    assert ended.output, ended.messages
    return {row["flags"]: row for row in ended.document["rows"]}


def look_at_those_of_the_host(ended: Ended) -> None:
    """A machine that others disturb all the time has no figures, says none, and ends with 1."""
    rows = by_flags(ended)
    has_figures = any(row["value"] is not None for row in rows.values())
    assert ended.code == int(not has_figures), ended.messages
    default = next(row for row in rows.values() if row["is_default"])
    for row in (default, rows["-O1"]):
        assert row["error"] is None, row["error"]
        assert row["vectors_passed"] > 0
        assert row["code_bytes"] > 0 and row["stack_bytes"] > 0
        assert row["target"] == "host" and row["machine"]
        if row["ratio"] is not None and not row["is_default"]:
            assert 0 < row["ratio_low"] <= row["ratio"] <= row["ratio_high"]
    broken = rows[BROKEN]
    assert broken["error"]["kind"] == "wrong-answer"
    assert broken["value"] is broken["ratio"] is None
