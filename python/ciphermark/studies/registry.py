"""The studies that there are: every plan in the folders of this package, with its module."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import msgspec

from ciphermark import studies
from ciphermark.plan import extensions, names, planfile
from ciphermark.show.findings import Study
from ciphermark.studies.statements import Questions

_OPTIONAL = ("charts", "aside", "simulated", "besides", "given", "over_machines")
"""What a study's module may have beside the rest."""


class Summary(msgspec.Struct, kw_only=True):
    """A study in a list."""

    study: str
    """Its name, as `ciphermark study` takes it."""
    title: str
    source: str | None
    """What it reproduces: author, title, date."""


def summaries() -> list[Summary]:
    """All studies, by name."""
    plans = {name: planfile.read(path) for name, path in _plans().items()}
    return [
        Summary(study=name, title=plan.title, source=plan.source) for name, plan in plans.items()
    ]


def load(name: str) -> Study:
    """The study of that name. Raises UsageError with near names when there is none."""
    plans = _plans()
    found = names.find(name, {it: it for it in plans}, "study", "ciphermark list studies")
    return _study(found, plans[found])


def questions() -> dict[str, Questions[Any, Any]]:
    """What each study asks, by its name."""
    return {name: _module(name).QUESTIONS for name in _plans()}


def of_plan(name: str) -> Study | None:
    """The study whose plan a run was measured by, if it is one's."""
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
    found = [path for folder in studies.__path__ for path in Path(folder).glob("*.toml")]
    return {path.stem: path for path in sorted(found, key=lambda path: path.stem)}
