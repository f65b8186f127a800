"""What functions leave behind in the processor: seen, stored, said."""

from __future__ import annotations

import platform
from pathlib import Path

import msgspec
import pytest

from ciphermark.command.report import document
from ciphermark.record.run import Run
from ciphermark.record.store import Store
from ciphermark.run.caches import PathCache
from ciphermark.run.engine import Engine
from ciphermark.view.page import part
from ciphermark.workload import rows_table
from ciphermark.workloads.single import left_behind as words
from ciphermark.workloads.single.code_paths import CodePaths
from ciphermark.workloads.single.code_paths_table import blocks
from ciphermark.workloads.single.left_behind import LeftBehind, left_behind, left_by
from ciphermark.workloads.single.rows import rows
from engine_fixture import Command
from lent_engine import all_algorithms, implementation, provider
from library_fixture import Build
from on_screen import blocks_on_screen
from synthetic import synthetic_cases, synthetic_run

DIRTY = "leaves vector registers dirty"


def run(
    dirty: dict[int | None, bool | None],
    ratio: float | None = 2.14,
    change: float | None = None,
) -> Run:
    """One of a library's function, with what it leaves after messages of each size."""
    sizes = [size for size in dirty if size is not None]
    made = synthetic_run(synthetic_cases(["chacha20-poly1305"], ["openssl"], sizes))
    clocks = made.context.hello.environment.clocks
    clocks.dirty_vectors_ratio, clocks.dirty_change_cycles = ratio, change
    for record in made.cases:
        record.implementation = msgspec.structs.replace(
            record.implementation, leaves_vectors_dirty=dirty[record.case.message_bytes]
        )
    return made


def sentences(made: Run) -> list[str]:
    return [words.sentence(it) for it in left_behind(made)]


def test_it_is_said_once_for_a_function_with_what_it_costs() -> None:
    assert sentences(run({16: True, 256: True})) == [
        "openssl chacha20-poly1305 leaves vector registers dirty: legacy SSE code after it takes "
        "2.1 times as long"
    ]


def test_sizes_are_named_where_others_are_clean() -> None:
    assert sentences(run({16: True, 64: False, 1500: True, 4096: None})) == [
        "openssl chacha20-poly1305 leaves vector registers dirty after messages of 16 B and "
        "1500 B: legacy SSE code after it takes 2.1 times as long"
    ]


@pytest.mark.parametrize(
    ("ratio", "change", "cost"),
    [
        (1.0, None, ", which costs legacy SSE code nothing here"),
        (1.02, 3.0, ", which costs legacy SSE code nothing here"),
        (1.02, 399.6, ": each change to legacy SSE code and back costs 400 cycles"),
        (
            1.5,
            120.0,
            ": legacy SSE code after it takes 1.5 times as long and each change to legacy SSE code "
            "and back costs 120 cycles",
        ),
        (None, None, ", which can slow legacy SSE code after it"),
    ],
)
def test_what_it_costs_is_as_measured(ratio: float | None, change: float | None, cost: str) -> None:
    made = run({16: True}, ratio, change)
    assert sentences(made) == [f"openssl chacha20-poly1305 {DIRTY}{cost}"]


@pytest.mark.parametrize("left", [False, None])
def test_nothing_is_said_of_who_leaves_nothing_or_was_not_looked_at(left: bool | None) -> None:
    assert sentences(run({16: left})) == []


def test_it_is_stored(tmp_path: Path) -> None:
    made = run({16: True})
    store = Store(tmp_path)
    store.save(made, rows_table(rows(made), "single"))
    again = store.load(made.context.run)
    assert sentences(again) == sentences(made) != []


def test_the_report_says_it() -> None:
    made = run({16: True})
    text = part(document(made, rows(made))).html
    assert all(sentence in text for sentence in sentences(made))


def test_implementations_say_it_with_their_path() -> None:
    facts = next(it for it in all_algorithms() if it.name == "chacha20-poly1305")
    first = msgspec.structs.replace(
        implementation(facts, "openssl"), path="avx512", leaves_vectors_dirty=True
    )
    other = msgspec.structs.replace(
        first, path="ssse3", default=False, switches={"A": "1"}, leaves_vectors_dirty=False
    )
    clocks = run({16: True}, 2.0).context.hello.environment.clocks
    [found] = left_by([first, other], clocks)
    assert found == LeftBehind(
        provider="openssl",
        algorithm="chacha20-poly1305",
        path="avx512",
        sizes=[],
        times_after=2.0,
        change_cycles=None,
    )
    text = blocks_on_screen(blocks(CodePaths([first, other], [], None, [found])), 200)
    assert f"openssl chacha20-poly1305 (avx512) {DIRTY}: legacy SSE code after it takes 2.0" in text


def test_a_path_that_was_once_seen_to_leave_them_dirty_stays_known_for_it(tmp_path: Path) -> None:
    cache = PathCache(tmp_path / "engine", tmp_path / "cache")
    facts = all_algorithms()[0]
    seen = msgspec.structs.replace(implementation(facts, "openssl"), path="avx512")
    openssl = provider("openssl")
    for left in (None, False, True, False, None):
        cache.keep(openssl, [msgspec.structs.replace(seen, leaves_vectors_dirty=left)])
    assert [it.leaves_vectors_dirty for it in cache.known(openssl)] == [True]


USES_UPPER_HALVES = '__asm__ volatile("vcmptrueps %%ymm9,%%ymm9,%%ymm9":::"xmm9")'


def has_avx() -> bool:
    return platform.machine() == "x86_64" and " avx " in Path("/proc/cpuinfo").read_text()


@pytest.mark.engine
@pytest.mark.skipif(not has_avx(), reason="this processor has no AVX")
def test_a_library_that_leaves_them_dirty_is_named(
    command: Command, engine: Engine, kernel: Build
) -> None:
    if engine.environment().clocks.dirty_vectors_ratio is None:
        pytest.skip("this processor does not tell which registers are in use")
    dirty = kernel("mine", WHEN="bytes==64", MISDEED=USES_UPPER_HALVES)
    end = command(
        *("survey", "--kernel", dirty, "--algorithms", "siphash-2-4-64", "--sizes", "64,1000"),
        *("--operations", "mac", "--providers", "kernel@mine", "--precision", "5%"),
        *("--budget", "1"),
    )
    assert end.code == 0
    said = [line for line in end.output.splitlines() if DIRTY in line]
    assert len(said) == 1, end.output
    assert said[0].strip().startswith(f"kernel@mine siphash-2-4-64 {DIRTY} after 64 B")


@pytest.mark.engine
def test_our_kernels_leave_none_dirty(command: Command) -> None:
    end = command("list", "implementations", "--providers", "kernels", "--json")
    assert end.code == 0
    assert msgspec.json.decode(end.output)["left_behind"] == []
