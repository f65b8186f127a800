"""Which runs are of this machine, without asking the engine, which takes half a second."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

_SALT = b"ciphermark machine"
_FILES = ("etc/machine-id", "var/lib/dbus/machine-id")


def machine_id(root: Path = Path("/")) -> str | None:
    """The `machine_id` of runs that were measured here, as `environment/identity.rs` makes it; None
    where the installation has no id, and the engine makes one of other things."""
    for file in _FILES:
        try:
            text = (root / file).read_text().strip()
        except (OSError, UnicodeDecodeError):
            continue
        if re.fullmatch(r"[0-9a-fA-F]{32}", text):
            return hashlib.sha256(_SALT + text.encode()).digest()[:8].hex()
    return None
