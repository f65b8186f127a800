"""The studies that there are: every plan in the folders of this package, with its module."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import msgspec

from ciphermark import studies
from ciphermark.plan import extensions, names, planfile
from ciphermark.studies.statements import Questions
from ciphermark.view.findings import Study

_OPTIONAL = ("charts", "aside", "simulated", "besides", "given", "over_machines")
"""Names that a study's module may have beside the required ones."""


class Summary(msgspec.Struct, kw_only=True):
    """A study in a list."""

    study: str
    """Its name, as `ciphermark study` takes it."""
    title: str
    source: str | None
    """Publication that it reproduces: author, title, date."""


def summaries() -> list[Summary]:
    """Returns all studies, by name."""
    plans = {name: planfile.read(path) for name, path in _plans().items()}
    return [
        Summary(study=name, title=plan.title, source=plan.source) for name, plan in plans.items()
    ]


def load(name: str) -> Study:
    """Returns the study of that name. Raises UsageError with near names if there is none."""
    plans = _plans()
    study = names.find(name, {it: it for it in plans}, "study", "ciphermark list studies")
    return _study(study, plans[study])


def questions() -> dict[str, Questions[Any, Any]]:
    """Returns the questions of each study, by its name."""
    return {name: _module(name).QUESTIONS for name in _plans()}


def of_plan(name: str) -> Study | None:
    """Returns the study whose plan a run was measured by, or None."""
    path = _plans().get(name)
    return _study(name, path) if path else None


def _study(found: str, path: Path) -> Study:
    module = _module(found)
    return Study(
        name=found,
        plan=planfile.read(path),
        statements=module.QUESTIONS.statements,
        tables=module.tables,
        claims=module.claims,
        **{name: getattr(module, name) for name in _OPTIONAL if hasattr(module, name)},
    )


def _module(name: str) -> ModuleType:
    return import_module(f"{studies.__name__}.{name.replace('-', '_')}")


def _plans() -> dict[str, Path]:
    """Returns the plan of each study, by its name; those of the user's own are among them."""
    own = extensions.part("studies")
    if own is not None and str(own) not in studies.__path__:
        studies.__path__.append(str(own))
    paths = [path for folder in studies.__path__ for path in Path(folder).glob("*.toml")]
    return {path.stem: path for path in sorted(paths, key=lambda path: path.stem)}
