"""Nodes: those that there are, where their values are from, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from ciphermark.answers.protocols import nodes
from ciphermark.answers.protocols.nodes import LoRaRadio, Node
from ciphermark.errors import UsageError
from ciphermark.measure.targets.target import targets

MINE = """
title = "mine"
target = "atmega128"
clock_mhz = 8
supply_v = 3
active_ma = 5
sleep_ua = 1

[radio]
modulation = "bits"
transmit_ma = 20
receive_ma = 15
bit_rate_bps = 50_000
preamble_bytes = 6
largest_frame_bytes = 64

[battery]
capacity_mah = 1000
self_discharge_per_year = 0.02
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "mine.toml"
    path.write_text(text)
    return path


@pytest.mark.parametrize("node", nodes.nodes(), ids=lambda it: it.name)
def test_each_value_has_a_source_and_no_source_lacks_its_value(node: Node) -> None:
    assert set(node.sources) == set(node.values)
    assert all(node.sources.values())
    assert 0 < len(node.unverified) < len(node.values)


@pytest.mark.parametrize("node", nodes.nodes(), ids=lambda it: it.name)
def test_each_processor_is_a_target(node: Node) -> None:
    assert node.target in {it.name for it in targets()}


def test_a_source_that_begins_with_unverified_is_none() -> None:
    unverified = nodes.from_option("micaz").unverified
    assert "battery.self_discharge_per_year" in unverified
    assert "radio.transmit_ma" not in unverified


def test_a_file_of_ones_own_is_named_after_itself_and_unverified(tmp_path: Path) -> None:
    node = nodes.from_option(str(written(tmp_path, MINE)))
    assert (node.name, node.radio.bit_rate_bps) == ("mine", 50_000)
    assert node.unverified == node.values


def test_lora_is_told_by_its_modulation() -> None:
    assert isinstance(nodes.from_option("stm32l0-lora").radio, LoRaRadio)


def test_an_unknown_name_says_which_are_near() -> None:
    with pytest.raises(UsageError, match="there is no node 'mica3'; near: mica"):
        nodes.from_option("mica3")


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("transmit_ma = 20", "transmit_ma = -20", r"> 0.*\$.radio.transmit_ma"),
        ("active_ma = 5", "active_ma = 0", r"> 0.*\$.active_ma"),
        ("sleep_ua = 1", "sleep_ua = -1", r">= 0.*\$.sleep_ua"),
        ("clock_mhz = 8", "", "clock_mhz"),
        ("clock_mhz = 8", 'clock_mhz = "8"', r"\$.clock_mhz"),
        ("clock_mhz = 8", "clock_mhz = inf", r"\$.clock_mhz"),
        ("clock_mhz = 8", "clock_mhz = nan", r"\$.clock_mhz"),
        ("bit_rate_bps = 50_000", "bit_rate = 50_000", "bit_rate"),
        ('modulation = "bits"', 'modulation = "smoke"', "smoke"),
        ('modulation = "bits"', 'modulation = "lora"', r"\$.radio"),
        ("self_discharge_per_year = 0.02", "self_discharge_per_year = 1", "< 1"),
        ("[battery]", "[battery", "line"),
    ],
)
def test_a_wrong_value_is_named_with_file_and_field(
    tmp_path: Path, before: str, after: str, said: str
) -> None:
    path = written(tmp_path, MINE.replace(before, after))
    with pytest.raises(UsageError, match=said) as refused:
        nodes.from_option(str(path))
    assert f"the node {path} is not valid" in str(refused.value)


def test_lora_has_no_spreading_factor_of_6(tmp_path: Path) -> None:
    text = (nodes.FOLDER / "stm32l0-lora.toml").read_text()
    path = written(tmp_path, text.replace("spreading_factor = 7", "spreading_factor = 6"))
    with pytest.raises(UsageError, match=r">= 7.*\$.radio.spreading_factor"):
        nodes.read(path)


def test_a_file_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read: No such file"):
        nodes.from_option(str(tmp_path / "none.toml"))
