"""Groups of kernels: the rows of one file each, as `kernels/dispatch.c` lists them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from ciphermark.measure.targets.target import Target

class Group(NamedTuple):
    """Rows that one file defines."""

    name: str
    """As in the list: `md5_reference_rows`."""
    source: Path

    @property
    def symbol(self) -> str:
        """Its name in C."""
        return f"ciphermark_{self.name}"


def groups(kernels: Path, target: Target) -> list[Group]:
    """The groups of the folders of kernels that are compiled for a target."""
    sources = [path for folder in target.kernels for path in (kernels / folder).glob("*.c")]
    definitions = {
        name: path
        for path in sources
        for name in re.findall(r"^KERNELS\(ciphermark_(\w+),", path.read_text("utf-8"), re.M)
    }
    listed = re.findall(r"\bGROUP\((\w+)\)", (kernels / "dispatch.c").read_text("utf-8"))
    return [Group(name, definitions[name]) for name in listed if name in definitions]
