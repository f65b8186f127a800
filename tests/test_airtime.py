"""Time on air: of LoRa as public calculators have it, of other radios by hand."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ciphermark.answers.protocols import nodes
from ciphermark.answers.protocols.nodes import LoRaRadio
from protocol_example import RADIO

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
