"""ciphermark as a library: measure, read stored runs, compare.

`import ciphermark` gives the names of `__all__`. A run that is measured here is stored and verified
like one of `ciphermark survey`. Faults are `UsageError` (the request) and `WorkError` (the machine,
a file).
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, overload

from ciphermark.errors import UsageError, WorkError

if TYPE_CHECKING:
    import pandas
    import pyarrow

    from ciphermark.record.run import Context
    from ciphermark.record.store import Store
    from ciphermark.workloads.single.comparison import Comparison

__all__ = ["Run", "UsageError", "WorkError", "compare", "measure", "runs"]

Folder = str | PathLike[str] | None
"""Folder or URL of the stored runs; None for that of CIPHERMARK_RUNS, else the user's own."""


class Run:
    """Stored run, which is read when its figures are needed."""

    def __init__(self, run: str, *, folder: Folder = None) -> None:
        """Finds the run of an identifier, a unique part of one, `last`, or a path.

        Raises `UsageError` where there is none or several are meant.
        """
        self._store = _store(folder)
        self.id = self._store.resolve(run)

    def __repr__(self) -> str:
        return f"Run({self.id!r})"

    @property
    def context(self) -> Context:
        """Returns machine, clocks, plan and versions of the run. Raises `WorkError`."""
        return self._store.context(self.id)

    def rows(self) -> list[Any]:
        """Returns a row for each case, typed structs whose fields are the columns of `figures`.

        Cycles are core cycles, times nanoseconds, MB 10^6 bytes; intervals are 95 % intervals of
        the median. Raises `WorkError`.
        """
        from ciphermark.command.stored import rows_of

        return rows_of(self._store, self.id, self.context)

    @overload
    def figures(self, form: Literal["arrow"] = "arrow") -> pyarrow.Table: ...
    @overload
    def figures(self, form: Literal["pandas"]) -> pandas.DataFrame: ...
    def figures(self, form: Literal["arrow", "pandas"] = "arrow") -> Any:
        """Returns the rows as a table of shape (cases, columns), led by the column `run`.

        The columns are those of `ciphermark export --format parquet`. Raises `WorkError`, and
        `UsageError` where pyarrow or pandas is not installed.
        """
        from ciphermark.view.export import FORMATS

        return _table(FORMATS["parquet"].export(self.context, self.rows()), form)

    @overload
    def samples(self, form: Literal["arrow"] = "arrow") -> pyarrow.Table: ...
    @overload
    def samples(self, form: Literal["pandas"]) -> pandas.DataFrame: ...
    def samples(self, form: Literal["arrow", "pandas"] = "arrow") -> Any:
        """Returns the timed samples, a row for each: see docs/python.md for the columns."""
        from ciphermark.record.layout import table_file

        return _table(table_file(self._store.folder(self.id), "samples").read_bytes(), form)


def runs(*, folder: Folder = None) -> list[Run]:
    """Returns the stored runs that can be read, newest first. Raises `WorkError`."""
    return [Run(it.run, folder=folder) for it in _store(folder).summaries()]


def measure(
    plan: str | PathLike[str] = "survey",
    *,
    algorithms: Sequence[str] | None = None,
    providers: Sequence[str] | None = None,
    backends: Sequence[str] | None = None,
    operations: Sequence[str] | None = None,
    sizes: Sequence[int] | None = None,
    precision: float | None = None,
    budget_s: float | None = None,
    cpu: int | None = None,
    seed: int | None = None,
    libraries: Mapping[str, str] | None = None,
    folder: Folder = None,
) -> Run:
    """Measures single messages on one core, stores the run and returns it.

    `plan` is `survey`, `survey-quick`, `survey-all` or the path of a plan file; the other arguments
    replace parts of it: names or patterns as on the command line, `sizes` in bytes, `precision` the
    wanted half-width of the 95 % interval as a share, `budget_s` in seconds, `libraries` paths by
    provider. Every implementation is verified before and while it is timed; a case that fails has a
    row with its error. Raises `UsageError` and `WorkError`.
    """
    from ciphermark.command.measuring import measure_and_keep
    from ciphermark.plan import build, planfile, selection
    from ciphermark.run.engine import Engine

    name = str(plan)
    is_path = "/" in name or name.endswith(".toml")
    if not is_path and not (planfile.DEFAULTS / f"{name}.toml").is_file():
        raise UsageError(
            f"there is no plan {name}: write survey, survey-quick, survey-all or a path"
        )
    file = planfile.read(Path(plan), "single") if is_path else planfile.default(name)
    chosen = selection.from_options(
        algorithms=_listed(algorithms),
        providers=_listed(providers),
        backends=_listed(backends),
        operations=_listed(operations),
        sizes=_listed(sizes),
        precision=None if precision is None else str(precision),
        budget=None if budget_s is None else str(budget_s),
        cpus=None if cpu is None else str(cpu),
        library=[f"{name}={path}" for name, path in (libraries or {}).items()],
    )
    chosen.seed = seed
    engine = Engine()
    facts = engine.describe(chosen.libraries)
    if chosen.needs_code_paths(file.backends):
        wanted = build.wanted_names(file, chosen, facts)
        engine.look_at_code_paths(facts, *wanted, chosen.libraries)
    built = build.build(file, chosen, facts)
    kept = measure_and_keep(
        engine,
        _store(folder),
        built,
        Path(name).stem,
        lambda hello: None,
        command="ciphermark.measure",
    )
    if kept.problem is not None:
        raise WorkError(f"{kept.problem}; the results until then are kept in run {kept.id}")
    return Run(kept.id, folder=folder)


def compare(
    judged: Run | str,
    against: Run | str,
    *,
    threshold: float = 0.05,
    across_machines: bool = False,
    folder: Folder = None,
) -> Comparison:
    """Compares two runs, or two libraries of one run, case by case.

    A ratio of 1.2 says that `judged` takes 1.2 times the cycles of `against`. Texts are as on the
    command line: `last:openssl`. `threshold` is the share beyond which a slowdown counts as a
    regression. Raises `UsageError` where the runs have nothing in common, and `WorkError`.
    """
    from ciphermark.workloads.single.compare_command import compared

    first, second = (it.id if isinstance(it, Run) else it for it in (judged, against))
    return compared(_store(folder), first, second, threshold, across_machines)


def _store(folder: Folder) -> Store:
    from ciphermark.record.store import Store

    return Store.default(None if folder is None else str(folder))


def _listed(values: Sequence[Any] | None) -> str | None:
    if isinstance(values, str):
        raise UsageError(f"{values!r} is a text: write a list, [{values!r}]")
    return None if values is None else ",".join(map(str, values))


def _table(content: bytes, form: str) -> Any:  # noqa: ANN401  # pyarrow or pandas
    from ciphermark.files.extras import needed

    parquet = needed("arrow")
    if form not in ("arrow", "pandas"):
        raise UsageError(f"there is no form {form}: write arrow or pandas")
    table = parquet.read_table(io.BytesIO(content))
    if form == "arrow":
        return table
    needed("pandas")
    return table.to_pandas()
