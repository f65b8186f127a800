"""Files of targets: the package's are complete, and one that cannot be is refused in a sentence."""

from __future__ import annotations

import csv
import tomllib
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from ciphermark.answers.models.processors import described_processors
from ciphermark.errors import UsageError
from ciphermark.run.targets.pipelines.cores import CORES
from ciphermark.run.targets.target import FOLDER, TARGETS, UNVERIFIED, Target, read

STUDY = {
    *("atmega103", "atmega128", "m16c", "sa1110", "pxa250-200", "pxa250-400", "ultrasparc2"),
    *("octeon", "cortex-a8", "cortex-m0", "cortex-m4", "ppc7400", "pentium3", "rv32imc", "rv32i"),
}
OF_BOARDS = {"atmega328p", "rp2040", "esp32c3"}
DESCRIBED = [it for it in TARGETS.all() if it.processor]
ABSENT = Ellipsis


def changed(change: dict[str, Any]) -> dict[str, Any]:
    """The description of the SA-1110 with other values, by their places; some of them absent."""
    table = deepcopy(tomllib.loads((FOLDER / "sa1110.toml").read_text()))
    for path, value in change.items():
        *outer, name = path.split("/")
        inner = table
        for it in outer:
            inner = inner[it]
        if value is ABSENT:
            del inner[name]
        else:
            inner[name] = value
    return table


def written(table: dict[str, Any], header: str = "") -> str:
    """A table of tables as TOML."""
    lines = [f'"{it}" = {literal(value)}' for it, value in table.items() if not is_table(value)]
    for name, inner in table.items():
        if is_table(inner):
            lines += [f"[{header}{name}]", written(inner, f"{header}{name}.")]
    return "\n".join(lines)


def is_table(value: object) -> bool:
    return isinstance(value, dict)


