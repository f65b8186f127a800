"""`python -m attack.fuzz`: coverage-guided fuzzing of the engine's reader of plans and of all
kernels, by libFuzzer, with clang and the stable Rust toolchain.

Rust's own sanitizers need a nightly toolchain; counting which edges a process takes does not. So
the reader is fuzzed for panics, those of checked arithmetic and of assertions among them, and the
C of the kernels under the address and the undefined behaviour sanitizer.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
CRATE = ROOT / "fuzz"
INPUTS = 300
"""Sound plans to begin with."""

MOST_PLAN_BYTES, MOST_KERNEL_BYTES = 4096, 1400

MOST_SECONDS = 900
"""Of one target, whatever it has executed by then."""

COUNTERS = (
    *("passes=sancov-module", "llvm-args=-sanitizer-coverage-level=4"),
    *(
        "llvm-args=-sanitizer-coverage-inline-8bit-counters",
        "llvm-args=-sanitizer-coverage-pc-table",
    ),
    *("llvm-args=-sanitizer-coverage-trace-compares", "codegen-units=1"),
)
"""Flags by which rustc counts edges for libFuzzer; of the compiler's stable options."""


def main() -> int:
    """Fuzzes all; 1 where something was found."""
    parser = argparse.ArgumentParser(prog="python -m attack.fuzz", description=__doc__)
    parser.add_argument("--runs", type=int, default=1_000_000, help="of the plans, of all kernels")
    parser.add_argument("--only", choices=("plans", "kernels"))
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
        targets: list[tuple[str, Path, list[object], int]] = []
        if given.only != "kernels":
            targets += _plans(Path(folder), given.runs)
        if given.only != "plans":
            targets += _kernels(Path(folder), given.runs)
        print(f"{'target':16}{'executions':>12}{'per second':>12}{'edges':>8}  ended")
        return int(any([_fuzzed(Path(folder), *target) for target in targets]))


def _fuzzed(folder: Path, name: str, program: Path, arguments: list[object], runs: int) -> bool:
    """Runs a target and prints its line; whether something was found."""
    corpus = folder / f"corpus-{name}"
    corpus.mkdir(exist_ok=True)
    line = [program, corpus, f"-runs={runs}", f"-max_total_time={MOST_SECONDS}", "-seed=1",
            "-timeout=5", "-rss_limit_mb=4096", "-print_final_stats=1",
            f"-artifact_prefix={folder}/", *arguments]  # fmt: skip
    began = time.monotonic()
    done = subprocess.run(
        list(map(str, line)), cwd=folder, capture_output=True, timeout=MOST_SECONDS + 300
    )
    seconds = time.monotonic() - began
    said = done.stderr.decode(errors="replace")
    executed = int((re.findall(r"number_of_executed_units: (\d+)", said) or ["0"])[-1])
    edges = (re.findall(r"cov: (\d+)", said) or ["0"])[-1]
    ended = "nothing found" if done.returncode == 0 else f"code {done.returncode}"
    print(f"{name:16}{executed:12,}{executed / seconds:12,.0f}{edges:>8}  {ended}", flush=True)
    if done.returncode != 0:
        print(said[-4000:])
    return done.returncode != 0


# ---- The engine's reader of plans ----------------------------------------------------------------


def _plans(folder: Path, runs: int) -> list[tuple[str, Path, list[object], int]]:
    corpus = folder / "corpus-plans"
    corpus.mkdir()
    for number, plan in enumerate(_sound_plans()):
        (corpus / f"{number:04}").write_text(json.dumps(plan))
    words = folder / "plans.dict"
    words.write_text("".join(f'"{_escaped(word)}"\n' for word in sorted(_words())))
    arguments: list[object] = [f"-dict={words}", f"-max_len={MOST_PLAN_BYTES}"]
    return [("plans", _built(), arguments, runs)]


def _built() -> Path:
    """Compiles the crate; some minutes the first time, since all of the engine gets counters."""
    host = re.search(r"host: (\S+)", _ran(["rustc", "-vV"]))
    assert host is not None
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "fuzz"
    environment = os.environ | {
        "CARGO_TARGET_DIR": str(target),
        "CARGO_ENCODED_RUSTFLAGS": "\x1f".join(f"-C{flag}" for flag in COUNTERS),
    }
    # With a target named, build scripts get no counters, which they have no runtime for.
    line = ["cargo", "build", "--release", "--locked", "--target", host[1]]
    subprocess.run(line, cwd=CRATE, env=environment, check=True, timeout=1800)
    return target / host[1] / "release" / "plans"


def _sound_plans() -> Iterator[dict[str, Any]]:
    from attack.kinds import plans

    engine = os.environ.get("CIPHERMARK_ENGINE") or Path(sys.executable).with_name(
        "ciphermark-engine"
    )
    described = json.loads(_ran([str(engine), "describe"]))
    lots = random.Random(1)
    for _ in range(INPUTS):
        yield plans.plan(lots, described)


def _words() -> set[str]:
    """Names of fields and of what they may have, as the contract's schema tells them."""

    def within(value: Any) -> Iterator[str]:
        if isinstance(value, dict):
            yield from value.get("properties", ())
            yield from (it for it in value.get("enum", ()) if isinstance(it, str))
            for inner in value.values():
                yield from within(inner)
        elif isinstance(value, list):
            for inner in value:
                yield from within(inner)

    schema = json.loads((ROOT / "schema" / "ciphermark.schema.json").read_text("utf-8"))
    return {f'"{word}"' for word in within(schema) if word.isascii()}


def _escaped(word: str) -> str:
    return word.replace("\\", "\\\\").replace('"', '\\"')


# ---- The kernels ---------------------------------------------------------------------------------


def _kernels(folder: Path, runs: int) -> list[tuple[str, Path, list[object], int]]:
    """A target for each family of kernels, which share the executions."""
    from driver_fixture import Toolchains
    from test_kernels_sanitized import FAMILIES, target

    built = Toolchains(folder / "compiled").sanitized("address")
    objects = built.kernels()
    return [
        (it.lower(), target(built, f"fuzz_{it.lower()}", it, objects),
         [f"-max_len={MOST_KERNEL_BYTES}"], -(-runs // len(FAMILIES)))
        for it in FAMILIES
    ]  # fmt: skip


def _ran(line: list[str]) -> str:
    return subprocess.run(line, capture_output=True, text=True, check=True, timeout=120).stdout


if __name__ == "__main__":
    sys.exit(main())
