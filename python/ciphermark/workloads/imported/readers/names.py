"""Names of algorithms in the spellings of other programs: `AES-128/GCM(16)`, `aes_cbc_128`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

_KEYED = "aes|rijndael|camellia|serpent|twofish"
"""Ciphers whose names here have the bits of the key."""

_WORD = re.compile(
    r"(?P<hash>sha-?3[-(]?(?:224|256|384|512)|sha-?512[-/]256|sha-?(?:2-?)?(?:224|256|384|512)"
    r"|sha(?:-?160|-?1(?!\d)|(?!-?\d))|md5|(?:ripemd|rmd)-?160|blake2[bs](?:[-(]?(?:512|256))?"
    r"|blake3|sm3)"
    r"|(?P<mac>hmac|cmac|omac1|gmac)"
    r"|(?P<mode>gcm-?siv|ocb3|(?:gcm|ccm|ocb)(?:\(16(?:,\d)?\))?|cbc|ctr(?:-?be)?|ecb|xts)"
    r"|(?P<stream>x?chacha(?:-?20|\(20\))?(?!\d|\())"
    r"|(?P<poly>poly-?1305)"
    r"|(?P<siphash>siphash(?:[-(]?2[-,]?4(?!\d))?(?![-(]?\d))"
    rf"|(?P<cipher>{_KEYED}|sm4|idea)"
    r"|(?P<bits>128|192|256)(?:-?bits?)?(?:-key)?"
    r"|(?P<none>[-/(),]|pkcs7|nopadding)"
)
_OF_TWO_KEYS = {"256": "128", "384": "192", "512": "256"}
"""Bits of a key of XTS by those of both its keys together."""
_RESPELT = (
    (r"^sha-?3[-(]?(\d{3})$", r"sha3-\1"),
    (r"^sha(?:-?160|-?1)?$", "sha1"),
    (r"^sha-?512[-/]256$", "sha512-256"),
    (r"^sha-?(?:2-?)?(\d{3})$", r"sha\1"),
    (r"^(?:rmd|ripemd)-?160$", "ripemd160"),
    (r"^(blake2[bs])[-(]?(\d{3})$", r"\1-\2"),
    (r"^omac1$", "cmac"),
    (r"^gcm-?siv$", "gcm-siv"),
    (r"^(ctr)-?be$|^(ocb)3$|^(gcm|ccm|ocb)\(.*\)$", r"\1\2\3"),
    (r"^(x?chacha).*$", r"\g<1>20"),
    (r"^rijndael$", "aes"),
)


def spellings(said: str, bits: str = "", own: Mapping[str, str] | None = None) -> tuple[str, ...]:
    """Returns names under which an algorithm may be found here; none for combined functions.

    `bits` is the key's size where it stands beside the name, of both keys together for XTS. `own`
    has sizes that a bare cipher means to the program, and as `mode` the mode that it means.
    """
    text = re.sub(r"[_ ]+", "-", said.strip().lower())
    name_parts = _parts(text)
    if name_parts is None:
        return (text,)
    parts = dict(name_parts)
    if len(parts) < len(name_parts):
        return ()
    if bits:
        parts["bits"] = _OF_TWO_KEYS.get(bits, "") if parts.get("mode") == "xts" else bits
    return _composed(parts, own or {})


@lru_cache(maxsize=1000)
def _parts(text: str) -> tuple[tuple[str, str], ...] | None:
    """Returns the different parts of a name, each with its kind; None if one is not understood."""
    parts: dict[tuple[str, str], None] = {}
    place = 0
    while place < len(text):
        word = _WORD.match(text, place)
        if word is None:
            return None
        kind, place = word.lastgroup or "", word.end()
        if kind != "none":
            part = word[kind]
            for pattern, replacement in _RESPELT:
                part = re.sub(pattern, replacement, part)
            parts[kind, part] = None
    return tuple(parts)


def _composed(parts: dict[str, str], own: Mapping[str, str]) -> tuple[str, ...]:
    """Returns the name that parts make together."""
    cipher = parts.get("cipher", "")
    if cipher in _KEYED.split("|"):
        bits = parts.get("bits") or own.get(cipher)
        cipher = f"{cipher}-{bits}" if bits else ""
    match sorted(parts.keys() - {"bits"}):
        case ["cipher"] if cipher and "mode" in own:
            return (f"{cipher}-{own['mode']}",)
        case ["cipher", "mode"] if cipher:
            return (f"{cipher}-{parts['mode']}",)
        case ["cipher", "mac"] if cipher and parts["mac"] != "hmac":
            return (f"{parts['mac']}-{cipher}",)
        case ["hash", "mac"] if parts["mac"] == "hmac" and "bits" not in parts:
            return (f"hmac-{parts['hash']}",)
        case ["poly", "stream"]:
            return (f"{parts['stream']}-poly1305",)
        case ["siphash"]:
            return ("siphash-2-4",)
        case [("stream" | "poly" | "hash") as kind] if kind == "stream" or "bits" not in parts:
            return (parts[kind],)
    return ()
