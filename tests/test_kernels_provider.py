"""Our own kernels as a user meets them: in `survey`, `verify` and `list`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engine_fixture import Command, look_at_measured

pytestmark = [pytest.mark.engine, pytest.mark.measures]

VECTORS = Path(__file__).resolve().parent.parent / "algorithms" / "vectors"
PRECISION = ("--precision", "10%", "--budget", "1", "--json")


def survey(command: Command, *options: str) -> list[dict[str, Any]]:
    ended = command("survey", "--providers", "kernels", *options, *PRECISION)
    assert ended.code == 0, ended.messages
    return ended.document["rows"]


def verified(command: Command, stem: str, folder: Path) -> dict[str, Any]:
    """What `verify` says of one file of vectors."""
    (folder / f"{stem}.json").write_text((VECTORS / f"{stem}.json").read_text("utf-8"), "utf-8")
    ended = command("verify", "--vectors", str(folder), "--json")
    assert ended.code == 0, ended.messages
    return ended.document


def test_a_reference_and_faster_kernels_are_backends(command: Command) -> None:
    """Those with vectors depend on the processor; they state constant time."""
    rows = survey(command, "--algorithms", "uea1", "--operations", "encrypt", "--sizes", "1500",
                  "--backends", "all")  # fmt: skip
    constant_time = {row["backend"]: row["constant_time"] for row in rows}
    assert constant_time.pop("reference") is constant_time.pop("table") is False
    assert all("sliced-" in backend for backend in constant_time)
    assert all(constant_time.values())
    assert {row["backend_evidence"] for row in rows} == {"reported"}
    look_at_measured(rows)


def test_the_fast_kernel_is_what_is_measured_unless_told(command: Command) -> None:
    [row] = survey(command, "--algorithms", "uea1", "--operations", "encrypt", "--sizes", "1500")
    assert row["backend"] == "table"


@pytest.mark.parametrize("stem", ["treyfer", "umac2000-16", "umac2000-32"])
def test_vectors_of_variants_are_covered(command: Command, stem: str, tmp_path: Path) -> None:
    document = verified(command, stem, tmp_path)
    assert document["covered"] == document["vectors"]


@pytest.mark.parametrize("stem", ["kasumi-f9-uia1", "snow3g-uia2", "zuc-eia3", "aes-eia2"])
def test_macs_of_bits_are_covered(command: Command, stem: str, tmp_path: Path) -> None:
    vectors = json.loads((VECTORS / f"{stem}.json").read_text("utf-8"))["vectors"]
    assert any(vector["length_bits"] % 8 for vector in vectors)
    document = verified(command, stem, tmp_path)
    assert document["covered"] == document["vectors"] == len(vectors)


def test_who_does_not_count_in_bits_says_so(command: Command, tmp_path: Path) -> None:
    document = verified(command, "kasumi-f9-uia1", tmp_path)
    unsupported = {
        result["provider"]: result["unsupported_parameters"] for result in document["results"]
    }
    ours = {"kernels", "opencl"} & unsupported.keys()
    assert all(unsupported[provider] == [] for provider in ours)
    for provider in unsupported.keys() - ours:
        assert unsupported[provider] == ["length_bits of a part of a byte"]
