"""A file of hosts: one a line, `[user@]host` as OpenSSH's client takes it, and what differs there.

```
# boards in the cellar
root@board-1
board-2          python=/opt/ciphermark/bin/python3
```
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from ciphermark.errors import UsageError
from ciphermark.files import text_file

MOST_BYTES = 2**20
"""Of the file: some twenty thousand hosts."""

PYTHON = "python3"
"""What is called where a line names no other."""


class Host(msgspec.Struct, frozen=True):
    """Where a worker is started."""

    destination: str
    """For OpenSSH's client, whose configuration says the rest."""
    python: str = PYTHON
    """The Python there that has ciphermark."""


def read(file: Path) -> list[Host]:
    """The hosts of a file. Raises UsageError that names the line."""
    lines = text_file.read(file, f"the file of --hosts {file}", MOST_BYTES).splitlines()
    found = [_host(line, f"{file}:{number}") for number, line in enumerate(lines, 1)]
    hosts = [host for host in found if host is not None]
    if not hosts:
        raise UsageError(f"{file} has no host: write one a line, as for ssh (user@host)")
    seen: set[str] = set()
    for host in hosts:
        if host.destination in seen:
            raise UsageError(f"{file} has {host.destination} twice: remove one of its lines")
        seen.add(host.destination)
    return hosts


def _host(line: str, place: str) -> Host | None:
    words = line.partition("#")[0].split()
    if not words:
        return None
    destination, *settings = words
    if destination.startswith("-"):
        raise UsageError(f"{place}: {destination} is no host, but looks like an option of ssh")
    host = Host(destination)
    for setting in settings:
        name, equals, value = setting.partition("=")
        if name != "python" or not equals or not value:
            raise UsageError(f"{place}: {setting!r} is not known; write python=PATH, or nothing")
        host = Host(destination, value)
    return host
