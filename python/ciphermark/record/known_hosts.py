"""Host keys over SFTP: only hosts are spoken to that the user's OpenSSH knows.

fsspec would take any key that a host shows when it is first called. Needs paramiko.
"""

from __future__ import annotations

import os
from pathlib import Path

import paramiko

FILES = (Path("~/.ssh/known_hosts"), Path("/etc/ssh/ssh_known_hosts"))
"""Where OpenSSH keeps them unless it is told otherwise."""


class KnownHosts(paramiko.MissingHostKeyPolicy):  # type: ignore[misc]  # paramiko has no types
    """Accepts the keys in OpenSSH's files, and refuses all others."""

    def missing_host_key(
        self, client: paramiko.SSHClient, hostname: str, key: paramiko.PKey
    ) -> None:
        """Raises `paramiko.SSHException` for a host that is not known by this key."""
        for file in FILES:
            path = file.expanduser()
            if os.access(path, os.R_OK) and paramiko.HostKeys(str(path)).check(hostname, key):
                return
        raise paramiko.SSHException(
            f"its host key is not known here: call it once with ssh {hostname} and check the key"
        )
