"""The format of plans that people write: default plans and studies (TOML)."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

import msgspec

from ciphermark.errors import UsageError
from ciphermark.plan.manner import Manners
from ciphermark.plan.quantities import LARGEST_MESSAGE_BYTES
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
    providers: list[str] | Literal["all"] = "all"
    backends: list[str] | Literal["default", "all"] = "default"
    """Those that a machine does not have are left out."""
    pattern: contract.Pattern = "reused-key"
    chunk_bytes: Annotated[int, msgspec.Meta(ge=1)] = 64
    """Bytes at a time with the pattern `incremental`."""
    buffers: contract.Buffers = "hot"
    effort: Effort = "quick"
    """The least effort at which it is measured."""

    @property
    def manners(self) -> Manners:
        """The one way of calling."""
        return Manners(
            patterns=(self.pattern,), chunk_bytes=self.chunk_bytes, buffers=(self.buffers,)
        )


class Thoroughness(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """What another effort than the usual one changes for all parts."""

    precision: Share
    budget_s: Seconds


class PlanFile(Part, kw_only=True, forbid_unknown_fields=True):
    """What to measure, in words; `plan.build` turns it into numbered cases."""

    title: str
    workload: Literal["single"]
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
        return msgspec.structs.replace(
            self,
            also=[part for part in self.also if _place(part.effort) <= _place(effort)],
            **(msgspec.structs.asdict(changed) if changed else {}),
        )


def _place(effort: Effort) -> int:
    return get_args(Effort).index(effort)


def read(path: Path) -> PlanFile:
    """Reads a plan file; the error is a sentence that names the file and the field."""
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
    return table | {"also": [first | part for part in also]}


def default(name: str) -> PlanFile:
    """The default plan of that name."""
    return read(DEFAULTS / f"{name}.toml")
