"""Where runs lie, as people type it: a folder, or the URL of a shared one.

What is in a URL besides its place (passwords, signed queries) is never shown nor stored.
"""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import unquote, urlsplit

_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+(?:://|::)")
_PASSWORD = re.compile(r"(?P<before>[A-Za-z][A-Za-z0-9+.-]*://[^/@\s:]*):(?P<password>[^/\s]*)@")
_QUERY = re.compile(r'(?P<address>[A-Za-z][A-Za-z0-9+.-]*://[^\s?]+)\?[^\s"]+')
HIDDEN = "***"


def is_url(text: str) -> bool:
    """Whether a text is no folder of this machine: `s3://bucket/runs`, `dir::file:///mnt/runs`."""
    return _URL.match(text) is not None


def local_folder(text: str) -> Path | None:
    """The folder of this machine that is meant; None for the URL of another filesystem."""
    if not is_url(text):
        return Path(text)
    return Path(unquote(urlsplit(text).path)) if text.startswith("file://") else None


def without_secrets(text: str) -> str:
    """The text with passwords and queries of the URLs in it hidden: `sftp://user:***@host/runs`."""
    hidden = _PASSWORD.sub(rf"\g<before>:{HIDDEN}@", text)
    return _QUERY.sub(rf"\g<address>?{HIDDEN}", hidden)


def secrets(url: str) -> list[str]:
    """What of a URL must not be shown, as it stands there and decoded; longest first."""
    found = [match["password"] for match in _PASSWORD.finditer(url)]
    found += [url.partition("?")[2]] if "?" in url else []
    return sorted({it for text in found for it in (text, unquote(text)) if it}, key=len)[::-1]
