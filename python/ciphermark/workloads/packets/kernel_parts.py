"""Which part of an algorithm a function of our kernels' source is.

An instruction is of the part of the innermost function that has one here: helpers without a part,
such as rotations, count to whoever they were inlined into. What has no part at all is of its own
function, so that kernels of which nothing stands here are broken down all the same.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from ciphermark.measure.breakdown import Frame

KEY_SCHEDULE = "key schedule"
MODE = "mode"
COPY = "copy"
"""Words from bytes and back: messages, keystream, and blocks between cipher and mode."""

_OTHER = "other"
"""Jumps between libraries, which have no line in the source."""


class _Rule(NamedTuple):
    """Functions of files whose names begin so."""

    part: str
    files: tuple[str, ...]
    functions: frozenset[str] | None = None
    """None for all."""


def _rule(part: str, files: str, functions: str | None = None) -> _Rule:
    named = None if functions is None else frozenset(functions.split())
    return _Rule(part, tuple(files.split()), named)


_KASUMI = "reference/kasumi portable/kasumi x86/kasumi arm/kasumi lanes/kasumi"
_SNOW3G = "reference/snow3g portable/snow3g x86/snow3g arm/snow3g lanes/snow3g"
_ZUC = "reference/zuc portable/zuc x86/zuc arm/zuc lanes/zuc"
_AES = "reference/aes portable/aes x86/aes arm/aes universal/aes"

_MOVES = (
    "load_le16 load_be16 load_le32 load_be32 load_le64 load_be64 store_le16 store_be16 "
    "store_le32 store_be32 store_le64 store_be64 xor_bytes"
)

_RULES = (
    _rule("S7", _KASUMI, "s7 first_s7 second_s7 kasumi_s7_first kasumi_s7_second"),
    _rule("S9", _KASUMI, "s9 first_s9 second_s9 kasumi_s9_first kasumi_s9_second"),
    _rule("S7 and S9", _KASUMI, "first_step second_step"),
    _rule("FI", _KASUMI, "fi"),
    _rule("FO", _KASUMI, "fo first_fi second_fi third_fi"),
    _rule("FL", _KASUMI, "fl fl_sum fl_left fl_right add_fl"),
    _rule(
        "rounds",
        _KASUMI,
        "f odd_round even_round sum encrypt_block decrypt_block encrypt decrypt begin_round "
        "end_round one_round encrypt_together encrypt_groups add_halves",
    ),
    _rule(
        KEY_SCHEDULE,
        f"{_KASUMI} lanes/key_lanes lanes/byte_blocks lanes/plane_blocks",
        "ciphermark_kasumi_set_key set_key set_lane_keys modify_lane_keys complete_lane_keys "
        "load_lane_keys load_one_key load_keys start_keys",
    ),
    _rule("LFSR", f"{_SNOW3G} {_ZUC}", "clock_lfsr fed_back times_each add"),
    _rule("FSM", _SNOW3G, "clock_fsm"),
    _rule("S-boxes", f"{_SNOW3G} {_ZUC}", "substitute"),
    _rule("F", _ZUC, "f l1 l2"),
    _rule("bit reorganisation", _ZUC, "high_low low_high"),
    _rule("initialisation", f"{_SNOW3G} {_ZUC}", "start load initial"),
    _rule("keystream", f"{_SNOW3G} {_ZUC}", "generate next"),
    _rule("keystream", "portable/stream_run.h"),
    _rule(
        "polynomial", f"{_SNOW3G} x86/pclmulqdq", "evaluate multiply_out product times_x multiply"
    ),
    _rule("universal hash", _ZUC, "sum windows"),
    _rule("S-box and rows", _AES, "substitute_and_shift unshift_and_substitute"),
    _rule("columns", _AES, "mix_columns unmix_columns times_x"),
    _rule("table look-ups", _AES, "look_up look_up_last"),
    _rule("rounds", _AES, "encrypt_block decrypt_block encrypt decrypt add_key"),
    _rule(COPY, "common/words.h", _MOVES),
    _rule(COPY, "common/part.h"),
    _rule(COPY, _KASUMI, "load_half store_block joined"),
    _rule(COPY, _AES, "load_block store_block"),
    _rule(COPY, "lanes/transpose lanes/byte_blocks lanes/plane_blocks"),
    _rule(COPY, "lanes/encrypt_lanes.h", "xor_chunk encrypt_end encrypt_chunks"),
    _rule(MODE, "modes/ lanes/f8 lanes/f9 lanes/uea2 lanes/uia2 lanes/eea3 lanes/key_lanes"),
    _rule("lanes", "lanes/"),
)


def part_of(frames: Iterable[Frame]) -> str:
    """The part of an instruction, by its function and those that it was inlined into."""
    named = ""
    for frame in frames:
        for rule in _RULES:
            if frame.file.startswith(rule.files) and _has(rule, frame.function):
                return rule.part
        named = frame.function
    return named or _OTHER


def _has(rule: _Rule, function: str) -> bool:
    return rule.functions is None or function in rule.functions
