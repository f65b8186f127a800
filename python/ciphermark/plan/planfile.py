"""The format of plans that people write: default plans and studies (TOML)."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Annotated, Any, Literal, Self, get_args

import msgspec

from ciphermark.errors import UsageError
from ciphermark.plan.manner import Manners
from ciphermark.plan.packets import PacketLoads
from ciphermark.plan.quantities import LARGEST_MESSAGE_BYTES
from ciphermark.plan.sessions import Attempts, Loads
from ciphermark.record import contract

DEFAULTS = Path(__file__).parent / "defaults"


Effort = Literal["quick", "usual", "full"]
"""How much of a plan is measured, from the least."""

Share = Annotated[float, msgspec.Meta(gt=0, le=0.5)]
Seconds = Annotated[float, msgspec.Meta(gt=0, le=86_400)]


class Part(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """Functions that are measured at the same sizes and called in the same way."""

    algorithms: list[str] | Literal["survey", "all"]
    operations: list[str]
    sizes: list[Annotated[int, msgspec.Meta(ge=0, le=LARGEST_MESSAGE_BYTES)]]
    """Message sizes, bytes."""
    providers: list[str] | Literal["all", "fastest"] = "all"
    """`fastest`: of each function the one that a quick look beforehand finds."""
    backends: list[str] | Literal["default", "all"] = "default"
    """Those that a machine does not have are left out."""
    switches: dict[str, str] = {}
    """Environment variables that hide features of the processor from the libraries."""
    instead_of: str | None = None
    """A provider in whose place this is measured where that cannot be used; absent where it is
    measured in any case."""
    pattern: contract.Pattern = "reused-key"
    chunk_bytes: Annotated[int, msgspec.Meta(ge=1)] = 64
    """Bytes at a time with the pattern `incremental`."""
    buffers: contract.Buffers = "hot"
    effort: Effort = "quick"
    """The least effort at which it is measured."""
    sessions: Loads = Loads()
    """Only of the workload `sessions`."""
    packets: PacketLoads = PacketLoads()
    """Only of the workload `packets`."""

    @property
    def manners(self) -> Manners:
        """The one way of calling."""
        return Manners(
            patterns=(self.pattern,), chunk_bytes=self.chunk_bytes, buffers=(self.buffers,)
        )

    def _trying(self, attempts: int | None) -> Self:
        """With so many attempts at most; with its own where that is None."""
        if attempts is None:
            return self
        sessions = msgspec.structs.replace(self.sessions, attempts=attempts)
        return msgspec.structs.replace(self, sessions=sessions)


class Thoroughness(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """What another effort than the usual one changes for all parts."""

    precision: Share
    budget_s: Seconds
    attempts: Attempts | None = None
    """At each case of many sessions."""


class PlanFile(Part, kw_only=True, forbid_unknown_fields=True):
    """What to measure, in words; `plan.build` turns it into numbered cases."""

    title: str
    workload: contract.Workload
    precision: Share
    """Wanted half-width of the 95 % interval, as a share."""
    budget_s: Seconds
    max_cases: Annotated[int, msgspec.Meta(ge=1)]
    also: list[Part] = []
    """Further parts; in a file each has the fields of the first that it does not have itself."""
    quick: Thoroughness = msgspec.field(
        default_factory=lambda: Thoroughness(precision=0.05, budget_s=30)
    )
    full: Thoroughness = msgspec.field(
        default_factory=lambda: Thoroughness(precision=0.005, budget_s=3600)
    )
    source: str | None = None
    """What a study reproduces: title, author, date."""

    @property
    def parts(self) -> list[Part]:
        """The first, which is the file's own, and those that it has also."""
        return [self, *self.also]

    def at(self, effort: Effort) -> PlanFile:
        """What is measured at that effort."""
        changed = {"quick": self.quick, "full": self.full}.get(effort)
        kept = [part for part in self.also if _place(part.effort) <= _place(effort)]
        if changed is None:
            return msgspec.structs.replace(self, also=kept)
        return msgspec.structs.replace(
            self._trying(changed.attempts),
            also=[part._trying(changed.attempts) for part in kept],
            precision=changed.precision,
            budget_s=changed.budget_s,
        )


def _place(effort: Effort) -> int:
    return get_args(Effort).index(effort)


COMMANDS: dict[contract.Workload, str] = {
    "single": "survey",
    "sessions": "sessions",
    "packets": "packets",
}
"""Which command measures a plan of a workload."""


def read(path: Path, workload: contract.Workload | None = None) -> PlanFile:
    """Reads a plan file, if need be one of a workload; the error is a sentence that names the file
    and the field."""
    file = _read(path)
    if workload not in (None, file.workload):
        raise UsageError(
            f"the plan {path} has the workload {file.workload}: write "
            f"ciphermark {COMMANDS[file.workload]} --plan {path}"
        )
    return file


def _read(path: Path) -> PlanFile:
    try:
        return msgspec.convert(_completed(tomllib.loads(path.read_text("utf-8"))), PlanFile)
    except OSError as error:
        raise UsageError(f"the plan {path} cannot be read: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, msgspec.ValidationError) as error:
        raise UsageError(f"the plan {path} is not valid: {error}") from None


def _completed(table: dict[str, Any]) -> dict[str, Any]:
    """With the fields of the first part in the others, where they say nothing else."""
    first = {name: table[name] for name in Part.__struct_fields__ if name in table}
    also = table.get("also", [])
    if not isinstance(also, list) or not all(isinstance(part, dict) for part in also):
        return table
    return table | {"also": [_laid_over(first, part) for part in also]}


def _laid_over(first: dict[str, Any], part: dict[str, Any]) -> dict[str, Any]:
    """A part with the fields that it does not have itself, within its tables too."""
    tables = {
        name: first[name] | value
        for name, value in part.items()
        if isinstance(value, dict) and isinstance(first.get(name), dict)
    }
    return first | part | tables


def default(name: str) -> PlanFile:
    """The default plan of that name."""
    return read(DEFAULTS / f"{name}.toml")
