"""Disks of a try: small, full, read-only. They are seen by the attack alone (a mount namespace)."""

from __future__ import annotations

import ctypes
import os
from pathlib import Path

_CLONE_NEWNS = 0x00020000
_MS_RDONLY, _MS_REMOUNT, _MS_REC, _MS_PRIVATE = 1, 32, 16384, 1 << 18
_MNT_DETACH = 2

_libc = ctypes.CDLL(None, use_errno=True)


def become_separate() -> bool:
    """Gives this process and its children mounts of their own; whether that may be."""
    if _libc.unshare(_CLONE_NEWNS) != 0:
        return False
    return _libc.mount(b"none", b"/", None, _MS_REC | _MS_PRIVATE, None) == 0


class Disk:
    """A disk of so many KiB at a folder."""

    def __init__(self, folder: Path, kibibytes: int) -> None:
        folder.mkdir()
        self.folder = folder
        self._mount(0, f"size={kibibytes}k")

    def _mount(self, flags: int, options: str) -> None:
        path, kind = os.fsencode(self.folder), b"tmpfs"
        if _libc.mount(kind, path, kind, flags, options.encode()) != 0:
            raise OSError(ctypes.get_errno(), f"cannot mount {self.folder}")

    def make_read_only(self) -> None:
        self._mount(_MS_REMOUNT | _MS_RDONLY, "")

    def make_writable(self, kibibytes: int) -> None:
        """With room for all that a try writes."""
        self._mount(_MS_REMOUNT, f"size={kibibytes}k")

    def close(self) -> None:
        _libc.umount2(os.fsencode(self.folder), _MNT_DETACH)
