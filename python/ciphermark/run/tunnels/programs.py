"""Programs that tunnels need."""

from __future__ import annotations

import os
import shutil

_OF_ADMINISTRATORS = ("/usr/local/sbin", "/usr/sbin", "/sbin")
"""Where Debian has `tc`, `ethtool` and `openvpn`. The search path of an ordinary user lacks these
folders, though he may run the programs, in namespaces of his own."""


def search_path() -> str:
    """The folders of PATH, then those of administrators."""
    return os.pathsep.join([os.environ.get("PATH", os.defpath), *_OF_ADMINISTRATORS])


def is_installed(program: str) -> bool:
    return shutil.which(program, path=search_path()) is not None
