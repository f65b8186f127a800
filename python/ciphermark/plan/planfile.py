"""The format of plans that people write: default plans and studies (TOML)."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from ciphermark.errors import UsageError
from ciphermark.plan.quantities import LARGEST_MESSAGE_BYTES

DEFAULTS = Path(__file__).parent / "defaults"


class PlanFile(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """What to measure, in words; `plan.build` turns it into numbered cases."""

    title: str
    workload: Literal["single"]
    algorithms: list[str] | Literal["survey", "all"]
    operations: list[str]
    sizes: list[Annotated[int, msgspec.Meta(ge=0, le=LARGEST_MESSAGE_BYTES)]]
    """Message sizes, bytes."""
    precision: Annotated[float, msgspec.Meta(gt=0, le=0.5)]
    """Wanted half-width of the 95 % interval, as a share."""
    budget_s: Annotated[float, msgspec.Meta(gt=0, le=86_400)]
    max_cases: Annotated[int, msgspec.Meta(ge=1)]
    providers: list[str] | Literal["all"] = "all"
    backends: list[str] | Literal["default", "all"] = "default"
    source: str | None = None
    """What a study reproduces: title, author, date."""


def read(path: Path) -> PlanFile:
    """Reads a plan file; the error is a sentence that names the file and the field."""
    try:
        return msgspec.convert(tomllib.loads(path.read_text("utf-8")), PlanFile)
    except OSError as error:
        raise UsageError(f"the plan {path} cannot be read: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, msgspec.ValidationError) as error:
        raise UsageError(f"the plan {path} is not valid: {error}") from None


def default(name: str) -> PlanFile:
    """The default plan of that name."""
    return read(DEFAULTS / f"{name}.toml")
