"""Nodes: those that there are, where their values are from, what is refused; and time on air.

Of LoRa that is as public calculators have it, of other radios by hand.
"""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ciphermark.answers.protocols import nodes
from ciphermark.answers.protocols.nodes import LoRaRadio, Node
from ciphermark.errors import UsageError
from ciphermark.run.targets.target import TARGETS
from protocol_example import RADIO

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


@pytest.mark.parametrize("node", nodes.NODES.all(), ids=lambda it: it.name)
def test_each_value_has_a_source_and_no_source_lacks_its_value(node: Node) -> None:
    assert set(node.sources) == set(node.values)
    assert all(node.sources.values())
    assert 0 < len(node.unverified) < len(node.values)


@pytest.mark.parametrize("node", nodes.NODES.all(), ids=lambda it: it.name)
def test_each_processor_is_a_target(node: Node) -> None:
    assert node.target in {it.name for it in TARGETS.all()}


def test_a_source_that_begins_with_unverified_is_none() -> None:
    unverified = nodes.NODES.from_option("micaz").unverified
    assert "battery.self_discharge_per_year" in unverified
    assert "radio.transmit_ma" not in unverified


def test_a_file_of_ones_own_is_named_after_itself_and_unverified(tmp_path: Path) -> None:
    node = nodes.NODES.from_option(str(written(tmp_path, MINE)))
    assert (node.name, node.radio.bit_rate_bps) == ("mine", 50_000)
    assert node.unverified == node.values


def test_lora_is_told_by_its_modulation() -> None:
    assert isinstance(nodes.NODES.from_option("stm32l0-lora").radio, LoRaRadio)


def test_an_unknown_name_says_which_are_near() -> None:
    with pytest.raises(UsageError, match="there is no node 'mica3'; near: mica"):
        nodes.NODES.from_option("mica3")


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        (
            "transmit_ma = 20",
            "transmit_ma = -20",
            "radio.transmit_ma is -20, .* more than 0",
        ),
        ("active_ma = 5", "active_ma = 0", "active_ma is 0, and must be a number, more than 0"),
        ("sleep_ua = 1", "sleep_ua = -1", "sleep_ua is -1, and must be a number, at least 0"),
        ("clock_mhz = 8", "", "lacks clock_mhz: a number, more than 0"),
        ("clock_mhz = 8", 'clock_mhz = "8"', 'clock_mhz is "8", and must be a number'),
        ("clock_mhz = 8", "clock_mhz = inf", "clock_mhz is"),
        ("clock_mhz = 8", "clock_mhz = nan", "clock_mhz is"),
        ("bit_rate_bps = 50_000", "bit_rate = 50_000", "radio.bit_rate is no field; near: "),
        (
            'modulation = "bits"',
            'modulation = "smoke"',
            'is "smoke", and must be "bits" or "lora"',
        ),
        ('modulation = "bits"', 'modulation = "lora"', "radio.bit_rate_bps is no field"),
        ("self_discharge_per_year = 0.02", "self_discharge_per_year = 1", "less than 1"),
        ("[battery]", "[battery", "line"),
    ],
)
def test_a_wrong_value_is_named_with_file_and_field(
    tmp_path: Path, before: str, after: str, said: str
) -> None:
    path = written(tmp_path, MINE.replace(before, after))
    with pytest.raises(UsageError, match=said) as refused:
        nodes.NODES.from_option(str(path))
    assert f"the node {path} is not valid" in str(refused.value)


def test_lora_has_no_spreading_factor_of_6(tmp_path: Path) -> None:
    text = (nodes.NODES.folder / "stm32l0-lora.toml").read_text()
    path = written(tmp_path, text.replace("spreading_factor = 7", "spreading_factor = 6"))
    with pytest.raises(UsageError, match="radio.spreading_factor is 6, .* at least 7"):
        nodes.read(path)


def test_a_file_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read: No such file"):
        nodes.NODES.from_option(str(tmp_path / "none.toml"))


LORA = LoRaRadio(
    transmit_ma=30,
    receive_ma=10,
    largest_frame_bytes=255,
    spreading_factor=7,
    bandwidth_khz=125,
    coding_rate=1,
    preamble_symbols=8,
)


def lora(spreading_factor: int) -> LoRaRadio:
    return msgspec.structs.replace(LORA, spreading_factor=spreading_factor)


@pytest.mark.parametrize(
    ("spreading_factor", "frame_bytes", "ms"),
    [
        # 24 bytes in a frame of LoRaWAN, 125 kHz, 4/5, preamble of 8: the airtime spreadsheet of
        # The Things Network's forum, after Semtech AN1200.13.
        (7, 37, 82.176),
        (8, 37, 143.872),
        (9, 37, 267.264),
        (10, 37, 493.568),
        (11, 37, 1069.056),
        (12, 37, 1974.272),
        (9, 13, 164.864),
    ],
)
def test_lora_takes_what_public_calculators_say(
    spreading_factor: int, frame_bytes: int, ms: float
) -> None:
    assert nodes.airtime_s(lora(spreading_factor), frame_bytes) == pytest.approx(ms / 1e3)


def test_twice_the_bandwidth_takes_half_the_time_where_symbols_stay_short() -> None:
    wide = msgspec.structs.replace(LORA, bandwidth_khz=250)
    assert nodes.airtime_s(wide, 20) == pytest.approx(nodes.airtime_s(LORA, 20) / 2)


def test_a_radio_of_bits_sends_its_preamble_too() -> None:
    assert nodes.airtime_s(RADIO, 15) == pytest.approx(0.020)


@given(st.integers(7, 12), st.integers(0, 254), st.integers(1, 3))
def test_more_bytes_symbols_and_coding_never_take_less(
    spreading_factor: int, frame_bytes: int, coding_rate: int
) -> None:
    radio = msgspec.structs.replace(lora(spreading_factor), coding_rate=coding_rate)
    stronger = msgspec.structs.replace(radio, coding_rate=coding_rate + 1)
    seconds = nodes.airtime_s(radio, frame_bytes)
    assert nodes.airtime_s(radio, frame_bytes + 1) >= seconds
    assert nodes.airtime_s(stronger, frame_bytes) >= seconds
    assert nodes.airtime_s(RADIO, frame_bytes + 1) > nodes.airtime_s(RADIO, frame_bytes)


def test_a_processor_is_sent_to_where_processors_are_taken() -> None:
    with pytest.raises(UsageError, match="stm32l0-lora.*model feasible --target cortex-m0"):
        nodes.from_option("cortex-m0")
