"""Refuses files of targets that cannot be true, in one sentence that names file and field."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ciphermark.errors import UsageError
from ciphermark.files import toml_file
from ciphermark.measure.targets import tables
from ciphermark.measure.targets.pipelines.cores import CORES
from ciphermark.measure.targets.processor import Processor

if TYPE_CHECKING:
    from ciphermark.measure.targets.target import Target

Table = Mapping[str, Any]

_OF_EVERY_TARGET = frozenset(
    {"name", "title", "word_bits", "byte_order", "processor", "variant_of"}
)
"""The other fields are of a toolchain."""

_WITHOUT_SOURCES = frozenset({"metric", "pipeline", "cycles", "sources"})
"""Fields of a processor that say how it is simulated, or have sources of their own."""


def parsed(path: Path) -> dict[str, Any]:
    """What stands in the file of a target."""
    return toml_file.read(path, "the target")


def check(path: Path, given: Table, kind: type[Target]) -> None:
    """Refuses what a target's file must not say."""
    tables.check(path, given, kind)
    _check_toolchain(path, given)
    if processor := given.get("processor"):
        _check_model(path, processor)
        _check_sources(path, processor)
        _check_metric(path, given)


def _check_toolchain(path: Path, given: Table) -> None:
    if "hal" not in given:
        if extra := next((it for it in given if it not in _OF_EVERY_TARGET), None):
            raise UsageError(f"{path} has {extra}, but no hal, the folder of kernels/hal for it")
        if "processor" not in given:
            raise UsageError(f"{path} has neither a toolchain (hal) nor the table [processor]")
        return
    if given["hal"] == "avr" and "stack_bytes" not in given:
        raise UsageError(f"{path} lacks stack_bytes: how much memory a controller keeps for it")
    if given.get("simulator") == "simavr" and "cpu" not in given:
        raise UsageError(f"{path} lacks cpu: the controller that simavr is to simulate")
    if "cpu" in given and "simulator" not in given:
        raise UsageError(f"{path} has cpu, but no simulator that it could be of")


def _check_metric(path: Path, given: Table) -> None:
    metric = given["processor"]["metric"]
    counts_cycles = given.get("simulator") == "simavr"
    if "simulator" in given and counts_cycles != (metric == "cycles-simulated"):
        wanted = '"cycles-simulated"' if counts_cycles else '"cycles-model" or "instructions"'
        simulator = given["simulator"]
        raise tables.refuse(path, "processor.metric", metric, f"{wanted}: what {simulator} gives")


def _check_model(path: Path, processor: Table) -> None:
    pipeline = processor.get("pipeline")
    if processor["metric"] != "cycles-model":
        for field in ("pipeline", "cycles"):
            if field in processor:
                raise UsageError(f'{path} has processor.{field}, but not metric = "cycles-model"')
        return
    known = " or ".join(f'"{it}"' for it in CORES)
    if pipeline is None:
        raise UsageError(f"{path} lacks processor.pipeline: {known}")
    if pipeline not in CORES:
        raise tables.refuse(path, "processor.pipeline", pipeline, known)
    parameters = CORES[pipeline].Parameters
    tables.check(path, processor.get("cycles", {}), parameters, "processor.cycles.")


def _check_sources(path: Path, processor: Table) -> None:
    facts = [it for it in Processor.__struct_fields__ if it in processor]
    wanted = [it for it in facts if it not in _WITHOUT_SOURCES]
    wanted += [f"cycles.{it}" for it in processor.get("cycles", {})]
    for field in wanted:
        if not processor["sources"].get(field, "").strip():
            place = "write under [processor.sources] where it stands"
            raise UsageError(
                f'{path} lacks a source of processor.{field}: {place}, or "unverified"'
            )
    for field in processor["sources"]:
        if field not in wanted:
            raise UsageError(f"{path} has a source of processor.{field}, which it does not state")
