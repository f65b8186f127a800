"""The kernels on all targets: they compile without a warning, and answer every vector that fits."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import ClassVar

import msgspec
import pytest

from ciphermark.contract import Question
from ciphermark.errors import WorkError
from ciphermark.run.engine import Engine
from ciphermark.run.targets.object_files import Group, definitions
from ciphermark.run.targets.target import FOLDER, TARGETS, Target, read
from ciphermark.run.targets.toolchain import JOBS, Toolchain, cached_toolchain
from ciphermark.run.targets.verification import Bench
from driver_fixture import emulated, skip_where_it_runs, sorted_c

pytestmark = [pytest.mark.targets, pytest.mark.long]

ROOT = Path(__file__).parents[1]
KERNELS = ROOT / "kernels"


ALIKE = {
    "atmega128-bytewise": "atmega128",
    "atmega1284p": "atmega128",
    "cortex-a8": "arm",
    "cortex-m4": "cortex-m0",
    "esp32c3": "rv32imc",
    "octeon": "mips64",
    "pentium3": "i686",
    "ppc7400": "powerpc",
    "pxa250-200": "sa1110",
    "pxa250-400": "sa1110",
    "rp2040": "cortex-m0",
    "rv32i": "rv32imc",
    "ultrasparc2": "sparc64",
}
"""Targets, each with one of the same compiler: every kernel is asked on that one alone, and
`ciphermark simulate` asks the vectors of whatever it counts."""

SMALL = {"atmega328p"}
"""Targets whose memory has no room for many kernels; `test_boards.py` asks a few there."""

FURTHER = {"atmega103", "host-clang", "sa1110"}
"""Targets with the instructions of another one, or of this machine by a second compiler."""

SAME_WORDS = {"cortex-m0": "arm", "i686": "arm", "mips64": "sparc64", "rv32imc": "arm"}
"""Targets, each with one of the same word length and byte order."""

ASKED_OF_THE_ENGINE = "host"
"""Its compiler is the one that makes the engine, whose tests ask all vectors."""

FEW = {
    *("aes", "chacha20_poly1305", "idea", "kasumi", "md5", "sha1", "sha512", "umac"),
    *("chacha20", "poly1305", "rc6"),  # which these call
}
"""References that between them have tables, multiplications, and words of all lengths."""

FEW_PORTABLE = {
    *("kasumi_table", "umac_portable", "hash127_portable", "hash127_doubles"),
    *("aes_table", "rc6_portable"),  # which these call
}
"""Those that studies have on other processors."""

FEW_NEON = {"aes_armv8", "aes_armv8_modes", "snow3g_neon", "umac_neon"}
"""A cipher with its modes, packets side by side, and a universal hash."""


@pytest.fixture(scope="session")
def asked(engine: Engine) -> list[Question]:
    """The questions of all vectors."""
    return engine.questions()


class FewKernels(Toolchain):
    """Compiles those alone, and what has no rows of its own."""

    few: ClassVar[dict[str, set[str]]] = {
        **{"reference": FEW, "portable": FEW_PORTABLE, "arm": FEW_NEON},
    }

    def sources(self) -> list[Path]:
        def wanted(source: Path) -> bool:
            of_folder = self.few.get(source.parent.name)
            return of_folder is None or source.stem in of_folder or not definitions(source)

        return list(filter(wanted, super().sources()))


class OnlyMd5(FewKernels):
    """Quickly compiled, for tests of the bench itself."""

    few: ClassVar[dict[str, set[str]]] = {"reference": {"md5"}}


Benches = Callable[..., Bench]


@pytest.fixture
def bench_of(tmp_path: Path, shared_cache: Path) -> Benches:
    """The kernels compiled for a target, or a skip with what is missing."""

    def bench_of(name: str, few: type[Toolchain] | None = None, **changes: object) -> Bench:
        changed = msgspec.structs.replace(target(name), **changes)
        if missing := Toolchain(changed, KERNELS, tmp_path).missing():
            pytest.skip(missing)
        if few:
            folder = shared_cache / few.__name__ / name
            return Bench(few(changed, KERNELS, folder, images=tmp_path))
        compiled = shared_cache / "ciphermark" / "targets"
        return Bench(cached_toolchain(changed, tmp_path, JOBS, compiled))

    return bench_of


@pytest.fixture
def small_bench_of(bench_of: Benches) -> Benches:
    return partial(bench_of, few=OnlyMd5, kernels=("reference",))


ONE_OF_EACH = [
    it.name
    for it in TARGETS.all()
    if not it.built_by and it.name not in (*ALIKE, *SMALL, ASKED_OF_THE_ENGINE)
]
"""Targets between them of all compilers and instruction sets."""


@pytest.mark.deep
@pytest.mark.parametrize("name", ONE_OF_EACH)
def test_every_kernel_passes_its_vectors(
    name: str, asked: list[Question], bench_of: Benches, capsys: pytest.CaptureFixture[str]
) -> None:
    bench = bench_of(name)
    verdicts = bench.verify_all(asked).values()
    left_out = Counter(it.row.algorithm for verdict in verdicts for it in verdict.left_out)
    passed = sum(verdict.passed for verdict in verdicts)
    lacking = sorted({row.backend for verdict in verdicts for row in verdict.lacking})
    with capsys.disabled():
        counts = ", ".join(f"{algorithm} {count}" for algorithm, count in left_out.items())
        print(f"\n{name}: {passed} passed, {left_out.total()} left out ({counts})", end=" ")
        print(f"and no instructions for {', '.join(lacking)}" if lacking else "", end=" ")
    assert [str(failure) for verdict in verdicts for failure in verdict.failed] == []
    assert passed > left_out.total()


@pytest.mark.parametrize(("name", "other"), ALIKE.items())
def test_a_target_like_another_has_its_compiler(name: str, other: str) -> None:
    assert other in ONE_OF_EACH
    assert target(name).prefix in (target(other).prefix, "arm-none-eabi-")


@pytest.mark.parametrize(
    "name",
    [
        *(name for name in ONE_OF_EACH if name not in (*FURTHER, *SAME_WORDS)),
        *(pytest.param(name, marks=pytest.mark.deep) for name in (*ALIKE, *SAME_WORDS)),
    ],
)
def test_a_few_kernels_pass_their_vectors(
    name: str, asked: list[Question], bench_of: Benches
) -> None:
    bench = bench_of(name, FewKernels)
    found = {folder: set() for folder in FewKernels.few}
    for group in bench.groups:
        found.setdefault(group.source.parent.name, set()).add(group.source.stem)
    assert found["reference"] == FEW
    assert found["portable"] <= FEW_PORTABLE
    assert bool(found["portable"]) == ("portable" in target(name).kernels)
    assert found["arm"] <= FEW_NEON
    verdicts = bench.verify_all(asked).values()
    assert [str(failure) for verdict in verdicts for failure in verdict.failed] == []
    assert sum(it.passed for it in verdicts) > sum(len(it.left_out) for it in verdicts)


@pytest.mark.deep
def test_emulated_kernels_pass_their_vectors(asked: list[Question], tmp_path: Path) -> None:
    """Those for x86-64, whatever of it this processor has; optimised they take minutes to
    compile, and `test_kernels_hashes.py` and `test_kernels_lanes.py` have them so."""
    x86 = {it.stem.replace("_", "-") for it in sorted_c(KERNELS / "x86")}
    skip_where_it_runs(x86, "the engine's own test of vectors")
    emulating = msgspec.structs.replace(
        target("host"),
        flags=[*emulated()],
        optimise="-O0",
        kernels=("reference", "portable", "lanes", "x86"),
    )
    bench = Bench(Toolchain(emulating, KERNELS, tmp_path))
    verdict = bench.verify([it for it in bench.groups if it.source.parent.name == "x86"], asked)
    assert [str(failure) for failure in verdict.failed] == []
    assert verdict.lacking == []
    assert verdict.passed > 0


@pytest.mark.parametrize("name", ["host", "atmega128", "sparc64"])
def test_a_wrong_answer_is_named(name: str, asked: list[Question], small_bench_of: Benches) -> None:
    bench = small_bench_of(name)
    question = next(it for it in asked if it.vector == "md5.json md5-len14")
    assert question.answer is not None
    wrong = msgspec.structs.replace(question.answer, bytes="00" * 16)
    verdict = bench.verify(md5(bench), [*asked, msgspec.structs.replace(question, answer=wrong)])
    assert [str(it) for it in verdict.failed] == ["md5 digest reference: md5.json md5-len14"]


def test_questions_are_spread_over_images(asked: list[Question], small_bench_of: Benches) -> None:
    """A question of MD5 takes about 80 bytes."""
    bench = small_bench_of("atmega128")
    bench.target = msgspec.structs.replace(bench.target, data_bytes=200)
    assert bench.verify(md5(bench), asked).passed > 2


def test_a_stack_that_grows_into_the_memory_is_noticed(
    asked: list[Question], small_bench_of: Benches
) -> None:
    bench = small_bench_of("atmega128")
    bench.target = msgspec.structs.replace(bench.target, stack_bytes=100)
    with pytest.raises(WorkError, match="bytes of stack, not 100"):
        bench.verify(md5(bench), asked)


def test_missing_tools_are_said_with_their_packages(tmp_path: Path) -> None:
    without_compiler = msgspec.structs.replace(target("arm"), prefix="no-such-")
    assert Toolchain(without_compiler, KERNELS, tmp_path).missing() == (
        "32-bit ARM needs its tools: "
        "apt-get install gcc-arm-linux-gnueabi libc6-dev-armel-cross qemu-user"
    )


def test_make_installs_the_tools_of_all_targets() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    installed = set(re.findall(r"^(?:TARGETS \S?=|\t)(.*)$", makefile, re.M))
    words = {word for line in installed for word in line.split()}
    assert {package for it in TARGETS.all() for package in it.packages} <= words | {"gcc"}


def target(name: str) -> Target:
    return read(FOLDER / f"{name}.toml")


def md5(bench: Bench) -> list[Group]:
    return [group for group in bench.groups if group.name == "md5_reference"]
