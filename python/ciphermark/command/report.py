"""Report of a run: one HTML file that needs nothing else, and its plots as files beside it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from ciphermark.command.additions import additions
from ciphermark.command.processes import processes
from ciphermark.errors import UsageError, WorkError
from ciphermark.files import extras
from ciphermark.files.atomic import replaced_file
from ciphermark.run.doctor import examine, overall
from ciphermark.view.blocks import Block, Facts, charts
from ciphermark.view.machine import caption, origin, processor
from ciphermark.view.page import Document, html
from ciphermark.view.plots import drawing
from ciphermark.view.plots.panel import picture
from ciphermark.view.plots.vegalite import Spec
from ciphermark.workload import workload_of

if TYPE_CHECKING:
    from ciphermark import contract
    from ciphermark.record.run import Context, Run
    from ciphermark.record.store import Store
    from ciphermark.workload import AnyRows

NAME = "report.html"

FEW_POINTS = 200
"""Points of all plots that are drawn sooner than other processes have begun: one takes 6 ms, as SVG
and as PNG, and a process half a second."""


def write_report(
    run: Run,
    rows: AnyRows,
    folder: Path,
    output: Path | None = None,
    *,
    force: bool = False,
    with_files: bool = True,
    facts: Sequence[contract.Algorithm] | None = None,
    store: Store | None = None,
) -> Path:
    """Writes the report of a run and its plots, and returns its path.

    It goes to `report.html` in the folder of the run, where an older one is replaced as it is
    derived from the run, or to `output`, which is replaced only with `force`. The plots go to a
    folder beside it too, unless they are to be in the page alone or the extra `plots` is not
    installed. `facts` are those of all algorithms, for advice, which asks for them if None. `store`
    has the run and others of its machine, which add to the machine's capacity. Raises `UsageError`
    when `output` is there, `WorkError` when it cannot be written.
    """
    if not force:
        check_output(output)
    with_files = with_files and extras.is_installed("plots")
    page = document(run, rows, facts, store)
    target = (output or folder / NAME).absolute()
    pictures = _pictures(target) if output else target.with_name("plots")
    drawn = {it.name: picture(it, page.caption) for it in charts(page.blocks) if with_files}
    try:
        (pictures if with_files else target.parent).mkdir(parents=True, exist_ok=True)
        with pictured(list(drawn.values())) as files:
            text = html(page, pictures.name if with_files else None)
            for name, (svg, png) in zip(drawn, files, strict=True):
                _replace(pictures / f"{name}.svg", svg)
                _replace(pictures / f"{name}.png", png)
        _replace(target, text)
    except OSError as error:
        raise WorkError(
            f"the report could not be written to {target} ({error.strerror}); "
            "name another place with --output PATH"
        ) from error
    return target


def document(
    run: Run,
    rows: AnyRows,
    facts: Sequence[contract.Algorithm] | None = None,
    store: Store | None = None,
) -> Document:
    """Returns the report of a run; `facts` and `store` as of `write_report`."""
    context = run.context
    workload = workload_of(context.workload)
    own = list(workload.blocks(context, rows, run))
    glance, own = (own[0], own[1:]) if own and isinstance(own[0], Facts) else (None, own)
    parts = [part(run, rows, facts, store) for part in additions.report_parts]
    blocks: list[Block] = [block for part in parts for block in part.before]
    blocks += [*own, *(block for part in parts for block in part.after)]
    titles = [*(part.title for part in parts), workload.page_title(run)]
    doctor = overall(examine(context.hello.environment)).line if context.hello else ""
    return Document(
        next(filter(None, titles), "") or usual_title(context),
        origin(context),
        blocks,
        caption(context),
        glance,
        "" if workload.simulated else doctor,
        context.interrupted,
    )


def usual_title(context: Context) -> str:
    """Returns the title of a report on libraries of this machine."""
    machine = context.engine_hello.environment.machine
    return f"What cryptography costs on {processor(machine)}"


def drawings(run: Run, rows: AnyRows) -> dict[str, Callable[[str], bytes]]:
    """Returns the plots of a run's report that are not empty, by name.

    Each is a function that draws it in a format of `drawing.FORMATS`.
    """
    page = document(run, rows)
    return {
        chart.name: partial(drawing.drawn, picture(chart, page.caption))
        for chart in charts(page.blocks)
    }


def check_output(output: Path | None) -> None:
    """Raises `UsageError` where there is something in the place of a report already.

    It is called before measuring, so that no report is refused only at the end.
    """
    for path in (output, _pictures(output)) if output else ():
        if path.exists():
            raise UsageError(
                f"{path} is there already: `ciphermark report --force` replaces it, "
                "or name another place with --output PATH"
            )


def _pictures(output: Path) -> Path:
    """Returns the folder of the plots of a report outside its run's folder."""
    return output.with_name(f"{output.stem}-plots")


def _replace(path: Path, content: bytes) -> None:
    with replaced_file(path) as partial:
        partial.write_bytes(content)


@contextmanager
def pictured(specs: Sequence[Spec]) -> Iterator[Iterator[tuple[bytes, bytes]]]:
    """Yields pictures as SVG and PNG; other processes draw them if they have many points."""
    points = sum(len(data) for spec in specs for data in spec["datasets"].values())
    count = min(os.cpu_count() or 1, len(specs))
    if count == 1 or points < FEW_POINTS:
        yield map(drawing.pictured, specs)
        return
    remedy = "ciphermark report draws them again"
    with processes(count, "drew plots", remedy) as pool:
        yield pool.map(drawing.pictured, specs)
