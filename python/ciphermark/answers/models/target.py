"""The option `--target` of the models: a processor that is described."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from ciphermark.answers.models.observation import KnownProcessor

TargetOption = Annotated[
    str,
    typer.Option(
        "--target",
        metavar="NAME|FILE",
        help="The processor: a target, or a file (TOML) with a table [processor] like a target's.",
    ),
]


def described(typed: str) -> KnownProcessor:
    """The processor of a target, or of a file of the user's own. Raises `UsageError`."""
    from ciphermark.answers.models import observation
    from ciphermark.plan import names

    if typed.endswith(".toml") or "/" in typed:
        return _of_file(Path(typed))
    known = {it.name: it for it in observation.described()}
    listing = "ciphermark list targets, or name a file: ./processor.toml"
    return known[names.find(typed, {it: it for it in known}, "described target", listing)]


def _of_file(path: Path) -> KnownProcessor:
    from ciphermark.answers.models.observation import KnownProcessor
    from ciphermark.errors import UsageError
    from ciphermark.measure.targets import target

    found = target.read(path)
    if found.processor is None:
        raise UsageError(
            f"{path} describes no processor: add a table [processor] like that of the target "
            "atmega128"
        )
    return KnownProcessor(name=found.name, title=found.title, processor=found.processor)