def literal(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return f'"{value}"'
    return f"[{', '.join(map(literal, value))}]" if isinstance(value, list) else str(value)


def refusal(folder: Path, table: dict[str, Any]) -> str:
    """What is said of a target's file."""
    path = folder / "mine.toml"
    path.write_text(written(table))
    with pytest.raises(UsageError) as refused:
        read(path)
    said = str(refused.value).removeprefix("the target ")
    assert said.startswith(str(path)) and "\n" not in said
    # The reader of TOML and those of its fields have words of their own.
    said = said.removeprefix(str(path)).removeprefix(" is not valid")
    return said.lstrip(": $.").removeprefix("it ")


def test_the_study_has_all_its_targets() -> None:
    assert {it.name for it in described_processors()} == STUDY | OF_BOARDS


@pytest.mark.parametrize("target", DESCRIBED, ids=lambda it: it.name)
def test_every_figure_of_a_target_names_a_source(target: Target) -> None:
    sources = target.processor.sources
    assert all(source == UNVERIFIED or len(source.split()) > 1 for source in sources.values())


def test_every_core_has_a_target() -> None:
    assert {it.processor.pipeline for it in DESCRIBED} == {*CORES, None}


def test_the_published_platforms_are_described_as_published() -> None:
    published = FOLDER.parent / "studies" / "published" / "sensor-2003-platforms.csv"
    known = {it.name: it.processor for it in described_processors()}
    for row in csv.DictReader(published.open()):
        processor = known[row["platform"]]
        assert processor.clock_mhz == float(row["clock_mhz"])
        assert processor.bus_width_bits == int(row["bus_width_bits"])
        assert processor.isa == row["isa"]
        assert (processor.multiply_bits > 0) == (row["multiply"] == "yes")
        assert (processor.icache_kb, processor.dcache_kb) == (
            float(row["icache_kb"]),
            float(row["dcache_kb"]),
        )


def test_the_description_that_the_tests_change_is_right(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(written(changed({})))
    assert read(path).processor == read(FOLDER / "sa1110.toml").processor


def test_a_processor_can_be_described_without_a_toolchain(tmp_path: Path) -> None:
    whole = changed({})
    alone = {name: whole[name] for name in ("title", "word_bits", "byte_order", "processor")}
    path = tmp_path / "planned.toml"
    path.write_text(written(alone))
    target = read(path)
    assert (target.name, target.hal, target.simulator) == ("planned", None, None)
    assert target.processor.clock_mhz == 206


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"title": ABSENT}, "lacks title: a text"),
        ({"title": 5}, "title is 5, and must be a text"),
        ({"word_bits": 12}, "word_bits is 12, and must be 8 or 16 or 32 or 64"),
        ({"byte_order": "middle"}, 'byte_order is "middle", and must be "little" or "big"'),
        ({"clock": 5}, "clock is no field; known: name, title"),
        ({"flag": ["-O2"]}, "flag is no field; near: flags"),
        ({"flags": "-marm"}, 'flags is "-marm", and must be a list, each a text'),
        ({"memory_bytes": 0}, "memory_bytes is 0, and must be a whole number, more than 0"),
        ({"processor/clock_mhz": ABSENT}, "lacks processor.clock_mhz: a number, more than 0"),
        ({"processor/clock_mhz": 0}, "processor.clock_mhz is 0, and must be a number, more than 0"),
        ({"processor/clock_mhz": float("nan")}, "processor.clock_mhz is nan, and must be a number"),
        ({"processor/clock_mhz": float("inf")}, "processor.clock_mhz is inf, and must be a number"),
        ({"processor/clock_mhz": "206"}, 'processor.clock_mhz is "206", and must be a number'),
        ({"processor/has_divide": 1}, "processor.has_divide is 1, and must be true or false"),
        ({"processor/multiply_bits": 12}, "processor.multiply_bits is 12, and must be 0 or 8 or"),
        ({"processor/issue": 0}, "processor.issue is 0, and must be a whole number, at least 1"),
        ({"processor/icache_kb": -1}, "processor.icache_kb is -1, and must be a number, at least"),
        ({"processor/clokc_mhz": 1}, "processor.clokc_mhz is no field; near: processor.clock_mhz"),
        ({"processor/metric": "cycles"}, 'processor.metric is "cycles", and must be "cycles-mea'),
        ({"processor/metric": "cycles-measured"}, "has processor.pipeline, but not metric ="),
        ({"processor/pipeline": ABSENT}, 'lacks processor.pipeline: "strongarm" or "xscale"'),
        (
            {"processor/pipeline": "alpha"},
            'processor.pipeline is "alpha", and must be "strongarm" or "xscale"',
        ),
        (
            {"processor/cycles/multiply": ABSENT},
            "lacks processor.cycles.multiply: a whole number, at least 0",
        ),
        (
            {"processor/cycles/divide": 7, "processor/sources/cycles.divide": "a guess"},
            "processor.cycles.divide is no field",
        ),
        (
            {"processor/cycles/multiply": -1},
            "processor.cycles.multiply is -1, and must be a whole number, at least 0",
        ),
        (
            {"processor/cycles/multiply": 1.5},
            "processor.cycles.multiply is 1.5, and must be a whole number",
        ),
        (
            {"processor/sources/issue": ABSENT},
            "lacks a source of processor.issue: write under [processor.sources]",
        ),
        ({"processor/sources/issue": " "}, "lacks a source of processor.issue"),
        ({"processor/sources/cycles.multiply": ABSENT}, "lacks a source of processor.cycles.mult"),
        ({"processor/sources/weight": "a scale"}, "has a source of processor.weight, which it"),
        ({"processor/metric": "instructions"}, "has processor.pipeline, but not metric ="),
        ({"simulator": "simavr"}, 'processor.metric is "cycles-model", and must be "cycles-sim'),
        ({"simulator": ABSENT}, "has cpu, but no simulator"),
        ({"hal": ABSENT}, "has prefix, but no hal"),
        (
            {"hal": "posix"},
            'hal is "posix", and must be "linux" or "avr" or "bare" or "m16c"',
        ),
        ({"hal": "avr"}, "lacks stack_bytes"),
        ({"cpu": ABSENT, "simulator": "simavr"}, "lacks cpu"),
    ],
    ids=str,
)
def test_what_cannot_be_is_refused(tmp_path: Path, change: dict[str, Any], said: str) -> None:
    assert refusal(tmp_path, changed(change)).startswith(said)


def test_a_target_of_nothing_is_refused(tmp_path: Path) -> None:
    assert "neither a toolchain" in refusal(tmp_path, {"title": "nothing"})


def test_what_is_no_toml_is_refused_with_the_line(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text("title = \n")
    with pytest.raises(UsageError, match=r"mine\.toml is not valid: .*line 1"):
        read(path)


def test_a_file_that_is_missing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"none\.toml cannot be read: No such file"):
        read(tmp_path / "none.toml")
