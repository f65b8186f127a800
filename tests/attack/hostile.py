"""Texts and bytes that nobody would write, made of ones that somebody has written."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

NUMBERS = (
    "0", "-1", "-0", "1e400", "-1e400", "nan", "inf", "1e-400", "0x10", "0b1", "1_000", "٣", "½",
    "2147483648", "4294967295", "4294967296", "9223372036854775807", "9223372036854775808",
    "18446744073709551615", "18446744073709551616", "1073741824", "1073741825", "1e308",
    "-1e308", "9" * 400, "9" * 5000, "0." + "0" * 400 + "1", "1" + "0" * 18, "00012", "+5", "5.",
    ".5", "1,5",
)  # fmt: skip

WORDS = (
    "", " ", "\t", "\r", "\n", "\0", "\x1b[31m", "\ufeff", "\u202e", "ß", "𝔸", "\ud800", "%s%n",
    "{}", "{0}", "${HOME}", "$(true)", "`", "'", '"', '"""', "'''", "\\", "\\u0000", "../../..",
    "/", "//", ".", "..", "~", "~root", "-", "--", "-1", "--help", "null", "None", "true", "NaN",
    "last", "all", "[", "]", "[[", "]]", "{", "}", "=", "#", ",", ",,", ";", ":", "::", "@",
    "@@", "/dev/null", "/dev/full", "*", "**", "?", "[a-", "(", "a" * 300, "a" * 70000,
    "é" * 300, "a." * 2000, "[" * 3000, "{" * 3000, "[" * 200, "x" + "." * 50, "16..", "..16",
    "1..1", "64K..1", "1T", "1e3K", "5%", "-5%", "100%", "101%", "1ms", "-1ms", "1e400s",
    "99999999999999999999h", "1h1h", "0s", "0-0", "3-1", "0,0", "0-4294967295",
)  # fmt: skip

MOST = 2_000_000
"""Letters of a text that swells."""

_TOKEN = re.compile(r"[A-Za-z_][\w.-]*|[+-]?\d[\d_.eE+-]*|\s+|[^\w\s]")

Change = Callable[[random.Random, str], str]


def word(lots: random.Random) -> str:
    """One that is hostile."""
    return lots.choice(NUMBERS if lots.random() < 0.5 else WORDS)


def argument(lots: random.Random) -> str:
    """One that the system lets a command have: no byte is 0, and not too many."""
    text = "".join(word(lots) for _ in range(lots.choice((1, 1, 1, 2, 3)))).replace("\0", "")
    return text.encode(errors="replace").decode()[:100_000]


def text(lots: random.Random, sound: str) -> bytes:
    """A sound text with some changes."""
    for _ in range(lots.choice((1, 1, 2, 3, 8))):
        sound = lots.choice(_CHANGES)(lots, sound)
    content = sound.encode(lots.choice(("utf-8", "utf-8", "utf-8", "utf-16")), errors="replace")
    return data(lots, content) if lots.random() < 0.2 else content


def data(lots: random.Random, sound: bytes) -> bytes:
    """Sound bytes with some changes."""
    content = bytearray(sound)
    for _ in range(lots.choice((1, 1, 2, 4, 32))):
        at = lots.randrange(len(content) + 1)
        some = lots.choice((1, 2, 4, 16, 256))
        match lots.randrange(7):
            case 0 if content:
                content[min(at, len(content) - 1)] ^= 1 << lots.randrange(8)
            case 1:
                del content[at : at + some]
            case 2:
                content[at:at] = lots.randbytes(some)
            case 3:
                content[at : at + some] = bytes([lots.choice((0, 0xFF, 0x80, 0x7F))]) * some
            case 4:
                del content[at:]
            case 5:
                content[at:at] = content[lots.randrange(len(content) + 1) :][:some]
            case 6 if len(content) >= 8:
                content[-8:-4] = lots.choice((0, 1, 0x7FFFFFFF, 0xFFFFFFFF)).to_bytes(4, "little")
    return bytes(content)


def _tokens(sound: str) -> list[str]:
    return _TOKEN.findall(sound) or [""]


def _replace_token(lots: random.Random, sound: str) -> str:
    tokens = _tokens(sound)
    tokens[lots.randrange(len(tokens))] = word(lots)
    return "".join(tokens)


def _replace_number(lots: random.Random, sound: str) -> str:
    tokens = _tokens(sound)
    places = [at for at, token in enumerate(tokens) if token[:1].isdigit()]
    if places:
        tokens[lots.choice(places)] = lots.choice(NUMBERS)
    return "".join(tokens)


def _replace_value(lots: random.Random, sound: str) -> str:
    lines = sound.split("\n")
    places = [at for at, line in enumerate(lines) if "=" in line]
    if places:
        at = lots.choice(places)
        lines[at] = lines[at].partition("=")[0] + "= " + lots.choice(_VALUES)
    return "\n".join(lines)


def _repeat_line(lots: random.Random, sound: str) -> str:
    lines = sound.split("\n")
    at = lots.randrange(len(lines))
    times = lots.choice((2, 2, 3, 1000))
    times = min(times, 2 + MOST // (len(lines[at]) + 1))
    return "\n".join([*lines[:at], *[lines[at]] * times, *lines[at + 1 :]])[:MOST]


def _drop_line(lots: random.Random, sound: str) -> str:
    lines = sound.split("\n")
    del lines[lots.randrange(len(lines))]
    return "\n".join(lines)


def _swap_lines(lots: random.Random, sound: str) -> str:
    lines = sound.split("\n")
    one, other = lots.randrange(len(lines)), lots.randrange(len(lines))
    lines[one], lines[other] = lines[other], lines[one]
    return "\n".join(lines)


def _insert_line(lots: random.Random, sound: str) -> str:
    lines = sound.split("\n")
    lines.insert(lots.randrange(len(lines) + 1), lots.choice(_LINES)(lots))
    return "\n".join(lines)


def _swell(lots: random.Random, sound: str) -> str:
    tokens = _tokens(sound)
    at = lots.randrange(len(tokens))
    tokens[at] *= min(lots.choice((10, 1000, 20_000)), 2 + MOST // (len(tokens[at]) + 1))
    return "".join(tokens)[:MOST]


_CHANGES: tuple[Change, ...] = (
    *(_replace_token, _replace_token, _replace_number, _replace_number, _replace_value),
    *(_repeat_line, _drop_line, _swap_lines, _insert_line, _swell),
)

_VALUES = (
    "[]", "{}", "[[]]", "[" * 100 + "]" * 100, "[" * 5000 + "]" * 5000, '""', "0", "-1", "nan",
    "inf", "1e400", "9" * 5000, "true", "1979-05-27", '"' + "a" * 100_000 + '"', "[1, 'a', []]",
    "{a = 1}", "9223372036854775808", "[0]", "[-1]", '[""]', "['last']",
    "{a = " * 500 + "1" + "}" * 500, "0.0",
)  # fmt: skip

_LINES: tuple[Callable[[random.Random], str], ...] = (
    lambda lots: "a." * lots.choice((10, 3000, 30_000)) + "a = 1",
    lambda lots: f"[{'.'.join('a' * lots.choice((10, 2000)))}]",
    lambda lots: f"x{lots.randrange(10)} = {lots.choice(_VALUES)}",
    lambda lots: lots.choice(WORDS) * lots.choice((1, 100)),
    lambda lots: ",".join(lots.choice(NUMBERS) for _ in range(lots.choice((2, 30)))),
    lambda lots: "[[processor]]",
)
