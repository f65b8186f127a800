"""Names in the place of those that people gave: the same one for the same, within one export."""

from __future__ import annotations

import re
import secrets

from ciphermark.record.anonymous import words
from ciphermark.record.layout import new_run_id

_VARIANT = re.compile(r"(gcc|clang)-\d{1,3}-(?P<flags>.+)")
DAY_NS = 86_400 * 10**9
SECOND_NS = 10**9


class Names:
    """What stands for what; kept nowhere but in memory."""

    def __init__(self) -> None:
        self._given: dict[tuple[str, str], str] = {}
        self._days: dict[int, int] = {}

    def numbered(self, what: str, text: str) -> str:
        """`build-1`, `profile-2`: numbers in the order in which they were met."""
        count = sum(kind == what for kind, _ in self._given) + 1
        return self._given.setdefault((what, text), f"{what}-{count}")

    def identity(self, machine_id: str) -> str:
        """Sixteen hexadecimal digits that nobody can trace to the machine's own."""
        if not machine_id:
            return ""
        return self._given.setdefault(("identity", machine_id), secrets.token_hex(8))

    def provider(self, text: str) -> str:
        """A library; what the user called a build of it is replaced."""
        base, at, label = text.partition("@")
        known = base if re.fullmatch(r"[a-z][a-z0-9_-]{0,30}", base) else "library"
        return f"{known}@{self.variant(label)}" if at else known

    def profile(self, text: str) -> str:
        """A mix of sizes; one of the user's own gets a number."""
        if text in words.shipped("profiles") or re.fullmatch(r"imix:[a-z]{1,64}", text):
            return text
        return self.numbered("profile", text)

    def target(self, text: str) -> str:
        """A simulated processor, or a way of compiling for it (`atmega128@gcc-5-o3`); one of the
        user's own gets a number."""
        name, at, variant = text.partition("@")
        known = name if name in words.shipped("targets") else self.numbered("target", name)
        return f"{known}@{self.variant(variant)}" if at else known

    def variant(self, text: str) -> str:
        """A build: a compiler with flags that come with ciphermark, or else a number."""
        told = _VARIANT.fullmatch(text)
        if text == "default" or (told and told["flags"] in words.flag_sets()):
            return text
        return self.numbered("build", text)

    def plan(self, text: str) -> str:
        """The name of a plan or study."""
        known = (
            words.shipped("plan/defaults")
            | words.shipped("studies")
            | {"import", "simulate", "tune"}
        )
        return text if text in known else self.numbered("plan", text)

    def machine(self, name: str, identity: str, processor: str, virtualisation: str) -> str:
        """A machine's name, from the words of its processor that stay."""
        parts = [it for it in re.split(r"[^a-z0-9]+", processor.lower()) if len(it) > 1]
        told = [it for it in parts if it not in ("amd", "intel", "arm", "cpu", "processor", "tm")]
        guest = [virtualisation] if virtualisation not in ("", "none") else []
        if told:
            return "-".join([*told[:3], *guest])
        return self.numbered("machine", identity or name)

    def kind(self, text: str) -> str:
        """A machine's kind; no other export has the name of one of the user's own."""
        return words.kind(text) or self._given.setdefault(
            ("kind", text), f"kind-{secrets.token_hex(4)}"
        )

    def started(self, unix_ns: int) -> int:
        """The day of a run, and of runs of one day their order: seconds are counted instead."""
        day = unix_ns // DAY_NS
        self._days[day] = self._days.get(day, -1) + 1
        return day * DAY_NS + self._days[day] * SECOND_NS

    @staticmethod
    def run(started_unix_ns: int) -> str:
        """A new identifier."""
        return new_run_id(started_unix_ns)
