"""How long a frame is in the air."""

from __future__ import annotations

from ciphermark.answers.protocols.nodes import BitRadio, LoRaRadio

LOW_DATA_RATE_SYMBOL_S = 0.016
"""Symbols that take longer carry two bits less (SX1276 datasheet, LowDataRateOptimize)."""


def seconds(radio: BitRadio | LoRaRadio, frame_bytes: int) -> float:
    """From the first bit of the preamble to the last of the frame."""
    if isinstance(radio, BitRadio):
        return 8 * (radio.preamble_bytes + frame_bytes) / radio.bit_rate_bps
    return (radio.preamble_symbols + 4.25 + _payload_symbols(radio, frame_bytes)) * _symbol_s(radio)


def _symbol_s(radio: LoRaRadio) -> float:
    return 2**radio.spreading_factor / (1000 * radio.bandwidth_khz)


def _payload_symbols(radio: LoRaRadio, frame_bytes: int) -> int:
    """Semtech AN1200.13, LoRa Modem Designer's Guide, section 4; with header and CRC."""
    optimised = _symbol_s(radio) > LOW_DATA_RATE_SYMBOL_S
    bits = 8 * frame_bytes - 4 * radio.spreading_factor + 28 + 16
    per_group = 4 * (radio.spreading_factor - 2 * optimised)
    return 8 + max(0, -(-bits // per_group)) * (radio.coding_rate + 4)
