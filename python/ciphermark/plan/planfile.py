"""The format of plans that people write: default plans and studies (TOML)."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Literal

import msgspec

from ciphermark.errors import UsageError

DEFAULTS = Path(__file__).parent / "defaults"


class PlanFile(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """What to measure, in words; `plan.build` turns it into numbered cases."""

    title: str
    workload: Literal["single"]
    algorithms: list[str] | Literal["survey", "all"]
    operations: list[str]
    sizes: list[int]
    """Message sizes, bytes."""
    precision: float
    budget_s: float
    max_cases: int
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
