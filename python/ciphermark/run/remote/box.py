"""What a box says of itself at the beginning, and whether it can be measured on."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

import msgspec

from ciphermark.errors import UsageError

MARK = "ciphermark:"
"""Begins the lines that are meant for us: what a login prints beside them is not."""

_TOLD = ("system", "node", "machine_id", "unpacks", "found", "folder", "busy")
"""Facts that are told in a line, by the name that they have in `Box`."""


class Box(msgspec.Struct, kw_only=True):
    """The facts that `begin.sh` and `box.sh hold` tell."""

    name: str
    """As the user calls it: `user@host`."""
    system: str = ""
    node: str = ""
    """What the machine calls itself."""
    machine_id: str = ""
    """As its system was installed (`machine-id(5)`), where it has that."""
    facts: list[str] = []
    """Answers to `engine_choice.QUESTION`."""
    refused: list[str] = []
    """Places that cannot be used, each with the reason."""
    unpacks: str = ""
    """`gzip` where it has that."""
    found: str = ""
    """The folder of an earlier call that was wanted and is there."""
    folder: str = ""
    """Where everything of this call is."""
    busy: str = ""
    """Who is measuring there already."""
    printed: str = ""
    """The last line that was not meant for us: a login that refuses may say why."""
    last: str = ""
    """How the answer ended: `ready`, `busy`, `gone` (the wanted folder), `nowhere`; else empty."""

    def feed(self, line: str) -> bool:
        """Takes in a line; whether more are to come."""
        if not line.startswith(MARK):
            self.printed = line.strip() or self.printed
            return True
        key, separator, value = line.removeprefix(MARK).rstrip("\r\n").partition("=")
        if not separator:
            self.last = key
            return False
        if key == "fact":
            self.facts.append(value)
        elif key == "refused":
            self.refused.append(value)
        elif key in _TOLD:
            setattr(self, key, value)
        self.last = "busy" if self.busy else ""
        return not self.busy

    @property
    def identity(self) -> str:
        """Tells machines apart that have the same name here: a digest, since it is nobody's."""
        return hashlib.sha256(f"{self.node} {self.machine_id}".encode()).hexdigest()[:32]

    def check(self) -> None:
        """Raises UsageError where nothing can be measured, with the reason."""
        if self.system and self.system != "Linux":
            raise UsageError(f"{self.name} runs {self.system}: the engine measures on Linux only")
        if self.last == "nowhere":
            reasons = "; ".join(dict.fromkeys(self.refused)) or "it has no folder for that"
            raise UsageError(
                f"{self.name} has no place for the engine: {reasons}; make "
                "room, or set TMPDIR there"
            )
        if self.busy:
            raise UsageError(
                f"{self.name} is already measuring ({self.busy} there), and two runs at once "
                "would disturb each other: wait until it ends"
            )


def answers(lines: Iterable[str]) -> dict[str, str]:
    """What a verb of `box.sh` says: values by key."""
    told = (line.removeprefix(MARK).partition("=") for line in lines if line.startswith(MARK))
    return {key: value.strip() for key, _, value in told}
